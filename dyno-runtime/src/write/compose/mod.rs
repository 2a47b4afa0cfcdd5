//! What a write sends, given what is known: a pure step, which sends nothing itself.

mod next_version;
mod places;
mod row_in_front;

use super::verdict;
use super::write_command::WriteCommand;
use super::write_meaning::Terms;
use super::write_steps::{Again, Ended, Frame, Front, Next, Part, Read, Setting};
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Repeat, RowWrite};
use crate::expression::check_operators;
use crate::key::{PARTITION_KEY_BYTES, check_key};
use crate::rule;
use crate::rule::{Expected, Moot, Phase, Reason, Verb};
use crate::write::rows_to_send::Rows;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::ReturnValue;
use std::ops::ControlFlow::{Break, Continue};
use std::ops::Deref;

pub(crate) use places::{is_made_for, is_read_first, is_shift, make};

/// A command to be composed.
pub(crate) enum Given<'a> {
    /// It may be composed again.
    Lent(&'a WriteCommand),
    /// It is not: what goes into the request is taken out of it, and what is left could not be sent.
    Spent(&'a mut WriteCommand),
}

impl Deref for Given<'_> {
    type Target = WriteCommand;

    fn deref(&self) -> &WriteCommand {
        match self {
            Self::Lent(command) => command,
            Self::Spent(command) => command,
        }
    }
}

/// What comes next of a write that is to be sent: what is sent of it, or what must be read or put before.
pub(crate) fn compose(command: Given<'_>, frame: &Frame<'_>) -> Result<Next, Error> {
    if !is_made_for(&command) {
        return composed(command, Vec::new(), frame);
    }
    check_operators(&command.changes)?;
    if is_read_first(&command) && frame.known.item.is_none() {
        return Ok(Next::Read(Read::Item));
    }
    let mut made = make(&command, frame.known.item.as_ref().and_then(Option::as_ref));
    if !made.missing.is_empty() {
        return foregone(&made.command, made.missing, frame);
    }
    composed(Given::Spent(&mut made.command), made.places, frame)
}

/// A write that is the same whatever is there, or has been made for it.
fn composed(command: Given<'_>, places: Vec<String>, frame: &Frame<'_>) -> Result<Next, Error> {
    let expected = match next_version::expected(&command, frame)? {
        Continue(expected) => expected,
        Break(next) => return Ok(next),
    };
    let terms = terms(frame, expected, frame.known.phase);
    if command.versioned.is_some() {
        versioned(&command, places, terms, frame)
    } else {
        plain(command, places, terms, frame)
    }
}

fn terms(frame: &Frame<'_>, expected: Option<Expected>, phase: Phase) -> Terms {
    let returns = match (frame.setting, expected) {
        (Setting::Together, _) => None,
        // The version that it stored, for nothing.
        (Setting::Alone(None), Some(Expected::Unchecked)) => Some(ReturnValue::UpdatedNew),
        (Setting::Alone(returns), _) => returns.clone(),
    };
    Terms { table: frame.tables.main.clone(), now: frame.now, returns, expected, phase }
}

/// A write without a version: with the row of its idempotency key, if that has one.
fn plain(command: Given<'_>, places: Vec<String>, terms: Terms, frame: &Frame<'_>) -> Result<Next, Error> {
    let (is_conditional, repeat) = (command.condition.is_some(), command.repeat());
    let keys = frame.tables.keys.as_ref().filter(|_| command.key_of_update.is_some());
    if keys.is_some() && terms.returns.is_some() {
        return Err(Error::invalid(
            "an update whose idempotency key has a row of its own is a transaction, which returns no item: `get` it",
        ));
    }
    let key = keys.map(|_| command.key()).transpose()?;
    let (main, write) = match command {
        Given::Lent(command) => command.clone().prepare(terms)?,
        Given::Spent(command) => command.prepare(terms)?,
    };
    let front = match (keys, key, &write.key) {
        (Some(keys), Some(key), Some(id)) => Some(key_row(id, &key, keys, frame)?),
        _ => None,
    };
    let kind = front.as_ref().map(|_| Front::Key);
    let part = Part { write, is_conditional, places, front: kind, loaded: None, repeat };
    Ok(Next::Send(Box::new(part), Box::new(Rows::new(front, main))))
}

/// The idempotency key's row, to be put where none is.
fn key_row(id: &Blob, key: &Item, keys: &str, frame: &Frame<'_>) -> Result<RowWrite, Error> {
    let row = rule::key_row(frame.schema, id, &frame.tables.main, key, frame.now)?;
    if let Some(id) = row.get(rule::KEY_ROW_ID) {
        check_key(id, PARTITION_KEY_BYTES).map_err(|error| Error::from(error).of("the row of the idempotency key"))?;
    }
    Ok(RowWrite::put_new(keys, row, rule::KEY_ROW_ID))
}

/// A write that changes a version: with the row of its history, if the entity has one.
fn versioned(command: &WriteCommand, places: Vec<String>, terms: Terms, frame: &Frame<'_>) -> Result<Next, Error> {
    let (main, mut part) = prepared(command, places, terms)?;
    let is_check = matches!(command.verb, Verb::Check { .. });
    let front = match frame.history.filter(|_| !is_check) {
        Some(table) => row_in_front::lay(command, &main, &part, frame, table)?,
        None => Continue(None),
    };
    let front = match front {
        Continue(front) => front.map(|front| {
            // With its token, it is applied once.
            (part.front, part.repeat) = (Some(front.0), Repeat::Freely);
            front.1
        }),
        Break(next) => return Ok(next),
    };
    Ok(Next::Send(Box::new(part), Box::new(Rows::new(front, main))))
}

/// The write itself, without what belongs to it, and what its refusal is judged by.
fn prepared(command: &WriteCommand, places: Vec<String>, terms: Terms) -> Result<(RowWrite, Part), Error> {
    let (is_conditional, repeat) = (command.condition.is_some(), command.repeat());
    let (main, write) = command.clone().prepare(terms)?;
    let part = Part { write, is_conditional, places, front: None, loaded: command.loaded_name(), repeat };
    Ok((main, part))
}

/// A write that cannot be sent, since what it is made for is not there: refused with the reasons that all rules have, as if it
/// had been sent.
fn foregone(command: &WriteCommand, missing: Vec<Reason>, frame: &Frame<'_>) -> Result<Next, Error> {
    let expected = command.expected()?;
    let mut write = command.facts(frame.now, expected, Phase::default())?;
    if frame.tables.keys.is_some() && write.key.is_some() {
        let Some(has_row) = frame.known.key_row else { return Ok(Next::Read(Read::KeyRow)) };
        write.is_known = has_row;
    }
    let item = frame.known.item.clone().flatten();
    // An earlier attempt, of this command or of a clone, can have taken it out.
    if item.as_ref().is_some_and(|item| rule::is_own(&write, item)) {
        return Ok(Next::Done(Ended::Applied { version: verdict::own_version(&write, item.as_ref(), frame), item }));
    }
    let mut reasons = rule::reasons(&write, item.as_ref());
    if rule::is_awaited(write.schema, item.as_ref(), &reasons) {
        return Ok(Next::Again(Again::held(item.as_ref())));
    }
    if frame.tried.is_open && expected != Some(Expected::Unchecked) {
        return Ok(Next::Done(Ended::Unknown));
    }
    // What is not there contains nothing; what is another's, nothing of ours.
    let is_other = rule::other_entity(write.schema, item.as_ref()).is_some();
    let is_live = |item: &Item| rule::state(write.schema, frame.now, item).is_live();
    if reasons.is_empty() || !is_other && item.as_ref().is_some_and(is_live) {
        reasons.extend(missing);
    }
    let lasts = rule::lasts(&write, item.as_ref(), &reasons);
    Ok(Next::Done(Ended::Refused { reasons, moot: Moot::default(), item, lasts }))
}
