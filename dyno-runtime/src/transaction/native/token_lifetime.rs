//! Decides for how long a native transaction is sent with one token. While DynamoDB remembers the token, the same plan is sent
//! again. After that, nothing is sent that could be applied twice.

use super::native_plan::Plan;
use super::transaction_command::TransactionCommand;
use crate::error::{Error, ErrorKind};
use crate::exchange::Moment;
use crate::schema::{Store, Tables};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The seconds for which requests are sent with one token: less than the ten minutes for which DynamoDB remembers it.
const TOKEN_SECS: u64 = 9 * 60;

/// The result of an earlier `send`, of this transaction or of a clone.
pub(super) enum EarlierSend {
    /// No plan is to be sent again. If an earlier one was applied, the idempotency keys refuse the next one.
    Nothing,
    /// This plan may have been sent, and can be sent again.
    Plan(Arc<Plan>),
    /// This plan was applied, and DynamoDB may have forgotten its token.
    Applied(Arc<Plan>),
}

impl TransactionCommand {
    /// Returns for how long a plan may be sent. Idempotency keys of a time window carry the plan's time, and a later request
    /// could empty sets of keys that other updates have used since.
    pub(super) fn limit(&self) -> Duration {
        let skews = self.key_stores().filter_map(|store| match store {
            Store::Time { window, .. } => Some(u64::from(window.max_skew_secs)),
            _ => None,
        });
        Duration::from_secs(skews.fold(TOKEN_SECS, u64::min))
    }

    /// Returns the stores of the updates' idempotency keys.
    fn key_stores(&self) -> impl Iterator<Item = &'static Store> {
        let keyed = self.actions.iter().filter(|action| action.command.has_dedup_key());
        keyed.filter_map(|action| action.command.schema.key_store())
    }

    /// Returns for how long the idempotency keys prove whether the transaction was applied: until the last of them may be
    /// forgotten, because either all of them are stored, or none. (Keys kept by count do not expire with time.)
    pub(super) fn provable_for(&self) -> Duration {
        let remembered_for = self.key_stores().map(|store| match store {
            Store::Time { window, .. } => Duration::from_secs(window.window_secs.into()),
            Store::Row { keep_secs, .. } => Duration::from_secs((*keep_secs).into()),
            Store::Count { .. } => Duration::MAX,
        });
        remembered_for.max().unwrap_or_default()
    }

    pub(super) fn earlier_send(&self, now: Moment, tables: &[Tables]) -> Result<EarlierSend, Error> {
        let Some(plan) = self.memory.plan() else { return Ok(EarlierSend::Nothing) };
        let limit = self.limit();
        let may_be_applied = self.memory.attempts.may_be_applied();
        if plan.tables != tables {
            return if may_be_applied {
                Err(Error::invalid(
                    "the transaction was already sent to other tables, and its clones are the same transaction: build a new one",
                ))
            } else {
                Ok(EarlierSend::Nothing)
            };
        }
        if plan.age(now) < limit {
            return Ok(EarlierSend::Plan(plan));
        }
        if self.memory.applied.load(Ordering::SeqCst) {
            return Ok(EarlierSend::Applied(plan));
        }
        // Another plan would be another transaction for DynamoDB. The idempotency keys refuse it if this plan was applied.
        let is_provable = plan.in_doubt_for(now) < self.provable_for();
        if is_provable || !may_be_applied { Ok(EarlierSend::Nothing) } else { Err(self.outcome_unknown()) }
    }

    /// Returns the error of a transaction whose outcome can no longer be proved.
    pub(super) fn outcome_unknown(&self) -> Error {
        let forgotten = match self.key_stores().next() {
            Some(_) => "its idempotency keys are kept only for their window",
            None => "DynamoDB keeps its token only for ten minutes",
        };
        let message = format!(
            "the transaction may have been applied, and is not sent again, because {forgotten}: load the items and decide"
        );
        Error::new(ErrorKind::OutcomeUnknown, message)
    }
}
