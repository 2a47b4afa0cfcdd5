//! The lock timeout: how long a process waits for an open intent, and how often it reads the item meanwhile.
//!
//! Each pause is up to twice as long as the one before, also across the items and attempts of one command. So if more commands
//! wait for one item, the number of requests for each commit hardly grows.

use crate::attribute::time::EpochMillis;
use crate::exchange::{BackOff, Caller, ItemRef, Moment, Repository, Waits};
use crate::transaction::record::{Intent, TransactionRecord};
use std::time::Duration;

/// The time for which an older transaction waits before it aborts a younger one, which may be about to commit.
const GRACE: Duration = Duration::from_millis(100);

/// The wait of a command for one intent.
pub(crate) struct LockTimeout<'a> {
    repository: &'a Repository,
    pauses: BackOff<'a>,
    waits: &'a Waits,
    at: &'a ItemRef,
    /// Whether the waiting command is a transaction that began before the one that holds the intent.
    is_older: bool,
    begun: Moment,
    /// The last heartbeat of the lane's owner that was read, and how long the command had waited when it first read it.
    last_beat: (Option<EpochMillis>, Duration),
}

impl<'a> LockTimeout<'a> {
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
        Self { repository, pauses, waits, at, is_older, begun, last_beat: (None, Duration::ZERO) }
    }

    /// Whether the command has waited for so long that it may abort the attempt that holds the intent.
    pub(crate) fn is_over(&mut self, record: &TransactionRecord) -> bool {
        let waited = self.pauses.waited(self.begun);
        if self.last_beat.0 != Some(record.beat) {
            self.last_beat = (Some(record.beat), waited);
        }
        let (_, since) = self.last_beat;
        self.is_older && waited >= GRACE || waited.saturating_sub(since) >= self.repository.lock_timeout()
    }

    pub(crate) async fn pause(&mut self) {
        self.pauses.pause().await;
        self.waits.note(self.at, self.pauses.taken());
    }
}
