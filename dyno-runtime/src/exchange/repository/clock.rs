//! The only source of "now".

use crate::attribute::time::EpochMillis;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// The source of the time for a [`Repository`](crate::Repository). The time decides the TTL of tombstones, which items have
/// expired, `max_ahead_secs`, and leases. The order of writes never depends on it.
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> EpochMillis;

    /// Returns the time since some fixed point, by a clock that never goes back and has a steady rate. It measures intervals. By
    /// default it is the system's [`Instant`], and with the feature `local` Tokio's, which differs where Tokio's time is paused.
    fn monotonic(&self) -> Duration {
        static BEGINNING: OnceLock<Instant> = OnceLock::new();
        let (beginning, now) = (*BEGINNING.get_or_init(Instant::now), instant());
        // Tokio's time may have been paused before the beginning.
        (AT_BEGINNING + now.saturating_duration_since(beginning))
            .saturating_sub(beginning.saturating_duration_since(now))
    }
}

/// A point in time, as wall time and as monotonic time of one clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) wall: EpochMillis,
    pub(crate) monotonic: Duration,
}

impl Moment {
    pub(crate) fn now(clock: &dyn Clock) -> Self {
        Self { wall: clock.now(), monotonic: clock.monotonic() }
    }

    /// Returns the interval to a later moment: the longer of wall time and monotonic time. Wall time can be set back, and on some
    /// systems monotonic time stops while the machine sleeps.
    pub(crate) fn until(self, later: Self) -> Duration {
        let by_wall = later.wall.get().saturating_sub(self.wall.get()).try_into().unwrap_or_default();
        later.monotonic.saturating_sub(self.monotonic).max(Duration::from_millis(by_wall))
    }
}

/// The monotonic time at the first request for it.
const AT_BEGINNING: Duration = Duration::from_hours(24);

#[cfg(not(feature = "local"))]
fn instant() -> Instant {
    Instant::now()
}

/// Returns the time of Tokio's clock. It is the system's, unless a test has paused it.
#[cfg(feature = "local")]
fn instant() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// The system's clock, which is the default. With the feature `local`, it follows Tokio's clock where that is paused: in a test
/// with `start_paused`, hours pass at once, for leases, TTLs and windows, too.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> EpochMillis {
        let now = SystemTime::now();
        // If Tokio's clock is the system's, the difference is zero but for the time between two readings.
        let (system, clock) = (Instant::now(), instant());
        let (ahead, behind) = (clock.saturating_duration_since(system), system.saturating_duration_since(clock));
        now.checked_add(ahead).and_then(|now| now.checked_sub(behind)).unwrap_or(now).into()
    }
}

/// A clock that stands still until you set it, for tests and replays. Intervals are as long as you move it forward.
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
    /// The sum of all moves forward, in milliseconds.
    forward: AtomicI64,
}

impl ManualClock {
    /// Makes a clock that shows `now`.
    #[must_use]
    pub fn new(now: EpochMillis) -> Self {
        Self { now: AtomicI64::new(now.get()), forward: AtomicI64::new(0) }
    }

    /// Sets the clock, forward or back.
    pub fn set(&self, now: EpochMillis) {
        let before = self.now.swap(now.get(), Ordering::Relaxed);
        self.add_forward(before, now.get());
    }

    /// Moves the clock forward, or back by a negative number. It stops at the limits of [`EpochMillis`].
    pub fn advance(&self, millis: i64) {
        let advance = |now: i64| Some(now.saturating_add(millis));
        // `advance` always returns a new time, so the update never fails.
        let (Ok(before) | Err(before)) = self.now.fetch_update(Ordering::Relaxed, Ordering::Relaxed, advance);
        self.add_forward(before, before.saturating_add(millis));
    }

    fn add_forward(&self, before: i64, after: i64) {
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
            // The machine slept.
            (moment(9000, 60), 8000),
            // The wall clock was set back.
            (moment(-9000, 350), 300),
            (moment(i64::MIN, 50), 0),
        ] {
            assert_eq!(begun.until(later), Duration::from_millis(lasted), "{later:?}");
        }
    }

    #[cfg(feature = "local")]
    #[tokio::test(start_paused = true)]
    async fn the_system_clock_follows_tokio_s_paused_time() {
        let (before, system) = (Moment::now(&SystemClock), Moment { wall: SystemTime::now().into(), ..moment(0, 0) });
        assert!((before.wall.get() - system.wall.get()).abs() < 60_000);
        tokio::time::sleep(Duration::from_hours(1)).await;
        let after = Moment::now(&SystemClock);
        assert_eq!(after.monotonic.saturating_sub(before.monotonic), Duration::from_hours(1));
        // The wall clock of the system goes on between two readings.
        assert!((after.wall.get() - before.wall.get() - 3_600_000).abs() < 60_000);
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
