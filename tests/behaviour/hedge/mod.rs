//! Hedged requests: which answer counts, and what the other request leaves.

mod failed;
mod input;
mod policy;
mod reads;
mod spans;
mod writes;

use dyno::{Repository, Usage};
use std::time::Duration;
use tokio::time::Instant;

/// The delay of the tests' hedges.
const DELAY: Duration = Duration::from_millis(20);

/// Sends a command. Returns its result, and the numbers of requests, of hedges, and of hedges that won.
async fn sent<T>(repository: &Repository, command: impl AsyncFnOnce(&Repository) -> T) -> (T, [u64; 3]) {
    let metered = repository.metered();
    let sent = command(&metered).await;
    (sent, counts(metered.usage()))
}

fn counts(usage: Usage) -> [u64; 3] {
    [usage.requests, usage.hedges, usage.hedges_won]
}

/// Returns the result of some work and its duration, in milliseconds of a clock that stands still while the program computes.
async fn timed<T>(work: impl Future<Output = T>) -> (T, u128) {
    let begun = Instant::now();
    let done = work.await;
    (done, begun.elapsed().as_millis())
}
