//! A write has one time: all its attempts store the same time, however late they are sent.

use super::{Note, note, times};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{BatchWrite, Entity, EpochMillis, Reason};
use dyno_tests::faults::Unprocessed;
use dyno_tests::{NOW, world};
use std::sync::Arc;

#[tokio::test]
async fn the_second_attempt_stores_the_time_of_the_first() {
    let world = world::<Note>().await;
    let repository = world.repository.clone();
    let clock = Arc::clone(&world.clock);
    let later = async move { clock.advance(5000) };
    let put = async move { note("1", None).put().send(&repository).await.expect("a put") };
    world.meanwhile(put, later).await;
    assert_eq!(times(&world, "1").await, (Some(0), 0));
    let repository = world.repository.clone();
    let clock = Arc::clone(&world.clock);
    let later = async move { clock.advance(5000) };
    let update = Note::update("1").with(Note::fields().folder.set("g"));
    let update = async move { update.send(&repository).await.expect("an update").applied().expect("applied") };
    world.meanwhile(update, later).await;
    assert_eq!(times(&world, "1").await, (Some(0), 5));
}

/// Each writer has its own clock, so the stored times of two writes need not be in the order of the writes.
#[tokio::test]
async fn a_writer_with_a_late_clock_stores_an_earlier_time() {
    let world = world::<Note>().await;
    let other = world.process(RetryConfig::standard());
    world.clock.advance(10_000);
    applied!(note("1", None).create(), &world.repository);
    applied!(Note::update("1").with(Note::fields().folder.set("g")), &other.repository);
    assert_eq!(times(&world, "1").await, (Some(10), 0));
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "counters")]
#[idempotency(window_secs = 60)]
struct Counter {
    #[partition_key]
    id: String,
    count: u64,
    #[created]
    made: EpochMillis,
    #[updated]
    changed: EpochMillis,
    #[version]
    version: u64,
}

#[tokio::test]
async fn a_clone_of_a_versioned_write_changes_no_time() {
    let world = world::<Counter>().await;
    let repository = &world.repository;
    let unset = EpochMillis::default();
    let create = Counter { id: "1".to_owned(), count: 0, made: unset, changed: unset, version: 0 }.create();
    applied!(create.clone(), repository);
    world.clock.advance(1000);
    applied!(create, repository);
    let counter = Counter::get("1").send(repository).await.expect("a get").expect("a counter");
    let now = EpochMillis::new(NOW);
    assert_eq!((counter.made, counter.changed, counter.version), (now, now, 1));
}

#[tokio::test]
async fn a_duplicate_update_changes_no_time() {
    let world = world::<Counter>().await;
    let repository = &world.repository;
    let unset = EpochMillis::default();
    applied!(Counter { id: "1".to_owned(), count: 0, made: unset, changed: unset, version: 0 }.create(), repository);
    let update = || Counter::update("1").unchecked().with(Counter::fields().count.add(1u64)).idempotency_key("a");
    world.clock.advance(1000);
    applied!(update(), repository);
    world.clock.advance(1000);
    assert_eq!(refused!(update(), repository), [Reason::Duplicate]);
    let counter = Counter::get("1").send(repository).await.expect("a get").expect("a counter");
    assert_eq!((counter.count, counter.changed), (1, EpochMillis::new(NOW + 1000)));
}

/// DynamoDB leaves one of two puts unprocessed, and the batch sends it again 5 s later. Both rows have the same time.
#[tokio::test]
async fn all_rounds_of_a_batch_store_one_time() {
    let world = world::<Plain>().await;
    let plain = |id: &str| Plain { id: id.to_owned(), changed: EpochMillis::default() };
    world.faults.leave_unprocessed(Unprocessed::AllButOne);
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let batch = BatchWrite::new().add(plain("1").put()).add(plain("2").put());
    let sent = tokio::spawn(async move { batch.send(&repository).await });
    world.faults.held().await;
    world.clock.advance(5000);
    world.faults.release();
    sent.await.expect("no panic").expect("sent").applied().expect("applied");
    let rows = world.stored::<Plain>().await;
    assert_eq!((rows.len(), &rows[0]["changed"]), (2, &rows[1]["changed"]));
}

#[derive(Entity, Clone, Debug)]
#[entity(table = "plain")]
struct Plain {
    #[partition_key]
    id: String,
    #[updated]
    changed: EpochMillis,
}
