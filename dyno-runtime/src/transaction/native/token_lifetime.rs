//! What an earlier `send` has left. While DynamoDB remembers the token, the same contents are sent again. After that, nothing is
//! sent that could be applied twice.

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

/// What an earlier `send` has left.
pub(crate) enum Recalled {
    Nothing,
    Plan(Arc<Plan>),
    /// It was applied, and DynamoDB may have forgotten its token.
    Applied(Arc<Plan>),
}

impl TransactionCommand {
    /// The time for which the contents may be sent. Idempotency keys of a time window carry their own time, and a later request
    /// could empty sets that have come into use since.
    pub(crate) fn limit(&self) -> Duration {
        let skews = self.keyed().filter_map(|store| match store {
            Store::Time { window, .. } => Some(u64::from(window.max_skew_secs)),
            _ => None,
        });
        Duration::from_secs(skews.fold(TOKEN_SECS, u64::min))
    }

    /// The stores of the idempotency keys of its updates.
    fn keyed(&self) -> impl Iterator<Item = &'static Store> {
        let keyed = self.actions.iter().filter(|action| action.command.has_dedup_key());
        keyed.filter_map(|action| action.command.schema.key_store())
    }

    /// The time for which the idempotency keys prove whether it was applied: until the last of them may be forgotten, because all
    /// of them are stored, or none. (Keys kept by count do not expire with time.)
    pub(crate) fn told_for(&self) -> Duration {
        let told = self.keyed().map(|store| match store {
            Store::Time { window, .. } => Duration::from_secs(window.window_secs.into()),
            Store::Row { keep_secs, .. } => Duration::from_secs((*keep_secs).into()),
            Store::Count { .. } => Duration::MAX,
        });
        told.max().unwrap_or_default()
    }

    /// Returns what an earlier `send`, of this value or of a clone, has left.
    pub(crate) fn recall(&self, now: Moment, tables: &[Tables]) -> Result<Recalled, Error> {
        let Some(plan) = self.memory.plan() else { return Ok(Recalled::Nothing) };
        let limit = self.limit();
        let may_be_applied = self.memory.attempts.may_be_applied();
        if plan.tables != tables {
            return if may_be_applied {
                Err(Error::invalid(
                    "the transaction has been sent to other tables already, and its clones are the same one: make another",
                ))
            } else {
                Ok(Recalled::Nothing)
            };
        }
        if plan.age(now) < limit {
            return Ok(Recalled::Plan(plan));
        }
        if self.memory.applied.load(Ordering::SeqCst) {
            return Ok(Recalled::Applied(plan));
        }
        // Sent anew, it is another transaction, and the idempotency keys prove whether this one was applied.
        let tells = plan.uncertain_for(now) < self.told_for();
        if tells || !may_be_applied { Ok(Recalled::Nothing) } else { Err(self.untold()) }
    }

    /// The error of a transaction whose outcome nothing proves any more.
    pub(crate) fn untold(&self) -> Error {
        let forgotten = match self.keyed().next() {
            Some(_) => "its idempotency keys are remembered for their window only",
            None => "DynamoDB remembers its token for ten minutes only",
        };
        Error::new(
            ErrorKind::OutcomeUnknown,
            format!(
                "the transaction may have been applied, and is not sent again, since {forgotten}: load the entities and decide"
            ),
        )
    }
}
