//! A native transaction: writes and checks of any entities and tables, all applied or none.
//!
//! The writes are composed like single writes, and each refusal is evaluated like that of a single write: see
//! `write::drive_writes`. `native_limits` puts the composed writes together as a `native_plan` (`place_claims` places the checks of
//! unique values), and `native_carrier` sends the plan. `native_memory` keeps the plan between two `send`s, and `token_lifetime`
//! decides whether it is sent again.
//!
//! These files keep the promise of the token. For ten minutes, DynamoDB takes requests with the same token and the same contents
//! for one transaction. So the contents are made once, with one time and one set of placeholder names, and kept for all attempts;
//! other contents get another token, unless the caller has set the token and the earlier contents were refused; and nothing is sent
//! once DynamoDB may have forgotten the token.

mod action;
mod choose_strategy;
mod native_carrier;
mod native_limits;
mod native_memory;
mod native_plan;
mod place_claims;
mod token_lifetime;
mod transaction_command;

use crate::attribute::time::EpochMillis;
use crate::error::{Error, ErrorKind};
use crate::exchange::row::transact::transaction;
use crate::exchange::{Repository, Request, trace_events, transaction_span, within};
use crate::schema::Tables;
use crate::write::drive_writes::{Slot, drive};
use crate::write::write_steps::{Next, OtherAttempts, SendAs};
pub(crate) use action::{Action, named};
pub(crate) use choose_strategy::Strategy;
use native_carrier::NativeCarrier;
use std::time::Duration;
use token_lifetime::EarlierSend;
use tracing::Instrument as _;
#[cfg(feature = "transactions")]
pub(crate) use transaction_command::Versions;
pub(crate) use transaction_command::{NativeAnswer, RefusedAction, RefusedTransaction, TransactionCommand};

impl TransactionCommand {
    /// Returns the request that a first `send` would send, without sending it.
    pub(crate) fn request(&self, repository: &Repository) -> Result<Request, Error> {
        self.check()?;
        let tables = self.tables(repository)?;
        self.check_items(&tables)?;
        let now = repository.moment();
        let mut slots = self.slots(repository, tables, now.wall);
        for (index, (action, slot)) in self.actions.iter().zip(&mut slots).enumerate() {
            match slot.compose(&OtherAttempts::default()).map_err(|error| named(error, index, action))? {
                Next::Send(composed, rows) => (slot.composed, slot.rows) = (Some(composed), Some(rows)),
                _ => {
                    let error = Error::invalid(
                        "`request` cannot show it, because this action needs the stored item, which only `send` reads",
                    );
                    return Err(named(error, index, action));
                }
            }
        }
        let plan = self.plan(&mut slots, now, 0)?;
        Ok(Request::Transaction(
            transaction(repository.sender(), plan.requests, plan.token, self.reports_indexes()).as_input().clone(),
        ))
    }

    /// Returns `true` if an action writes an item with a vector.
    fn reports_indexes(&self) -> bool {
        self.actions.iter().any(|action| action.command.schema.has_vectors())
    }

    /// Returns a slot for each action.
    pub(crate) fn slots<'a>(&self, repository: &'a Repository, tables: Vec<Tables>, now: EpochMillis) -> Vec<Slot<'a>> {
        let commands = self.actions.iter().map(|action| Box::new(action.command.clone()));
        let slots = commands.zip(tables);
        slots.map(|(command, tables)| Slot::new(command, repository, tables, now, SendAs::Action)).collect()
    }

    /// Returns `true` if a request attempt, of this transaction or of a clone, was or may have been applied.
    pub(crate) fn may_be_applied(&self) -> bool {
        self.memory.attempts.may_be_applied()
    }

    /// Sends the transaction, or continues an earlier `send` of it.
    pub(crate) async fn send(&self, repository: &Repository) -> Result<NativeAnswer, Error> {
        let span = transaction_span("transaction", self.actions.len());
        let sent = self.run(repository).instrument(span.clone()).await;
        let entities = || self.actions.iter().map(|action| action.command.schema.entity);
        let sent = sent.map_err(|error| error.of_entities("transaction", entities()));
        let outcome = match &sent {
            Ok(NativeAnswer::Done(_)) => "applied",
            Ok(NativeAnswer::Denied(refused)) => {
                // An interactive transaction, which alone has a priority, reports its own end.
                if self.priority.is_none() {
                    span.in_scope(|| refused.trace());
                }
                "refused"
            }
            Err(error) => {
                if self.priority.is_none() {
                    span.in_scope(|| trace_events::failed("", "transaction", error));
                }
                "error"
            }
        };
        span.record("outcome", outcome);
        sent
    }

    async fn run(&self, repository: &Repository) -> Result<NativeAnswer, Error> {
        self.check()?;
        let tables = self.tables(repository)?;
        self.check_items(&tables)?;
        // The time of the transaction is fixed when a pace lets it begin.
        repository.wait_for_write().await?;
        let repository = &repository.without_delay();
        let now = repository.moment();
        let limit = self.limit();
        let plan = match self.earlier_send(now, &tables)? {
            EarlierSend::Applied(plan) => return Ok(NativeAnswer::Done(plan.versions(&self.actions))),
            EarlierSend::Plan(plan) => Some(plan),
            EarlierSend::Nothing => None,
        };
        let age = plan.as_ref().map_or(Duration::ZERO, |plan| plan.age(now));
        let mut slots = self.slots(repository, tables, now.wall);
        let mut carrier = NativeCarrier::new(self, now, plan);
        // Boxed, so that the futures around it stay small.
        let sent = Box::pin(drive(repository, &mut carrier, &mut slots));
        match within(repository, limit.saturating_sub(age), sent).await {
            Some(Err(error)) if self.may_be_applied() => Err(error.in_doubt("transaction", AGAIN)),
            Some(sent) => sent,
            None => Err(if self.provable_for() > limit { late() } else { self.outcome_unknown() }),
        }
    }
}

/// How the caller can learn whether the transaction was applied, while DynamoDB remembers its token.
const AGAIN: &str = "send this transaction, or a clone, again within ten minutes of its first request: the answer says whether it was applied";

fn late() -> Error {
    let late = Error::new(ErrorKind::Unreachable, "DynamoDB did not answer in time");
    late.in_doubt("transaction", "send it again, with the same idempotency keys")
}
