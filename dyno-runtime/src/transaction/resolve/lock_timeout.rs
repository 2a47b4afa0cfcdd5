//! How long an intent that is not decided is waited for, and how often it is looked at.
//!
//! A pause is up to twice as long as the one before, also across items and attempts of one command. So the requests for each commit
//! grow little with the number of commands that wait for one item.

use crate::attribute::time::EpochMillis;
use crate::exchange::{BackOff, Caller, ItemRef, Moment, Repository, Waits};
use crate::transaction::record::{Head, Intent};
use std::time::Duration;

/// For how long a transaction that began later is left alone by one that waits for it: it may be about to commit.
const GRACE: Duration = Duration::from_millis(100);

/// How long an intent has stood, and nothing has moved.
pub(crate) struct Watch<'a> {
    repository: &'a Repository,
    pauses: BackOff<'a>,
    waits: &'a Waits,
    at: &'a ItemRef,
    /// Whether the one who waits began earlier.
    is_older: bool,
    begun: Moment,
    /// When its lane was last seen to have moved, in time that was waited; and when its owner had written it.
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
        let is_older =
            caller.priority.is_some_and(|priority| priority.is_before(intent.since, &intent.ticket.to_string()));
        let (pauses, begun) = (BackOff::new(repository, u32::MAX).after(waits.pauses()), repository.moment());
        Self { repository, pauses, waits, at, is_older, begun, still: (Duration::ZERO, None) }
    }

    /// How long it has lasted: by the clock, or by the pauses, if the clock stands still.
    fn waited(&self) -> Duration {
        self.pauses.paused().max(self.begun.until(self.repository.moment()))
    }

    pub(crate) fn is_over(&mut self, head: &Head) -> bool {
        let waited = self.waited();
        if self.still.1 != Some(head.beat) {
            self.still = (waited, Some(head.beat));
        }
        let (since, _) = self.still;
        self.is_older && waited >= GRACE || waited.saturating_sub(since) >= self.repository.patience()
    }

    pub(crate) async fn pause(&mut self) {
        self.pauses.pause().await;
        self.waits.note(self.at, self.pauses.taken());
    }
}
