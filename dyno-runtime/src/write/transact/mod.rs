//! A native transaction: writes and checks of any entities and tables, all applied or none.
//!
//! `enlist` turns one command into what DynamoDB is sent for it, `contents` puts all of it together as a `plan`, `judge` reads
//! a refusal, `memory` has the plan again (`recall`). Together they keep the promise of the token. DynamoDB takes the same
//! token with the same contents for one transaction, for ten minutes. So contents are made once, with one time and one set of
//! names, and kept for all attempts; other contents get another token; and nothing is sent when the token may have been
//! forgotten.

mod command;
mod contents;
mod enlist;
mod judge;
mod memory;
mod part;
mod plan;
mod recall;

use crate::error::{Error, ErrorKind};
use crate::exchange::transact::{Exchanged, exchange};
use crate::exchange::{About, Repository, Request, transaction_span};
use crate::expression::Guard;
use crate::rule::{Refused, Verb};
use crate::schema::Tables;
use crate::write::keys::within;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsInput;
use aws_sdk_dynamodb::types::ReturnConsumedCapacity;
use command::unsettled;
pub(crate) use command::{Concluded, RefusedAction, RefusedTransaction, TransactionCommand};
use futures_util::FutureExt as _;
use judge::Judged;
pub(crate) use part::Action;
use part::named;
use plan::Plan;
use recall::Recalled;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tracing::Instrument as _;

/// How often a transaction goes on with other contents.
const ROUNDS: u32 = 8;

impl TransactionCommand {
    /// The request, to be shown or sent by hand.
    pub(crate) fn request(&self, repository: &Repository) -> Result<Request, Error> {
        self.check()?;
        let tables = self.tables(repository)?;
        self.check_items(&tables)?;
        for (index, action) in self.actions.iter().enumerate() {
            if enlist::reads(&action.command)? {
                let error = Error::invalid("what it sends depends on what is there, which `send` reads first");
                return Err(named(error, index, action));
            }
        }
        // Without reads, there is nothing to wait for.
        let planned = self.plan(repository, tables, (repository.now(), Instant::now()), 0, Vec::new()).now_or_never();
        match planned.transpose()? {
            Some(Ok(plan)) => Ok(Request::Transaction(
                TransactWriteItemsInput::builder()
                    .set_transact_items(Some(plan.requests))
                    .client_request_token(plan.token)
                    .return_consumed_capacity(ReturnConsumedCapacity::Total),
            )),
            _ => Err(Error::invalid("the transaction has no request of its own")),
        }
    }

    /// Sends the transaction and reads the answer.
    pub(crate) async fn send(self, repository: &Repository) -> Result<Concluded, Error> {
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
        let now = repository.now();
        let limit = self.limit();
        let recalled = self.recall(now, &tables)?;
        let elapsed = match &recalled {
            Recalled::Applied(plan) => return Ok(Concluded::Applied(plan.versions(&self.actions))),
            Recalled::Plan(plan) => plan.age(now),
            Recalled::Nothing => Duration::ZERO,
        };
        // Boxed, as in `versioned`.
        let sent = Box::pin(async {
            let plan = match recalled {
                Recalled::Plan(plan) => plan,
                _ => match self.plan(repository, tables.clone(), (now, Instant::now()), 0, Vec::new()).await? {
                    Ok(plan) => self.memory.keep(None, plan, limit),
                    Err(concluded) => return Ok(concluded),
                },
            };
            self.carry_out(repository, plan, limit).await
        });
        match within(repository, limit.saturating_sub(elapsed), sent).await {
            Some(sent) => sent.map_err(|error| self.explain(error)),
            None => Err(if self.told_for() > limit { late() } else { self.untold() }),
        }
    }

    /// Sends a plan, and others after it, until one is applied or refused.
    async fn carry_out(
        &self,
        repository: &Repository,
        mut plan: Arc<Plan>,
        limit: Duration,
    ) -> Result<Concluded, Error> {
        let mut rounds = 0..ROUNDS;
        loop {
            let (requests, token) = (plan.requests.clone(), plan.token.clone());
            let cancelled =
                match exchange(repository, self.about(&plan), requests, token, &self.memory.attempts).await? {
                    Exchanged::Applied => return Ok(self.applied(&plan)),
                    Exchanged::Cancelled(cancelled) => cancelled,
                };
            match self.judge(repository, &plan, cancelled).await? {
                Judged::Applied => return Ok(self.applied(&plan)),
                Judged::Refused(refused) => {
                    self.memory.forget(&plan, self.token.is_some());
                    return Ok(Concluded::Refused(self.refused(refused)));
                }
                // An attempt that is still under way could find its element there once more, after other contents are applied.
                Judged::Again { is_guarded: false, .. } if self.memory.attempts.may_be_applied() => {
                    return Err(open());
                }
                Judged::Again { .. } if rounds.next().is_none() => return Err(unsettled()),
                Judged::Again { courses, .. } => {
                    let (tables, time) = (plan.tables.clone(), (plan.now, plan.made));
                    match self.plan(repository, tables, time, plan.round + 1, courses).await? {
                        Ok(next) => plan = self.memory.keep(Some(&plan), next, limit),
                        Err(concluded) => return Ok(concluded),
                    }
                }
            }
        }
    }

    /// What its requests are about.
    fn about<'a>(&self, plan: &'a Plan) -> About<'a> {
        let entities = self.actions.iter().map(|action| action.command.schema.entity);
        let tables = plan.tables.iter().map(Tables::names);
        let entries = entities.zip(tables).flat_map(|(entity, tables)| tables.map(move |table| (entity, table)));
        About::several("transaction", entries)
    }

    fn applied(&self, plan: &Plan) -> Concluded {
        self.memory.applied.store(true, Ordering::SeqCst);
        Concluded::Applied(plan.versions(&self.actions))
    }

    fn refused(&self, actions: Vec<RefusedAction>) -> RefusedTransaction {
        let all = |is_meant: &dyn Fn(&Action) -> bool, is: &dyn Fn(&Refused) -> bool| {
            let mut meant = self.actions.iter().enumerate().filter(|(_, action)| is_meant(action)).peekable();
            let is_refused = |index| actions.iter().any(|action| action.index == index && is(&action.refused));
            meant.peek().is_some() && meant.all(|(index, _)| is_refused(index))
        };
        let is_write = |action: &Action| !matches!(action.command.verb, Verb::Check { .. });
        let is_lacking = |guard: &Guard| matches!(guard, Guard::Lacks(..));
        let is_unique = |action: &Action| {
            let mut changes = action.command.changes.iter();
            changes.any(|change| change.guards.iter().any(is_lacking))
        };
        let is_keyed = |action: &Action| action.command.key_of_update.is_some();
        RefusedTransaction {
            superseded: all(&is_write, &|refused| refused.moot.superseded),
            contained: all(&is_unique, &|refused| refused.moot.contained),
            duplicate: all(&is_keyed, &|refused| refused.reasons.contains(&crate::Reason::Duplicate)),
            actions,
        }
    }

    /// What an error says, given the attempts that may have been applied.
    fn explain(&self, error: Error) -> Error {
        if self.memory.attempts.may_be_applied() { error.in_doubt("transaction", AGAIN) } else { error }
    }
}

/// How to learn whether a transaction was applied, as long as DynamoDB knows its token.
const AGAIN: &str = "send this one, or a clone, again within ten minutes to learn it";

fn late() -> Error {
    let late = Error::new(ErrorKind::Unreachable, "there was no answer in time");
    late.in_doubt("transaction", "send it again, with the same idempotency keys")
}

fn open() -> Error {
    Error::new(
        ErrorKind::OutcomeUnknown,
        "an answer was lost, and the attempt may still be applied, so that the element which has shifted in its list is not looked for again: load the entities and decide",
    )
}
