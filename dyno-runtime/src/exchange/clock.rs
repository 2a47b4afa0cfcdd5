//! The only source of "now".

use crate::attribute::time::EpochMillis;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::SystemTime;

/// Where a [`Repository`](crate::Repository) takes the time from: for the TTL of tombstones, for what has
/// expired, and for `max_ahead_secs`. The order of writes never depends on it.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> EpochMillis;
}

/// The system's clock: the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> EpochMillis {
        SystemTime::now().into()
    }
}

/// A clock that stands still until it is set: for tests and replays.
///
/// ```
/// # use dyno::{Clock, EpochMillis, ManualClock};
/// use std::sync::Arc;
///
/// let clock = Arc::new(ManualClock::new(EpochMillis::new(1_721_757_900_000)));
/// clock.set(EpochMillis::new(1_721_757_901_000));
/// assert_eq!(clock.now().get(), 1_721_757_901_000);
/// ```
#[derive(Debug, Default)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that shows `now`.
    #[must_use]
    pub fn new(now: EpochMillis) -> Self {
        Self(AtomicI64::new(now.get()))
    }

    /// Sets the clock, forward or back.
    pub fn set(&self, now: EpochMillis) {
        self.0.store(now.get(), Ordering::Relaxed);
    }

    /// Moves the clock forward, or back by a negative number: as far as the type goes, and no further.
    pub fn advance(&self, millis: i64) {
        let advance = |now: i64| Some(now.saturating_add(millis));
        // It always gives a new time, so it never fails.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, advance);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> EpochMillis {
        EpochMillis::new(self.0.load(Ordering::Relaxed))
    }
}

impl<C: Clock + ?Sized> Clock for std::sync::Arc<C> {
    fn now(&self) -> EpochMillis {
        C::now(self)
    }
}
