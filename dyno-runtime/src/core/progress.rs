//! What is known of a `modify_each`: where it is, what became of the items, and what has failed.

use super::checkpoint::{Checkpoint, Position};
use super::cursor::Cursor;
use crate::Error;
use crate::attribute::Item;

/// How far a [`ModifyEach`](crate::ModifyEach) has come, or how it ended: what its callback sees, and what its `send`
/// returns.
///
/// The counts include those of the checkpoint that was given to `after`. What was done behind that is done again, and
/// counted once.
#[derive(Debug)]
#[must_use = "items may have failed: look at `failures`, or call `.completed()?`"]
pub struct Progress {
    checkpoint: Checkpoint,
    failures: Vec<Failure>,
}

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

impl Progress {
    pub(super) fn new(checkpoint: Checkpoint) -> Self {
        Self { checkpoint, failures: Vec::new() }
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

    /// How many were passed by with an error.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.checkpoint.counts.failed
    }

    /// How often an item was done anew, since another writer had been there.
    #[must_use]
    pub fn retried(&self) -> u64 {
        self.checkpoint.counts.retried
    }

    /// What has failed in this run: items, and segments that have stopped before their end.
    #[must_use]
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// Behind the last item of each segment that is done, to go on from there another time.
    #[must_use]
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Whether every segment has been read to its end.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.checkpoint.segments.iter().all(|(_, position)| *position == Position::End)
    }

    /// The same, if nothing has failed in this run.
    ///
    /// # Errors
    /// That of the first failure.
    pub fn completed(mut self) -> Result<Self, Error> {
        if self.failures.is_empty() { Ok(self) } else { Err(self.failures.swap_remove(0).error) }
    }

    /// A segment has come so far.
    pub(super) fn reach(&mut self, index: usize, reached: Position) {
        if let Some((_, position)) = self.checkpoint.segments.get_mut(index) {
            *position = reached;
        }
    }

    /// An item is done.
    pub(super) fn done(&mut self, index: usize, key: Item, done: Done) {
        let counts = &mut self.checkpoint.counts;
        match done {
            Done::Changed => count(&mut counts.changed),
            Done::Unchanged => count(&mut counts.unchanged),
            Done::Gone => count(&mut counts.gone),
            Done::Failed(error) => {
                count(&mut counts.failed);
                self.failures.push(Failure { key: Some(key.clone()), error });
            }
            Done::Stopped(error) => return self.stop(Some(key), error),
        }
        self.reach(index, Position::Behind(Cursor::reached(key)));
    }

    /// A segment goes no further.
    pub(super) fn stop(&mut self, key: Option<Item>, error: Error) {
        self.failures.push(Failure { key, error });
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
