//! Which version a write expects: what the command says, what an attempt has reached, or behind what a history knows.

use super::{Given, Instead, prepared, terms};
use crate::attribute::Item;
use crate::rule;
use crate::rule::{Expected, Phase, RawRevision};
use crate::schema::Mode;
use crate::write::verdict::{self, verdict};
use crate::write::write_command::WriteCommand;
use crate::write::write_steps::{Denial, Ended, Frame, Next, Read, Side};

/// What a write expects, where it can be said.
pub(super) fn expected(command: &WriteCommand, frame: &Frame<'_>) -> Result<Option<Expected>, Instead> {
    let declared = command.expected()?;
    let Some(declared) = declared.filter(|_| command.is_write()) else { return Ok(declared) };
    // Where an attempt has come to, which may be under way.
    let reached = frame.tried.reached.last().copied().filter(|_| !frame.known.is_taken);
    let expected = match frame.known.expected.or(reached) {
        Some(expected) => expected,
        None => first(command, declared, frame)?,
    };
    match applied(command, expected, frame) {
        Some(next) => Err(Instead::Next(next)),
        None => Ok(Some(expected)),
    }
}

/// What the write expects at first. The history may know of numbers that no item has any more.
fn first(command: &WriteCommand, declared: Expected, frame: &Frame<'_>) -> Result<Expected, Instead> {
    let (Some(table), Expected::New(_)) = (frame.history, declared) else { return Ok(declared) };
    let newest = frame.known.newest.as_ref().ok_or(Next::Read(Read::Newest))?;
    let Some(newest) = newest else { return Ok(declared) };
    // In a transaction, the revision's row keeps a number from being given twice.
    if table.history.mode == Mode::Atomic {
        return Ok(Expected::New(newest.version));
    }
    let item = frame.known.item.as_ref().ok_or(Next::Read(Read::Item))?;
    let Some(item) = item else { return behind_a_deletion(newest, command.key()?, frame) };
    let version = frame.version(item).filter(|_| !rule::state(command.schema, frame.now, item).is_live());
    if let Some(version) = version {
        return Ok(Expected::Dead(version));
    }
    // It cannot pass, and must not be tried: by then the item may be gone, and its number unknown.
    let terms = terms(frame, Some(declared), Phase::default());
    let (_, part) = prepared(&mut Given::Lent(command), Vec::new(), terms)?;
    Err(Instead::Next(verdict(&part, &Denial::by(Some(item.clone())), frame)))
}

/// Behind the last number of an item that is not there any more. Where its deletion is not in the history yet, since nobody
/// has superseded it, it is put there. If another create was faster, that is the same.
fn behind_a_deletion(newest: &RawRevision, key: Item, frame: &Frame<'_>) -> Result<Expected, Instead> {
    if newest.deleted {
        return Ok(Expected::New(newest.version));
    }
    let version = newest.version.saturating_add(1);
    match frame.known.rows.get(&version) {
        Some(Some(row)) if row.revision.deleted => Ok(Expected::New(version)),
        // Something else has been put there meanwhile.
        Some(Some(_)) => Err(Instead::Next(Next::Read(Read::Newest))),
        _ => {
            let revision = RawRevision { version, deleted: true, image: key };
            Err(Instead::Next(Next::First(Side { revision, is_there: false })))
        }
    }
}

/// Whether the write is not to be sent with other numbers than it has reached, since it was applied with one of those: clones
/// that are sent at once come to different ones where others write in between. Without a write id, no revision tells whose it is.
fn applied(command: &WriteCommand, expected: Expected, frame: &Frame<'_>) -> Option<Next> {
    // Of one number, only one write passes.
    let is_tried = frame.tried.reached.iter().any(|reached| reached.next() == expected.next());
    let is_first = !frame.tried.is_open || frame.tried.reached.is_empty();
    if is_first || is_tried || frame.history.is_none() {
        return None;
    }
    let Some(write_id) = command.write_id().ok()? else { return Some(Next::Done(Ended::Unknown)) };
    match verdict::remembered(command.verb, &write_id, frame.known.item(), frame)? {
        // What is there may tell.
        Next::Done(Ended::Unknown) if frame.known.item.is_none() => Some(Next::Read(Read::Item)),
        next => Some(next),
    }
}
