//! Locks: every process sees at once that a lock is held.

use super::lag;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::lock::{Lock, Released};
use dyno::{Entity, Repository};
use dyno_tests::clock::RunningClock;
use dyno_tests::faults::{Event, Fault};
use dyno_tests::{World, pause, world};
use std::time::Duration;
use tokio::time::{Instant, timeout};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "reports")]
struct Report {
    #[partition_key]
    id: String,
}

/// Two processes with running clocks, and the table of the locks.
async fn processes() -> (World, Repository, Repository) {
    let world = world::<Report>().await;
    let own = Repository::new(world.client(RetryConfig::disabled())).with_clock(RunningClock::new(Instant::now(), 0));
    let other = world.other().with_clock(RunningClock::new(Instant::now(), 0));
    Lock::create_table(&own).await.expect("a table");
    // Each request takes some time.
    world.faults.latency_ms(1, 1);
    (world, own, other)
}

fn nightly() -> Lock {
    Lock::new("reports/nightly").lease(Duration::from_secs(10)).wait(Duration::from_secs(5))
}

#[tokio::test]
async fn a_lock_that_was_just_taken_is_seen_as_held() {
    pause();
    let (world, own, other) = processes().await;
    lag(&world);
    let held = nightly().acquire(&other).await.expect("acquired");
    // A process that saw no holder here would look again and again.
    let tried = timeout(Duration::from_mins(1), nightly().try_acquire(&own)).await.expect("an end");
    assert!(tried.expect("looked").is_none());
    let seen = nightly().inspect(&own).await.expect("read").expect("a row");
    assert!(seen.is_held, "{seen:?}");
    assert_eq!(held.release().await.expect("released"), Released::Free);
    // The row shows the release at once, so the next process does not wait for the end of the lease.
    let before = Instant::now();
    let held = nightly().acquire(&own).await.expect("acquired");
    assert!(before.elapsed() < Duration::from_secs(5), "{:?}", before.elapsed());
    assert_eq!(held.release().await.expect("released"), Released::Free);
}

#[tokio::test]
async fn a_release_whose_answer_is_lost_sees_that_the_lock_is_free() {
    pause();
    let (world, own, _) = processes().await;
    lag(&world);
    let held = nightly().acquire(&own).await.expect("acquired");
    world.faults.on_request(1, |event: &Event| event.is_write(), Fault::AnswerLost);
    assert_eq!(held.release().await.expect("released"), Released::Free);
    let seen = nightly().inspect(&own).await.expect("read").expect("a row");
    assert!(!seen.is_held, "{seen:?}");
}
