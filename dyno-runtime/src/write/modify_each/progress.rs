//! The progress of a `modify_each` or `delete_each`: its checkpoint, the results of its items, and its failures.

use super::checkpoint::{Checkpoint, Position};
use crate::attribute::Item;
use crate::error::Error;
use crate::read::Place;
use std::{fmt, mem};

/// The progress of a [`ModifyEach`](crate::command::ModifyEach) or a [`DeleteEach`](crate::command::DeleteEach), which its
/// callback gets, and which `send` returns at the end.
///
/// The counts include those of the checkpoint that was passed to `after`. Items that the earlier run did after its checkpoint are
/// done again, and are counted once.
#[derive(Debug)]
#[must_use = "items may have failed: look at `failures`, or call `.completed()?`"]
pub struct Progress {
    checkpoint: Checkpoint,
    /// The first failures of this run.
    failures: Vec<Failure>,
    /// The number of failures of this run.
    failed_now: u64,
}

/// The number of failures that a run keeps, and the number of keys of failed items that a checkpoint keeps.
const MOST_KEPT: usize = 50;

/// An item that could not be modified, or a segment that could not be read further.
#[derive(Debug)]
pub struct Failure {
    key: Option<Item>,
    error: Error,
}

/// The result of one item.
pub(super) enum ItemResult {
    Changed,
    Unchanged,
    Gone,
    Failed(Error),
    /// The error is not the item's fault, and the next items would get it, too. So the segment stops before the item.
    Stopped(Error),
}

impl Failure {
    /// Returns the key attributes of the item; `None` if a query or scan failed.
    #[must_use]
    pub fn key(&self) -> Option<&Item> {
        self.key.as_ref()
    }

    /// Returns the error.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.error
    }
}

/// Displays the error. The error of an item contains its key.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl Progress {
    pub(super) fn new(checkpoint: Checkpoint) -> Self {
        Self { checkpoint, failures: Vec::new(), failed_now: 0 }
    }

    /// Returns the number of items that are done: the sum of the next four.
    #[must_use]
    pub fn done_items(&self) -> u64 {
        [self.unchanged(), self.gone(), self.failed()].into_iter().fold(self.changed(), u64::saturating_add)
    }

    /// Returns the number of items that were written, or deleted.
    #[must_use]
    pub fn changed(&self) -> u64 {
        self.checkpoint.counts.changed
    }

    /// Returns the number of items that the closure left as they were stored.
    #[must_use]
    pub fn unchanged(&self) -> u64 {
        self.checkpoint.counts.unchanged
    }

    /// Returns the number of items that no longer answered the query or scan when they were to be changed: another writer has
    /// deleted them, they have expired, do not meet the filter, or have moved in the index.
    #[must_use]
    pub fn gone(&self) -> u64 {
        self.checkpoint.counts.gone
    }

    /// Returns the number of items that were skipped with an error, and have not been done since.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.checkpoint.counts.failed
    }

    /// Returns how often an item was changed again, because another writer had changed it.
    #[must_use]
    pub fn retried(&self) -> u64 {
        self.checkpoint.counts.retried
    }

    /// Returns the failures of this run: items, and segments that stopped before their end. The first 50 are kept.
    #[must_use]
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// Returns the checkpoint after the last item of each segment that is done, from which another run can continue. It also
    /// contains the keys of the first 50 items that failed. A run that continues from it begins with those items.
    #[must_use]
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Returns `true` if every segment was read to its end.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.checkpoint.segments.iter().all(|(_, position)| *position == Position::End)
    }

    /// Returns the progress if every item is done and none has failed, neither in this run nor in the earlier runs that it
    /// continues.
    ///
    /// # Errors
    /// The error of the first failure, whose message has the others, too, up to 50.
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) if only earlier runs had failures, and more than their checkpoint
    /// has keys of: then only a run from the beginning finds these items.
    pub fn completed(mut self) -> Result<Self, Error> {
        let failed = self.failed();
        let kept = self.failures.len();
        let failures = mem::take(&mut self.failures).into_iter().map(|failure| failure.error);
        if let Some(error) = failures.reduce(|error, next| error.and(&next)) {
            let all = usize::try_from(self.failed_now).unwrap_or(usize::MAX);
            return Err(error.and_more(all.saturating_sub(kept), all, "failures"));
        }
        if failed > 0 {
            return Err(Error::invalid(format!(
                "{failed} items failed in an earlier run, and the checkpoint does not have their keys: modify each item once more, without `after`"
            )));
        }
        Ok(self)
    }

    /// Moves the position in a segment.
    pub(super) fn advance(&mut self, index: usize, to: Position) {
        if let Some((_, position)) = self.checkpoint.segments.get_mut(index) {
            *position = to;
        }
    }

    /// Notes the result of an item that the query or scan has returned at this place.
    pub(super) fn scanned_item(&mut self, index: usize, place: Place, key: Item, result: ItemResult) {
        match result {
            ItemResult::Stopped(error) => return self.note_failure(Some(key), error),
            ItemResult::Failed(error) => {
                if self.checkpoint.failed.len() < MOST_KEPT {
                    self.checkpoint.failed.push(Place::reached(key.clone()));
                }
                count(&mut self.checkpoint.counts.failed);
                self.note_failure(Some(key), error);
            }
            done => self.count_done(&done),
        }
        self.advance(index, Position::After(place));
    }

    /// Notes the result of an item that failed in an earlier run.
    pub(super) fn retried_item(&mut self, failed: &Place, key: Item, result: ItemResult) {
        match result {
            ItemResult::Stopped(error) | ItemResult::Failed(error) => self.note_failure(Some(key), error),
            done => {
                self.checkpoint.failed.retain(|other| other != failed);
                let counts = &mut self.checkpoint.counts;
                counts.failed = counts.failed.saturating_sub(1);
                self.count_done(&done);
            }
        }
    }

    fn count_done(&mut self, result: &ItemResult) {
        let counts = &mut self.checkpoint.counts;
        match result {
            ItemResult::Changed => count(&mut counts.changed),
            ItemResult::Unchanged => count(&mut counts.unchanged),
            ItemResult::Gone => count(&mut counts.gone),
            ItemResult::Failed(_) | ItemResult::Stopped(_) => {}
        }
    }

    /// Notes that an item failed, or that a segment stopped.
    pub(super) fn note_failure(&mut self, key: Option<Item>, error: Error) {
        self.failed_now += 1;
        if self.failures.len() < MOST_KEPT {
            self.failures.push(Failure { key, error });
        }
    }

    /// Notes that an item is changed again.
    pub(super) fn retry(&mut self) {
        count(&mut self.checkpoint.counts.retried);
    }
}

/// Counts one item. The number so far can be any, because it comes from the text of a checkpoint.
fn count(items: &mut u64) {
    *items = items.saturating_add(1);
}
