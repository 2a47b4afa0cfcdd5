//! The result of a sweep.

use super::finish_committed::Outcome;
use crate::attribute::{Item, equal_items};
use crate::error::Error;
use crate::exchange::ItemRef;
use crate::transaction::record::fmt_item;
use crate::transaction::resolve::{Overwritten, Resolution};
use std::fmt;

/// The most unresolved items that a report lists. `failed` counts all of them.
const KEPT: usize = 1000;

/// The result of a [`Sweep`](crate::Sweep).
#[derive(Debug, Default)]
#[must_use = "some items may be unresolved: look at `failed` and `unresolved`"]
pub struct SweepReport {
    rolled_forward: u64,
    rolled_back: u64,
    aborted: u64,
    cleared: u64,
    failed: u64,
    unresolved: Vec<Unresolved>,
    overwritten: Vec<Overwritten>,
}

/// An item whose intent a sweep could not resolve, or a lane that it could not clear.
#[derive(Debug)]
pub struct Unresolved {
    table: String,
    key: Item,
    error: Error,
}

impl SweepReport {
    /// The number of items that the sweep rolled forward: their transaction had committed.
    #[must_use]
    pub fn rolled_forward(&self) -> u64 {
        self.rolled_forward
    }

    /// The number of items that the sweep rolled back: it removed the intent of an aborted transaction.
    #[must_use]
    pub fn rolled_back(&self) -> u64 {
        self.rolled_back
    }

    /// The number of transactions that the sweep aborted, because their process showed no sign of life.
    #[must_use]
    pub fn aborted(&self) -> u64 {
        self.aborted
    }

    /// The number of lanes whose list of participants the sweep cleared, after it saw that all of them are rolled forward.
    #[must_use]
    pub fn cleared(&self) -> u64 {
        self.cleared
    }

    /// The number of items and lanes that the sweep could not resolve.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.failed
    }

    /// The first thousand of these items and lanes. The next sweep tries them again.
    #[must_use]
    pub fn unresolved(&self) -> &[Unresolved] {
        &self.unresolved
    }

    /// The first thousand items that another program wrote or deleted between the read of the sweep and its write. A committed
    /// change is missing in them. A sweep cannot report an item that was overwritten earlier, because its intent no longer
    /// exists.
    #[must_use]
    pub fn overwritten(&self) -> &[Overwritten] {
        &self.overwritten
    }

    /// Counts lanes whose list of participants is cleared.
    pub(crate) fn add_cleared(&mut self, lanes: u64) {
        self.cleared += lanes;
    }

    /// Adds the outcomes of these items and lanes.
    pub(crate) fn add(&mut self, outcomes: impl IntoIterator<Item = Outcome>) {
        for (at, resolved) in outcomes {
            match resolved {
                Ok(Resolution::RolledForward(_)) => self.rolled_forward += 1,
                Ok(Resolution::RolledBack { is_aborted, .. }) => {
                    self.rolled_back += 1;
                    self.aborted += u64::from(is_aborted);
                }
                Ok(Resolution::Overwritten(overwritten)) if self.overwritten.len() < KEPT => {
                    self.overwritten.push(overwritten);
                }
                Ok(Resolution::Overwritten(_) | Resolution::Gone(_)) => {}
                Err(error) => self.fail(at, error),
            }
        }
    }

    /// Counts an item once, although both its lane and the scan of its table lead to it.
    fn fail(&mut self, ItemRef { table, key }: ItemRef, error: Error) {
        let is_known = |known: &Unresolved| known.table == table && equal_items(&known.key, &key);
        if self.unresolved.iter().any(is_known) {
            return;
        }
        self.failed += 1;
        if self.unresolved.len() < KEPT {
            self.unresolved.push(Unresolved { table, key, error });
        }
    }
}

impl Unresolved {
    /// The name of the table of the item; the lane table, if it is a lane.
    #[must_use]
    pub fn table(&self) -> &str {
        &self.table
    }

    /// The key attributes of the item.
    #[must_use]
    pub fn key(&self) -> &Item {
        &self.key
    }

    /// The error that kept it from being resolved.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.error
    }
}

/// Writes the table, the key, and the error.
impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_item(f, &self.table, &self.key)?;
        write!(f, ": {}", self.error)
    }
}
