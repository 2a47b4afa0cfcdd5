//! Clocks that advance with the runtime's clock.

use crate::NOW;
use dyno::{Clock, EpochMillis, ManualClock};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// A clock with an offset that advances with the runtime's clock, at the same rate or at another one.
#[derive(Clone, Copy, Debug)]
pub struct RunningClock {
    start: Instant,
    off: i64,
    rate: f64,
}

impl RunningClock {
    /// A clock with an offset of this many milliseconds.
    #[must_use]
    pub fn new(start: Instant, off: i64) -> Self {
        Self { start, off, rate: 1.0 }
    }

    /// The same clock, which runs this many times as fast.
    #[must_use]
    pub fn at_rate(self, rate: f64) -> Self {
        Self { rate, ..self }
    }
}

impl Clock for RunningClock {
    fn now(&self) -> EpochMillis {
        let elapsed = i64::try_from(self.monotonic().as_millis()).unwrap_or(i64::MAX);
        EpochMillis::new(NOW + self.off + elapsed)
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed().mul_f64(self.rate)
    }
}

/// A clock that advances with the runtime's clock, and can also be set. It shows the time of a manual clock plus the time
/// that has passed since the beginning.
#[derive(Clone, Debug)]
pub struct AlongClock {
    manual: Arc<ManualClock>,
    beginning: Instant,
}

impl AlongClock {
    /// A clock that shows the time of `manual` plus the time since `beginning`.
    #[must_use]
    pub fn new(manual: Arc<ManualClock>, beginning: Instant) -> Self {
        Self { manual, beginning }
    }
}

impl Clock for AlongClock {
    fn now(&self) -> EpochMillis {
        let elapsed = i64::try_from(self.beginning.elapsed().as_millis()).unwrap_or(i64::MAX);
        EpochMillis::new(self.manual.now().get().saturating_add(elapsed))
    }

    /// Advances with the runtime's clock, and also when the manual clock is moved forward.
    fn monotonic(&self) -> Duration {
        self.manual.monotonic() + self.beginning.elapsed()
    }
}
