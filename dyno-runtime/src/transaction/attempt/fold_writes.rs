//! Folds several writes of one row into one: DynamoDB takes one action for each row, and a transaction gives a row one new
//! version.
//!
//! Each write is predicted from the row as it was read and from the writes before it, so a later read of the closure sees their
//! result. Only the final result is sent.

use super::predict_write::{Outcome, UnreadRow, predict};
use super::read_write_set::{Enlisted, Row};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::rule;
use crate::rule::{Expected, Phase, Reason, Verb};
use crate::schema::Schema;
use crate::transaction::native::{Action, RefusedTransaction, named};
use crate::write::WriteCommand;
use crate::write::rewrite::{changes, rewrite};
use std::sync::Arc;

/// The one write that has the effect of all writes of a row.
pub(crate) enum Folded {
    /// This action, with its number.
    One(usize, Box<Action>),
    /// No write, because the writes leave the row as it was.
    Nothing,
    Refused(Box<RefusedTransaction>),
}

/// The item of a row after the row's writes, or the refusal of one of them.
pub(crate) type AfterWrites = Result<Option<Item>, Box<RefusedTransaction>>;

/// The use of the item that a row's writes make.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Read,
    Write,
}

/// Folds the writes of a row into the one to send.
pub(crate) fn fold(row: &Row, now: EpochMillis) -> Result<Folded, Error> {
    match &*row.actions {
        [] => Ok(Folded::Nothing),
        [Enlisted { index, action, .. }] => Ok(Folded::One(*index, Box::new(action.clone()))),
        _ => match predict_all(row, now, Purpose::Write)? {
            Err(refused) => Ok(Folded::Refused(refused)),
            Ok(made) => Ok(join(row, made, now)),
        },
    }
}

/// Returns the item of a row for a read that follows the row's writes.
pub(crate) fn after_writes(row: &Row, now: EpochMillis) -> Result<AfterWrites, Error> {
    predict_all(row, now, Purpose::Read)
}

/// Predicts the writes of a row, one after the other. They become one write, so all of them give the item the version of the
/// first.
fn predict_all(row: &Row, now: EpochMillis, purpose: Purpose) -> Result<AfterWrites, Error> {
    let read = row.read.clone().flatten();
    let mut item = read.clone();
    let mut version = None;
    for (at, enlisted) in row.actions.iter().enumerate() {
        let Enlisted { index, action, .. } = enlisted;
        let named = |error| named(error, *index, action);
        if is_outdated(row, at) {
            return Err(named(outdated()));
        }
        let (outcome, unread) =
            predict(&action.command, item.as_ref(), &row.tables, now, Phase::default()).map_err(named)?;
        // If a write of dyno has counted the item, the next revision has the next number, and the history need not be read.
        let is_numbered = item.as_ref().is_some_and(|item| rule::is_counted(row.of.schema, item));
        match outcome {
            Outcome::Makes { item: made, .. } => item = made,
            Outcome::Made => {}
            Outcome::Refuses { reasons, moot } => {
                if expects_earlier(row.of.schema, &reasons, read.as_ref(), item.as_ref()) {
                    return Err(named(outdated()));
                }
                let refused = action.command.refused(reasons, moot, read, now);
                return Ok(Err(Box::new(RefusedTransaction::of_one(*index, action.entity, refused))));
            }
        }
        match unread {
            Some(UnreadRow::Keyed) => return Err(named(keyed())),
            Some(UnreadRow::Recorded) if purpose == Purpose::Read && !is_numbered => return Err(named(unnumbered())),
            Some(UnreadRow::Recorded) | None => {}
        }
        if action.command.is_write() {
            keep_first_version(row.of.schema, item.as_mut(), &mut version);
        }
    }
    Ok(Ok(item))
}

/// Gives the item the version that the first write gave it.
fn keep_first_version(schema: &'static Schema, item: Option<&mut Item>, first: &mut Option<u64>) {
    let Some((version, item)) = schema.version.as_ref().zip(item) else { return };
    match *first {
        None => *first = version.of(item),
        Some(first) => version.set(item, first),
    }
}

/// Returns `true` if a write is based on an outdated read: the closure read the row after some writes, wrote it again, and did
/// not read it after that.
fn is_outdated(row: &Row, at: usize) -> bool {
    let Enlisted { action, last_read_after, .. } = &row.actions[at];
    let is_of_one = matches!(action.command.expected(), Ok(Some(Expected::Loaded(_)))) && action.command.is_write();
    let since = last_read_after.map(|after| &row.actions[after..at]);
    is_of_one && since.is_some_and(|since| since.iter().any(|earlier| earlier.action.command.is_write()))
}

/// Returns `true` if a write was refused because it expects the version that was read, although an earlier write of the
/// transaction has made another one.
fn expects_earlier(schema: &'static Schema, reasons: &[Reason], read: Option<&Item>, base: Option<&Item>) -> bool {
    let version = |item: Option<&Item>| schema.version.as_ref()?.of(item?);
    let (before, after) = (version(read).unwrap_or_default(), version(base));
    let is_earlier = |reason: &Reason| matches!(reason, Reason::Conflict { expected, .. } if *expected == before);
    after.is_some_and(|after| after != before) && reasons.iter().any(is_earlier)
}

/// Returns the one write that makes the item which all writes of the row make together.
fn join(row: &Row, made: Option<Item>, now: EpochMillis) -> Folded {
    let schema = row.of.schema;
    let writes = row.actions.iter().filter(|enlisted| enlisted.action.command.is_write());
    // Updates join into an update, which keeps the attributes that the entity does not declare. All other writes join into a put:
    // `changes` leaves out idempotency keys, and a revision needs the whole item.
    let is_update = |command: &WriteCommand| matches!(command.verb, Verb::Update { .. }) && !command.has_dedup_key();
    let are_updates = writes.clone().all(|enlisted| is_update(&enlisted.action.command)) && schema.history.is_none();
    let Some(Enlisted { index, action: last, .. }) = writes.last() else { return Folded::Nothing };
    let read = row.read.as_ref().and_then(Option::as_ref);
    let is_live = |item: &Item| rule::state(schema, now, item).is_live();
    let command = match made {
        Some(made) if is_live(&made) => match read.filter(|read| is_live(read)) {
            Some(read) if are_updates => {
                over_read(rewrite(schema, row.key.clone(), changes(schema, read, &made), read, &made), read)
            }
            Some(read) => over_read(WriteCommand::new(schema, Verb::Replace, Ok(made)), read),
            None => WriteCommand::new(schema, Verb::Create, Ok(made)),
        },
        // The last write deleted the item.
        _ if read.is_some_and(is_live) || needs_tombstone(schema) => delete(last.command.clone(), read),
        _ => return Folded::Nothing,
    };
    Folded::One(*index, Box::new(Action { command, entity: last.entity, tables: last.tables }))
}

/// Makes a write demand the version that was read.
fn over_read(mut command: WriteCommand, read: &Item) -> WriteCommand {
    command.expecting(Expected::Loaded(version(command.schema, read)));
    command.loaded("transaction", Some(Arc::new(read.clone())));
    command
}

/// Returns `true` if creating and deleting a row in one transaction must leave a tombstone, because its ratchet token or fence
/// refuses older writes.
fn needs_tombstone(schema: &Schema) -> bool {
    !schema.ratchets.is_empty() || schema.fence.is_some()
}

/// Returns the last write, a delete, without its own conditions, which were evaluated when it was predicted.
fn delete(mut command: WriteCommand, read: Option<&Item>) -> WriteCommand {
    command.condition = None;
    command.image = None;
    match read {
        Some(read) => over_read(command, read),
        None => {
            command.expecting(Expected::New(0));
            command
        }
    }
}

fn version(schema: &'static Schema, item: &Item) -> u64 {
    schema.version.as_ref().and_then(|version| version.of(item)).unwrap_or_default()
}

fn outdated() -> Error {
    Error::invalid(
        "it expects the version that was read, but an earlier write of this transaction has changed it: read the item again with the transaction's `get`, and change what that returns",
    )
}

fn keyed() -> Error {
    Error::invalid(
        "the result of this update is not known before it is sent, because its idempotency key has a row of its own: do not read or write its item in this transaction again",
    )
}

fn unnumbered() -> Error {
    Error::invalid(
        "the new version of the item is not known yet, because it follows the last revision in the history, and dyno reads the history only when it sends the transaction: do not read the item after this write",
    )
}
