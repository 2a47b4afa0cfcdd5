//! A refusal, without the type of its entity.

use super::Reason;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Context;

/// A refusal without the type of its entity.
#[derive(Clone)]
pub struct Refused {
    pub(crate) reasons: Vec<Reason>,
    pub(crate) moot: Moot,
    pub(crate) item: Option<Item>,
    pub(crate) now: EpochMillis,
    pub(crate) context: Context,
    /// The caller's own condition, without its values, if it is a reason.
    pub(crate) condition: Option<String>,
    /// `true` if an earlier attempt may have been applied and the item does not show it. Only for a rewrite without a write id.
    pub(crate) in_doubt: bool,
}

impl Refused {
    /// Returns the reasons for people.
    pub(crate) fn reasons_text(&self) -> String {
        let text = |reason: &Reason| match (reason, &self.condition) {
            (Reason::Condition, Some(condition)) => format!("the condition `{condition}` does not hold"),
            _ => reason.to_string(),
        };
        self.reasons.iter().map(text).collect::<Vec<_>>().join("; ")
    }
}

/// Why a refused write is no longer needed, if it is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moot {
    /// The write is old news: see [`Refusal::is_superseded`](crate::Refusal::is_superseded).
    pub(crate) superseded: bool,
    /// The lists already contain every element that the write would add with `push_unique`, and there is no other reason.
    pub(crate) contained: bool,
}
