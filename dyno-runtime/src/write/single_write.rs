//! Sends a single write, and answers it: applied or refused, or an error that says whether the write may have been applied.

use super::drive_writes::{Carrier, CarrierAnswer, Slot, drive};
use super::late_arrival::not_hedgeable;
use super::transmit::{request, transmit};
use super::write_command::{Applied, WriteCommand, Written};
use super::write_steps::{Conclusion, Judgement, Next, OtherAttempts, Read, SendAs};
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::{About, Answer, Ask, Attempts, Delay, Repeat, Repository, Request, span, trace_events, within};
use crate::rule::{Expected, Moot, Reason, Refused, Verb};
use crate::schema::{Mode, Store, Tables};
use aws_sdk_dynamodb::types::ReturnValue;
use futures_util::future::BoxFuture;
use std::pin::pin;
use std::time::Duration;
use tracing::Instrument as _;
use tracing::instrument::Instrumented;

/// The advice for a write in doubt that has neither a write id nor an idempotency key.
const RESEND_OR_DECIDE: &str = "send a clone of the command, which is the same write, or load the item and decide";

/// The advice for a write in doubt that has an idempotency key.
const WITH_ITS_KEY: &str = "send a clone of the command: a new command with the same idempotency key does not know of this attempt, so its refusal would not be final";

/// The advice for a write in doubt that has a version, or an idempotency key without a write id.
const SAME: &str = "send a clone of this command to find out, or load the item and decide";

/// The advice for a purge in doubt. A purge leaves nothing by which it could recognize its own earlier attempt.
const PURGED: &str = "send it again; if it is refused then, the tombstone was removed, or another item has replaced it";

impl WriteCommand {
    /// Returns the request without sending it, if it is known before any read. With an ordered history, it is the request of the
    /// write alone; another one puts the superseded revision.
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
        let mut slot = Slot::new(command, repository, tables, repository.now(), SendAs::Single(returns));
        let shown = slot.compose(&OtherAttempts::default()).and_then(|next| match next {
            Next::Send(_, rows) => request(repository.sender(), *rows),
            next => Err(Error::invalid(why_unknown(&next))),
        });
        shown.map_err(|error| error.with_context(|| self.context()))
    }

    /// Sends the write. One request, and more if the version, the history, the idempotency key or the stored item requires them.
    pub(crate) fn send(
        self: Box<Self>,
        repository: &Repository,
        tables: Tables,
        returns: Option<ReturnValue>,
    ) -> Instrumented<BoxFuture<'_, Result<Written, Error>>> {
        let span = span(self.schema, self.operation(), &tables.main);
        let mut write = SingleWrite::new(&self, &tables.main, returns.as_ref(), repository);
        let skew = max_skew(&self);
        // Boxed apart: the allocator is several times as slow with blocks of more than 1 KB, which is what both would take together.
        let mut slots = Box::new([Slot::new(self, repository, tables, repository.now(), SendAs::Single(returns))]);
        let entered = span.clone();
        // Boxed, so that the futures around it stay small. Its content is made before it, so that nothing is moved in twice.
        let sent: BoxFuture<'_, _> = Box::pin(async move {
            if skew.is_some() && repository.is_paced() {
                // The time of the write is fixed when the pace lets it begin.
                repository.wait_for_write().await?;
                slots[0].now = repository.now();
            }
            let sent = {
                let sent = pin!(write.carry_out(repository, &mut slots));
                match skew {
                    // The time of the write is fixed before its first attempt. A later attempt acts like one from a wrong clock:
                    // it could empty sets of idempotency keys that have come into use since.
                    Some(skew) => Box::pin(within(repository, skew, sent)).await.unwrap_or_else(|| Err(late())),
                    None => sent.await,
                }
            };
            let outcome = match &sent {
                Ok(Answer::Done(_)) => "applied",
                Ok(Answer::Denied(refused)) => {
                    trace_events::refused([refused]);
                    "refused"
                }
                Err(error) => {
                    trace_events::failed(slots[0].command.schema.entity, slots[0].command.operation(), error);
                    "error"
                }
            };
            entered.record("outcome", outcome);
            sent.map_err(|error| error.with_context(|| slots[0].context()))
        });
        sent.instrument(span)
    }
}

/// Returns why the request is not known before a read.
fn why_unknown(next: &Next) -> &'static str {
    match next {
        // Nothing else reads the item first.
        Next::Judged(Judgement::Read(Read::Item)) => {
            "`request` cannot show it, because `remove_value` needs the element's place in the stored list, which only `send` reads"
        }
        Next::Judged(Judgement::Read(_)) => {
            "`request` cannot show it, because a new item's version continues its history, which only `send` reads"
        }
        _ => "the write sends no request, because the loaded item shows that it would be refused",
    }
}

/// The carrier of a single write.
struct SingleWrite {
    /// The attempts of this command and its clones. Those of a write with a version stay open, because it recognizes them.
    attempts: Attempts,
    /// `true` if the write recognizes its earlier attempts by their write id and version.
    is_named: bool,
    /// The time after which a second, equal request is sent.
    hedge: Option<Delay>,
}

impl SingleWrite {
    fn new(command: &WriteCommand, table: &str, returns: Option<&ReturnValue>, repository: &Repository) -> Self {
        let hedge = repository.hedging(command.hedge);
        let expected = command.versioned.as_ref().map(|versioned| versioned.expected);
        let attempts = match expected {
            // Each time that an unchecked write is sent, it is another write.
            Some(Some(Expected::Unchecked)) => Attempts::default(),
            Some(_) => command.attempts(table),
            // Nobody else can send this write, so no other `send` need see its attempts.
            None if !command.has_clones() => Attempts::default(),
            None => Attempts::of(&command.attempts(table), repository.clock()),
        };
        Self {
            is_named: expected.is_some_and(|expected| expected != Some(Expected::Unchecked)),
            attempts,
            // The second request may find what the first one wrote, so no answer has the item as it was before both.
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

    /// Adds to an error that the write may have been applied, if it may, and how to learn it.
    fn explain(&self, error: Error, slot: &Slot<'_>) -> Error {
        if error.is_outcome_unknown() || !self.attempts.may_be_applied() {
            return error;
        }
        if slot.composed.as_ref().is_some_and(|composed| composed.repeat == Repeat::Once) {
            return error.of_a_lost_answer();
        }
        let command = &slot.command;
        let is_keyed = command.has_dedup_key();
        let hint = match &command.versioned {
            // Sending it again would make another change.
            Some(versioned) if versioned.expected == Some(Expected::Unchecked) && !is_keyed => {
                return error.of_a_lost_change();
            }
            // `modify`, or the other command that this write belongs to, explains the error.
            Some(versioned) if versioned.operation.is_some() => return error,
            Some(_) => SAME,
            // Sending it again would change the item as it is then: another change.
            None if command.verb == Verb::Rewrite => return error.of_a_lost_change(),
            None if command.verb == Verb::Purge => PURGED,
            None if is_keyed => WITH_ITS_KEY,
            None => RESEND_OR_DECIDE,
        };
        error.in_doubt("write", hint)
    }
}

impl Carrier for SingleWrite {
    type Outcome = Written;

    fn other_attempts(&self, _: usize) -> OtherAttempts {
        if self.is_named {
            OtherAttempts { may_be_applied: self.attempts.may_be_applied(), expectations: self.attempts.expected() }
        } else {
            OtherAttempts::default()
        }
    }

    fn remember(&mut self, _: &Repository, slots: &mut [Slot<'_>]) -> Result<(), Error> {
        let expected = slots.iter().find_map(|slot| slot.composed.as_ref()?.write.expected);
        if let Some(expected) = expected.filter(|_| self.is_named) {
            self.attempts.expect(expected);
        }
        Ok(())
    }

    async fn send(&self, repository: &Repository, slots: &mut [Slot<'_>]) -> Result<CarrierAnswer, Error> {
        let [Slot { rows: Some(rows), composed: Some(composed), tables, command, .. }] = slots else {
            return Err(Error::new(ErrorKind::Service, "nothing was composed"));
        };
        let (table, (operation, entity)) = (&*tables.main, command.about());
        // Several rows are a transaction, and its token keeps DynamoDB from applying the same request twice.
        let repeat = if rows.is_single() { composed.repeat } else { Repeat::Freely };
        let ask = Ask::write(About::new(operation, entity, table), &self.attempts, repeat);
        let ask = Ask { hedge: self.hedge, is_named: self.is_named, ..ask };
        Ok(match transmit(repository, ask, table, rows).await? {
            Answer::Done(item) => Answer::Done(item),
            Answer::Denied(denial) => Answer::Denied((vec![Some(denial)], unexplained())),
        })
    }

    /// Refuses to send other contents while an attempt with the old ones may still arrive and be applied, too, if the write makes
    /// another change each time that it is applied.
    fn check_new_contents(&self, slots: &[Slot<'_>]) -> Result<(), Error> {
        let is_repeated =
            |slot: &Slot<'_>| slot.composed.as_ref().is_some_and(|composed| composed.repeat == Repeat::Once);
        if self.attempts.may_be_applied() && slots.iter().any(is_repeated) {
            return Err(outcome_unknown());
        }
        Ok(())
    }

    fn applied(&self, slots: &mut [Slot<'_>], item: Option<Item>) -> Written {
        self.attempts.settle();
        let slot = &slots[0];
        let returned = || slot.command.schema.version.as_ref()?.of(item.as_ref()?).filter(|version| *version > 0);
        let version = slot.composed.as_ref().and_then(|composed| composed.write.next()).or_else(returned);
        written(slot, version, item)
    }

    fn conclude(&self, slots: &mut [Slot<'_>], _: bool) -> Result<Written, Error> {
        let slot = &mut slots[0];
        match slot.take_conclusion().ok_or_else(unexplained)? {
            Conclusion::Applied { version, item } => {
                self.attempts.settle();
                Ok(written(slot, version, item))
            }
            Conclusion::Refused { reasons, moot, item, is_lasting } => {
                // `modify_each` decides what a refusal of a rewrite means while an earlier attempt is in doubt.
                let is_rewrite = slot.command.versioned.is_none() && slot.command.verb == Verb::Rewrite;
                let may_be_applied = self.attempts.may_be_applied();
                let is_open = may_be_applied && !is_rewrite && !is_lasting && !is_moot(&reasons, moot);
                let refused = slot.command.refused(reasons, moot, item, slot.now);
                if is_open {
                    return Err(refused_for_now(&refused));
                }
                // If the command is sent again, it begins with its own version.
                self.attempts.restart();
                self.attempts.settle();
                let in_doubt = may_be_applied && is_rewrite;
                Ok(Answer::Denied(Refused { context: slot.context(), in_doubt, ..refused }))
            }
            Conclusion::InDoubt => Err(outcome_unknown()),
        }
    }
}

fn written(slot: &Slot<'_>, version: Option<u64>, item: Option<Item>) -> Written {
    let returns_item = matches!(slot.send_as, SendAs::Single(Some(_)));
    Answer::Done(Applied { item: item.filter(|_| returns_item), version, now: slot.now })
}

/// The error of a refusal without a denial. It does not happen to a single write.
#[cold]
fn unexplained() -> Error {
    Error::new(ErrorKind::Service, "DynamoDB refused the write and returned no reason")
}

/// Returns `true` if a refusal proves that the write is no longer needed, because an attempt or a later write was applied.
fn is_moot(reasons: &[Reason], moot: Moot) -> bool {
    moot.superseded || moot.contained || reasons.contains(&Reason::Duplicate)
}

/// The error of a write whose last attempt was refused, while the answer to an earlier one was lost: the reasons may not last, so
/// the earlier one may pass when it arrives.
pub(crate) fn refused_for_now(refused: &Refused) -> Error {
    Error::new(ErrorKind::Unreachable, format!("the last attempt was refused: {}", refused.reasons_text()))
}

/// The error of a write in doubt that neither the item nor the history decides.
pub(crate) fn outcome_unknown() -> Error {
    let message = "an earlier attempt may have been applied, and the stored item no longer shows whether it was: load it and decide";
    Error::new(ErrorKind::OutcomeUnknown, message)
}

/// Returns for how long a write with an idempotency key may be sent.
fn max_skew(command: &WriteCommand) -> Option<Duration> {
    match command.dedup_store() {
        Some(Store::Time { window, .. }) => Some(Duration::from_secs(window.max_skew_secs.into())),
        _ => None,
    }
}

/// The error of a write that got no answer in time. An attempt under way may still be applied.
fn late() -> Error {
    let late = Error::new(ErrorKind::Unreachable, "DynamoDB did not answer within `max_skew_secs`");
    late.in_doubt("write", WITH_ITS_KEY)
}
