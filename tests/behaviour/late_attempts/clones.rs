//! Clones of commands without a version: the first send ends without an answer, and its request arrives after a clone was refused.

use super::arrives;
use crate::entities::{Bill, Plain, plain};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Entity, EpochMillis, Reason, Repository};
use dyno_tests::faults::Fault;
use dyno_tests::{NOW, World, pause, world};
use std::sync::Arc;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
struct Rating {
    #[partition_key]
    id: String,
    stars: u32,
    #[ratchet]
    at: EpochMillis,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "jobs")]
#[tombstone(ttl_days = 7)]
struct Job {
    #[partition_key]
    id: String,
    done: u32,
    #[fence]
    epoch: u64,
}

fn rating(stars: u32) -> Rating {
    Rating { id: "1".to_owned(), stars, at: EpochMillis::new(NOW + i64::from(stars)) }
}

fn job(done: u32) -> Job {
    Job { id: "1".to_owned(), done, epoch: 1 }
}

/// The repository of a process whose SDK sends each request once.
fn impatient(world: &World) -> Repository {
    Repository::new(world.client(RetryConfig::disabled())).with_clock(Arc::clone(&world.clock))
}

/// Sends a command whose request is delayed, and then a clone, which is refused for a reason that may vanish. The clone is in doubt.
macro_rules! in_doubt {
    ($world:expr, $command:expr, $reason:literal) => {{
        let command = $command;
        $world.faults.next([Fault::Postponed]);
        let first = command.clone().send(&impatient(&$world)).await.expect_err("no answer");
        assert!(first.may_be_applied(), "{first:?}");
        let error = command.send(&$world.repository).await.expect_err("the first request is on its way");
        assert!(error.may_be_applied() && error.to_string().contains($reason), "{error}");
    }};
}

#[tokio::test]
async fn a_refused_clone_is_in_doubt_while_the_first_send_may_arrive() {
    pause();
    // An update.
    let world = world::<Plain>().await;
    in_doubt!(world, Plain::update("1").with(Plain::fields().count.set(5)), "there is no item");
    plain(1).put().send(&world.other()).await.expect("a put");
    assert!(arrives(&world).await);
    // A create.
    in_doubt!(world, plain(7).create(), "a live item already exists at this key");
    Plain::delete("1").send(&world.other()).await.expect("a delete");
    assert!(arrives(&world).await);

    // An update with an idempotency key.
    let world = dyno_tests::world::<Bill>().await;
    let update = Bill::update("1").with(Bill::fields().total.add(1)).idempotency_key("a");
    in_doubt!(world, update.clone(), "there is no item");
    applied!(Bill { id: "1".to_owned(), total: 0 }.create(), &world.other());
    assert!(arrives(&world).await);
    let again = update.send(&world.repository).await.expect("sent");
    assert!(again.accept_duplicate().expect("made").is_none());

    // A create of an entity with a ratchet.
    let world = dyno_tests::world::<Rating>().await;
    applied!(rating(1).create(), &world.other());
    in_doubt!(world, rating(3).create(), "a live item already exists at this key");
    applied!(Rating::delete("1", EpochMillis::new(NOW + 2)), &world.other());
    assert!(arrives(&world).await);

    // A fenced put with a condition.
    let world = dyno_tests::world::<Job>().await;
    applied!(job(1).put(), &world.other());
    let put = job(3).put().fenced(2).condition(Job::fields().done.eq(2));
    in_doubt!(world, put, " does not hold");
    applied!(job(2).put(), &world.other());
    assert!(arrives(&world).await);
}

/// Of two clones that are sent at once, the refusal of one is final only if the other cannot be applied any more.
#[tokio::test]
async fn a_refused_clone_is_in_doubt_while_another_clone_is_on_its_way() {
    pause();
    let world = world::<Plain>().await;
    let update = Plain::update("1").with(Plain::fields().count.set(5));
    let process = world.process(RetryConfig::disabled());
    process.faults.hold_after(0);
    let (slow, held) = (update.clone(), process.repository.clone());
    let first = tokio::spawn(async move { slow.send(&held).await });
    process.faults.held().await;
    let error = update.send(&world.repository).await.expect_err("the other clone is on its way");
    assert!(error.may_be_applied(), "{error}");
    plain(1).put().send(&world.other()).await.expect("a put");
    process.faults.release();
    first.await.expect("no panic").expect("sent").applied().expect("applied");
}

/// Once an earlier send of the command has reported its outcome, a clone is refused for good: nothing of it is on its way.
#[tokio::test]
async fn a_clone_is_refused_for_good_once_the_first_send_is_settled() {
    let world = world::<Plain>().await;
    plain(1).put().send(&world.other()).await.expect("a put");
    let update = Plain::update("1").with(Plain::fields().count.set(5));
    applied!(update.clone(), &world.repository);
    Plain::delete("1").send(&world.other()).await.expect("a delete");
    assert_eq!(refused!(update.clone(), &world.repository), [Reason::Missing]);
    assert_eq!(refused!(update, &world.repository), [Reason::Missing]);
    // A changed clone is another write.
    plain(1).put().send(&world.other()).await.expect("a put");
    let update = Plain::update("1").with(Plain::fields().count.set(5));
    world.faults.next([Fault::Postponed]);
    update.clone().send(&impatient(&world)).await.expect_err("no answer");
    let changed = update.clone().condition(Plain::fields().count.eq(7));
    assert_eq!(refused!(changed, &world.repository), [Reason::Condition]);
    // The first request can arrive for 15 minutes.
    Plain::delete("1").send(&world.other()).await.expect("a delete");
    world.clock.advance(14 * 60_000);
    let error = update.clone().send(&world.repository).await.expect_err("the first request may arrive");
    assert!(error.may_be_applied(), "{error}");
    world.clock.advance(2 * 60_000);
    let error = update.clone().send(&world.repository).await;
    assert_eq!(error.expect("sent").refusal().expect("refused").reasons(), [Reason::Missing]);
}

/// A send whose future is dropped leaves its attempts open, too.
#[tokio::test]
async fn a_refused_clone_of_a_dropped_send_is_in_doubt() {
    pause();
    let world = world::<Plain>().await;
    let update = Plain::update("1").with(Plain::fields().count.set(5));
    let process = world.process(RetryConfig::disabled());
    process.faults.hold_after(0);
    let mut first = Box::pin(update.clone().send(&process.repository));
    tokio::select! {
        biased;
        () = process.faults.held() => {}
        _ = &mut first => panic!("the request is held"),
    }
    drop(first);
    let error = update.send(&world.repository).await.expect_err("the first request may arrive");
    assert!(error.may_be_applied(), "{error}");
}
