//! The wait for a lock, and the error when the lock was not acquired in time.

use super::named::Lock;
use crate::error::foreign_text::value;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Repository, within};
use std::time::Duration;

/// The time for which all looks may fail, if the wait has no limit.
const FAILING: Duration = Duration::from_mins(1);

/// A lock that another process holds.
pub(super) struct Busy {
    pub(super) lease: Duration,
    pub(super) owner: Option<String>,
    /// If the holder has crashed, the time until this `Lock` and its clones can take the lock over.
    pub(super) free_for_this: Duration,
    /// The same time for every program, by the observation in the row, if observations count.
    pub(super) free_for_all: Option<Duration>,
}

impl Busy {
    /// If the holder has crashed, returns the time until this acquisition can take the lock over.
    pub(super) fn free_in(&self) -> Duration {
        self.free_for_all.map_or(self.free_for_this, |free| free.min(self.free_for_this))
    }
}

/// The result of a look that did not acquire the lock.
pub(super) enum Missed {
    /// Another holder has the lock.
    Busy(Busy),
    /// Another program was faster, or the result of the write is unknown. The next look can follow at once.
    Overtaken,
    Failed(Error),
}

impl From<Error> for Missed {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The wait of one acquisition.
pub(super) struct Wait<'a> {
    repository: &'a Repository,
    lock: &'a Lock,
    begun: Duration,
    /// The time since which every look has failed.
    failing_since: Option<Duration>,
    /// The last look that ended, and the time of its end by the monotonic clock.
    last: Option<(Missed, Duration)>,
}

impl<'a> Wait<'a> {
    pub(super) fn new(repository: &'a Repository, lock: &'a Lock) -> Self {
        let begun = repository.moment().monotonic;
        Self { repository, lock, begun, failing_since: None, last: None }
    }

    fn now(&self) -> Duration {
        self.repository.moment().monotonic
    }

    /// Returns how much time is left, if the wait has a limit.
    pub(super) fn left(&self) -> Option<Duration> {
        let waited = self.now().saturating_sub(self.begun);
        self.lock.wait.map(|limit| limit.saturating_sub(waited))
    }

    /// Awaits a look, at most for the time that is left. With a limit of zero, there is one look of any duration.
    pub(super) async fn limit<T>(&self, look: impl Future<Output = T>) -> Option<T> {
        match self.left() {
            Some(left) if self.lock.wait != Some(Duration::ZERO) => within(self.repository, left, look).await,
            _ => Some(look.await),
        }
    }

    /// Records a look that did not acquire the lock.
    pub(super) fn record(&mut self, missed: Missed) {
        let now = self.now();
        self.failing_since = match &missed {
            Missed::Failed(_) => self.failing_since.or(Some(now)),
            Missed::Busy(_) | Missed::Overtaken => None,
        };
        self.last = Some((missed, now));
    }

    pub(super) fn is_over(&self) -> bool {
        match (self.left(), self.failing_since) {
            (Some(left), _) => left.is_zero(),
            (None, Some(since)) => self.now().saturating_sub(since) >= FAILING,
            (None, None) => false,
        }
    }

    /// Returns the error of a wait that is over.
    pub(super) fn error(self) -> Error {
        let name = value(&self.lock.name);
        let within = match self.lock.wait {
            Some(limit) => format!(" within {limit:?}"),
            None => ", because its requests have failed for a minute".to_owned(),
        };
        let failed = format!("the lock `{name}` was not acquired{within}");
        let now = self.now();
        match self.last {
            Some((Missed::Busy(busy), at)) => {
                Error::new(ErrorKind::Contended, contended(self.lock, &busy, now.saturating_sub(at)))
            }
            Some((Missed::Overtaken, _)) => Error::new(ErrorKind::Contended, format!("{failed}: others acquired it")),
            Some((Missed::Failed(error), _)) => error.without_command().of(&failed),
            None => Error::new(ErrorKind::Unreachable, format!("{failed}: DynamoDB did not answer")),
        }
    }
}

/// Returns the message about a lock that another process held `ago`, when it was last read.
fn contended(lock: &Lock, busy: &Busy, ago: Duration) -> String {
    let (name, lease) = (value(&lock.name), busy.lease);
    let owner = busy.owner.as_ref().map_or_else(String::new, |owner| format!(" by {owner}"));
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
            "; a program that starts anew for each attempt never can, unless it waits longer than the lease of {lease:?} or calls `persist_observations`"
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
