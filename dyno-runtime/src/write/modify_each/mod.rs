//! Item after item of a scan: read, changed, and written back if it is still what was read.
//!
//! Segments are read at once, each item by item. The place in a segment moves past an item when that is done, so that a
//! run that is broken off can go on from there; what was done since is found done. What is known of a run is in
//! `progress`.

mod checkpoint;
mod progress;

use crate::attribute::Item;
use crate::error::{Context, Error};
use crate::exchange::Repository;
use crate::key::{key_of, key_text};
use crate::read::{Paged as _, Pages, Place, ReadCommand, Source, check_segment};
use crate::rule;
use crate::rule::{Reason, Refused};
use crate::schema::{Schema, Tables};
use crate::write::modify_loop::{Redo, Redone, Rework, check_attempts};
use checkpoint::Position;
pub use checkpoint::{Checkpoint, InvalidCheckpoint};
use futures_util::future::join_all;
use progress::Done;
pub use progress::{Failure, Progress};
use std::sync::{Mutex, MutexGuard, PoisonError};

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

/// The typed parts of a run.
pub(crate) struct Each<'a> {
    pub(crate) rework: &'a mut Rework<'a>,
    pub(crate) on_progress: &'a mut (dyn FnMut(&Progress) + Send),
    /// The error of a refusal: of one, or of the last of many.
    pub(crate) refuse: fn(Refused, bool) -> Error,
}

impl EachCommand {
    /// The segments, and where in each to begin.
    fn plan(&self, repository: &Repository, table: &str) -> Result<Checkpoint, Error> {
        check_attempts(self.attempts)?;
        if self.read.options.limit.is_some() {
            return Err(Error::invalid("each item is modified, whatever their number: leave `limit` out, or filter"));
        }
        if self.read.after.is_some() {
            return Err(Error::invalid(
                "a cursor is of a scan: give the checkpoint of an earlier run to `after` behind `modify_each`",
            ));
        }
        let given = match self.read.source {
            Source::Scan { segment, .. } => segment,
            Source::Query { .. } => None,
        };
        // What the segments have in common.
        let whole = ReadCommand { source: Source::Scan { index: None, segment: None }, ..self.read.clone() };
        let whole = Pages::new(repository.clone(), table.to_owned(), whole)?;
        let asked = whole.asked();
        let start = match given {
            None => {
                let of = self.parallel.unwrap_or(1);
                // Before there is a reader for each.
                check_segment(Some((0, of)))?;
                Checkpoint::start(asked, of, 0..of)
            }
            Some((segment, of)) => {
                check_segment(given)?;
                Checkpoint::start(asked, of, [segment])
            }
        };
        match &self.after {
            None => Ok(start),
            Some(after) if after.asked != start.asked => Err(Error::invalid(
                "the checkpoint is of another entity, table or filter: go on with the same, or items would be left out that nobody has done",
            )),
            Some(after) if after.is_of(&start) => {
                after.failed.iter().try_for_each(|place| whole.check_place(place))?;
                Ok(after.clone())
            }
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
            read.source =
                Source::Scan { index: None, segment: (checkpoint.of > 1).then_some((*segment, checkpoint.of)) };
            let mut pages = Pages::new(repository.clone(), table.to_owned(), read)?;
            match position {
                Position::Start => {}
                Position::Behind(place) => pages.start_behind(place.clone())?,
                Position::End => continue,
            }
            readers.push((index, pages));
        }
        Ok(readers)
    }

    pub(crate) async fn send<'a>(
        &'a self,
        repository: &'a Repository,
        tables: Tables,
        each: Each<'a>,
    ) -> Result<Progress, Error> {
        let begun = self.plan(repository, &tables.main).and_then(|checkpoint| {
            let readers = self.readers(&checkpoint, repository, &tables.main)?;
            Ok((checkpoint, readers))
        });
        let context = || Context { operation: OPERATION, entity: self.read.schema.entity, key: None };
        let (checkpoint, readers) = begun.map_err(|error| error.with_context(context))?;
        let failed = checkpoint.failed.clone();
        let shared = Mutex::new(Shared { each, progress: Progress::new(checkpoint) });
        let run = Run { command: self, schema: self.read.schema, repository, tables, shared };
        run.again(failed).await;
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

    /// Changes the items that an earlier run has passed by.
    async fn again(&self, failed: Vec<Place>) {
        for failed in failed {
            let key = failed.clone().into_item();
            let done = self.told(&key, self.one(&key, None, true).await);
            let is_stopped = matches!(done, Done::Stopped(_));
            self.note(|progress| progress.again(&failed, key, done));
            if is_stopped {
                return;
            }
        }
    }

    /// What became of an item, with its key in the error.
    fn told(&self, key: &Item, done: Done) -> Done {
        match done {
            Done::Stopped(error) => Done::Stopped(self.about(Some(key), error)),
            Done::Failed(error) => Done::Failed(self.about(Some(key), error)),
            done => done,
        }
    }

    async fn segment(&self, index: usize, mut pages: Pages) {
        loop {
            let items = match pages.next_page().await {
                Ok(Some(items)) => items,
                Ok(None) => return self.note(|progress| progress.reach(index, Position::End)),
                Err(error) => return self.note(|progress| progress.note_failure(None, self.about(None, error))),
            };
            for item in items {
                let key = key_of(self.schema, &item);
                let done = self.told(&key, self.one(&key, Some(item), false).await);
                let is_stopped = matches!(done, Done::Stopped(_));
                self.note(|progress| progress.done(index, key, done));
                if is_stopped {
                    return;
                }
            }
            // Behind those that were passed over, too.
            if let Some(place) = pages.reached() {
                self.note(|progress| progress.reach(index, Position::Behind(place)));
            }
        }
    }

    /// Changes the item at a key; `read` is how it was found.
    async fn one(&self, key: &Item, read: Option<Item>, filtered: bool) -> Done {
        let redo = Redo {
            schema: self.schema,
            operation: OPERATION,
            key: key.clone(),
            repository: self.repository,
            tables: self.tables.clone(),
            fence: None,
            attempts: self.command.attempts,
            from_nothing: false,
            skips_equal: true,
            filter: self.command.read.filter.clone(),
        };
        let read = match read {
            Some(read) => Some(read),
            None => match redo.load().await {
                Ok(read) => read,
                Err(error) => return Done::Stopped(error),
            },
        };
        let mut rework = |item: Option<&Item>| (self.shared().each.rework)(item);
        let done = redo.run(read, filtered, &mut rework, &|| self.note(Progress::retry)).await;
        match done {
            Ok(Redone::Applied(_)) => Done::Changed,
            Ok(Redone::Unchanged(_)) => Done::Unchanged,
            Ok(Redone::Refused(refused)) if self.is_gone(&refused) => Done::Gone,
            Ok(Redone::Refused(refused)) => Done::Failed(self.refuse(refused, false)),
            Ok(Redone::Contended(refused)) => Done::Failed(self.refuse(refused, true)),
            Err(error) if error.is_of_one_item() => Done::Failed(error),
            Err(error) => Done::Stopped(error),
        }
    }

    /// Whether the item is not there any more, or none of those that are asked for.
    fn is_gone(&self, refused: &Refused) -> bool {
        match &refused.item {
            None => refused.reasons.contains(&Reason::Missing),
            Some(there) => {
                !rule::state(self.schema, refused.now, there).is_live()
                    || rule::other_entity(self.schema, refused.item.as_ref()).is_some()
                    || refused.reasons == [Reason::Condition]
            }
        }
    }

    fn refuse(&self, refused: Refused, is_last: bool) -> Error {
        let refuse = self.shared().each.refuse;
        refuse(refused, is_last)
    }
}
