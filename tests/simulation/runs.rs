//! What the simulations with faults share: how many runs there are, and in what time they run.

use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Clock, EpochMillis};
use dyno_tests::{NOW, endpoint};
use std::time::Duration;
use tokio::time::Instant;

/// How many runs: what `DYNO_SEEDS` says, or by default so many in the embedded engine, and so many at an endpoint.
pub(crate) fn seeds(embedded: u64, elsewhere: u64) -> u64 {
    let default = if endpoint().is_some() { elsewhere } else { embedded };
    std::env::var("DYNO_SEEDS").map_or(default, |seeds| seeds.parse().expect("`DYNO_SEEDS` is a number"))
}

pub(crate) fn retries() -> RetryConfig {
    RetryConfig::standard().with_max_attempts(4).with_initial_backoff(Duration::from_millis(30))
}

/// One run: the same seed gives the same run, where the engine is in this process.
pub(crate) fn run<T>(seed: u64, simulation: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    // A process of its own has its own time.
    let runtime = runtime.enable_all().start_paused(endpoint().is_none()).build().expect("a runtime");
    fastrand::seed(seed);
    runtime.block_on(simulation)
}

/// Reads until there is an answer.
macro_rules! insist {
    ($read:expr) => {
        loop {
            if let Ok(read) = $read.await {
                break read;
            }
        }
    };
}

pub(crate) use insist;

/// A clock that goes with the runtime's, and is off by so much.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunningClock {
    start: Instant,
    off: i64,
}

impl RunningClock {
    pub(crate) fn new(start: Instant, off: i64) -> Self {
        Self { start, off }
    }
}

impl Clock for RunningClock {
    fn now(&self) -> EpochMillis {
        let elapsed = i64::try_from(self.start.elapsed().as_millis()).unwrap_or(i64::MAX);
        EpochMillis::new(NOW + self.off + elapsed)
    }
}
