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
pub(super) struct Plan {
    pub(super) token: String,
    /// How many plans there were before.
    pub(super) round: u32,
    /// When the first plan was begun: the time of all of its writes.
    pub(super) made: Moment,
    /// The same of the first one that may have been applied: perhaps an earlier one, of which DynamoDB knows the token no more.
    pub(super) since: Moment,
    pub(super) tables: Vec<Tables>,
    pub(super) requests: Vec<TransactWriteItem>,
    /// One for each action.
    pub(super) parts: Vec<Planned>,
}

/// An action, as it is in a plan.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    /// The index of its own request; that of the row in front is the one before.
    pub(super) at: usize,
    pub(super) part: Part,
    /// What it was composed of.
    pub(super) known: Knowledge,
}

impl Planned {
    /// Whether it cannot be applied twice: by its version or its idempotency key.
    pub(super) fn is_guarded(&self) -> bool {
        let is_versioned = matches!(self.part.write.expected, Some(expected) if expected != Expected::Unchecked);
        self.part.write.key.is_some() || is_versioned && self.part.version().is_some()
    }
}

impl Plan {
    /// The time of its writes.
    pub(super) fn now(&self) -> EpochMillis {
        self.made.wall
    }

    /// How old it is.
    pub(super) fn age(&self, now: Moment) -> Duration {
        self.made.until(now)
    }

    /// How long it is since it may have been applied.
    pub(super) fn uncertain_for(&self, now: Moment) -> Duration {
        self.since.until(now)
    }

    /// What the actions store.
    pub(super) fn versions(&self, actions: &[Action]) -> Vec<(TypeId, Option<u64>)> {
        let versions = self.parts.iter().map(|planned| planned.part.version());
        actions.iter().map(|action| action.entity).zip(versions).collect()
    }
}
