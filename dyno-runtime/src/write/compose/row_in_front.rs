//! The row of the history that goes with a write.
//!
//! | | what is sent |
//! |---|---|
//! | no history | the write |
//! | atomic history | one transaction: the new revision's row, and the write |
//! | ordered history | the superseded revision's row, then the write; of a new item as in an atomic one |
//!
//! As a part of a transaction, the superseded revision's row is in it, too. An item that another program has put where the
//! history knows of later numbers goes on behind them: see `Expected::Behind`.
//!
//! In either order history never holds what the item was not: a new revision's row is written together with the item, a
//! superseded one's has the same content whoever writes it.

use super::Instead;
use crate::attribute::{Item, equal_items};
use crate::error::Error;
use crate::exchange::RowWrite;
use crate::key::key_of;
use crate::read::Table;
use crate::rule;
use crate::rule::{Expected, RawRevision, Verb, Write};
use crate::schema::Mode;
use crate::write::verdict::{self, verdict};
use crate::write::write_command::WriteCommand;
use crate::write::write_steps::{Denial, Frame, Front, Next, Part, Read, Setting, Side};

/// The row in front, if there is one.
type Laid = Result<Option<(Front, RowWrite)>, Instead>;

pub(super) fn lay(command: &WriteCommand, main: &RowWrite, part: &Part, frame: &Frame<'_>, table: &Table<'_>) -> Laid {
    let write = &part.write;
    let lay = Lay { command, part, frame, table };
    match (table.history.mode, write.expected) {
        // Where nothing is left of an item to hold a number, only a transaction keeps two creates, with a deletion and a purge
        // in between, from taking the same. The history row holds the item as it is then.
        (Mode::Atomic, _) | (Mode::Ordered, Some(Expected::New(_))) => {
            Ok(Some((Front::New, table.put_request(new_revision(command, main, write)?, frame.now)?)))
        }
        (Mode::Ordered, expected) => {
            check_fit(table, main, write)?;
            match expected {
                Some(Expected::Behind { found, last, .. }) => lay.behind(found, last),
                Some(expected @ (Expected::Loaded(base) | Expected::Dead(base))) => lay.superseded(expected, base),
                _ => Ok(None),
            }
        }
    }
}

/// The revision that the write makes: the item that is put, or what is left of one that goes.
fn new_revision(command: &WriteCommand, main: &RowWrite, write: &Write) -> Result<RawRevision, Error> {
    let image = match main.item() {
        Some(item) => item.clone(),
        None => {
            let mut image = command.key()?;
            rule::assign_to(write, &mut image);
            image
        }
    };
    Ok(RawRevision { version: write.next().unwrap_or_default(), deleted: write.verb == Verb::Delete, image })
}

/// What is stored will have to fit into the history: else it could never be changed or deleted again.
fn check_fit(table: &Table<'_>, main: &RowWrite, write: &Write) -> Result<(), Error> {
    let (Some(item), Some(version)) = (main.item(), write.next()) else { return Ok(()) };
    let image = item.clone();
    table.put_request(RawRevision { version, deleted: false, image }, write.now).map(drop)
}

/// What an ordered history keeps of the item that a write supersedes.
struct Lay<'a> {
    command: &'a WriteCommand,
    part: &'a Part,
    frame: &'a Frame<'a>,
    table: &'a Table<'a>,
}

impl Lay<'_> {
    /// The item under the number that it is to have in the history, and the one that supersedes it, in one transaction: the
    /// item says another number, which keeps nobody from taking this one.
    fn behind(&self, found: u64, last: u64) -> Laid {
        let (revision, _) = self.found(found)?;
        let row = self.table.put_request(RawRevision { version: last, ..revision }, self.frame.now)?;
        Ok(Some((Front::Superseded, row)))
    }

    /// The superseded revision, in the transaction or before the write.
    fn superseded(&self, expected: Expected, base: u64) -> Laid {
        let (revision, is_given) = self.found(base)?;
        if self.frame.is_foreign(&revision.image)
            && let Some(next) = verdict::ahead(self.frame, expected, &revision.image)
        {
            return Err(Instead::Next(next));
        }
        if let Setting::Together = *self.frame.setting {
            return self.together(revision);
        }
        // A copy that stays would be of a version that nobody has superseded.
        let write = &self.part.write;
        if !rule::reasons(write, Some(&revision.image)).is_empty() || !self.command.holds(&revision.image) {
            return Err(if is_given { Next::Read(Read::Item).into() } else { self.denied(Some(revision.image)) });
        }
        self.before(expected, base, revision, is_given)
    }

    /// The superseded revision, before the write.
    fn before(&self, expected: Expected, base: u64, revision: RawRevision, is_given: bool) -> Laid {
        let Some(Some(row)) = self.frame.known.rows.get(&base) else {
            return Err(Next::First(Side { revision, is_there: false }).into());
        };
        let there = &row.revision.image;
        if equal_items(there, &revision.image) {
            // A write that did not come to pass has left it, and its time counts from then: now it begins anew.
            let expires = self.table.history.ttl_days.is_some() && !row.is_fresh;
            return if expires { Err(Next::First(Side { revision, is_there: true }).into()) } else { Ok(None) };
        }
        if self.frame.is_of_one_write(there, &revision.image) {
            return self.over_a_copy(base, revision);
        }
        Err(Instead::Next(match verdict::ahead(self.frame, expected, &revision.image) {
            Some(next) => next,
            // Perhaps it is not what is there any more.
            None if is_given => Next::Read(Read::Item),
            None => Next::Done(verdict::recorded(self.part, self.frame, Some(revision.image))),
        }))
    }

    /// A write that did not come to pass has left a copy, and the item has been changed since by a program that gives no names.
    /// If no later revision is there, nobody has superseded it; and only together with the write is it certain that nobody
    /// does, with what is there then.
    fn over_a_copy(&self, base: u64, revision: RawRevision) -> Laid {
        match &self.frame.known.newest {
            None => Err(Instead::Next(Next::Read(Read::Ahead))),
            Some(Some(newest)) if newest.version > base => Ok(None),
            Some(_) => self.together(revision),
        }
    }

    /// The superseded revision, in the same transaction.
    fn together(&self, revision: RawRevision) -> Laid {
        Ok(Some((Front::Superseded, self.table.put_same_request(revision, self.frame.now)?)))
    }

    /// What the write would be told, with this item there.
    fn denied(&self, item: Option<Item>) -> Instead {
        verdict(self.part, &Denial::by(item), self.frame).into()
    }

    /// The item of this version, and whether it is what the caller has loaded, which may not be what is there. Where something
    /// else is there, the write cannot pass any more, and nothing need be written to know it.
    fn found(&self, base: u64) -> Result<(RawRevision, bool), Instead> {
        let schema = self.command.schema;
        // Another entity's item is no version of this one's.
        let is_loaded =
            |item: &Item| self.frame.version(item) == Some(base) && rule::other_entity(schema, Some(item)).is_none();
        let (image, is_given) = match &self.frame.known.item {
            Some(Some(item)) if is_loaded(item) && !rule::is_held(schema, Some(item)) => (item, false),
            Some(item) => return Err(self.denied(item.clone())),
            None => {
                // What the caller has loaded may be of another item, or another version.
                let key = self.command.key()?;
                let given = self.command.versioned.as_ref().and_then(|versioned| versioned.loaded.as_ref());
                let given = given.filter(|item| is_loaded(item) && key_of(schema, item) == key);
                (given.ok_or(Next::Read(Read::Item))?, true)
            }
        };
        let (deleted, image) = (rule::is_tombstone(schema, image), image.clone());
        Ok((RawRevision { version: base, deleted, image }, is_given))
    }
}
