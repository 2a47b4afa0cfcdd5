//! What an earlier attempt has left. For as long as DynamoDB knows the token, the same is sent again; then, nothing that could
//! be applied twice.

use super::native_plan::Plan;
use super::transaction_command::TransactionCommand;
use crate::error::{Error, ErrorKind};
use crate::exchange::Moment;
use crate::schema::{Store, Tables};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// For how long attempts are made with one token: less than the ten minutes that DynamoDB remembers it.
const TOKEN_SECS: u64 = 9 * 60;

/// What an earlier `send` has left to go on with.
pub(crate) enum Recalled {
    Nothing,
    Plan(Arc<Plan>),
    /// It was applied, and its token may be forgotten.
    Applied(Arc<Plan>),
}

impl TransactionCommand {
    /// For how long the contents may be sent. Idempotency keys of a time window bring their own time, and an attempt that is
    /// later could empty sets that have come into use since.
    pub(crate) fn limit(&self) -> Duration {
        let skews = self.keyed().filter_map(|store| match store {
            Store::Time { window, .. } => Some(u64::from(window.max_skew_secs)),
            _ => None,
        });
        Duration::from_secs(skews.fold(TOKEN_SECS, u64::min))
    }

    /// Where the idempotency keys are kept, of each update that has one.
    fn keyed(&self) -> impl Iterator<Item = &'static Store> {
        let keyed = self.actions.iter().filter(|action| action.command.key_of_update.is_some());
        keyed.filter_map(|action| action.command.schema.key_store())
    }

    /// For how long the idempotency keys tell whether it has been applied: until the last of them may be forgotten, since all
    /// are stored or none. (Those of a list are told by their number, whatever the time.)
    pub(crate) fn told_for(&self) -> Duration {
        let told = self.keyed().map(|store| match store {
            Store::Time { window, .. } => Duration::from_secs(window.window_secs.into()),
            Store::Row { keep_secs, .. } => Duration::from_secs((*keep_secs).into()),
            Store::Count { .. } => Duration::MAX,
        });
        told.max().unwrap_or_default()
    }

    /// What an earlier attempt, of this value or of a clone, has left.
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
        // Made anew, it is another one, and the keys tell whether it has been applied.
        let tells = plan.uncertain_for(now) < self.told_for();
        if tells || !may_be_applied { Ok(Recalled::Nothing) } else { Err(self.untold()) }
    }

    /// Nothing tells any more whether it was applied.
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
