//! The contents of a native transaction, which do not change.

use super::action::Action;
use crate::attribute::time::EpochMillis;
use crate::exchange::Moment;
use crate::rule::Expected;
use crate::schema::Tables;
use crate::write::write_steps::{ComposedWrite, Knowledge};
use aws_sdk_dynamodb::types::TransactWriteItem;
use std::any::TypeId;
use std::time::Duration;

/// The contents of a transaction. An attempt with any difference, even in the order of an item's attributes, could be taken for
/// another transaction under the same token.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) token: String,
    /// The number of plans before this one.
    pub(crate) round: u32,
    /// The time at which the first plan began: the time of all of its writes.
    pub(crate) made: Moment,
    /// The time of the first plan that may have been applied: perhaps an earlier one, whose token DynamoDB has forgotten.
    pub(crate) since: Moment,
    pub(crate) tables: Vec<Tables>,
    pub(crate) requests: Vec<TransactWriteItem>,
    /// One for each action.
    pub(crate) parts: Vec<Planned>,
}

/// An action of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    /// The index of its own request. The row in front, if there is one, is the request before it.
    pub(crate) at: usize,
    pub(crate) part: ComposedWrite,
    /// The knowledge from which it was composed.
    pub(crate) known: Knowledge,
}

impl Planned {
    /// Whether its version or its idempotency key keeps it from being applied twice.
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

    /// Its age.
    pub(crate) fn age(&self, now: Moment) -> Duration {
        self.made.until(now)
    }

    /// The time since it may have been applied.
    pub(crate) fn uncertain_for(&self, now: Moment) -> Duration {
        self.since.until(now)
    }

    /// Returns the versions that the actions store.
    pub(crate) fn versions(&self, actions: &[Action]) -> Vec<(TypeId, Option<u64>)> {
        let versions = self.parts.iter().map(|planned| planned.part.version());
        actions.iter().map(|action| action.entity).zip(versions).collect()
    }
}
