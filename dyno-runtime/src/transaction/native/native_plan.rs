//! The plan of a native transaction: its contents, which do not change once they may have been sent.

use super::action::Action;
use super::transaction_command::Versions;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::exchange::Moment;
use crate::rule::Expected;
use crate::schema::Tables;
use crate::write::write_steps::{ClaimDenial, ComposedWrite, Denial, Knowledge, Known};
use aws_sdk_dynamodb::types::TransactWriteItem;
use std::time::Duration;

/// The contents of a transaction. DynamoDB could take a request attempt with any difference, even in the order of an item's
/// attributes, for another transaction under the same token.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) token: String,
    /// The number of plans before this one.
    pub(crate) round: u32,
    /// The time of the first plan's `send`, which is the time of all writes.
    pub(crate) made: Moment,
    /// The time of the first plan that may have been applied. This can be an earlier plan, whose token DynamoDB has forgotten.
    pub(crate) since: Moment,
    pub(crate) tables: Vec<Tables>,
    pub(crate) requests: Vec<TransactWriteItem>,
    pub(crate) actions: Vec<PlannedAction>,
}

/// An action of a plan.
#[derive(Clone, Debug)]
pub(crate) struct PlannedAction {
    /// The index of the action's own request. If a row of a history or of an idempotency key goes with the action, that row's
    /// request is the one before. The guards of its unique values come before both.
    pub(crate) request: usize,
    /// For each of its unique values, the index of the request that checks the guard's holder, if there is one.
    pub(crate) holder_checks: Vec<Option<usize>>,
    pub(crate) composed: ComposedWrite,
    /// The knowledge from which the action was composed.
    pub(crate) known: Knowledge,
}

impl PlannedAction {
    /// Returns DynamoDB's answer to the action, given its answer to each request.
    pub(crate) fn denial(&self, stored: impl Fn(usize) -> Known<Item>) -> Option<Denial> {
        let companion = self.composed.companion.and_then(|_| self.request.checked_sub(1));
        let first = companion.unwrap_or(self.request).saturating_sub(self.holder_checks.len());
        let claim = |(index, check): (usize, &Option<usize>)| ClaimDenial {
            guard: stored(first + index),
            holder: check.and_then(&stored),
        };
        let claims = self.holder_checks.iter().enumerate().map(claim).collect();
        let denial = Denial { item: stored(self.request), companion: companion.and_then(&stored), claims };
        denial.is_some().then_some(denial)
    }

    /// Returns `true` if its version or its idempotency key keeps the action from being applied twice.
    pub(crate) fn is_guarded(&self) -> bool {
        let is_versioned = matches!(self.composed.write.expected, Some(expected) if expected != Expected::Unchecked);
        self.composed.write.dedup.key.is_some() || is_versioned && self.composed.version().is_some()
    }
}

impl Plan {
    /// Returns the time of the writes.
    pub(crate) fn now(&self) -> EpochMillis {
        self.made.wall
    }

    pub(crate) fn age(&self, now: Moment) -> Duration {
        self.made.until(now)
    }

    /// Returns for how long the transaction may have been applied already.
    pub(crate) fn in_doubt_for(&self, now: Moment) -> Duration {
        self.since.until(now)
    }

    /// Returns the versions that the actions store.
    pub(crate) fn versions(&self, actions: &[Action]) -> Versions {
        let versions = self.actions.iter().map(|planned| planned.composed.version());
        actions.iter().map(|action| action.entity).zip(versions).collect()
    }
}
