//! One of the two requests fails: the other one is awaited. Of two errors, an answer of DynamoDB is reported.

use super::{DELAY, sent, timed};
use crate::entities::{Bill, Cart, Plain, cart, plain};
use dyno::{Repository, Transaction};
use dyno_tests::faults::Fault;
use dyno_tests::{World, is_remote, pause, world};

/// How a hedge can fail.
const FAILURES: [Fault; 5] = [
    Fault::ServerError { served: false },
    Fault::Throttled,
    Fault::RequestLost,
    Fault::ConnectionRefused,
    Fault::ErrorCode("AccessDeniedException"),
];

async fn with_items() -> World {
    let world = world::<Plain>().await;
    plain(7).put().send(&world.other()).await.expect("put");
    world
}

async fn get(repository: &Repository) -> Result<Option<Plain>, dyno::Error> {
    Plain::get("1").hedge(DELAY).send(repository).await
}

#[tokio::test]
async fn a_failed_hedge_does_not_end_a_slow_first_read() {
    if is_remote() {
        return; // Time is another there.
    }
    pause();
    for fault in FAILURES {
        let world = with_items().await;
        // The first request is answered after nine seconds.
        world.faults.slow([(9_000, 0), (0, 0)]);
        world.faults.next([Fault::Served, fault]);
        let ((found, requests), millis) = timed(sent(&world.repository, get)).await;
        assert_eq!(found.expect("read"), Some(plain(7)), "{fault:?}");
        assert_eq!(requests, [2, 1, 0], "{fault:?}");
        assert!((9_000..9_200).contains(&millis), "{fault:?}: {millis} ms");
    }
}

#[tokio::test]
async fn a_failed_hedge_does_not_end_a_slow_first_write() {
    if is_remote() {
        return; // Time is another there.
    }
    pause();
    for fault in FAILURES {
        let world = world::<Cart>().await;
        world.faults.slow([(9_000, 0), (0, 0)]);
        world.faults.next([Fault::Served, fault]);
        let put = cart(1, 0).put().hedge(DELAY).send(&world.repository).await.expect("put");
        assert_eq!(put.applied().expect("applied"), 1, "{fault:?}");
    }
}

/// DynamoDB cancels the hedge, because the first request, which has the same token, is still in progress.
#[tokio::test]
async fn a_hedge_of_a_transaction_in_progress_waits_for_the_first_request() {
    if is_remote() {
        return; // Time is another there.
    }
    pause();
    let world = world::<Bill>().await;
    let bill = Bill { id: "1".to_owned(), total: 0 };
    assert!(bill.create().send(&world.other()).await.expect("sent").is_applied());
    let add = || Transaction::new().update(Bill::update("1").with(Bill::fields().total.increment(1))).hedge(DELAY);
    world.faults.slow([(9_000, 0), (0, 0)]);
    world.faults.next([Fault::Served, Fault::Conflict]);
    assert!(add().send(&world.repository).await.expect("sent").is_applied());
    assert_eq!(Bill::get("1").send(&world.other()).await.expect("read").expect("there").total, 1);
    // The response to the first request is lost, and the hedge conflicts with it. A third request with the same token finds
    // the outcome.
    world.faults.slow([(0, 300), (0, 0), (0, 0)]);
    world.faults.next([Fault::ServerError { served: true }, Fault::Conflict]);
    let client = world.client(dyno::aws_sdk_dynamodb::config::retry::RetryConfig::disabled());
    assert!(add().send(&Repository::new(client)).await.expect("sent").is_applied());
    assert_eq!(Bill::get("1").send(&world.other()).await.expect("read").expect("there").total, 2);
}

#[tokio::test]
async fn an_error_answered_by_dynamodb_is_reported_before_a_lost_connection() {
    if is_remote() {
        return; // Time is another there.
    }
    pause();
    let denied = Fault::ErrorCode("AccessDeniedException");
    // The first request, which the SDK sends three times, is lost, or the hedge is. Either of the two may end first.
    for (faults, slow) in [
        ([Fault::RequestLost, denied, Fault::RequestLost, Fault::RequestLost], [(50, 0), (0, 0), (50, 0), (50, 0)]),
        ([Fault::RequestLost, denied, Fault::RequestLost, Fault::RequestLost], [(50, 0), (500, 0), (0, 0), (0, 0)]),
        ([denied, Fault::RequestLost, Fault::Served, Fault::Served], [(50, 0), (0, 0), (0, 0), (0, 0)]),
        ([denied, Fault::RequestLost, Fault::Served, Fault::Served], [(50, 0), (500, 0), (0, 0), (0, 0)]),
    ] {
        let world = with_items().await;
        world.faults.slow(slow);
        world.faults.next(faults);
        let error = get(&world.repository).await.expect_err("both fail");
        assert!(error.to_string().contains("refused by a fault"), "{slow:?}: {error}");
    }
    // For a write, the error also reports that one request may have been applied.
    let world = world::<Cart>().await;
    world.faults.slow([(50, 0), (0, 0)]);
    world.faults.next([Fault::AnswerLost, denied, Fault::RequestLost, Fault::RequestLost]);
    let error = cart(1, 0).put().hedge(DELAY).send(&world.repository).await.expect_err("both fail");
    assert!(error.may_be_applied() && error.to_string().contains("refused by a fault"), "{error}");
}
