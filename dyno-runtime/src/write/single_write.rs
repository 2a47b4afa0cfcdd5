//! A write that is sent by itself: with what its history and its idempotency key make of it.

use super::drive_writes::{AllAnswered, Carrier, Slot, drive};
use super::late_arrival::not_hedgeable;
use super::transmit::{request, transmit};
use super::write_command::{AGAIN, Applied, WriteCommand, Written};
use super::write_steps::{Ended, Next, Read, Setting, Tried};
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::{About, Answer, Ask, Attempts, Delay, Repeat, Repository, Request, span, within};
use crate::rule::{Expected, Moot, Reason, Refused, Verb};
use crate::schema::{Mode, Store, Tables};
use aws_sdk_dynamodb::types::ReturnValue;
use futures_util::future::BoxFuture;
use std::pin::pin;
use std::time::Duration;
use tracing::Instrument as _;
use tracing::instrument::Instrumented;

/// How to learn whether a write was applied that has an idempotency key, or a name.
const WITH_ITS_KEY: &str = "send it again, with the same idempotency key";
const SAME: &str = "send the same command again to learn it";
/// The same of a purge, which leaves nothing that it would know itself by.
const PURGED: &str =
    "send it again; if it is refused then, the tombstone has been removed, or another item is in its place";

impl WriteCommand {
    /// The request, to be shown or sent by hand: where it is known before anything is read. Of an ordered history, the write's
    /// own: what is superseded is put by another.
    pub(crate) fn request(
        &self,
        repository: &Repository,
        mut tables: Tables,
        returns: Option<ReturnValue>,
    ) -> Result<Request, Error> {
        if self.schema.history.as_ref().is_some_and(|history| history.mode == Mode::Ordered) {
            tables.history = None;
        }
        let command = Box::new(self.clone());
        let mut slot = Slot::new(command, repository, tables, repository.now(), Setting::Alone(returns));
        let shown = slot.compose(&Tried::default()).and_then(|next| match next {
            Next::Send(_, rows) => request(repository.client(), *rows),
            next => Err(Error::invalid(hidden(&next))),
        });
        shown.map_err(|error| error.with_context(|| self.context()))
    }

    /// Sends the request and reads the answer; further ones where a version, a history, an idempotency key or what the write
    /// is made for asks for them.
    pub(crate) fn send(
        self: Box<Self>,
        repository: &Repository,
        tables: Tables,
        returns: Option<ReturnValue>,
    ) -> Instrumented<BoxFuture<'_, Result<Written, Error>>> {
        let span = span(self.schema, self.operation(), &tables.main);
        let mut alone = Alone::new(&self, &tables.main, returns.as_ref(), repository);
        let skew = max_skew(&self);
        let mut slots = [Slot::new(self, repository, tables, repository.now(), Setting::Alone(returns))];
        let entered = span.clone();
        // Boxed, so that the futures around it stay small. What it holds is made before: it is not moved in again.
        let sent: BoxFuture<'_, _> = Box::pin(async move {
            let sent = {
                let sent = pin!(alone.carry_out(repository, &mut slots));
                match skew {
                    // The write's own time is fixed before its first attempt. An attempt that is later than that is as one from
                    // a clock that is off: it could empty sets of idempotency keys that have come into use since.
                    Some(skew) => Box::pin(within(repository, skew, sent)).await.unwrap_or_else(|| Err(late())),
                    None => sent.await,
                }
            };
            let outcome = match &sent {
                Ok(Answer::Done(_)) => "applied",
                Ok(Answer::Denied(_)) => "refused",
                Err(_) => "error",
            };
            entered.record("outcome", outcome);
            let [slot] = slots;
            sent.map_err(|error| error.with_context(|| slot.context()))
        });
        sent.instrument(span)
    }
}

/// Why a request cannot be shown.
fn hidden(next: &Next) -> &'static str {
    match next {
        // With nothing known yet, that alone asks for the item.
        Next::Read(Read::Item) => {
            "`remove_value` has no request of its own: where the element is must be read first, as `send` does"
        }
        Next::Read(_) => "the number of a new item goes on behind its history, which `send` reads first",
        _ => "the write has no request: what was loaded says that it would be refused",
    }
}

/// A write under way by itself.
struct Alone {
    attempts: Attempts,
    /// Whether clones are the same write, which knows itself by its name and the numbers that it has reached.
    is_named: bool,
    /// When a second, equal request is sent.
    hedge: Option<Delay>,
}

impl Alone {
    fn new(command: &WriteCommand, table: &str, returns: Option<&ReturnValue>, repository: &Repository) -> Self {
        // An unchecked write has no name by which it would know itself: each time it is sent, it is another one.
        let hedge = repository.hedging(command.hedge);
        let named = command.versioned.as_ref().filter(|versioned| versioned.expected != Some(Expected::Unchecked));
        Self {
            attempts: named.map(|versioned| versioned.attempts(table)).unwrap_or_default(),
            is_named: named.is_some(),
            // What a second half finds may be the first one's doing: no answer tells what was there before both.
            hedge: hedge.filter(|_| command.is_hedgeable() && returns != Some(&ReturnValue::AllOld)),
        }
    }

    async fn carry_out(&mut self, repository: &Repository, slots: &mut [Slot<'_>; 1]) -> Result<Written, Error> {
        if self.hedge.is_none() && slots[0].command.hedge.is_some() {
            return Err(not_hedgeable());
        }
        let sent = drive(repository, self, slots).await;
        sent.map_err(|error| self.explain(error, &slots[0]))
    }

    /// Says whether an attempt may have been applied, if nothing else tells, and how to learn it.
    fn explain(&self, error: Error, slot: &Slot<'_>) -> Error {
        if error.is_outcome_unknown() || !self.attempts.may_be_applied() {
            return error;
        }
        if slot.part.as_ref().is_some_and(|part| part.repeat == Repeat::Once) {
            return error.of_a_lost_answer();
        }
        let command = &slot.command;
        let is_keyed = command.has_dedup_key();
        let hint = match &command.versioned {
            // Sent again, it is another change.
            Some(versioned) if versioned.expected == Some(Expected::Unchecked) && !is_keyed => {
                return error.of_a_lost_change();
            }
            // The command that it is a part of says it.
            Some(versioned) if versioned.operation.is_some() => return error,
            Some(_) => SAME,
            // Made anew, of what is there then, it is another change.
            None if command.verb == Verb::Rewrite => return error.of_a_lost_change(),
            None if command.verb == Verb::Purge => PURGED,
            None if is_keyed => WITH_ITS_KEY,
            None => AGAIN,
        };
        error.in_doubt("write", hint)
    }
}

impl Carrier for Alone {
    type Ended = Written;

    fn tried(&self, _: usize) -> Tried {
        if self.is_named {
            Tried { is_open: self.attempts.may_be_applied(), reached: self.attempts.reached() }
        } else {
            Tried::default()
        }
    }

    fn keep(&mut self, _: &Repository, slots: &mut [Slot<'_>]) -> Result<(), Error> {
        let expected = slots.iter().find_map(|slot| slot.part.as_ref()?.write.expected);
        if let Some(expected) = expected.filter(|_| self.is_named) {
            self.attempts.reach(expected);
        }
        Ok(())
    }

    async fn send(&self, repository: &Repository, slots: &mut [Slot<'_>]) -> Result<AllAnswered, Error> {
        let [Slot { rows: Some(rows), part: Some(part), tables, command, .. }] = slots else {
            return Err(Error::new(ErrorKind::Service, "nothing was composed"));
        };
        let (table, (operation, entity)) = (&*tables.main, command.about());
        let ask = Ask::write(About::new(operation, entity, table), &self.attempts, part.repeat);
        let ask = Ask { hedge: self.hedge, is_named: self.is_named, ..ask };
        Ok(match transmit(repository, ask, table, rows).await? {
            Answer::Done(item) => Answer::Done(item),
            Answer::Denied(denial) => Answer::Denied((vec![Some(denial)], unexplained())),
        })
    }

    fn applied(&self, slots: &mut [Slot<'_>], item: Option<Item>) -> Written {
        let slot = &slots[0];
        let returned = || slot.command.schema.version.as_ref()?.of(item.as_ref()?).filter(|version| *version > 0);
        let version = slot.part.as_ref().and_then(|part| part.write.next()).or_else(returned);
        written(slot, version, item)
    }

    fn conclude(&self, slots: &mut [Slot<'_>], _: bool) -> Result<Written, Error> {
        let slot = &mut slots[0];
        match *slot.ended.take().ok_or_else(unexplained)? {
            Ended::Applied { version, item } => Ok(written(slot, version, item)),
            Ended::Refused { reasons, moot, item, lasts } => {
                // Of a rewrite, the command that it is a part of knows how to go on.
                let is_rewrite = slot.command.versioned.is_none() && slot.command.verb == Verb::Rewrite;
                let is_open = self.attempts.may_be_applied();
                if is_open && !is_rewrite && !lasts && !is_moot(&reasons, moot) {
                    return Err(refused_for_now(&reasons));
                }
                // Sent again, it starts anew.
                self.attempts.restart();
                let (now, context, in_doubt) = (slot.now, slot.context(), is_open && is_rewrite);
                Ok(Answer::Denied(Refused { reasons, moot, item, now, context, in_doubt }))
            }
            Ended::Unknown => Err(outcome_unknown()),
        }
    }
}

fn written(slot: &Slot<'_>, version: Option<u64>, item: Option<Item>) -> Written {
    let is_wanted = matches!(slot.setting, Setting::Alone(Some(_)));
    Answer::Done(Applied { item: item.filter(|_| is_wanted), version, now: slot.now })
}

/// A denial always says something of a write that is sent alone.
#[cold]
fn unexplained() -> Error {
    Error::new(ErrorKind::Service, "DynamoDB refused the write, and did not say why")
}

/// Whether a refusal says that the write need not be made any more, whichever attempt it was that made it.
fn is_moot(reasons: &[Reason], moot: Moot) -> bool {
    moot.superseded || moot.contained || reasons.contains(&Reason::Duplicate)
}

/// The last attempt was refused for reasons that need not last, while the answer to an earlier one was lost: that one can pass
/// when it arrives.
pub(crate) fn refused_for_now(reasons: &[Reason]) -> Error {
    let reasons: Vec<String> = reasons.iter().map(Reason::to_string).collect();
    Error::new(ErrorKind::Unreachable, format!("the last attempt was refused: {}", reasons.join("; ")))
}

pub(crate) fn outcome_unknown() -> Error {
    Error::new(
        ErrorKind::OutcomeUnknown,
        "an earlier attempt may have been applied, and what is there does not tell any more: load the entity and decide",
    )
}

/// For how long a write with an idempotency key may be sent.
fn max_skew(command: &WriteCommand) -> Option<Duration> {
    match command.dedup_store() {
        Some(Store::Time { window, .. }) => Some(Duration::from_secs(window.max_skew_secs.into())),
        _ => None,
    }
}

/// Nothing is waited for any more, and whatever is under way may yet be applied.
fn late() -> Error {
    let late = Error::new(ErrorKind::Unreachable, "there was no answer within `max_skew_secs`");
    late.in_doubt("write", WITH_ITS_KEY)
}
