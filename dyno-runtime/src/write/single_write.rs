//! A write that is sent by itself: with what its history and its idempotency key make of it.

use super::drive_writes::{AllAnswered, Carrier, Slot, drive};
use super::late_arrival::not_hedgeable;
use super::transmit::{request, transmit};
use super::write_command::{AGAIN, Applied, WriteCommand, Written};
use super::write_steps::{Ended, Next, Part, Read, Setting, Tried};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Error, ErrorKind};
use crate::exchange::{About, Answer, Ask, Attempts, Delay, Repeat, Repository, Request, span, within};
use crate::rule::{Expected, Moot, Reason, Refused, Verb};
use crate::schema::{Mode, Schema, Store, Tables};
use aws_sdk_dynamodb::types::ReturnValue;
use futures_util::future::BoxFuture;
use std::pin::pin;
use std::time::Duration;
use tracing::instrument::Instrumented;
use tracing::{Instrument as _, Span};

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
        let alone = Alone::new(&self, &tables.main, returns.as_ref(), repository);
        alone.run(self, repository, tables, returns, span.clone()).instrument(span)
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
    /// What its requests are a part of.
    about: (&'static str, &'static str),
    attempts: Attempts,
    /// Whether clones are the same write, which knows itself by its name and the numbers that it has reached.
    is_named: bool,
    /// What a lost answer means.
    doubt: Doubt,
    returns: bool,
    now: EpochMillis,
    /// When a second, equal request is sent.
    hedge: Option<Delay>,
}

/// What is said of a write that may have been applied.
#[derive(Clone, Copy)]
enum Doubt {
    /// How to learn it.
    Learn(&'static str),
    /// Sent again, it is another change; a rewrite, which is made anew of what is there then.
    Change { is_rewrite: bool },
    /// The command that it is a part of says it.
    Silent,
}

impl Doubt {
    fn of(command: &WriteCommand) -> Self {
        let is_keyed = command.key_of_update.is_some();
        let Some(versioned) = &command.versioned else {
            return match command.verb {
                Verb::Rewrite => Self::Change { is_rewrite: true },
                Verb::Purge => Self::Learn(PURGED),
                _ if is_keyed => Self::Learn(WITH_ITS_KEY),
                _ => Self::Learn(AGAIN),
            };
        };
        match versioned.expected {
            Some(Expected::Unchecked) if !is_keyed => Self::Change { is_rewrite: false },
            _ if versioned.operation.is_some() => Self::Silent,
            _ => Self::Learn(SAME),
        }
    }
}

impl Alone {
    fn new(command: &WriteCommand, table: &str, returns: Option<&ReturnValue>, repository: &Repository) -> Self {
        // An unchecked write has no name by which it would know itself: each time it is sent, it is another one.
        let hedge = repository.hedging(command.hedge);
        let named = command.versioned.as_ref().filter(|versioned| versioned.expected != Some(Expected::Unchecked));
        Self {
            about: command.about(),
            attempts: named.map(|versioned| versioned.attempts(table)).unwrap_or_default(),
            is_named: named.is_some(),
            doubt: Doubt::of(command),
            returns: returns.is_some(),
            now: repository.now(),
            // What a second half finds may be the first one's doing: no answer tells what was there before both.
            hedge: hedge.filter(|_| command.is_hedgeable() && returns != Some(&ReturnValue::AllOld)),
        }
    }

    /// Sends it within the time that clocks may differ, if it has an idempotency key of a time window. Its own time is fixed
    /// before its first attempt, and an attempt that is later than that is as one from a clock that is off: it could empty
    /// sets that have come into use since.
    ///
    /// Boxed, so that the futures around it stay small. What it holds is made before: it is not moved in again.
    fn run(
        mut self,
        command: Box<WriteCommand>,
        repository: &Repository,
        tables: Tables,
        returns: Option<ReturnValue>,
        span: Span,
    ) -> BoxFuture<'_, Result<Written, Error>> {
        let skew = command.key_of_update.as_ref().and_then(|_| max_skew(command.schema));
        let mut slots = [Slot::new(command, repository, tables, self.now, Setting::Alone(returns))];
        Box::pin(async move {
            let sent = {
                let sent = pin!(self.carry_out(repository, &mut slots));
                match skew {
                    Some(skew) => Box::pin(within(repository, skew, sent)).await.unwrap_or_else(|| Err(late())),
                    None => sent.await,
                }
            };
            let outcome = match &sent {
                Ok(Written::Applied(_)) => "applied",
                Ok(Written::Refused(_)) => "refused",
                Err(_) => "error",
            };
            span.record("outcome", outcome);
            let [slot] = slots;
            sent.map_err(|error| error.with_context(|| slot.context()))
        })
    }

    async fn carry_out(&mut self, repository: &Repository, slots: &mut [Slot<'_>]) -> Result<Written, Error> {
        if self.hedge.is_none() && slots.iter().any(|slot| slot.command.hedge.is_some()) {
            return Err(not_hedgeable());
        }
        let sent = drive(repository, self, slots).await;
        sent.map_err(|error| self.explain(error, slots.first().and_then(|slot| slot.part.as_deref())))
    }

    /// Whether an attempt may have been applied, and nothing tells.
    fn explain(&self, error: Error, part: Option<&Part>) -> Error {
        if error.is_outcome_unknown() || !self.attempts.may_be_applied() {
            return error;
        }
        match self.doubt {
            _ if part.is_some_and(|part| part.repeat == Repeat::Once) => error.of_a_lost_answer(),
            Doubt::Change { .. } => error.of_a_lost_change(),
            Doubt::Learn(hint) => error.in_doubt("write", hint),
            Doubt::Silent => error,
        }
    }
}

impl Carrier for Alone {
    type Ended = Written;

    fn tried(&self, _: usize) -> Tried {
        if self.is_named {
            Tried { is_open: self.attempts.may_be_applied(), reached: self.attempts.expected() }
        } else {
            Tried::default()
        }
    }

    fn keep(&mut self, _: &Repository, slots: &mut [Slot<'_>]) -> Result<(), Error> {
        let expected = slots.iter().find_map(|slot| slot.part.as_ref()?.write.expected);
        if let Some(expected) = expected.filter(|_| self.is_named) {
            self.attempts.expect(expected);
        }
        Ok(())
    }

    async fn send(&self, repository: &Repository, slots: &mut [Slot<'_>]) -> Result<AllAnswered, Error> {
        let composed = slots
            .iter_mut()
            .find_map(|slot| Some((slot.rows.as_deref_mut()?, slot.part.as_ref()?.repeat, &*slot.tables.main)));
        let Some((rows, repeat, table)) = composed else {
            return Err(Error::new(ErrorKind::Service, "nothing was composed"));
        };
        let (operation, entity) = self.about;
        let ask = Ask::write(About::new(operation, entity, table), &self.attempts, repeat);
        let ask = Ask { hedge: self.hedge, is_named: self.is_named, ..ask };
        Ok(match transmit(repository, ask, table, rows).await? {
            Answer::Done(item) => Answer::Done(item),
            Answer::Denied(denial) => Answer::Denied((vec![Some(denial)], unexplained())),
        })
    }

    fn applied(&self, slots: &mut [Slot<'_>], item: Option<Item>) -> Written {
        let [slot, ..] = slots else { return self.written(None, item) };
        let part = slot.part.take();
        let returned = || slot.command.schema.version.as_ref()?.of(item.as_ref()?).filter(|version| *version > 0);
        let version = part.and_then(|part| part.write.next()).or_else(returned);
        self.written(version, item)
    }

    fn conclude(&self, slots: &mut [Slot<'_>], _: bool) -> Result<Written, Error> {
        let ended = slots.iter_mut().find_map(|slot| slot.ended.take().zip(Some(slot)));
        let Some((ended, slot)) = ended else { return Err(unexplained()) };
        match *ended {
            Ended::Applied { version, item } => Ok(self.written(version, item)),
            Ended::Refused { reasons, moot, item, lasts } => {
                // Of a rewrite, the command that it is a part of knows how to go on.
                let is_rewrite = matches!(self.doubt, Doubt::Change { is_rewrite: true });
                let is_open = self.attempts.may_be_applied();
                if is_open && !is_rewrite && !lasts && !is_moot(&reasons, moot) {
                    return Err(refused_for_now(&reasons));
                }
                // Sent again, it starts anew.
                self.attempts.restart();
                let (now, context, in_doubt) = (self.now, slot.context(), is_open && is_rewrite);
                Ok(Written::Refused(Refused { reasons, moot, item, now, context, in_doubt }))
            }
            Ended::Unknown => Err(outcome_unknown()),
        }
    }
}

impl Alone {
    fn written(&self, version: Option<u64>, item: Option<Item>) -> Written {
        Written::Applied(Applied { item: item.filter(|_| self.returns), version, now: self.now })
    }
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
fn max_skew(schema: &Schema) -> Option<Duration> {
    match schema.key_store() {
        Some(Store::Time { window, .. }) => Some(Duration::from_secs(window.max_skew_secs.into())),
        _ => None,
    }
}

/// Nothing is waited for any more, and whatever is under way may yet be applied.
fn late() -> Error {
    let late = Error::new(ErrorKind::Unreachable, "there was no answer within `max_skew_secs`");
    late.in_doubt("write", WITH_ITS_KEY)
}
