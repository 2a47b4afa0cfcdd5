//! The row of the history that goes with a write.
//!
//! | history | requests |
//! |---|---|
//! | none | the write |
//! | atomic | one transaction: the row of the new revision, and the write |
//! | ordered | the put of the row of the superseded revision, then the write; for a new item, one transaction as above |
//!
//! If the write is an action of a larger transaction, the row of the superseded revision is an action of it, too. If another
//! program has put an item, and the history already has later numbers than the item, numbering continues after them: see
//! `Expected::Behind`.
//!
//! In every order, the history never holds a state that the item did not have: the row of a new revision is put together with the
//! item, and the row of a superseded revision has the same content from every writer.

use super::Instead;
use crate::attribute::{Item, equal_items};
use crate::error::Error;
use crate::exchange::RowWrite;
use crate::key::{check_certain_size, key_of};
use crate::read::HistoryTable;
use crate::rule;
use crate::rule::{Expected, RawRevision, Verb, Write};
use crate::schema::Mode;
use crate::write::verdict::{self, verdict};
use crate::write::write_command::WriteCommand;
use crate::write::write_steps::{Companion, ComposedWrite, Denial, Judgement, Read, RevisionPut, SendAs, StepInput};

/// The row to put in one transaction with the write, if there is one.
type CompanionRow = Result<Option<(Companion, RowWrite)>, Instead>;

pub(super) fn companion(
    command: &WriteCommand,
    main: &RowWrite,
    composed: &ComposedWrite,
    input: &StepInput<'_>,
    table: &HistoryTable<'_>,
) -> CompanionRow {
    let write = &composed.write;
    let ordered = OrderedHistory { command, composed, input, table };
    match (table.history.mode, write.expected) {
        // A new item of an ordered history: no item holds the last number. Between two creates, the item may have been deleted
        // and its tombstone purged, so only a transaction keeps both creates from getting one number.
        (Mode::Atomic, _) | (Mode::Ordered, Some(Expected::New(_))) => {
            Ok(Some((Companion::NewRevision, table.put_request(new_revision(command, main, write)?, input.now)?)))
        }
        (Mode::Ordered, expected) => {
            check_fit(table, main, write)?;
            match expected {
                Some(Expected::Behind { found, last, .. }) => ordered.renumbered(found, last),
                Some(expected @ (Expected::Loaded(base) | Expected::Dead(base))) => ordered.superseded(expected, base),
                _ => Ok(None),
            }
        }
    }
}

/// Returns the revision that the write makes: the item that it puts, or the key and the bookkeeping of an item that it deletes.
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

/// Refuses an item that is too large for a row of the history, because it could never be changed or deleted again.
fn check_fit(table: &HistoryTable<'_>, main: &RowWrite, write: &Write) -> Result<(), Error> {
    let (Some(item), Some(version)) = (main.item(), write.next()) else { return Ok(()) };
    let row = table.put_request(RawRevision { version, deleted: false, image: item.clone() }, write.now)?;
    let size = row.item().map_or(Ok(()), check_certain_size);
    size.map_err(|error| error.of("the revision in the history"))
}

/// A write that supersedes an item whose entity has an ordered history.
struct OrderedHistory<'a> {
    command: &'a WriteCommand,
    composed: &'a ComposedWrite,
    input: &'a StepInput<'a>,
    table: &'a HistoryTable<'a>,
}

impl OrderedHistory<'_> {
    /// Returns the row of an item that gets the number `last` in the history, although its version is `found`. It goes into one
    /// transaction with the write, because the item's version does not keep other writes from taking `last`.
    fn renumbered(&self, found: u64, last: u64) -> CompanionRow {
        let (revision, _) = self.superseded_revision(found)?;
        let row = self.table.put_request(RawRevision { version: last, ..revision }, self.input.now)?;
        Ok(Some((Companion::SupersededRevision, row)))
    }

    /// Returns the row of the superseded item for the same transaction, or makes sure that it exists before the write.
    fn superseded(&self, expected: Expected, base: u64) -> CompanionRow {
        let (revision, is_loaded) = self.superseded_revision(base)?;
        if self.input.is_foreign(&revision.image)
            && let Some(next) = verdict::behind_history(self.input, expected, &revision.image)
        {
            return Err(Instead::Judged(next));
        }
        if let SendAs::Action = *self.input.send_as {
            return self.in_transaction(revision);
        }
        // If the write is going to be refused, no row is put: it would be of a version that no write has superseded.
        let write = &self.composed.write;
        if !rule::reasons(write, Some(&revision.image)).is_empty() || !self.command.holds(&revision.image) {
            let next = if is_loaded { Judgement::Read(Read::Item) } else { self.refusal(Some(revision.image)) };
            return Err(Instead::Judged(next));
        }
        self.before_write(expected, base, revision, is_loaded)
    }

    /// Makes sure that the row of the superseded item exists before the write.
    fn before_write(&self, expected: Expected, base: u64, revision: RawRevision, is_loaded: bool) -> CompanionRow {
        let Some(Some(row)) = self.input.known.revisions.get(&base) else {
            return Err(Instead::PutRevision(RevisionPut { revision, is_stored: false }));
        };
        let stored = &row.revision.image;
        if equal_items(stored, &revision.image) {
            // A write that was not applied may have put the row long ago. Its TTL counts from then, so the row is put again.
            let expires = self.table.history.ttl_days.is_some() && !row.is_fresh;
            return if expires {
                Err(Instead::PutRevision(RevisionPut { revision, is_stored: true }))
            } else {
                Ok(None)
            };
        }
        if self.input.is_of_one_write(stored, &revision.image) {
            return self.over_outdated_copy(base, revision);
        }
        Err(Instead::Judged(match verdict::behind_history(self.input, expected, &revision.image) {
            Some(next) => next,
            // The item may no longer be the one that the caller loaded.
            None if is_loaded => Judgement::Read(Read::Item),
            None => Judgement::End(verdict::refused_by_history(self.composed, self.input, Some(revision.image))),
        }))
    }

    /// Replaces a row whose image is outdated: a write that was not applied put the row, and then a program that leaves no write
    /// ids changed the item. If the history has no later revision, no write has superseded the item. Only a transaction with the
    /// write guarantees that no other write supersedes it meanwhile.
    fn over_outdated_copy(&self, base: u64, revision: RawRevision) -> CompanionRow {
        match &self.input.known.newest {
            None => Err(Instead::Judged(Judgement::Read(Read::NewestAfterItem))),
            Some(Some(newest)) if newest.version > base => Ok(None),
            Some(_) => self.in_transaction(revision),
        }
    }

    /// Returns the row of the superseded item for the same transaction.
    fn in_transaction(&self, revision: RawRevision) -> CompanionRow {
        Ok(Some((Companion::SupersededRevision, self.table.put_superseded_request(revision, self.input.now)?)))
    }

    /// Returns the verdict that a denial by this item would get.
    fn refusal(&self, item: Option<Item>) -> Judgement {
        verdict(self.composed, &Denial::of_item(item), self.input)
    }

    /// Returns the item of this version as a revision, and `true` if it is the item that the caller loaded: the stored item may
    /// be another by now. If the stored item is known to be another, the write is refused without a request.
    fn superseded_revision(&self, base: u64) -> Result<(RawRevision, bool), Instead> {
        let schema = self.command.schema;
        // A version number of another entity's item means something else.
        let is_base =
            |item: &Item| self.input.version(item) == Some(base) && rule::other_entity(schema, Some(item)).is_none();
        let (image, is_loaded) = match &self.input.known.item {
            Some(Some(item)) if is_base(item) && !rule::is_held(schema, Some(item)) => (item, false),
            Some(item) => return Err(Instead::Judged(self.refusal(item.clone()))),
            None => {
                // The caller may have loaded another item, or another version.
                let key = self.command.key()?;
                let loaded = self.command.versioned.as_ref().and_then(|versioned| versioned.loaded.as_deref());
                let loaded = loaded.filter(|item| is_base(item) && key_of(schema, item) == key);
                (loaded.ok_or(Instead::Judged(Judgement::Read(Read::Item)))?, true)
            }
        };
        let (deleted, image) = (rule::is_tombstone(schema, image), image.clone());
        Ok((RawRevision { version: base, deleted, image }, is_loaded))
    }
}
