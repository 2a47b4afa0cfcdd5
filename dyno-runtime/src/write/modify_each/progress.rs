//! What is known of a `modify_each`: where it is, what became of the items, and what has failed.

use super::checkpoint::{Checkpoint, Position};
use crate::attribute::Item;
use crate::error::Error;
use crate::read::Place;
use std::fmt;

/// How far a [`ModifyEach`](crate::command::ModifyEach) has come, or how it ended: what its callback sees, and what its `send`
/// returns.
///
/// The counts include those of the checkpoint that was given to `after`. What was done behind that is done again, and
/// counted once.
#[derive(Debug)]
#[must_use = "items may have failed: look at `failures`, or call `.completed()?`"]
pub struct Progress {
    checkpoint: Checkpoint,
    /// The first of them.
    failures: Vec<Failure>,
    /// How many there were in this run.
    failed_now: u64,
}

/// How many failures are kept of a run, however many there are; and of how many items that failed a checkpoint keeps the key.
const KEPT: usize = 50;

/// An item that could not be modified, or a segment that could not be read further.
#[derive(Debug)]
pub struct Failure {
    key: Option<Item>,
    error: Error,
}

/// What became of an item.
pub(super) enum Done {
    Changed,
    Unchanged,
    Gone,
    Failed(Error),
    /// It is not the item's fault, and the next ones would meet it too: the segment stops before the item.
    Stopped(Error),
}

impl Failure {
    /// The key attributes of the item; `None` if it was the reading that failed.
    #[must_use]
    pub fn key(&self) -> Option<&Item> {
        self.key.as_ref()
    }

    /// What went wrong.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.error
    }
}

/// What went wrong; of an item, the error has its key.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl Progress {
    pub(super) fn new(checkpoint: Checkpoint) -> Self {
        Self { checkpoint, failures: Vec::new(), failed_now: 0 }
    }

    /// How many items are done: the sum of the next four.
    #[must_use]
    pub fn done_items(&self) -> u64 {
        [self.unchanged(), self.gone(), self.failed()].into_iter().fold(self.changed(), u64::saturating_add)
    }

    /// How many were written.
    #[must_use]
    pub fn changed(&self) -> u64 {
        self.checkpoint.counts.changed
    }

    /// How many were stored already as they are to be.
    #[must_use]
    pub fn unchanged(&self) -> u64 {
        self.checkpoint.counts.unchanged
    }

    /// How many were deleted or expired, or no longer met the filter, by the time they were to be written.
    #[must_use]
    pub fn gone(&self) -> u64 {
        self.checkpoint.counts.gone
    }

    /// How many were passed by with an error, and have not been done since.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.checkpoint.counts.failed
    }

    /// How often an item was done anew, since another writer had been there.
    #[must_use]
    pub fn retried(&self) -> u64 {
        self.checkpoint.counts.retried
    }

    /// What has failed in this run: items, and segments that have stopped before their end. The first 50 of them are kept.
    #[must_use]
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// Behind the last item of each segment that is done, to go on from there another time. The keys of the first 50 items that
    /// failed are in it, too: a run that goes on from there begins with those.
    #[must_use]
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Whether every segment has been read to its end.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.checkpoint.segments.iter().all(|(_, position)| *position == Position::End)
    }

    /// The same, if every item is done and none has failed: in this run, or in an earlier one that this one has gone on from.
    ///
    /// # Errors
    /// That of the first failure. [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) if all failures were an earlier
    /// run's, and there were more than its checkpoint has keys of: then only a run from the beginning finds the items.
    pub fn completed(mut self) -> Result<Self, Error> {
        let failed = self.failed();
        if !self.failures.is_empty() {
            let more = usize::try_from(self.failed_now).unwrap_or(usize::MAX);
            return Err(self.failures.swap_remove(0).error.and_more(more - 1, more, "failures"));
        }
        if failed > 0 {
            return Err(Error::invalid(format!(
                "{failed} items failed in an earlier run, and the checkpoint does not have their keys: modify each item once more, without `after`"
            )));
        }
        Ok(self)
    }

    /// A segment has come so far.
    pub(super) fn reach(&mut self, index: usize, reached: Position) {
        if let Some((_, position)) = self.checkpoint.segments.get_mut(index) {
            *position = reached;
        }
    }

    /// An item is done.
    pub(super) fn done(&mut self, index: usize, key: Item, done: Done) {
        let place = Place::reached(key.clone());
        match done {
            Done::Stopped(error) => return self.note_failure(Some(key), error),
            Done::Failed(error) => {
                if self.checkpoint.failed.len() < KEPT {
                    self.checkpoint.failed.push(place.clone());
                }
                count(&mut self.checkpoint.counts.failed);
                self.note_failure(Some(key), error);
            }
            done => self.became(&done),
        }
        self.reach(index, Position::Behind(place));
    }

    /// An item that an earlier run has passed by is tried again.
    pub(super) fn again(&mut self, failed: &Place, key: Item, done: Done) {
        match done {
            Done::Stopped(error) | Done::Failed(error) => self.note_failure(Some(key), error),
            done => {
                self.checkpoint.failed.retain(|other| other != failed);
                let counts = &mut self.checkpoint.counts;
                counts.failed = counts.failed.saturating_sub(1);
                self.became(&done);
            }
        }
    }

    fn became(&mut self, done: &Done) {
        let counts = &mut self.checkpoint.counts;
        match done {
            Done::Changed => count(&mut counts.changed),
            Done::Unchanged => count(&mut counts.unchanged),
            Done::Gone => count(&mut counts.gone),
            Done::Failed(_) | Done::Stopped(_) => {}
        }
    }

    /// An item failed, or a segment goes no further.
    pub(super) fn note_failure(&mut self, key: Option<Item>, error: Error) {
        self.failed_now += 1;
        if self.failures.len() < KEPT {
            self.failures.push(Failure { key, error });
        }
    }

    /// An item is done anew.
    pub(super) fn retry(&mut self) {
        count(&mut self.checkpoint.counts.retried);
    }
}

/// What a checkpoint says was counted before can be anything.
fn count(items: &mut u64) {
    *items = items.saturating_add(1);
}
