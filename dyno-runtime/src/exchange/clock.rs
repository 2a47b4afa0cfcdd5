//! The only source of "now".

use crate::attribute::time::EpochMillis;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// Where a [`Repository`](crate::Repository) takes the time from: for the TTL of tombstones, for what has
/// expired, for `max_ahead_secs`, and for leases. The order of writes never depends on it.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> EpochMillis;

    /// What only goes forward, at a steady rate, since whatever beginning: for how long something has lasted. By default it is
    /// the system's [`Instant`].
    fn monotonic(&self) -> Duration {
        static BEGINNING: OnceLock<Instant> = OnceLock::new();
        BEGINNING.get_or_init(Instant::now).elapsed()
    }
}

/// A point of time, by both hands of one clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) wall: EpochMillis,
    pub(crate) monotonic: Duration,
}

impl Moment {
    pub(crate) fn now(clock: &dyn Clock) -> Self {
        Self { wall: clock.now(), monotonic: clock.monotonic() }
    }

    /// How much later another one is, by the hand that says more: the one can be set back, and the other stands still while
    /// some systems sleep.
    pub(crate) fn until(self, later: Self) -> Duration {
        let by_wall = later.wall.get().saturating_sub(self.wall.get()).try_into().unwrap_or_default();
        later.monotonic.saturating_sub(self.monotonic).max(Duration::from_millis(by_wall))
    }
}

/// The system's clock: the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> EpochMillis {
        SystemTime::now().into()
    }
}

/// A clock that stands still until it is set: for tests and replays. Nothing lasts longer than it is moved forward.
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
pub struct ManualClock {
    now: AtomicI64,
    /// How far it has been moved forward, in all.
    forward: AtomicI64,
}

impl ManualClock {
    /// A clock that shows `now`.
    #[must_use]
    pub fn new(now: EpochMillis) -> Self {
        Self { now: AtomicI64::new(now.get()), forward: AtomicI64::new(0) }
    }

    /// Sets the clock, forward or back.
    pub fn set(&self, now: EpochMillis) {
        let before = self.now.swap(now.get(), Ordering::Relaxed);
        self.has_moved(before, now.get());
    }

    /// Moves the clock forward, or back by a negative number: as far as the type goes, and no further.
    pub fn advance(&self, millis: i64) {
        let advance = |now: i64| Some(now.saturating_add(millis));
        // It always gives a new time, so it never fails.
        let (Ok(before) | Err(before)) = self.now.fetch_update(Ordering::Relaxed, Ordering::Relaxed, advance);
        self.has_moved(before, before.saturating_add(millis));
    }

    fn has_moved(&self, before: i64, after: i64) {
        let moved = after.saturating_sub(before).max(0);
        let add = |forward: i64| Some(forward.saturating_add(moved));
        let (Ok(_) | Err(_)) = self.forward.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> EpochMillis {
        EpochMillis::new(self.now.load(Ordering::Relaxed))
    }

    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.forward.load(Ordering::Relaxed).try_into().unwrap_or_default())
    }
}

impl<C: Clock + ?Sized> Clock for std::sync::Arc<C> {
    fn now(&self) -> EpochMillis {
        C::now(self)
    }

    fn monotonic(&self) -> Duration {
        C::monotonic(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(wall: i64, monotonic: u64) -> Moment {
        Moment { wall: EpochMillis::new(wall), monotonic: Duration::from_millis(monotonic) }
    }

    #[test]
    fn an_interval_is_the_longer_of_wall_time_and_monotonic_time() {
        let begun = moment(1000, 50);
        for (later, lasted) in [
            (moment(1700, 750), 700),
            // A machine that slept.
            (moment(9000, 60), 8000),
            // A wall clock that was set back.
            (moment(-9000, 350), 300),
            (moment(i64::MIN, 50), 0),
        ] {
            assert_eq!(begun.until(later), Duration::from_millis(lasted), "{later:?}");
        }
    }

    #[test]
    fn setting_a_clock_back_does_not_reduce_its_monotonic_time() {
        let clock = ManualClock::new(EpochMillis::new(0));
        clock.advance(500);
        clock.advance(-400);
        clock.set(EpochMillis::new(-1000));
        assert_eq!(clock.monotonic(), Duration::from_millis(500));
        clock.set(EpochMillis::new(-700));
        assert_eq!((clock.now().get(), clock.monotonic()), (-700, Duration::from_millis(800)));
        assert_eq!(std::sync::Arc::new(clock).monotonic(), Duration::from_millis(800));
    }
}
