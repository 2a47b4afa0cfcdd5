//! The wait for a lock, and the error when the lock was not acquired in time.

use super::lock_row::LockRow;
use super::named::Lock;
use crate::error::foreign_text::value;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Repository, within};
use std::time::Duration;

/// How long looks may fail, if the wait has no limit.
const FAILING: Duration = Duration::from_mins(1);

/// A lock that another process holds.
pub(super) struct Busy {
    pub(super) row: Box<LockRow>,
    /// The time until this acquisition can take it over, if its holder has crashed.
    pub(super) free_in: Duration,
    /// The same time by the lock's own memory, and by the observations in the row, if they count.
    pub(super) free_for_this: Duration,
    pub(super) free_for_all: Option<Duration>,
}

/// The wait of one acquisition.
pub(super) struct Wait<'a> {
    repository: &'a Repository,
    lock: &'a Lock,
    begun: Duration,
    /// The time since which every look has failed.
    failing_since: Option<Duration>,
    last: Last,
}

/// The result of the last look that was answered.
enum Last {
    Nothing,
    /// The holder's row, and the time of the look by the monotonic clock.
    Busy(Busy, Duration),
    Overtaken,
    Failed(Error),
}

impl<'a> Wait<'a> {
    pub(super) fn new(repository: &'a Repository, lock: &'a Lock) -> Self {
        let begun = repository.moment().monotonic;
        Self { repository, lock, begun, failing_since: None, last: Last::Nothing }
    }

    fn now(&self) -> Duration {
        self.repository.moment().monotonic
    }

    /// Returns how much time is left, if the wait has a limit.
    pub(super) fn left(&self) -> Option<Duration> {
        let waited = self.now().saturating_sub(self.begun);
        self.lock.wait.map(|limit| limit.saturating_sub(waited))
    }

    /// Awaits a look within the time that is left, and returns its result. With a limit of zero, there is one look without a
    /// bound.
    pub(super) async fn bound<T>(&self, look: impl Future<Output = T>) -> Option<T> {
        match self.left() {
            Some(left) if self.lock.wait != Some(Duration::ZERO) => within(self.repository, left, look).await,
            _ => Some(look.await),
        }
    }

    pub(super) fn has_seen(&mut self, busy: Busy) {
        (self.last, self.failing_since) = (Last::Busy(busy, self.now()), None);
    }

    pub(super) fn was_overtaken(&mut self) {
        (self.last, self.failing_since) = (Last::Overtaken, None);
    }

    pub(super) fn has_failed(&mut self, error: Error) {
        self.failing_since.get_or_insert(self.now());
        self.last = Last::Failed(error);
    }

    pub(super) fn is_over(&self) -> bool {
        match (self.left(), self.failing_since) {
            (Some(left), _) => left.is_zero(),
            (None, Some(since)) => self.now().saturating_sub(since) >= FAILING,
            (None, None) => false,
        }
    }

    /// Returns the error of a wait that is over.
    pub(super) fn ended(self) -> Error {
        let name = value(&self.lock.name);
        let within = match self.lock.wait {
            Some(limit) => format!(" within {limit:?}"),
            None => ", since its requests have failed for a minute".to_owned(),
        };
        let failed = format!("the lock `{name}` was not acquired{within}");
        let now = self.now();
        match self.last {
            Last::Busy(busy, at) => {
                Error::new(ErrorKind::Contended, contended(self.lock, &busy, now.saturating_sub(at)))
            }
            Last::Overtaken => Error::new(ErrorKind::Contended, format!("{failed}: others were faster")),
            Last::Failed(error) => error.without_command().of(&failed),
            Last::Nothing => Error::new(ErrorKind::Unreachable, format!("{failed}: no answer came from DynamoDB")),
        }
    }
}

/// Returns the message about a lock that another process holds, as it was seen this long ago.
fn contended(lock: &Lock, busy: &Busy, ago: Duration) -> String {
    let (name, lease) = (value(&lock.name), busy.row.lease());
    let owner = busy.row.owner.as_ref().map_or_else(String::new, |owner| format!(" by {owner}"));
    let waited = lock.wait.unwrap_or_default();
    let held = match waited {
        Duration::ZERO => format!("the lock `{name}` is held{owner}"),
        _ => format!("the lock `{name}` was held{owner}, and not free within {waited:?}"),
    };
    let rest = match busy.free_for_all {
        Some(free) => {
            format!(", and every program that calls `persist_observations` in {}", seconds(free.saturating_sub(ago)))
        }
        None if waited < lease => format!(
            "; a program that starts anew each time never can, unless it waits for longer than the lease of {lease:?} or calls `persist_observations`"
        ),
        None => String::new(),
    };
    let free = seconds(busy.free_for_this.saturating_sub(ago));
    format!("{held}: if that holder has crashed, this `Lock` and its clones can take the lock over in {free}{rest}")
}

/// Returns whole seconds, rounded up.
fn seconds(time: Duration) -> String {
    let whole = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    format!("{whole}s")
}
