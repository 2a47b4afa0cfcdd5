//! How long an intent that is not decided is waited for, and how often it is looked at.
//!
//! A pause is up to twice as long as the one before, also across items and attempts of one command. So the requests for each commit
//! grow little with the number of commands that wait for one item.

use super::head::Head;
use super::meeting::Meeting;
use super::participants::Place;
use super::shape::Intent;
use crate::attribute::time::EpochMillis;
use crate::exchange::{BackOff, Moment, Repository};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// For how long a transaction that began later is left alone by one that waits for it: it may be about to commit.
const GRACE: Duration = Duration::from_millis(100);

/// What a command has waited for until now. Clones are of the same command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waits(Arc<Mutex<Waited>>);

#[derive(Debug, Default)]
struct Waited {
    pauses: u32,
    items: Vec<Place>,
}

impl Waits {
    fn waited(&self) -> MutexGuard<'_, Waited> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it has waited for this item.
    pub(super) fn has(&self, at: &Place) -> bool {
        self.waited().items.contains(at)
    }

    /// It has paused so often for this item. What waits for several at once pauses as often as for one.
    fn note(&self, at: &Place, pauses: u32) {
        let mut waited = self.waited();
        waited.pauses = waited.pauses.max(pauses);
        if !waited.items.contains(at) {
            waited.items.push(at.clone());
        }
    }
}

/// How long an intent has stood, and nothing has moved.
pub(super) struct Watch<'a> {
    repository: &'a Repository,
    pauses: BackOff<'a>,
    waits: &'a Waits,
    at: &'a Place,
    /// Whether the one who waits began earlier.
    is_older: bool,
    begun: Moment,
    /// When its lane was last seen to have moved, in time that was waited; and when its owner had written it.
    still: (Duration, Option<EpochMillis>),
}

impl<'a> Watch<'a> {
    pub(super) fn new(
        repository: &'a Repository,
        meeting: Meeting<'_>,
        waits: &'a Waits,
        at: &'a Place,
        intent: &Intent,
    ) -> Self {
        let is_older = meeting.age.is_some_and(|age| age.is_before(intent.since, &intent.ticket.to_string()));
        let (pauses, begun) = (BackOff::new(repository, u32::MAX).after(waits.waited().pauses), repository.moment());
        Self { repository, pauses, waits, at, is_older, begun, still: (Duration::ZERO, None) }
    }

    /// How long it has lasted: by the clock, or by the pauses, if the clock stands still.
    fn waited(&self) -> Duration {
        self.pauses.paused().max(self.begun.until(self.repository.moment()))
    }

    pub(super) fn is_over(&mut self, head: &Head) -> bool {
        let waited = self.waited();
        if self.still.1 != Some(head.beat) {
            self.still = (waited, Some(head.beat));
        }
        let (since, _) = self.still;
        self.is_older && waited >= GRACE || waited.saturating_sub(since) >= self.repository.patience()
    }

    pub(super) async fn pause(&mut self) {
        self.pauses.pause().await;
        self.waits.note(self.at, self.pauses.taken());
    }
}
