//! Locks: who holds one, until when, and who comes next.

mod acquisition;
mod fenced;
mod held;
mod input;
mod lost_answers;
mod persisted_observations;
mod several_locks;
mod slow_answers;

use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::lock::{Held, Lock};
use dyno::{Entity, Repository};
use dyno_tests::clock::RunningClock;
use dyno_tests::{World, endpoint, world};
use std::time::Duration;
use tokio::time::Instant;

/// What a lock guards.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "reports")]
struct Report {
    #[partition_key]
    id: String,
}

/// A lease: at an endpoint, time is real.
fn lease() -> Duration {
    Duration::from_secs(if endpoint().is_some() { 1 } else { 10 })
}

fn nightly() -> Lock {
    Lock::new("reports/nightly").lease(lease())
}

/// Surroundings with the table of the locks, and a clock that runs.
async fn locks() -> (World, Repository) {
    let world = world::<Report>().await;
    // At an endpoint, a lease is no longer than the SDK's own pauses.
    let retries = RetryConfig::standard().with_initial_backoff(lease() / 100);
    let repository = Repository::new(world.client(retries)).with_clock(RunningClock::new(Instant::now(), 0));
    Lock::create_table(&repository).await.expect("a table");
    (world, repository)
}

/// Another process, whose requests meet no faults.
fn other(world: &World) -> Repository {
    world.other().with_clock(RunningClock::new(Instant::now(), 0))
}

async fn acquired(lock: &Lock, repository: &Repository) -> Held {
    lock.acquire(repository).await.expect("acquired")
}
