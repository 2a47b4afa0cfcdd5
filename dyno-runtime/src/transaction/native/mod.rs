//! A native transaction: writes and checks of any entities and tables, all applied or none.
//!
//! Its writes are composed as any other, and each refusal is judged as for a single write: see `write::drive_writes`. `native_carrier`
//! sends them to DynamoDB, `native_limits` puts them together as a `native_plan`, and `native_memory` and `token_lifetime` find the
//! plan again. Together they keep the promise of the token: DynamoDB takes the same token with the same contents for one transaction,
//! for ten minutes. So contents are made once, with one time and one set of placeholder names, and kept for all attempts; other
//! contents get another token; and nothing is sent once DynamoDB may have forgotten the token.

mod action;
mod choose_strategy;
mod native_carrier;
mod native_limits;
mod native_memory;
mod native_plan;
mod token_lifetime;
mod transaction_command;

use crate::attribute::time::EpochMillis;
use crate::error::{Error, ErrorKind};
use crate::exchange::transact::transaction;
use crate::exchange::{Repository, Request, transaction_span, within};
use crate::schema::Tables;
use crate::write::drive_writes::{Slot, drive};
use crate::write::write_steps::{Next, OtherAttempts, SendAs};
pub(crate) use action::{Action, named};
use native_carrier::Together;
use std::time::Duration;
use token_lifetime::Recalled;
use tracing::Instrument as _;
pub(crate) use transaction_command::{Concluded, RefusedAction, RefusedTransaction, TransactionCommand};

impl TransactionCommand {
    /// Returns the request, to be shown or sent by hand.
    pub(crate) fn request(&self, repository: &Repository) -> Result<Request, Error> {
        self.check()?;
        let tables = self.tables(repository)?;
        self.check_items(&tables)?;
        let now = repository.moment();
        let mut slots = self.slots(repository, tables, now.wall);
        for (index, (action, slot)) in self.actions.iter().zip(&mut slots).enumerate() {
            match slot.compose(&OtherAttempts::default()).map_err(|error| named(error, index, action))? {
                Next::Send(part, rows) => (slot.composed, slot.rows) = (Some(part), Some(rows)),
                _ => {
                    let error = Error::invalid("what it sends depends on what is there, which `send` reads first");
                    return Err(named(error, index, action));
                }
            }
        }
        let plan = self.plan(&mut slots, now, 0)?;
        Ok(Request::Transaction(transaction(repository.client(), plan.requests, plan.token).as_input().clone()))
    }

    /// Returns a slot for each action.
    fn slots<'a>(&self, repository: &'a Repository, tables: Vec<Tables>, now: EpochMillis) -> Vec<Slot<'a>> {
        let commands = self.actions.iter().map(|action| Box::new(action.command.clone()));
        let slots = commands.zip(tables);
        slots.map(|(command, tables)| Slot::new(command, repository, tables, now, SendAs::Action)).collect()
    }

    /// Whether a request attempt, of this value or of a clone, was or may have been applied.
    pub(crate) fn may_be_applied(&self) -> bool {
        self.memory.attempts.may_be_applied()
    }

    /// Sends the transaction and reads the answer.
    pub(crate) async fn send(&self, repository: &Repository) -> Result<Concluded, Error> {
        let span = transaction_span("transaction", self.actions.len());
        let sent = self.run(repository).instrument(span.clone()).await;
        let outcome = match &sent {
            Ok(Concluded::Applied(_)) => "applied",
            Ok(Concluded::Refused(_)) => "refused",
            Err(_) => "error",
        };
        span.record("outcome", outcome);
        sent
    }

    async fn run(&self, repository: &Repository) -> Result<Concluded, Error> {
        self.check()?;
        let tables = self.tables(repository)?;
        self.check_items(&tables)?;
        let now = repository.moment();
        let limit = self.limit();
        let recalled = self.recall(now, &tables)?;
        let elapsed = match &recalled {
            Recalled::Applied(plan) => return Ok(Concluded::Applied(plan.versions(&self.actions))),
            Recalled::Plan(plan) => plan.age(now),
            Recalled::Nothing => Duration::ZERO,
        };
        let mut slots = self.slots(repository, tables, now.wall);
        let plan = match recalled {
            Recalled::Plan(plan) => Some(plan),
            _ => None,
        };
        let mut together = Together::new(self, now, plan);
        // Boxed, so that the futures around it stay small.
        let sent = Box::pin(drive(repository, &mut together, &mut slots));
        match within(repository, limit.saturating_sub(elapsed), sent).await {
            Some(sent) => sent.map_err(|error| self.explain(error)),
            None => Err(if self.told_for() > limit { late() } else { self.untold() }),
        }
    }

    fn refused(&self, actions: Vec<RefusedAction>) -> RefusedTransaction {
        RefusedTransaction::of(&self.actions.iter().collect::<Vec<_>>(), actions)
    }

    /// Adds to an error that the transaction may have been applied, if it may.
    fn explain(&self, error: Error) -> Error {
        if self.memory.attempts.may_be_applied() { error.in_doubt("transaction", AGAIN) } else { error }
    }
}

/// The advice for learning whether a transaction was applied, while DynamoDB remembers its token.
const AGAIN: &str = "send this one, or a clone, again within ten minutes to learn it";

fn late() -> Error {
    let late = Error::new(ErrorKind::Unreachable, "there was no answer in time");
    late.in_doubt("transaction", "send it again, with the same idempotency keys")
}
