//! Locks: which process holds one, until when, and which process acquires it next.

mod acquisition;
mod fenced;
mod held;
mod input;
mod lost_answers;
mod paused_time;
mod persisted_observations;
mod run;
mod several_locks;
mod slow_answers;

use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::lock::{Held, Lock};
use dyno::{Entity, Repository};
use dyno_tests::clock::RunningClock;
use dyno_tests::{World, is_remote, world};
use std::time::Duration;
use tokio::time::Instant;

/// An entity whose items a lock guards.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "reports")]
struct Report {
    #[partition_key]
    id: String,
}

/// The lease of the locks. It is short on a remote engine, where time is real.
fn lease() -> Duration {
    Duration::from_secs(if is_remote() { 1 } else { 10 })
}

/// Asserts that less than this time has passed. On a remote engine, where time is real, a busy machine takes longer.
fn assert_less(begun: Instant, than: Duration) {
    let elapsed = begun.elapsed();
    assert!(is_remote() || elapsed < than, "{elapsed:?}");
}

fn nightly() -> Lock {
    Lock::new("reports/nightly").lease(lease())
}

/// A world with the lock table, and a repository with a running clock.
async fn locks() -> (World, Repository) {
    let world = world::<Report>().await;
    // On a remote engine, the SDK's default pauses would be as long as the lease.
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
