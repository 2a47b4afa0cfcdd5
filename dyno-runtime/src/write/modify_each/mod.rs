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
use crate::key::key_of;
use crate::read::{Paged as _, Pages, Place, ReadCommand, Source, check_segment};
use crate::rule;
use crate::rule::{Reason, Refused};
use crate::schema::Tables;
use crate::write::modify_loop::{
    Edit, MODIFY_EACH, Modification, ModifyCommand, ModifyKind, ModifyOutcome, check_attempts,
};
use checkpoint::Position;
pub use checkpoint::{Checkpoint, InvalidCheckpoint};
use futures_util::future::join_all;
use progress::Done;
pub use progress::{Failure, Progress};
use std::sync::{Mutex, MutexGuard, PoisonError};

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
    pub(crate) edit: &'a mut Edit<'a>,
    pub(crate) on_progress: &'a mut (dyn FnMut(&Progress) + Send),
    /// The error of a refusal: of one, or of the last of many.
    pub(crate) refuse: fn(Refused, bool) -> Error,
}

impl EachCommand {
    /// The segments, and where in each to begin.
    fn plan(&self, repository: &Repository, table: &str) -> Result<Checkpoint, Error> {
        check_attempts(self.attempts)?;
        if self.read.limit.is_some() {
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
        let (checkpoint, readers) = begun.map_err(|error| self.of_scan(error))?;
        let failed = checkpoint.failed.clone();
        let shared = Mutex::new(Shared { each, progress: Progress::new(checkpoint) });
        let run = Run { command: self, repository, tables, shared };
        run.again(failed).await;
        join_all(readers.into_iter().map(|(index, pages)| run.segment(index, pages))).await;
        Ok(run.shared.into_inner().unwrap_or_else(PoisonError::into_inner).progress)
    }

    /// An error that is of no item.
    fn of_scan(&self, error: Error) -> Error {
        error.with_context(|| Context { operation: MODIFY_EACH, entity: self.read.schema.entity, key: None })
    }
}

/// A run under way.
struct Run<'a> {
    command: &'a EachCommand,
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

    /// Changes the items that an earlier run has passed by.
    async fn again(&self, failed: Vec<Place>) {
        for failed in failed {
            let key = failed.clone().into_item();
            let done = self.one(&key, None).await;
            let is_stopped = matches!(done, Done::Stopped(_));
            self.note(|progress| progress.again(&failed, key, done));
            if is_stopped {
                return;
            }
        }
    }

    async fn segment(&self, index: usize, mut pages: Pages) {
        loop {
            let items = match pages.next_page().await {
                Ok(Some(items)) => items,
                Ok(None) => return self.note(|progress| progress.reach(index, Position::End)),
                Err(error) => return self.note(|progress| progress.note_failure(None, self.command.of_scan(error))),
            };
            for item in items {
                let key = key_of(self.command.read.schema, &item);
                let done = self.one(&key, Some(item)).await;
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

    /// Changes the item at a key, given as a scan has returned it, or as it is.
    async fn one(&self, key: &Item, scanned: Option<Item>) -> Done {
        let EachCommand { read, attempts, .. } = self.command;
        let kind = ModifyKind::Each { filter: read.filter.clone() };
        let command =
            ModifyCommand { schema: read.schema, kind, key: Ok(key.clone()), fence: None, attempts: *attempts };
        let change = Modification { command, repository: self.repository, tables: &self.tables };
        let mut edit = |item: Option<&Item>| (self.shared().each.edit)(item);
        let (refused, is_last) = match change.run(scanned, &mut edit, &|| self.note(Progress::retry)).await {
            Ok(ModifyOutcome::Applied(_)) => return Done::Changed,
            Ok(ModifyOutcome::Unchanged(_)) => return Done::Unchanged,
            Ok(ModifyOutcome::Refused(refused)) if self.is_gone(&refused) => return Done::Gone,
            Ok(ModifyOutcome::Refused(refused)) => (refused, false),
            Ok(ModifyOutcome::Contended(refused)) => (refused, true),
            Err(error) if error.is_of_one_item() => return Done::Failed(error),
            Err(error) => return Done::Stopped(error),
        };
        let refuse = self.shared().each.refuse;
        Done::Failed(refuse(refused, is_last))
    }

    /// Whether the item is not there any more, or none of those that are asked for.
    fn is_gone(&self, refused: &Refused) -> bool {
        let schema = self.command.read.schema;
        match &refused.item {
            None => refused.reasons.contains(&Reason::Missing),
            Some(there) => {
                !rule::state(schema, refused.now, there).is_live()
                    || rule::other_entity(schema, refused.item.as_ref()).is_some()
                    || refused.reasons == [Reason::Condition]
            }
        }
    }
}
