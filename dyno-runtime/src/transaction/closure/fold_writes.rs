//! Folds several writes of one row into one: DynamoDB takes one action for each row, and a transaction gives a row one new version.
//!
//! Each write is predicted from the row as it was read and from the writes before it, so a later read of the closure sees their
//! result. Only the final result is sent.

use super::predict_write::{Outcome, Unless, predict};
use super::read_write_set::{Enlisted, Row};
use super::row_identity::is_counted;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::rule;
use crate::rule::{Expected, Phase, Reason, Refused, Verb};
use crate::schema::Schema;
use crate::transaction::native::{Action, RefusedTransaction, named};
use crate::write::WriteCommand;
use crate::write::modify_loop::{changes, rewrite};

/// The one write that a row's writes come to.
pub(crate) enum Folded {
    /// This action, with its number.
    One(usize, Box<Action>),
    /// No write: in the end the row is as it was.
    Nothing,
    Refused(Box<RefusedTransaction>),
}

/// The result of a row's writes.
pub(crate) enum Shown {
    Item(Option<Item>),
    Refused(Box<RefusedTransaction>),
}

/// Folds the writes of a row into the one to send.
pub(crate) fn fold(row: &Row, now: EpochMillis) -> Result<Folded, Error> {
    match &*row.actions {
        [] => Ok(Folded::Nothing),
        [Enlisted { index, action, .. }] => Ok(Folded::One(*index, Box::new(action.clone()))),
        _ => match make(row, now, false)? {
            Shown::Refused(refused) => Ok(Folded::Refused(refused)),
            Shown::Item(made) => Ok(joined(row, made, now)),
        },
    }
}

/// Returns the row for a read that follows its writes.
pub(crate) fn shown(row: &Row, now: EpochMillis) -> Result<Shown, Error> {
    make(row, now, true)
}

/// Predicts the writes of a row, one after the other. They become one write, so all of them make the version of the first one.
fn make(row: &Row, now: EpochMillis, is_shown: bool) -> Result<Shown, Error> {
    let read = row.read.clone().flatten();
    let mut item = read.clone();
    let mut version = None;
    for (at, enlisted) in row.actions.iter().enumerate() {
        let Enlisted { index, action, .. } = enlisted;
        let named = |error| named(error, *index, action);
        if is_outdated(row, at) {
            return Err(named(unaware()));
        }
        let (outcome, unless) =
            predict(&action.command, item.as_ref(), &row.tables, now, Phase::default()).map_err(named)?;
        // The history of an item that dyno wrote goes on with the next number.
        let is_numbered = item.as_ref().is_some_and(|item| is_counted(row.of.schema, item));
        match outcome {
            Outcome::Makes { item: made, .. } => item = made,
            Outcome::Made => {}
            Outcome::Refuses { reasons, moot } => {
                if is_of_before(row.of.schema, &reasons, read.as_ref(), item.as_ref()) {
                    return Err(named(unaware()));
                }
                let context = action.command.context();
                let refused = Refused { reasons, moot, item: read, now, context, in_doubt: false };
                return Ok(Shown::Refused(Box::new(RefusedTransaction::of_one(*index, action.entity, refused))));
            }
        }
        match unless {
            Some(Unless::Keyed) => return Err(named(keyed())),
            Some(Unless::Recorded) if is_shown && !is_numbered => return Err(named(unnumbered())),
            Some(Unless::Recorded) | None => {}
        }
        if action.command.is_write() {
            number(row.of.schema, item.as_mut(), &mut version);
        }
    }
    Ok(Shown::Item(item))
}

/// Gives the item the version that the first write made.
fn number(schema: &'static Schema, item: Option<&mut Item>, first: &mut Option<u64>) {
    let Some((version, item)) = schema.version.as_ref().zip(item) else { return };
    match *first {
        None => *first = version.of(item),
        Some(first) => version.set(item, first),
    }
}

/// Whether a write is based on an outdated read: the closure read the row after some writes, wrote it again, and did not read it
/// after that.
fn is_outdated(row: &Row, at: usize) -> bool {
    let Enlisted { action, shown_after, .. } = &row.actions[at];
    let is_of_one = matches!(action.command.expected(), Ok(Some(Expected::Loaded(_)))) && action.command.is_write();
    let since = shown_after.map(|after| &row.actions[after..at]);
    is_of_one && since.is_some_and(|since| since.iter().any(|earlier| earlier.action.command.is_write()))
}

/// Whether a write expects the version that was read, although an earlier write of the transaction made another one.
fn is_of_before(schema: &'static Schema, reasons: &[Reason], read: Option<&Item>, there: Option<&Item>) -> bool {
    let version = |item: Option<&Item>| schema.version.as_ref()?.of(item?);
    let (before, after) = (version(read).unwrap_or_default(), version(there));
    let is_it = |reason: &Reason| matches!(reason, Reason::Conflict { expected, .. } if *expected == before);
    after.is_some_and(|after| after != before) && reasons.iter().any(is_it)
}

/// Returns the one write that makes of the row what all of them make.
fn joined(row: &Row, made: Option<Item>, now: EpochMillis) -> Folded {
    let schema = row.of.schema;
    let writes = row.actions.iter().filter(|enlisted| enlisted.action.command.is_write());
    // Updates keep what the entity does not declare. (Idempotency keys are not content, and a revision holds a whole item.)
    let is_update = |command: &WriteCommand| matches!(command.verb, Verb::Update { .. }) && !command.has_dedup_key();
    let are_updates = writes.clone().all(|enlisted| is_update(&enlisted.action.command)) && schema.history.is_none();
    let Some(Enlisted { index, action: last, .. }) = writes.last() else { return Folded::Nothing };
    let read = row.read.as_ref().and_then(Option::as_ref);
    let is_live = |item: &Item| rule::state(schema, now, item).is_live();
    let command = match made {
        Some(made) if is_live(&made) => match read.filter(|read| is_live(read)) {
            Some(read) if are_updates => {
                loaded(rewrite(schema, row.key.clone(), changes(schema, read, &made), read, &made), read)
            }
            Some(read) => loaded(WriteCommand::new(schema, Verb::Replace, Ok(made)), read),
            None => WriteCommand::new(schema, Verb::Create, Ok(made)),
        },
        // The last write deleted the item.
        _ if read.is_some_and(is_live) || is_remembered(schema) => deleted(last.command.clone(), read),
        _ => return Folded::Nothing,
    };
    Folded::One(*index, Box::new(Action { command, entity: last.entity, tables: last.tables }))
}

/// A write over the row that was read.
fn loaded(mut command: WriteCommand, read: &Item) -> WriteCommand {
    command.expecting(Expected::Loaded(version(command.schema, read)));
    command.loaded("transaction", Some(read.clone()));
    command
}

/// Whether a tombstone keeps out writes that are older or come from an earlier lock holder. If so, creating and deleting a row
/// leaves a tombstone.
fn is_remembered(schema: &Schema) -> bool {
    !schema.ratchets.is_empty() || schema.fence.is_some()
}

fn deleted(mut command: WriteCommand, read: Option<&Item>) -> WriteCommand {
    command.condition = None;
    command.image = None;
    match read {
        Some(read) => loaded(command, read),
        None => {
            command.expecting(Expected::New(0));
            command
        }
    }
}

fn version(schema: &'static Schema, item: &Item) -> u64 {
    schema.version.as_ref().and_then(|version| version.of(item)).unwrap_or_default()
}

fn unaware() -> Error {
    Error::invalid(
        "it expects the version that was read, but an earlier write of this transaction has made another: read the item again, with the transaction's `get`, and write what that returns",
    )
}

fn keyed() -> Error {
    Error::invalid(
        "what an update makes whose idempotency key has a row of its own is not known before it is sent: neither read nor write its item in this transaction besides",
    )
}

fn unnumbered() -> Error {
    Error::invalid(
        "its number goes on behind the history, which is read when it is sent, so that the item cannot be shown before: read it before it is written",
    )
}
