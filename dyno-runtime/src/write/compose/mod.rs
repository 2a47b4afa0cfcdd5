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
use crate::rule::{Expected, Moot, Phase, Reason};
use crate::write::rows_to_send::Rows;
use aws_sdk_dynamodb::types::ReturnValue;
use std::ops::Deref;

pub(crate) use places::{is_made_for, is_read_first, is_shift, make};

/// A command to be composed.
///
/// A request takes the item of a put. To copy the item first costs 3.4 % of all instructions of a `put` without a version
/// (`cargo bench -p dyno-tests --bench instructions`), so such a write gives its item away.
pub(crate) enum Given<'a> {
    /// It may be composed again, and is copied.
    Lent(&'a WriteCommand),
    /// It is composed once: what goes into the request is taken out of it, and what is left explains errors.
    Spent(&'a mut WriteCommand),
}

impl<'a> Given<'a> {
    /// Spends a command, unless a refusal or a clone can ask for it to be composed again.
    pub(crate) fn new(command: &'a mut WriteCommand, setting: &Setting) -> Self {
        let is_final = matches!(setting, Setting::Alone(_))
            && command.versioned.is_none()
            && !command.has_dedup_key()
            && !is_made_for(command);
        if is_final { Self::Spent(command) } else { Self::Lent(command) }
    }

    fn prepare(&mut self, terms: Terms) -> Result<(RowWrite, rule::Write), Error> {
        match self {
            Self::Lent(command) => command.clone().prepare(terms),
            Self::Spent(command) => command.prepare(terms),
        }
    }
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

/// Why nothing can be sent yet.
enum Instead {
    /// This comes first, or the write has ended.
    Next(Next),
    Error(Error),
}

impl From<Next> for Instead {
    fn from(next: Next) -> Self {
        Self::Next(next)
    }
}

impl From<Error> for Instead {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// What comes next of a write that is to be sent: what is sent of it, or what must be read or put before.
pub(crate) fn compose(command: Given<'_>, frame: &Frame<'_>) -> Result<Next, Error> {
    if !is_made_for(&command) {
        return composed(command, Vec::new(), frame);
    }
    check_operators(&command.update.changes)?;
    if is_read_first(&command) && frame.known.item.is_none() {
        return Ok(Next::Read(Read::Item));
    }
    let made = make(&command, frame.known.item());
    if !made.missing.is_empty() {
        return foregone(&made.command, made.missing, frame);
    }
    composed(Given::Lent(&made.command), made.places, frame)
}

/// A write that is the same whatever is there, or has been made for it.
fn composed(command: Given<'_>, places: Vec<String>, frame: &Frame<'_>) -> Result<Next, Error> {
    match sent(command, places, frame) {
        Ok((part, rows)) => Ok(Next::Send(Box::new(part), Box::new(rows))),
        Err(Instead::Next(next)) => Ok(next),
        Err(Instead::Error(error)) => Err(error),
    }
}

/// What is sent: the write, with the row of its history or of its idempotency key, if it has one.
fn sent(mut command: Given<'_>, places: Vec<String>, frame: &Frame<'_>) -> Result<(Part, Rows), Instead> {
    let expected = next_version::expected(&command, frame)?;
    let terms = terms(frame, expected, frame.known.phase);
    let keys = frame.tables.keys.as_ref().filter(|_| command.has_dedup_key());
    if keys.is_some() && terms.returns.is_some() {
        return Err(Instead::Error(Error::invalid(
            "an update whose idempotency key has a row of its own is a transaction, which returns no item: `get` it",
        )));
    }
    let (main, mut part) = prepared(&mut command, places, terms)?;
    let front = match (frame.history.filter(|_| command.is_write()), keys) {
        (Some(table), _) => row_in_front::lay(&command, &main, &part, frame, table)?,
        (None, Some(keys)) => key_row(&command, &part, keys, frame)?,
        (None, None) => None,
    };
    let front = front.map(|front| {
        // With its token, it is applied once.
        (part.front, part.repeat) = (Some(front.0), Repeat::Freely);
        front.1
    });
    Ok((part, Rows::new(front, main)))
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

/// The idempotency key's row, to be put where none is.
fn key_row(
    command: &WriteCommand,
    part: &Part,
    keys: &str,
    frame: &Frame<'_>,
) -> Result<Option<(Front, RowWrite)>, Error> {
    let Some(id) = &part.write.key else { return Ok(None) };
    let row = rule::key_row(frame.schema, id, &frame.tables.main, &command.key()?, frame.now)?;
    if let Some(id) = row.get(rule::KEY_ROW_ID) {
        check_key(id, PARTITION_KEY_BYTES).map_err(|error| Error::from(error).of("the row of the idempotency key"))?;
    }
    Ok(Some((Front::Key, RowWrite::put_new(keys, row, rule::KEY_ROW_ID))))
}

/// The write itself, without what belongs to it, and what its refusal is judged by.
fn prepared(command: &mut Given<'_>, places: Vec<String>, terms: Terms) -> Result<(RowWrite, Part), Error> {
    let (is_conditional, repeat, loaded) = (command.condition.is_some(), command.repeat(), command.loaded_name());
    let (main, write) = command.prepare(terms)?;
    Ok((main, Part { write, is_conditional, places, front: None, loaded, repeat }))
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
    let item = frame.known.item();
    // An earlier attempt, of this command or of a clone, can have taken it out.
    if item.is_some_and(|item| rule::is_own(&write, item)) {
        let version = verdict::own_version(&write, item, frame);
        return Ok(Next::Done(Ended::Applied { version, item: item.cloned() }));
    }
    let mut reasons = rule::reasons(&write, item);
    if rule::is_awaited(write.schema, item, &reasons) {
        return Ok(Next::Again(Again::held(item)));
    }
    if frame.tried.is_open && expected != Some(Expected::Unchecked) {
        return Ok(Next::Done(Ended::Unknown));
    }
    // What is not there contains nothing; what is another's, nothing of ours.
    let is_other = rule::other_entity(write.schema, item).is_some();
    let is_live = |item: &Item| rule::state(write.schema, frame.now, item).is_live();
    if reasons.is_empty() || !is_other && item.is_some_and(is_live) {
        reasons.extend(missing);
    }
    Ok(verdict::refused(&write, reasons, Moot::default(), item))
}
