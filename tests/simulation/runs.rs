//! What the simulations with faults share: the number of runs, their clocks, retries and fault rates.

use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Hedge, Repository};
pub(crate) use dyno_tests::clock::RunningClock;
use dyno_tests::faults::{Rates, ms, stale_reads};
use dyno_tests::is_remote;
use std::time::Duration;

/// Returns the number of runs: `DYNO_SEEDS`, or a default for the embedded engine and another one for a remote engine.
pub(crate) fn seeds(embedded: u64, elsewhere: u64) -> u64 {
    let default = if is_remote() { elsewhere } else { embedded };
    std::env::var("DYNO_SEEDS").map_or(default, |seeds| seeds.parse().expect("`DYNO_SEEDS` is a number"))
}

/// Returns the seeds of this many runs, from `DYNO_FIRST` on.
pub(crate) fn from_first(count: u64) -> std::ops::Range<u64> {
    let first = std::env::var("DYNO_FIRST").map_or(0, |first| first.parse().expect("`DYNO_FIRST` is a number"));
    first..first + count
}

pub(crate) fn retries() -> RetryConfig {
    RetryConfig::standard().with_max_attempts(4).with_initial_backoff(Duration::from_millis(30))
}

/// Runs a simulation. With the embedded engine, the same seed gives the same run.
pub(crate) fn run<T>(seed: u64, simulation: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    // An engine in another process has its own time.
    let runtime = runtime.enable_all().start_paused(!is_remote()).build().expect("a runtime");
    fastrand::seed(seed);
    // For stale reads, each write is followed by reads for the replica, so only half of the runs have them. Over a socket,
    // the writes would wait for each other.
    stale_reads(seed.is_multiple_of(2) && !is_remote());
    let _seed = Seed(seed);
    runtime.block_on(simulation)
}

/// Prints the seed of a run that panics.
struct Seed(u64);

impl Drop for Seed {
    #[allow(clippy::print_stderr, reason = "beside the panic's message")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {}", self.0);
        }
    }
}

/// Returns true if this run hedges its requests, as every second run does.
fn is_hedged(seed: u64) -> bool {
    seed % 2 == 1
}

/// Returns the repository of a writer in this run. In a hedged run, it sends a second request if an answer takes longer than
/// 15 ms.
pub(crate) fn hedged(seed: u64, repository: Repository) -> Repository {
    if is_hedged(seed) { repository.hedged(Hedge::after(Duration::from_millis(15)).budget(1.0)) } else { repository }
}

/// Returns the fault rates of this run. In a hedged run, a request that was dropped can still arrive, up to this many seconds
/// later, unless the rates exclude duplicates.
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
