//! The clock of a run. It begins at the same time in each run of an exploration, and follows Tokio's paused clock.

use crate::attribute::time::EpochMillis;
use crate::exchange::Clock;
use std::time::Duration;
use tokio::time::Instant;

pub(super) struct RunClock {
    begins: EpochMillis,
    since: Instant,
}

impl RunClock {
    pub(super) fn new(begins: EpochMillis) -> Self {
        Self { begins, since: Instant::now() }
    }
}

impl Clock for RunClock {
    fn now(&self) -> EpochMillis {
        let since = i64::try_from(self.monotonic().as_millis()).unwrap_or(i64::MAX);
        EpochMillis::new(self.begins.get().saturating_add(since))
    }

    fn monotonic(&self) -> Duration {
        self.since.elapsed()
    }
}
