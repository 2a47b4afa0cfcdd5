//! Hedged reads: the first answer counts.

use super::{DELAY, sent, timed};
use crate::entities::{Plain, plain};
use dyno::{BatchGet, TransactGet};
use dyno_tests::faults::Fault;
use dyno_tests::{World, is_remote, pause, world};
use std::time::Duration;

async fn with_an_item() -> World {
    pause();
    let world = world::<Plain>().await;
    plain(7).put().send(&world.other()).await.expect("put");
    world
}

#[tokio::test]
async fn an_answer_before_the_delay_is_not_hedged() {
    let world = with_an_item().await;
    let get =
        async |repository: &dyno::Repository| Plain::get("1").hedge(Duration::from_mins(1)).send(repository).await;
    let (found, sent) = sent(&world.repository, get).await;
    assert_eq!(found.expect("read"), Some(plain(7)));
    assert_eq!(sent, [1, 0, 0]);
}

#[tokio::test]
async fn every_kind_of_slow_read_is_hedged() {
    macro_rules! late {
        ($world:ident, $command:expr) => {
            $world.faults.slow([(500, 0), (0, 0)]);
            let read = async |repository: &dyno::Repository| $command.hedge(DELAY).send(repository).await.map(drop);
            let ((read, sent), millis) = timed(sent(&$world.repository, read)).await;
            read.expect("read");
            assert_eq!(sent, [2, 1, 1], stringify!($command));
            if !is_remote() {
                assert!((20..30).contains(&millis), "{millis} ms: {}", stringify!($command));
            }
        };
    }
    let world = with_an_item().await;
    late!(world, Plain::get("1"));
    late!(world, Plain::batch_get(["1", "2"]));
    late!(world, Plain::scan());
    late!(world, TransactGet::new([Plain::get("1")]));
    world.faults.slow([(500, 0), (0, 0)]);
    let get =
        async |repository: &dyno::Repository| TransactGet::new([Plain::get("1").hedge(DELAY)]).send(repository).await;
    let (read, requests) = sent(&world.repository, get).await;
    assert_eq!(read.expect("read"), [Some(plain(7))]);
    assert_eq!(requests, [2, 1, 1], "as its gets are");
    world.faults.slow([(500, 0), (0, 0)]);
    let both = (Plain::batch_get(["1"]), BatchGet::<Plain>::new(["2"].map(str::to_owned)).hedge(DELAY));
    let (read, requests) =
        sent(&world.repository, async |repository| dyno::batch_get(both).send(repository).await).await;
    read.expect("read");
    assert_eq!(requests, [2, 1, 1], "as one of those is that share the request");
}

#[tokio::test]
async fn the_first_request_can_answer_before_its_hedge() {
    let world = with_an_item().await;
    world.faults.slow([(50, 0), (500, 0)]);
    let get = async |repository: &dyno::Repository| Plain::get("1").hedge(DELAY).send(repository).await;
    let (found, sent) = sent(&world.repository, get).await;
    assert_eq!(found.expect("read"), Some(plain(7)));
    assert_eq!(sent, [2, 1, 0]);
}

#[tokio::test]
async fn an_error_of_one_request_does_not_end_a_read_while_the_other_runs() {
    let world = with_an_item().await;
    // The hedge fails, and is not sent again.
    world.faults.slow([(100, 0), (0, 0)]);
    world.faults.next([Fault::Served, Fault::ServerError { served: false }]);
    let get = async |repository: &dyno::Repository| Plain::get("1").hedge(DELAY).send(repository).await;
    let (found, requests) = sent(&world.repository, get).await;
    assert_eq!(found.expect("read"), Some(plain(7)));
    assert_eq!(requests, [2, 1, 0]);
    assert_eq!(world.faults.events().iter().filter(|event| event.operation == "GetItem").count(), 2);
    if is_remote() {
        return; // On a remote engine, where time is real, the first request may fail before the hedge is sent.
    }
    // The first request fails for good.
    world.faults.slow([(50, 0), (100, 0)]);
    world.faults.next([Fault::ErrorCode("AccessDeniedException")]);
    let (found, requests) = sent(&world.repository, get).await;
    assert_eq!(found.expect("read"), Some(plain(7)));
    assert_eq!(requests, [2, 1, 1]);
    // Both requests fail: the error of the first one says more, and is reported.
    world.faults.slow([(50, 0), (10, 0)]);
    world.faults.next([Fault::ErrorCode("AccessDeniedException"), Fault::ServerError { served: false }]);
    let (found, requests) = sent(&world.repository, get).await;
    assert!(found.expect_err("both").to_string().contains("refused by a fault"));
    assert_eq!(requests, [2, 1, 0]);
}

#[tokio::test]
async fn the_sdk_s_backoff_after_an_error_answer_is_not_hedged() {
    let world = with_an_item().await;
    // The SDK waits longer than the delay before it sends the request again.
    world.faults.next([Fault::Throttled, Fault::Throttled]);
    let client = world.client(
        dyno::aws_sdk_dynamodb::config::retry::RetryConfig::standard().with_initial_backoff(Duration::from_secs(5)),
    );
    let repository = dyno::Repository::new(client);
    let get = async |repository: &dyno::Repository| Plain::get("1").hedge(DELAY).send(repository).await;
    let (found, requests) = sent(&repository, get).await;
    assert_eq!(found.expect("read"), Some(plain(7)));
    assert_eq!(requests, [1, 0, 0]);
}
