//! What a transaction sends: it does not change.

use super::action::Action;
use crate::attribute::time::EpochMillis;
use crate::exchange::Moment;
use crate::rule::Expected;
use crate::schema::Tables;
use crate::write::step::{Knowledge, Part};
use aws_sdk_dynamodb::types::TransactWriteItem;
use std::any::TypeId;
use std::time::Duration;

/// The contents of a transaction. They do not change: an attempt that differed in anything, were it the order of an item's
/// attributes, could be taken for another transaction under the same token.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) token: String,
    /// How many plans there were before.
    pub(crate) round: u32,
    /// When the first plan was begun: the time of all of its writes.
    pub(crate) made: Moment,
    /// The same of the first one that may have been applied: perhaps an earlier one, of which DynamoDB knows the token no more.
    pub(crate) since: Moment,
    pub(crate) tables: Vec<Tables>,
    pub(crate) requests: Vec<TransactWriteItem>,
    /// One for each action.
    pub(crate) parts: Vec<Planned>,
}

/// An action, as it is in a plan.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    /// The index of its own request; that of the row in front is the one before.
    pub(crate) at: usize,
    pub(crate) part: Part,
    /// What it was composed of.
    pub(crate) known: Knowledge,
}

impl Planned {
    /// Whether it cannot be applied twice: by its version or its idempotency key.
    pub(crate) fn is_guarded(&self) -> bool {
        let is_versioned = matches!(self.part.write.expected, Some(expected) if expected != Expected::Unchecked);
        self.part.write.key.is_some() || is_versioned && self.part.version().is_some()
    }
}

impl Plan {
    /// The time of its writes.
    pub(crate) fn now(&self) -> EpochMillis {
        self.made.wall
    }

    /// How old it is.
    pub(crate) fn age(&self, now: Moment) -> Duration {
        self.made.until(now)
    }

    /// How long it is since it may have been applied.
    pub(crate) fn uncertain_for(&self, now: Moment) -> Duration {
        self.since.until(now)
    }

    /// What the actions store.
    pub(crate) fn versions(&self, actions: &[Action]) -> Vec<(TypeId, Option<u64>)> {
        let versions = self.parts.iter().map(|planned| planned.part.version());
        actions.iter().map(|action| action.entity).zip(versions).collect()
    }
}
