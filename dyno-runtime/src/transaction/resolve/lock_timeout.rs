//! The lock timeout: how long a process waits for an open intent, and how often it looks at it.
//!
//! Each pause is up to twice as long as the one before, also across the items and attempts of one command. So the number of
//! requests for each commit grows little with the number of commands that wait for one item.

use crate::attribute::time::EpochMillis;
use crate::exchange::{BackOff, Caller, ItemRef, Moment, Repository, Waits};
use crate::transaction::record::{Intent, TransactionRecord};
use std::time::Duration;

/// The time for which an older transaction leaves a younger one alone: the younger one may be about to commit.
const GRACE: Duration = Duration::from_millis(100);

/// The time for which an intent has stood without a sign of life of its coordinator.
pub(crate) struct Watch<'a> {
    repository: &'a Repository,
    pauses: BackOff<'a>,
    waits: &'a Waits,
    at: &'a ItemRef,
    /// Whether the waiting transaction is the older one.
    is_older: bool,
    begun: Moment,
    /// The waiting time at which the lane last moved, and its owner's heartbeat then.
    still: (Duration, Option<EpochMillis>),
}

impl<'a> Watch<'a> {
    pub(crate) fn new(
        repository: &'a Repository,
        caller: Caller<'_>,
        waits: &'a Waits,
        at: &'a ItemRef,
        intent: &Intent,
    ) -> Self {
        let is_older = caller
            .priority
            .is_some_and(|priority| priority.is_before(intent.since, &intent.transaction_id.to_string()));
        let (pauses, begun) = (BackOff::new(repository, u32::MAX).after(waits.pauses()), repository.moment());
        Self { repository, pauses, waits, at, is_older, begun, still: (Duration::ZERO, None) }
    }

    /// The time waited so far: by the clock, or the sum of the pauses, if the clock stands still.
    fn waited(&self) -> Duration {
        self.pauses.paused().max(self.begun.until(self.repository.moment()))
    }

    pub(crate) fn is_over(&mut self, record: &TransactionRecord) -> bool {
        let waited = self.waited();
        if self.still.1 != Some(record.beat) {
            self.still = (waited, Some(record.beat));
        }
        let (since, _) = self.still;
        self.is_older && waited >= GRACE || waited.saturating_sub(since) >= self.repository.patience()
    }

    pub(crate) async fn pause(&mut self) {
        self.pauses.pause().await;
        self.waits.note(self.at, self.pauses.taken());
    }
}
