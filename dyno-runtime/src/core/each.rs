//! Item after item of a scan: read, changed, and written back if it is still what was read.
//!
//! Segments are read at once, each item by item. The place in a segment moves past an item when that is done, so that a
//! run that is broken off can go on from there; what was done since is found done. What is known of a run is in
//! `progress`.

use super::check::check_item;
use super::checkpoint::{Checkpoint, Position};
use super::key::{key_of, key_text};
use super::pages::{Paged as _, Pages, ReadCommand, Source, check_segment};
use super::progress::{Done, Progress};
use super::read::GetCommand;
use super::write::{Refused, Tables, WriteCommand, Written};
use crate::Error;
use crate::attribute::Item;
use crate::backoff::BackOff;
use crate::error::{Context, ErrorKind};
use crate::expression::{Action, RawChange};
use crate::outcome::Reason;
use crate::repository::Repository;
use crate::rule::{self, Expected, Image, Verb, equal};
use crate::schema::{Index, Schema};
use futures_util::future::join_all;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const OPERATION: &str = "modify_each";

/// A change of each item of a scan, as a typed command holds it.
#[derive(Clone, Debug)]
pub(crate) struct EachCommand {
    pub(crate) read: ReadCommand,
    /// How many segments are read at once.
    pub(crate) parallel: Option<u32>,
    pub(crate) after: Option<Checkpoint>,
    /// How often an item is tried.
    pub(crate) attempts: u32,
}

/// What the caller's code makes of an item.
pub(crate) struct Reworked {
    /// What is to be stored of the entity.
    pub(crate) item: Item,
    /// What the item holds besides.
    pub(crate) rest: Item,
}

/// The typed parts of a run.
pub(crate) struct Each<'a> {
    pub(crate) rework: &'a mut (dyn FnMut(Item) -> Result<Reworked, Error> + Send),
    pub(crate) on_progress: &'a mut (dyn FnMut(&Progress) + Send),
    /// The error of a refusal: of one, or of the last of many.
    pub(crate) refuse: fn(Refused, bool) -> Error,
}

impl EachCommand {
    /// The segments, and where in each to begin.
    fn plan(&self) -> Result<Checkpoint, Error> {
        if self.attempts == 0 {
            return Err(Error::invalid("0 attempts change nothing: give at least 1"));
        }
        if self.read.limit.is_some() {
            return Err(Error::invalid("each item is modified, whatever their number: leave `limit` out, or filter"));
        }
        if self.read.after.is_some() {
            return Err(Error::invalid(
                "a cursor is of a scan: give the checkpoint of an earlier run to `after` behind `modify_each`",
            ));
        }
        let given = match self.read.source {
            Source::Scan { segment } => segment,
            Source::Query { .. } => None,
        };
        let start = match (given, self.parallel) {
            (None, Some(0)) => return Err(Error::invalid("0 segments read nothing: give `parallel` at least 1")),
            (None, parallel) => {
                let of = parallel.unwrap_or(1);
                // Before there is a reader for each.
                check_segment(Some((0, of)))?;
                Checkpoint::start(of, 0..of)
            }
            (Some((segment, of)), None) => {
                check_segment(given)?;
                Checkpoint::start(of, [segment])
            }
            (Some(_), Some(_)) => {
                return Err(Error::invalid("one segment or several at once: leave `segment` or `parallel` out"));
            }
        };
        match &self.after {
            None => Ok(start),
            Some(after) if after.is_of(&start) => Ok(after.clone()),
            Some(after) => Err(Error::invalid(format!(
                "the checkpoint is of {} of {} segments, and this scan of {} of {}, or of others: go on with the same",
                after.segments.len(),
                after.of,
                start.segments.len(),
                start.of
            ))),
        }
    }

    /// What is left to be read: a reader for each segment that has not ended, by its place in the checkpoint.
    fn readers(
        &self,
        checkpoint: &Checkpoint,
        repository: &Repository,
        table: &str,
    ) -> Result<Vec<(usize, Pages)>, Error> {
        let mut readers = Vec::new();
        for (index, (segment, position)) in checkpoint.segments.iter().enumerate() {
            let mut read = self.read.clone();
            read.source = Source::Scan { segment: (checkpoint.of > 1).then_some((*segment, checkpoint.of)) };
            read.after = match position {
                Position::Start => None,
                Position::Behind(cursor) => Some(cursor.clone()),
                Position::End => continue,
            };
            readers.push((index, Pages::new(repository.clone(), table.to_owned(), read)?));
        }
        Ok(readers)
    }

    pub(crate) async fn send<'a>(
        &'a self,
        repository: &'a Repository,
        tables: Tables,
        each: Each<'a>,
    ) -> Result<Progress, Error> {
        let begun = self.plan().and_then(|checkpoint| {
            let readers = self.readers(&checkpoint, repository, &tables.main)?;
            Ok((checkpoint, readers))
        });
        let context = || Context { operation: OPERATION, entity: self.read.schema.entity, key: None };
        let (checkpoint, readers) = begun.map_err(|error| error.with_context(context))?;
        let shared = Mutex::new(Shared { each, progress: Progress::new(checkpoint) });
        let run = Run { command: self, schema: self.read.schema, repository, tables, shared };
        join_all(readers.into_iter().map(|(index, pages)| run.segment(index, pages))).await;
        Ok(run.shared.into_inner().unwrap_or_else(PoisonError::into_inner).progress)
    }
}

/// A run under way.
struct Run<'a> {
    command: &'a EachCommand,
    schema: &'static Schema,
    repository: &'a Repository,
    tables: Tables,
    /// Never held while anything is waited for.
    shared: Mutex<Shared<'a>>,
}

struct Shared<'a> {
    each: Each<'a>,
    progress: Progress,
}

impl<'a> Run<'a> {
    fn shared(&self) -> MutexGuard<'_, Shared<'a>> {
        // A closure that has panicked ends the run anyway.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes something, and tells the caller.
    fn note(&self, note: impl FnOnce(&mut Progress)) {
        let mut shared = self.shared();
        let Shared { each, progress } = &mut *shared;
        note(progress);
        (each.on_progress)(progress);
    }

    /// An error, with the item that it is about.
    fn about(&self, key: Option<&Item>, error: Error) -> Error {
        let schema = self.schema;
        let key = || key.and_then(|key| key_text(key, schema));
        error.with_context(|| Context { operation: OPERATION, entity: schema.entity, key: key() })
    }

    async fn segment(&self, index: usize, mut pages: Pages) {
        loop {
            let items = match pages.next_page().await {
                Ok(Some(items)) => items,
                Ok(None) => return self.note(|progress| progress.reach(index, Position::End)),
                Err(error) => return self.note(|progress| progress.stop(None, self.about(None, error))),
            };
            for item in items {
                let key = key_of(self.schema, &item);
                match self.one(item).await {
                    Done::Stopped(error) => {
                        let error = self.about(Some(&key), error);
                        return self.note(|progress| progress.stop(Some(key), error));
                    }
                    Done::Failed(error) => {
                        let done = Done::Failed(self.about(Some(&key), error));
                        self.note(|progress| progress.done(index, key, done));
                    }
                    done => self.note(|progress| progress.done(index, key, done)),
                }
            }
            // Behind those that were passed over, too.
            if let Some(cursor) = pages.reached() {
                self.note(|progress| progress.reach(index, Position::Behind(cursor)));
            }
        }
    }

    /// Changes an item and writes it back; again, on what is there then, if that is another by now.
    async fn one(&self, mut item: Item) -> Done {
        let mut back_off = BackOff::new(self.repository, self.command.attempts - 1);
        let mut first = true;
        loop {
            let mut command = match self.command(&item) {
                Ok(Some(command)) => command,
                Ok(None) => return Done::Unchanged,
                Err(error) => return Done::Failed(error),
            };
            if !first && let Some(filter) = self.command.read.filter.clone() {
                // It may not be one of those any more.
                command.and(filter);
            }
            let found = match command.send(self.repository, self.tables.clone(), None).await {
                Ok(Written::Applied(_)) => return Done::Changed,
                Ok(Written::Refused(refused)) => match self.found(&item, refused) {
                    Ok(found) => Ok(found),
                    Err(done) => return done,
                },
                Err(error) => match error.kind() {
                    ErrorKind::OutcomeUnknown | ErrorKind::Contended => Err(error),
                    ErrorKind::Throttled | ErrorKind::Unreachable | ErrorKind::TableMissing => {
                        return Done::Stopped(error);
                    }
                    _ => return Done::Failed(error),
                },
            };
            // A refusal has what is there now, which is all that is needed the first time. Later, to wait is better.
            let is_last = if first && found.is_ok() && self.command.attempts > 1 {
                back_off.skip();
                false
            } else {
                !back_off.pause().await
            };
            first = false;
            item = match found {
                Ok((_, refused)) if is_last => return Done::Failed(self.refuse(refused, true)),
                Err(error) if is_last => return Done::Failed(error),
                Ok((found, _)) => found,
                Err(_) => match self.load(&item).await {
                    Ok(Some(found)) => found,
                    Ok(None) => return Done::Gone,
                    Err(error) => return Done::Stopped(error),
                },
            };
            self.note(Progress::retry);
        }
    }

    /// What a refused write found, if it is another item than was read; else how it has ended.
    fn found(&self, read: &Item, refused: Refused) -> Result<(Item, Refused), Done> {
        match &refused.item {
            None if refused.reasons.contains(&Reason::Missing) => Err(Done::Gone),
            Some(there) if rule::is_dead(self.schema, refused.now, there).is_some() => Err(Done::Gone),
            Some(_) if rule::other_entity(self.schema, refused.item.as_ref()).is_some() => Err(Done::Gone),
            Some(there) if !is_same(there, read) => Ok((there.clone(), refused)),
            _ if refused.reasons == [Reason::Condition] => Err(Done::Gone),
            _ => Err(Done::Failed(self.refuse(refused, false))),
        }
    }

    fn refuse(&self, refused: Refused, is_last: bool) -> Error {
        let refuse = self.shared().each.refuse;
        refuse(refused, is_last)
    }

    /// The live item at a key.
    async fn load(&self, item: &Item) -> Result<Option<Item>, Error> {
        let get =
            GetCommand { schema: self.schema, key: Ok(key_of(self.schema, item)), consistent: true, projection: None };
        let found = get.send(self.repository, self.tables.main.clone()).await?;
        Ok(found.filter(|item| rule::is_dead(self.schema, self.repository.now(), item).is_none()))
    }

    /// The write of what the caller's code makes of an item; `None` if that is what is stored.
    fn command(&self, read: &Item) -> Result<Option<WriteCommand>, Error> {
        let schema = self.schema;
        let Reworked { item, rest } = (self.shared().each.rework)(read.clone())?;
        let key = key_of(schema, read);
        if key_of(schema, &item) != key {
            return Err(Error::invalid(
                "the key was changed: an item cannot move; create one under the new key and delete this one",
            ));
        }
        // What the entity does not know stays as it is.
        let mut wanted = rest;
        wanted.retain(|name, _| !is_made_anew(schema, name));
        wanted.extend(item);
        let changes = changes(schema, read, &wanted);
        if changes.is_empty() {
            return Ok(None);
        }
        check_item(&wanted, schema)?;
        let mut command = match schema.history {
            // A revision is a whole item.
            Some(_) => WriteCommand::new(schema, Verb::Replace, Ok(wanted)),
            None => rewrite(schema, key, changes, read, &wanted),
        };
        let version = schema.version.as_ref().and_then(|version| version.of(read)).unwrap_or_default();
        if version == 0 {
            // Nothing has counted the writes of it.
            command.image = Some(Arc::new(Image::of(schema, read)));
        }
        command.expecting(Expected::Loaded(version));
        command.loaded(OPERATION, Some(read.clone()));
        Ok(Some(command))
    }
}

/// Whether this is the name of what the entity is stored in anew, or not at all: its own under an alias, or the key of an
/// index.
fn is_made_anew(schema: &Schema, name: &str) -> bool {
    let mut aliases = schema.attributes.iter().flat_map(|attribute| attribute.aliases);
    let mut keys = schema.indexes.iter().flat_map(Index::keys);
    aliases.any(|alias| *alias == name) || !schema.is_key(name) && keys.any(|key| key.name == name)
}

/// The update that makes these changes.
fn rewrite(schema: &'static Schema, key: Item, changes: Vec<RawChange>, read: &Item, wanted: &Item) -> WriteCommand {
    let mut command = WriteCommand::new(schema, Verb::Rewrite, Ok(key));
    let mut moved = Vec::new();
    let tokens = schema.ratchets.iter().map(|ratchet| {
        let token = ratchet.token_in(wanted);
        // One that stays is no new one: the rule, which may be strict, says nothing of it.
        let token = token.filter(|token| Some(token) != ratchet.token_in(read).as_ref())?;
        // In another spelling, what is stored is compared with nothing; but it is known, and may not have changed since.
        if read.get(ratchet.attribute).is_some_and(|stored| ratchet.respells(stored, &token.value)) {
            return None;
        }
        moved.extend(std::iter::once(ratchet.attribute).chain(ratchet.tiebreak));
        Some(token)
    });
    command.tokens = Ok(tokens.collect());
    // Those are the rule's to set.
    command.changes = changes.into_iter().filter(|change| !moved.contains(&change.path.name())).collect();
    command
}

/// Whether two items are one to DynamoDB.
fn is_same(one: &Item, other: &Item) -> bool {
    let is_there = |(name, value): (&String, _)| other.get(name).is_some_and(|other| equal(value, other));
    one.len() == other.len() && one.iter().all(is_there)
}

/// What makes the one item of the other, besides what the rules do: in the order of names.
fn changes(schema: &Schema, read: &Item, wanted: &Item) -> Vec<RawChange> {
    let names: BTreeSet<&String> = read.keys().chain(wanted.keys()).collect();
    let names = names.into_iter().filter(|name| !schema.is_key(name) && !rule::is_bookkeeping(schema, name));
    let change = |name: &String| {
        let action = match (read.get(name), wanted.get(name)) {
            (Some(read), Some(wanted)) if equal(read, wanted) => return None,
            (_, Some(wanted)) => Action::Set(wanted.clone()),
            (_, None) => Action::Remove,
        };
        Some(RawChange::new(name.clone(), Ok(action)))
    };
    names.filter_map(change).collect()
}
