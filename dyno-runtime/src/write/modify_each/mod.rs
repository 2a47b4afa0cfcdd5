//! Changes each item of a scan, and writes it back if it is still as it was read.
//!
//! The segments of the scan are read at the same time, and the items of a segment one after the other. The position in a segment
//! moves past an item when the item is done, so a run that was interrupted can continue from its checkpoint. Items that were done
//! after the checkpoint are read again, and are unchanged then. `progress` counts the items and keeps the failures.

mod adopt;
mod checkpoint;
mod progress;

use crate::attribute::Item;
use crate::attribute::RawItem;
use crate::error::{Context, Error};
use crate::exchange::Repository;
use crate::key::key_of;
use crate::read::{Level, Paged as _, Pages, Place, ReadCommand, Returns, Source, check_segment};
use crate::rule;
use crate::rule::{Reason, Refused};
use crate::schema::Tables;
use crate::write::modify_loop::{
    Edit, MODIFY_EACH, Modification, ModifyCommand, ModifyKind, ModifyOutcome, check_attempts,
};
use adopt::{Adopted, Adoption};
pub use checkpoint::Checkpoint;
use checkpoint::Position;
use futures_util::future::{BoxFuture, join_all};
use progress::ItemResult;
pub use progress::{Failure, Progress};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A change of each item of a scan, as a typed command holds it.
#[derive(Clone, Debug)]
pub(crate) struct ModifyEachCommand {
    pub(crate) read: ReadCommand,
    /// The number of segments that are read at the same time.
    pub(crate) parallel: Option<u32>,
    pub(crate) after: Option<Checkpoint>,
    /// The number of attempts for an item.
    pub(crate) attempts: u32,
}

/// The functions of the typed command.
pub(crate) struct ModifyEachCallbacks<'a> {
    pub(crate) edit: &'a mut Edit<'a>,
    pub(crate) on_progress: &'a mut (dyn FnMut(&Progress) + Send),
    /// Makes the error of a refusal. The flag is `true` if every attempt met another writer, and this is the last refusal.
    pub(crate) refuse: fn(Refused, bool) -> Error,
}

impl ModifyEachCommand {
    /// Returns the scan. It includes the items that a transaction holds, also those that it creates: what it has committed is not
    /// always applied, and is found when the item is loaded.
    fn scan(&self) -> ReadCommand {
        let mut scan = self.read.clone();
        if scan.schema.is_transactional {
            scan.options.level = scan.options.level.stored();
            scan.options.returns = Returns::ItemsAndHeld;
        }
        scan
    }

    /// Returns the segments and the position in each at which the run begins.
    fn plan(&self, repository: &Repository, table: &str) -> Result<Checkpoint, Error> {
        check_attempts(self.attempts)?;
        if matches!(self.read.options.level, Level::Uncommitted(_)) {
            return Err(Error::invalid(
                "items are modified by what is committed: leave `uncommitted` out, or a change that its transaction takes back decides",
            ));
        }
        if self.read.options.limit.is_some() {
            return Err(Error::invalid("each item is modified, whatever their number: leave `limit` out, or filter"));
        }
        if self.read.after.is_some() {
            return Err(Error::invalid(
                "a cursor is of a scan: give the checkpoint of an earlier run to `after` behind `modify_each`",
            ));
        }
        let own_segment = match self.read.source {
            Source::Scan { segment, .. } => segment,
            Source::Query { .. } => None,
        };
        // The checkpoint identifies the scan without its segments.
        let whole = ReadCommand { source: Source::Scan { index: None, segment: None }, ..self.scan() };
        let whole = Pages::new(repository.clone(), table.to_owned(), whole)?;
        let asked = whole.asked();
        let (first, of) = own_segment.unwrap_or((0, self.parallel.unwrap_or(1)));
        // The number of segments is checked before a reader is made for each.
        check_segment(Some((first, of)))?;
        let end = if own_segment.is_some() { first + 1 } else { of };
        let start = Checkpoint::start(asked, of, first..end);
        match &self.after {
            None => Ok(start),
            Some(after) if after.asked != start.asked => Err(Error::invalid(
                "the checkpoint is of another entity, table or filter: go on with the same, or items would be left out that nobody has done",
            )),
            Some(after) if after.has_segments_of(&start) => {
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

    /// Returns a reader for each segment that is not finished, with the index of the segment in the checkpoint.
    fn readers(
        &self,
        checkpoint: &Checkpoint,
        repository: &Repository,
        table: &str,
    ) -> Result<Vec<(usize, Pages)>, Error> {
        let mut readers = Vec::new();
        for (index, (segment, position)) in checkpoint.segments.iter().enumerate() {
            let mut read = self.scan();
            read.source =
                Source::Scan { index: None, segment: (checkpoint.of > 1).then_some((*segment, checkpoint.of)) };
            let mut pages = Pages::new(repository.clone(), table.to_owned(), read)?;
            match position {
                Position::Start => {}
                Position::After(place) => pages.start_behind(place.clone())?,
                Position::End => continue,
            }
            readers.push((index, pages));
        }
        Ok(readers)
    }

    pub(crate) fn send<'a>(
        &'a self,
        repository: &'a Repository,
        tables: Tables,
        callbacks: ModifyEachCallbacks<'a>,
    ) -> BoxFuture<'a, Result<Progress, Error>> {
        Box::pin(async move {
            let plan = self.plan(repository, &tables.main).and_then(|checkpoint| {
                let readers = self.readers(&checkpoint, repository, &tables.main)?;
                Ok((checkpoint, readers))
            });
            let (checkpoint, readers) = plan.map_err(|error| self.without_key(error))?;
            let failed = checkpoint.failed.clone();
            let shared = Mutex::new(Shared { callbacks, progress: Progress::new(checkpoint) });
            let run = Run { command: self, repository, tables, shared };
            run.retry_failed(failed).await;
            join_all(readers.into_iter().map(|(index, pages)| run.modify_segment(index, pages))).await;
            Ok(run.shared.into_inner().unwrap_or_else(PoisonError::into_inner).progress)
        })
    }

    /// Adds the context of the scan to an error that belongs to no item.
    fn without_key(&self, error: Error) -> Error {
        error.with_context(|| Context { operation: MODIFY_EACH, entity: self.read.schema.entity, key: None })
    }
}

/// A run that is under way.
struct Run<'a> {
    command: &'a ModifyEachCommand,
    repository: &'a Repository,
    tables: Tables,
    /// Never locked across an `await`.
    shared: Mutex<Shared<'a>>,
}

struct Shared<'a> {
    callbacks: ModifyEachCallbacks<'a>,
    progress: Progress,
}

impl<'a> Run<'a> {
    fn shared(&self) -> MutexGuard<'_, Shared<'a>> {
        // If a closure panics, the run ends.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Updates the progress, and reports it to the caller.
    fn note(&self, note: impl FnOnce(&mut Progress)) {
        let mut shared = self.shared();
        let Shared { callbacks, progress } = &mut *shared;
        note(progress);
        (callbacks.on_progress)(progress);
    }

    /// Changes the items that failed in an earlier run.
    async fn retry_failed(&self, failed: Vec<Place>) {
        for failed in failed {
            let key = failed.clone().into_item();
            let result = self.modify_and_adopt(&key, None, true).await;
            let is_stopped = matches!(result, ItemResult::Stopped(_));
            self.note(|progress| progress.retried_item(&failed, key, result));
            if is_stopped {
                return;
            }
        }
    }

    /// Changes the items of a segment, up to its end or to an error that stops it.
    async fn modify_segment(&self, index: usize, mut pages: Pages) {
        loop {
            let items = match pages.next_page().await {
                Ok(Some(items)) => items,
                Ok(None) => return self.note(|progress| progress.advance(index, Position::End)),
                Err(error) => {
                    return self.note(|progress| progress.note_failure(None, self.command.without_key(error)));
                }
            };
            let items: Vec<Item> = items.into_iter().map(RawItem::into_item).collect();
            let lacks_guards = match self.adoption().lacks_guards(&items).await {
                Ok(lacks_guards) => lacks_guards,
                Err(error) => {
                    return self.note(|progress| progress.note_failure(None, self.command.without_key(error)));
                }
            };
            for (item, lacks_guards) in items.into_iter().zip(lacks_guards) {
                let key = key_of(self.command.read.schema, &item);
                let result = self.modify_and_adopt(&key, Some(item), lacks_guards).await;
                let is_stopped = matches!(result, ItemResult::Stopped(_));
                self.note(|progress| progress.scanned_item(index, key, result));
                if is_stopped {
                    return;
                }
            }
            // The page may end with items that the scan left out, and the position moves past them, too.
            if let Some(place) = pages.reached() {
                self.note(|progress| progress.advance(index, Position::After(place)));
            }
        }
    }

    fn adoption(&self) -> Adoption<'_> {
        let ModifyEachCommand { read, attempts, .. } = self.command;
        Adoption { schema: read.schema, repository: self.repository, tables: &self.tables, attempts: *attempts }
    }

    /// Changes the item at a key, and if it lacks guards, claims its unique values.
    async fn modify_and_adopt(&self, key: &Item, scanned: Option<Item>, lacks_guards: bool) -> ItemResult {
        let (result, item) = match self.modify_item(key, scanned).await {
            Ok(done) => done,
            Err(result) => return result,
        };
        if !lacks_guards || self.command.read.schema.unique.is_empty() {
            return result;
        }
        let error = match Box::pin(self.adoption().adopt(item)).await {
            Ok(Adopted::Nothing) => return result,
            Ok(Adopted::Claimed) => return ItemResult::Changed,
            Ok(Adopted::Refused(refused)) => return self.failed(refused, false),
            Err(error) => error,
        };
        if error.is_of_one_item() { ItemResult::Failed(error) } else { ItemResult::Stopped(error) }
    }

    /// Returns the failure of an item that was refused.
    fn failed(&self, refused: Refused, is_last: bool) -> ItemResult {
        let refuse = self.shared().callbacks.refuse;
        ItemResult::Failed(refuse(refused, is_last))
    }

    /// Changes the item at a key. `scanned` is the item as the scan returned it; without it, the item is loaded. Returns the item as
    /// it is now, or why there is none.
    async fn modify_item(&self, key: &Item, scanned: Option<Item>) -> Result<(ItemResult, Item), ItemResult> {
        let ModifyEachCommand { read, attempts, .. } = self.command;
        let kind = ModifyKind::ModifyEach { filter: read.filter.clone() };
        let command =
            ModifyCommand { schema: read.schema, kind, key: Ok(key.clone()), fence: None, attempts: *attempts };
        let change = Modification { command, repository: self.repository, tables: &self.tables };
        let mut edit = |item: Option<&Item>| (self.shared().callbacks.edit)(item);
        let (refused, is_last) = match change.run(scanned, &mut edit, &|| self.note(Progress::retry)).await {
            Ok(ModifyOutcome::Applied(item)) => return Ok((ItemResult::Changed, item)),
            Ok(ModifyOutcome::Unchanged(item)) => return Ok((ItemResult::Unchanged, item)),
            Ok(ModifyOutcome::Refused(refused)) if self.is_gone(&refused) => return Err(ItemResult::Gone),
            Ok(ModifyOutcome::Refused(refused)) => (refused, false),
            Ok(ModifyOutcome::Contended(refused)) => (refused, true),
            Err(error) if error.is_of_one_item() => return Err(ItemResult::Failed(error)),
            Err(error) => return Err(ItemResult::Stopped(error)),
        };
        Err(self.failed(refused, is_last))
    }

    /// Returns `true` if the scan would no longer return the item: it was deleted or has expired, or it does not meet the filter.
    fn is_gone(&self, refused: &Refused) -> bool {
        let schema = self.command.read.schema;
        match &refused.item {
            None => refused.reasons.contains(&Reason::Missing),
            Some(stored) => {
                !rule::state(schema, refused.now, stored).is_live()
                    || rule::other_entity(schema, refused.item.as_ref()).is_some()
                    || refused.reasons == [Reason::Condition]
            }
        }
    }
}
