//! The result of resolving an intent.

use super::overwritten::Overwritten;
use crate::attribute::Item;
use crate::write::write_steps::Known;

/// The result of resolving an intent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Resolution {
    /// The intent is rolled forward. The item after that, if the row was known.
    RolledForward(Option<Item>),
    /// The intent is rolled back.
    RolledBack {
        /// The item after that, if there is one.
        item: Option<Item>,
        /// Whether this process aborted the attempt.
        is_aborted: bool,
    },
    /// Another process removed the intent. The item after that, if it was read.
    Gone(Known<Item>),
    /// The attempt is committed, but a program that does not know of transactions removed the intent.
    Overwritten(Overwritten),
}

impl Resolution {
    /// The same, without the items, which can be large.
    pub(crate) fn without_items(self) -> Self {
        match self {
            Self::RolledForward(_) => Self::RolledForward(None),
            Self::RolledBack { is_aborted, .. } => Self::RolledBack { item: None, is_aborted },
            Self::Gone(_) => Self::Gone(None),
            overwritten @ Self::Overwritten(_) => overwritten,
        }
    }
}
