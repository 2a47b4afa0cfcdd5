//! Changes or deletes each item that a query or scan returns: `modify_each`, `delete_each`.
//!
//! The segments of a scan are read at the same time, and the items of a segment one after the other; a query is one segment. The
//! position in a segment moves past an item when the item is done, so a run that was interrupted can continue from its
//! checkpoint. Items that were done after the checkpoint are read again, and are unchanged or gone then. `progress` counts the
//! items and keeps the failures.
//!
//! An index may return a part of the item, and an older state than the table has. So the item is loaded, and must still answer
//! the question. A change can move an item forward in the order of the index, which would return it again, without end. So a run over an index does
//! each key once.

mod adopt;
mod checkpoint;
mod delete_item;
mod progress;

use crate::attribute::Item;
use crate::attribute::RawItem;
use crate::error::{Context, Error};
use crate::exchange::Repository;
use crate::key::{Asked, Fingerprint, key_of};
use crate::read::{Level, Paged as _, Pages, Place, Question, ReadCommand, Returns, Source, check_segment};
use crate::rule;
use crate::rule::{Reason, Refused};
use crate::schema::{Schema, Tables};
use crate::write::modify_loop::{
    DELETE_EACH, Edit, MODIFY_EACH, Modification, ModifyCommand, ModifyKind, ModifyOutcome, check_attempts,
};
use adopt::{Adopted, Adoption};
pub use checkpoint::Checkpoint;
use checkpoint::Position;
use futures_util::future::{BoxFuture, join_all};
use progress::ItemResult;
pub use progress::{Failure, Progress};
use std::collections::HashSet;
use std::slice;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A change of each item of a query or scan, as a typed command holds it.
#[derive(Clone, Debug)]
pub(crate) struct ModifyEachCommand {
    pub(crate) read: ReadCommand,
    /// Whether the items are deleted.
    pub(crate) deletes: bool,
    /// The number of segments that are read at the same time.
    pub(crate) parallel: Option<u32>,
    pub(crate) after: Option<Checkpoint>,
    pub(crate) fence: Option<u64>,
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
    fn operation(&self) -> &'static str {
        if self.deletes { DELETE_EACH } else { MODIFY_EACH }
    }

    /// Returns the query or scan. In the table, it includes the items that a transaction holds, also those that it creates: what
    /// it has committed is not always applied, and is found when the item is loaded.
    fn scan(&self) -> ReadCommand {
        let mut scan = self.read.clone();
        if scan.schema.is_transactional && scan.index().is_none() {
            scan.options.level = scan.options.level.stored();
            scan.options.returns = Returns::ItemsAndHeld;
        }
        scan
    }

    /// Returns the segments and the position in each at which the run begins, and the question.
    fn plan(&self, repository: &Repository, table: &str) -> Result<(Checkpoint, Question), Error> {
        check_attempts(self.attempts)?;
        if matches!(self.read.options.level, Level::Uncommitted(_)) {
            return Err(Error::invalid(
                "`uncommitted` could show changes that are rolled back later, and this command writes: leave it out",
            ));
        }
        if self.read.options.limit.is_some() {
            return Err(Error::invalid("the command processes every item: leave `limit` out, or use a filter"));
        }
        if self.read.after.is_some() {
            return Err(Error::invalid(format!(
                "a cursor belongs to a read: to continue an earlier run, call `after` with its checkpoint after `{}`",
                self.operation()
            )));
        }
        // The checkpoint identifies the scan without its segments.
        let mut whole = self.scan();
        let own_segment = match &mut whole.source {
            Source::Scan { segment, .. } => segment.take(),
            Source::Query { .. } => None,
        };
        let whole = Pages::new(repository.clone(), table.to_owned(), whole)?;
        let asked = if self.deletes { deletion_of(whole.asked()) } else { whole.asked() };
        let (first, of) = own_segment.unwrap_or((0, self.parallel.unwrap_or(1)));
        // The number of segments is checked before a reader is made for each.
        check_segment(Some((first, of)))?;
        let end = if own_segment.is_some() { first + 1 } else { of };
        let start = Checkpoint::start(asked, of, first..end);
        if let Some(after) = self.after.as_ref().filter(|after| after.asked == asked) {
            after.failed.iter().try_for_each(|place| whole.check_table_key(place))?;
        }
        let question = whole.question(self.read.filter.clone());
        match &self.after {
            None => Ok((start, question)),
            Some(after) if after.asked != start.asked => Err(Error::invalid(
                "the checkpoint belongs to another command, entity, table, index or filter: continue with the same, or items would be skipped",
            )),
            Some(after) if after.has_segments_of(&start) => Ok((after.clone(), question)),
            Some(after) => Err(Error::invalid(format!(
                "the checkpoint covers {} of {} segments, and this scan {} of {}, or other ones: continue with the same segments",
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
            if let Source::Scan { segment: own, .. } = &mut read.source {
                *own = (checkpoint.of > 1).then_some((*segment, checkpoint.of));
            }
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
            let plan = self.plan(repository, &tables.main).and_then(|(checkpoint, question)| {
                let readers = self.readers(&checkpoint, repository, &tables.main)?;
                Ok((checkpoint, readers, question))
            });
            let (checkpoint, readers, question) = plan.map_err(|error| self.without_key(error))?;
            let failed = checkpoint.failed.clone();
            let progress = Progress::new(checkpoint);
            let shared = Mutex::new(Shared { callbacks, progress, taken: HashSet::new() });
            let run = Run { command: self, repository, tables, question, shared };
            run.retry_failed(failed).await;
            join_all(readers.into_iter().map(|(index, pages)| run.modify_segment(index, pages))).await;
            Ok(run.shared.into_inner().unwrap_or_else(PoisonError::into_inner).progress)
        })
    }

    /// Adds the context of the scan to an error that belongs to no item.
    fn without_key(&self, error: Error) -> Error {
        error.with_context(|| Context { operation: self.operation(), entity: self.read.schema.entity, key: None })
    }
}

/// Returns the fingerprint for a checkpoint of deletes. A change of the same items has another, so neither continues the other.
fn deletion_of(asked: Asked) -> Asked {
    let mut deletion = Fingerprint::new();
    deletion.text(DELETE_EACH);
    deletion.bytes(asked.bytes());
    deletion.finish()
}

/// Returns the fingerprint of a key: enough to keep the keys of an index apart, in less memory than the keys.
fn fingerprint(schema: &Schema, key: &Item) -> [u8; Asked::BYTES] {
    let mut fingerprint = Fingerprint::new();
    schema.keys().filter_map(|attribute| key.get(attribute.name)).for_each(|value| fingerprint.value(value));
    *fingerprint.finish().bytes()
}

/// A run that is under way.
struct Run<'a> {
    command: &'a ModifyEachCommand,
    repository: &'a Repository,
    tables: Tables,
    question: Question,
    /// Never locked across an `await`.
    shared: Mutex<Shared<'a>>,
}

struct Shared<'a> {
    callbacks: ModifyEachCallbacks<'a>,
    progress: Progress,
    /// The keys that this run has taken from an index.
    taken: HashSet<[u8; Asked::BYTES]>,
}

impl<'a> Run<'a> {
    fn shared(&self) -> MutexGuard<'_, Shared<'a>> {
        // If a closure panics, the run ends.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Updates the progress, and reports it to the caller.
    fn note(&self, note: impl FnOnce(&mut Progress)) {
        let mut shared = self.shared();
        let Shared { callbacks, progress, .. } = &mut *shared;
        note(progress);
        (callbacks.on_progress)(progress);
    }

    /// Returns `true` if this run takes the item at a key for the first time.
    fn takes(&self, key: &Item) -> bool {
        !self.question.is_of_an_index() || self.shared().taken.insert(fingerprint(self.command.read.schema, key))
    }

    /// Changes the items that failed in an earlier run.
    async fn retry_failed(&self, failed: Vec<Place>) {
        for failed in failed {
            let key = failed.clone().into_item();
            self.takes(&key);
            let result = self.modify_and_adopt(&key, None, Some(true)).await;
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
            let places: Vec<Place> = items.iter().map(|item| pages.behind(item)).collect();
            let items: Vec<Item> = items.into_iter().map(RawItem::into_item).collect();
            let lacks_guards = match self.lacks_guards(&items).await {
                Ok(lacks_guards) => lacks_guards,
                Err(error) => {
                    return self.note(|progress| progress.note_failure(None, self.command.without_key(error)));
                }
            };
            for ((place, item), lacks_guards) in places.into_iter().zip(items).zip(lacks_guards) {
                let key = key_of(self.command.read.schema, &item);
                if !self.takes(&key) {
                    self.note(|progress| progress.advance(index, Position::After(place)));
                    continue;
                }
                let scanned = (!self.question.is_of_an_index()).then_some(item);
                let result = self.modify_and_adopt(&key, scanned, lacks_guards).await;
                let is_stopped = matches!(result, ItemResult::Stopped(_));
                self.note(|progress| progress.scanned_item(index, place, key, result));
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

    /// Returns for each item of a page whether a guard of its values is missing; `None` if the page does not say it.
    async fn lacks_guards(&self, items: &[Item]) -> Result<Vec<Option<bool>>, Error> {
        if self.command.deletes || self.question.is_of_an_index() {
            return Ok(vec![None; items.len()]);
        }
        Ok(self.adoption().lacks_guards(items).await?.into_iter().map(Some).collect())
    }

    /// Changes the item at a key, and if it lacks guards, claims its unique values.
    async fn modify_and_adopt(&self, key: &Item, scanned: Option<Item>, lacks_guards: Option<bool>) -> ItemResult {
        let (result, item) = match self.modify_item(key, scanned).await {
            Ok(done) => done,
            Err(result) => return result,
        };
        let is_adopted = lacks_guards == Some(false) || self.command.read.schema.unique.is_empty();
        if is_adopted || self.command.deletes {
            return result;
        }
        let adoption = self.adoption();
        let adopted = async move {
            if lacks_guards.is_none() && adoption.lacks_guards(slice::from_ref(&item)).await? == [false] {
                return Ok(Adopted::Nothing);
            }
            adoption.adopt(item).await
        };
        let error = match Box::pin(adopted).await {
            Ok(Adopted::Nothing) => return result,
            Ok(Adopted::Claimed) => return ItemResult::Changed,
            Ok(Adopted::Refused(refused)) => return self.failed(refused, false),
            Err(error) => error,
        };
        if error.is_of_one_item() { ItemResult::Failed(error) } else { ItemResult::Stopped(error) }
    }

    /// Returns the failure of an item that was refused.
    fn failed(&self, mut refused: Refused, is_last: bool) -> ItemResult {
        refused.context.operation = self.command.operation();
        let refuse = self.shared().callbacks.refuse;
        ItemResult::Failed(refuse(refused, is_last))
    }

    /// Changes the item at a key. `scanned` is the item as the scan returned it; without it, the item is loaded. Returns the item
    /// as it is now, or why there is none.
    async fn modify_item(&self, key: &Item, scanned: Option<Item>) -> Result<(ItemResult, Item), ItemResult> {
        let ModifyEachCommand { read, deletes, fence, attempts, .. } = self.command;
        let question = self.question.clone();
        let kind = if *deletes { ModifyKind::DeleteEach(question) } else { ModifyKind::ModifyEach(question) };
        let command =
            ModifyCommand { schema: read.schema, kind, key: Ok(key.clone()), fence: *fence, attempts: *attempts };
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

    /// Returns `true` if the item no longer answers the question: it was deleted or has expired, does not meet the filter, or has
    /// left its place in the index.
    fn is_gone(&self, refused: &Refused) -> bool {
        let schema = self.command.read.schema;
        match &refused.item {
            None => refused.reasons.contains(&Reason::Missing) || refused.reasons == [Reason::Condition],
            Some(stored) => {
                !rule::state(schema, refused.now, stored).is_live()
                    || rule::other_entity(schema, refused.item.as_ref()).is_some()
                    || refused.reasons == [Reason::Condition]
            }
        }
    }
}
