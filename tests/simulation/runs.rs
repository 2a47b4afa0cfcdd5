//! What the simulations with faults share: how many runs there are, and in what time they run.

use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Hedge, Repository};
pub(crate) use dyno_tests::clock::RunningClock;
use dyno_tests::endpoint;
use dyno_tests::faults::{Rates, ms, stale_reads};
use std::time::Duration;

/// How many runs: what `DYNO_SEEDS` says, or by default so many in the embedded engine, and so many at an endpoint.
pub(crate) fn seeds(embedded: u64, elsewhere: u64) -> u64 {
    let default = if endpoint().is_some() { elsewhere } else { embedded };
    std::env::var("DYNO_SEEDS").map_or(default, |seeds| seeds.parse().expect("`DYNO_SEEDS` is a number"))
}

/// The runs: so many, from the one on that `DYNO_FIRST` names.
pub(crate) fn from_first(count: u64) -> std::ops::Range<u64> {
    let first = std::env::var("DYNO_FIRST").map_or(0, |first| first.parse().expect("`DYNO_FIRST` is a number"));
    first..first + count
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
    // Each write is followed by reads for the replica, so not in every run; and over a socket, the writes would wait for each other.
    stale_reads(seed.is_multiple_of(2) && endpoint().is_none());
    let _seed = Seed(seed);
    runtime.block_on(simulation)
}

/// Says which run it was that panicked, whatever the panic says.
struct Seed(u64);

impl Drop for Seed {
    #[allow(clippy::print_stderr, reason = "beside the panic's message")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {}", self.0);
        }
    }
}

/// Whether all that may be hedged is hedged in this run: in every second one.
fn is_hedged(seed: u64) -> bool {
    seed % 2 == 1
}

/// The repository of a writer in this run: often it sends two requests for one, as soon as an answer takes longer than most.
pub(crate) fn hedged(seed: u64, repository: Repository) -> Repository {
    if is_hedged(seed) { repository.hedged(Hedge::after(Duration::from_millis(15)).budget(1.0)) } else { repository }
}

/// The faults of this run. Of two requests for one, the one that was dropped arrives later, by so many seconds at most; where
/// requests come twice at all.
pub(crate) fn straggling(seed: u64, rates: Rates, seconds: u64) -> Rates {
    let late_when_dropped = if is_hedged(seed) && rates.duplicate > 0.0 { 0.7 } else { 0.0 };
    Rates { late_when_dropped, late_when_dropped_by: ms(seconds * 1000), ..rates }
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
