//! The result of an attempt.

use crate::transaction::native::{RefusedTransaction, Versions};
use crate::transaction::resolve::Overwritten;

/// The rows that an attempt stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(crate) versions: Versions,
    /// The number of items that do not show the change yet.
    pub(crate) unapplied: usize,
    /// The items that another program wrote over before they were rolled forward.
    pub(crate) overwritten: Vec<Overwritten>,
}

/// The outcome of a transaction attempt.
#[derive(Clone)]
pub(crate) enum AttemptResult {
    Applied(Report),
    Refused(RefusedTransaction),
    /// The rows or ranges that were read have changed, so nothing was applied, now or later. The closure must run again.
    RunAgain,
    /// The reason for the refusal no longer exists, and nothing that was read has changed. The same attempt may pass now.
    SendAgain,
}
