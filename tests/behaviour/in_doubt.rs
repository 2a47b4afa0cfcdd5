//! Errors report that a write may have been applied, whatever happens after the attempt without an answer.

use crate::entities::{Bill, Cart, Draft, Plain, cart, draft, plain};
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::aws_sdk_dynamodb::config::{BehaviorVersion, Config, Credentials, Region};
use dyno::{BatchWrite, Error, ErrorKind, Outcome, Reason, Repository, Transaction};
use dyno_tests::faults::{Fault, ms};
use dyno_tests::{World, pause, world};
use std::net::TcpListener;
use std::time::Duration;

async fn count(world: &World) -> u32 {
    Plain::get("1").consistent().send(&world.other()).await.expect("a get").expect("there").count
}

/// The faults that end a command in the attempts after a lost response.
fn ends() -> Vec<Vec<Fault>> {
    let mut ends: Vec<Vec<Fault>> = ["AccessDeniedException", "ExpiredTokenException", "ValidationException"]
        .map(|code| vec![Fault::ErrorCode(code)])
        .into();
    ends.push(vec![Fault::Proxy { status: 413, served: false }]);
    ends.push(vec![Fault::Unreadable]);
    ends.push(vec![Fault::Throttled; 2]);
    ends.push(vec![Fault::ConnectionRefused; 2]);
    ends.push(vec![Fault::ServerError { served: false }; 2]);
    // The SDK does not retry a conflict. The command retries it, and gives up.
    ends.push(vec![Fault::Conflict; 9]);
    ends
}

/// A lost response of a served attempt, and then these faults.
fn lost(end: Vec<Fault>) -> impl Iterator<Item = Fault> {
    std::iter::once(Fault::AnswerLost).chain(end)
}

/// What errors advise for a write with a write id, with a token, and with an idempotency key.
const SAME: &str = "send a clone of this command to find out, or load the item and decide";
const TOGETHER: &str = "send this transaction, or a clone, again within ten minutes of its first request: the answer says whether it was applied";
const WITH_ITS_KEY: &str = "send a clone of the command: a new command with the same idempotency key does not know of this attempt, so its refusal would not be final";

fn check(error: &Error, end: &[Fault], hint: &str) {
    assert!(error.may_be_applied(), "{end:?}: {error:?}");
    let kind = if matches!(end[0], Fault::ServerError { served: false }) {
        ErrorKind::Service
    } else {
        ErrorKind::Unreachable
    };
    assert_eq!(error.kind(), kind, "{end:?}: {error:?}");
    assert!(error.to_string().ends_with(&format!("may have been applied: {hint}")), "{error}");
}

#[tokio::test]
async fn a_later_error_does_not_hide_a_possibly_applied_write() {
    pause();
    for end in ends() {
        let world = world::<Cart>().await;
        let repository = &world.repository;
        let create = cart(1, 0).create();
        world.faults.next(lost(end.clone()));
        let error = create.clone().send(repository).await.expect_err("no answer");
        check(&error, &end, SAME);
        assert_eq!(create.send(repository).await.expect("sent").applied().expect("its own"), 1, "{end:?}");
        // Without the lost response, the same faults report that nothing was applied, where that is certain.
        let is_certain = !matches!(end[0], Fault::Proxy { .. } | Fault::Unreadable | Fault::ServerError { .. });
        let again = end.clone().into_iter().take(usize::from(end.len() == 2));
        world.faults.next(end.clone().into_iter().chain(again));
        let error = cart(2, 1).put().send(repository).await.expect_err("refused");
        assert_eq!(error.may_be_applied(), !is_certain, "{end:?}: {error:?}");
        assert_eq!(error.to_string().contains("may have been applied"), !is_certain, "{error}");
    }
}

#[tokio::test]
async fn a_later_error_does_not_hide_a_possibly_applied_transaction() {
    pause();
    for end in ends() {
        let world = world::<Cart>().await;
        let repository = &world.repository;
        repository.create_table::<Plain>().await.expect("a table");
        plain(0).put().send(repository).await.expect("a put");
        let transaction =
            Transaction::new().put(cart(1, 0).create()).update(Plain::update("1").with(Plain::fields().count.add(1)));
        world.faults.next(lost(end.clone()));
        let once = transaction.clone().in_doubt_timeout(Duration::ZERO);
        let error = once.send(repository).await.expect_err("no answer");
        check(&error, &end, TOGETHER);
        transaction.send(repository).await.expect("sent").applied().expect("its own");
        assert_eq!(count(&world).await, 1);
    }
}

#[tokio::test]
async fn a_later_error_does_not_hide_a_possibly_applied_keyed_update() {
    pause();
    for end in ends() {
        let world = world::<Bill>().await;
        let repository = &world.repository;
        Bill { id: "1".to_owned(), total: 0 }
            .create()
            .send(repository)
            .await
            .expect("sent")
            .applied()
            .expect("applied");
        let update = || Bill::update("1").with(Bill::fields().total.add(1)).idempotency_key("a");
        world.faults.next(lost(end.clone()));
        let error = update().send(repository).await.expect_err("no answer");
        check(&error, &end, WITH_ITS_KEY);
        let again = update().send(repository).await.expect("sent");
        assert!(again.accept_duplicate().expect("made").is_none());
    }
}

#[tokio::test]
async fn a_failed_read_does_not_hide_a_possibly_applied_write() {
    pause();
    let world = world::<Draft>().await;
    let (repository, other) = (world.repository.clone(), world.other());
    let current = async || Draft::get("1").consistent().loaded().send(&other).await.expect("a get").expect("there");
    draft("a", 0).create().send(&other).await.expect("sent").applied().expect("applied");
    let put = draft("mine", 1).put().over(&current().await);
    let clone = put.clone();
    // The copy is written, and then the item, whose response is lost. Other writers then change the item, and the read of the
    // history, which would show the outcome, is denied.
    world.faults.hold_after(2);
    world.faults.next([Fault::Served, Fault::AnswerLost, Fault::Served, Fault::ErrorCode("AccessDeniedException")]);
    let put = tokio::spawn(async move { put.send(&repository).await });
    world.faults.held().await;
    draft("theirs", 2).put().send(&other).await.expect("sent").applied().expect("applied");
    draft("theirs too", 3).put().send(&other).await.expect("sent").applied().expect("applied");
    world.faults.release();
    let error = put.await.expect("no panic").expect_err("denied");
    assert!(error.may_be_applied() && error.is_unreachable(), "{error:?}");
    assert_eq!(clone.send(&world.repository).await.expect("sent").applied().expect("its own"), 2);
}

#[tokio::test]
async fn a_write_whose_answer_cannot_be_read_may_have_been_applied() {
    pause();
    let world = world::<Plain>().await;
    let repository = &world.repository;
    world.faults.next([Fault::Unreadable]);
    let error = plain(1).put().send(repository).await.expect_err("no answer");
    assert!(error.is_unreachable() && error.may_be_applied(), "{error:?}");
    let message = "put of `Plain` (id = \"1\"): DynamoDB's answer could not be read; the write may have been applied: send a clone of the command, which is the same write, or load the item and decide";
    assert_eq!(error.to_string(), message);
    assert_eq!(count(&world).await, 1);
    world.faults.next([Fault::Unreadable]);
    let error = Plain::update("1").with(Plain::fields().count.add(1)).send(repository).await.expect_err("no answer");
    assert!(error.is_outcome_unknown() && error.may_be_applied(), "{error:?}");
    assert_eq!(count(&world).await, 2);
    world.faults.next([Fault::Unreadable]);
    let failures = BatchWrite::new().add(plain(3).put()).send(repository).await.expect("sent");
    let error = failures.failures()[0].error();
    assert!(error.is_unreachable() && error.may_be_applied(), "{error:?}");
    assert_eq!(count(&world).await, 3);
    // A read applies nothing.
    world.faults.next([Fault::Unreadable]);
    let error = Plain::get("1").send(repository).await.expect_err("no answer");
    assert!(error.is_unreachable() && !error.may_be_applied(), "{error:?}");
    assert_eq!(error.to_string(), "get of `Plain` (id = \"1\"): DynamoDB's answer could not be read");
}

/// A proxy may have forwarded the request before it answered with an error.
#[tokio::test]
async fn a_write_that_a_proxy_answered_may_have_been_applied() {
    pause();
    for status in [302, 403, 413] {
        let world = world::<Plain>().await;
        let repository = &world.repository;
        plain(0).put().send(repository).await.expect("a put");
        world.faults.next([Fault::Proxy { status, served: true }]);
        let update = Plain::update("1").with(Plain::fields().count.add(1));
        let error = update.send(repository).await.expect_err("no answer");
        assert!(error.is_outcome_unknown(), "{error:?}");
        assert_eq!(count(&world).await, 1);
        world.faults.next([Fault::Proxy { status, served: false }]);
        let error = plain(5).put().send(repository).await.expect_err("no answer");
        assert!(error.may_be_applied() && error.is_unreachable(), "{error:?}");
        assert!(error.to_string().contains(&format!("status {status} and no DynamoDB error code")), "{error}");
    }
}

#[tokio::test]
async fn a_write_that_never_connected_was_not_applied() {
    pause();
    let world = world::<Plain>().await;
    let repository = &world.repository;
    plain(0).put().send(repository).await.expect("a put");
    let add = || Plain::update("1").with(Plain::fields().count.add(1));
    // Even a change that would count twice is sent again.
    world.faults.next([Fault::ConnectionRefused, Fault::ConnectionRefused]);
    assert!(add().send(repository).await.expect("the third attempt").is_applied());
    assert_eq!(count(&world).await, 1);
    world.faults.next([Fault::ConnectionRefused; 6]);
    let error = add().send(repository).await.expect_err("nobody there");
    assert!(error.is_unreachable() && !error.may_be_applied(), "{error:?}");
    let error = plain(7).put().send(repository).await.expect_err("nobody there");
    assert!(error.is_unreachable() && !error.may_be_applied(), "{error:?}");
    let message = "put of `Plain` (id = \"1\"): DynamoDB could not be reached (check the endpoint and the network): connection refused";
    assert_eq!(error.to_string(), message);
    assert_eq!(count(&world).await, 1);
}

/// In the other tests, `Faults` makes this error. Here, the operating system does, as each of them does in its own way.
#[tokio::test]
async fn a_put_to_a_port_on_which_nobody_listens_was_not_applied() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("its address").port();
    drop(listener);
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("local"))
        .credentials_provider(Credentials::new("key", "secret", None, None, "tests"))
        .retry_config(RetryConfig::disabled())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .endpoint_url(format!("http://127.0.0.1:{port}"));
    let repository = Repository::new(Client::from_conf(config.build()));
    let error = plain(0).put().send(&repository).await.expect_err("nobody listens");
    assert!(error.is_unreachable() && !error.may_be_applied(), "{error:?}");
}

#[tokio::test]
async fn a_create_that_arrives_after_its_error_is_recognized_when_it_is_sent_again() {
    pause();
    let world = world::<Cart>().await;
    let repository = &world.repository;
    let create = cart(1, 0).create();
    world.faults.next([Fault::Late(ms(60_000)); 3]);
    let error = create.clone().send(repository).await.expect_err("no answer");
    assert!(error.may_be_applied() && error.is_unreachable(), "{error:?}");
    assert!(
        error.to_string().contains("DynamoDB did not answer: no answer came; the write may have been applied"),
        "{error}"
    );
    assert!(world.stored::<Cart>().await.is_empty());
    world.faults.settled().await;
    assert_eq!(create.send(repository).await.expect("sent").applied().expect("its own"), 1);
    let Outcome::Refused(refusal) = cart(2, 0).create().send(repository).await.expect("sent") else {
        panic!("applied")
    };
    assert_eq!(refusal.reasons(), [Reason::Exists]);
}

#[tokio::test]
async fn a_write_waits_for_a_conflicting_write_in_another_region() {
    pause();
    let world = world::<Cart>().await;
    world.faults.next([Fault::ErrorCode("ReplicatedWriteConflictException"); 3]);
    assert_eq!(cart(1, 0).create().send(&world.repository).await.expect("sent").applied().expect("applied"), 1);
    world.repository.create_table::<Plain>().await.expect("a table");
    world.faults.next([Fault::ErrorCode("ReplicatedWriteConflictException"); 3]);
    plain(1).put().send(&world.repository).await.expect("a put");
    // The command sends nine requests, and the SDK makes three attempts for each.
    world.faults.next([Fault::ErrorCode("ReplicatedWriteConflictException"); 27]);
    let error = plain(1).put().send(&world.repository).await.expect_err("busy");
    assert!(error.is_contended() && !error.may_be_applied(), "{error:?}");
    assert_eq!(
        error.to_string(),
        "put of `Plain` (id = \"1\"): in each of 9 attempts, a request in another region was writing the item: send it again later"
    );
}

/// A possibly written copy in the history does not count, because it is not the write that was asked for.
#[tokio::test]
async fn a_possibly_written_revision_does_not_put_the_write_in_doubt() {
    pause();
    for end in ends().into_iter().filter(|end| !matches!(end[0], Fault::Unreadable | Fault::ServerError { .. })) {
        let world = world::<Draft>().await;
        draft("a", 0).create().send(&world.other()).await.expect("sent").applied().expect("applied");
        let loaded = Draft::get("1").consistent().loaded().send(&world.other()).await.expect("a get").expect("there");
        world.faults.next(lost(end.clone()));
        let error = draft("b", 1).put().over(&loaded).send(&world.repository).await.expect_err("no copy");
        assert!(!error.may_be_applied(), "{end:?}: {error:?}");
    }
}
