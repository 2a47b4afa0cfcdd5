//! What a transaction sends: it does not change.

use super::action::Action;
use crate::attribute::time::EpochMillis;
use crate::rule::Expected;
use crate::schema::Tables;
use crate::write::step::{Knowledge, Part};
use aws_sdk_dynamodb::types::TransactWriteItem;
use std::any::TypeId;
use std::time::{Duration, Instant};

/// The contents of a transaction. They do not change: an attempt that differed in anything, were it the order of an item's
/// attributes, could be taken for another transaction under the same token.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) token: String,
    /// How many plans there were before.
    pub(super) round: u32,
    /// The time of all of its writes.
    pub(super) now: EpochMillis,
    /// When the first plan was begun.
    pub(super) made: Instant,
    /// The same of the first one that may have been applied: perhaps an earlier one, of which DynamoDB knows the token no more.
    pub(super) since: (EpochMillis, Instant),
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
    /// How old it is: by the repository's clock, or by this process's, which nobody sets back, if that says more.
    pub(super) fn age(&self, now: EpochMillis) -> Duration {
        elapsed((self.now, self.made), now)
    }

    /// How long it is since it may have been applied.
    pub(super) fn uncertain_for(&self, now: EpochMillis) -> Duration {
        elapsed(self.since, now)
    }

    /// What the actions store.
    pub(super) fn versions(&self, actions: &[Action]) -> Vec<(TypeId, Option<u64>)> {
        let versions = self.parts.iter().map(|planned| planned.part.version());
        actions.iter().map(|action| action.entity).zip(versions).collect()
    }
}

fn elapsed((time, instant): (EpochMillis, Instant), now: EpochMillis) -> Duration {
    let by_clock = now.get().saturating_sub(time.get()).try_into().unwrap_or_default();
    instant.elapsed().max(Duration::from_millis(by_clock))
}
