//! A clock that goes with the runtime's.

use crate::NOW;
use dyno::{Clock, EpochMillis};
use std::time::Duration;
use tokio::time::Instant;

/// A clock that goes with the runtime's, or faster or slower, and is off by so much.
#[derive(Clone, Copy, Debug)]
pub struct RunningClock {
    start: Instant,
    off: i64,
    rate: f64,
}

impl RunningClock {
    /// A clock that is off by so many milliseconds.
    #[must_use]
    pub fn new(start: Instant, off: i64) -> Self {
        Self { start, off, rate: 1.0 }
    }

    /// The same clock, which runs so many times as fast.
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
