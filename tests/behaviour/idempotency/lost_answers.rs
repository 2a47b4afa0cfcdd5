//! Retries after a lost response, with and without an idempotency key.

use super::{Bill, Rowed, Versioned, bills, is_duplicate};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Entity, ErrorKind, Reason};
use dyno_tests::faults::Fault;
use dyno_tests::{n, s, world};
use std::time::Duration;

#[tokio::test]
async fn a_repeated_remove_value_with_its_key_is_a_duplicate() {
    let world = bills().await;
    let push = Bill::update("1").with(Bill::fields().lines.push("x")).idempotency_key("push");
    assert!(push.send(&world.repository).await.expect("an answer").is_applied());
    let remove = Bill::update("1").with(Bill::fields().lines.remove_value("x")).idempotency_key("remove");
    assert!(remove.clone().send(&world.repository).await.expect("an answer").is_applied());
    let again = remove.send(&world.repository).await.expect("an answer");
    let reasons = again.refusal().map(|refusal| refusal.reasons().to_vec());
    assert_eq!(reasons, Some(vec![Reason::Duplicate, Reason::NotContained { path: "lines".to_owned() }]));
}

/// The retry finds the key of its own first attempt, so it is a duplicate like any other.
#[tokio::test]
async fn a_keyed_update_is_resent_after_a_lost_answer_and_applies_once() {
    for lost in [1, 2] {
        let world = bills().await;
        world.lose_answers(lost);
        assert!(is_duplicate(&add!(Bill, &world.repository, "a", 5)));
        assert_eq!(total!(Bill, world), 5);
    }
    let world = world::<Rowed>().await;
    let rowed = Rowed { id: "1".to_owned(), total: 0, lines: Vec::new() };
    rowed.put().send(&world.repository).await.expect("a put");
    // DynamoDB recognizes a repeated transaction by its token.
    world.lose_answers(1);
    assert!(add!(Rowed, &world.repository, "a", 5).is_applied());
    assert_eq!(total!(Rowed, world), 5);
}

/// Without a key, a change that would count twice is not sent again. The plain SDK sends it again, and it counts twice.
#[tokio::test]
async fn an_increment_without_a_key_is_not_resent_after_a_lost_answer() {
    let world = bills().await;
    let f = Bill::fields;
    for change in [f().total.add(1), f().total.increment(1), f().lines.push("x"), f().lines.extend(["y", "z"])] {
        let before = world.stored::<Bill>().await;
        world.lose_answers(1);
        let error = Bill::update("1").with(change).send(&world.repository).await.expect_err("nobody knows");
        assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
        assert_eq!(
            error.to_string(),
            "update of `Bill` (id = \"1\"): DynamoDB did not answer: the answer was lost; the update may have been applied, and was \
             not sent again because it could count twice: load the item and decide; an idempotency key makes such an update \
             safe to repeat"
        );
        assert!(std::error::Error::source(&error).is_some());
        assert_ne!(world.stored::<Bill>().await, before, "it was applied, once");
    }
    assert_eq!(total!(Bill, world), 2);
    world.lose_answers(1);
    let remove = Bill::update("1").with(f().lines.remove_at(0, "x")).send(&world.repository).await;
    assert!(remove.expect_err("nobody knows").is_outcome_unknown());

    // The plain SDK sends the update again.
    let client = world.client(RetryConfig::standard().with_initial_backoff(Duration::from_millis(1)));
    let raw = client.update_item().table_name("bills").key("id", s("1")).update_expression("ADD #t :n");
    let raw = raw.expression_attribute_names("#t", "total").expression_attribute_values(":n", n(1));
    world.lose_answers(1);
    raw.send().await.expect("it says that all is well");
    assert_eq!(total!(Bill, world), 4, "1 was added, twice");
}

#[tokio::test]
async fn a_repeatable_change_without_a_key_is_resent_after_a_lost_answer() {
    let world = bills().await;
    let f = Bill::fields;
    for change in [f().total.set(7), f().total.set_if_absent(9), f().lines.set(vec!["x".to_owned()])] {
        world.lose_answers(1);
        assert!(Bill::update("1").with(change).send(&world.repository).await.expect("sent again").is_applied());
    }
    // The retry is refused, because the list already has the element.
    world.lose_answers(1);
    let unique = Bill::update("1").with(f().lines.push_unique("y")).send(&world.repository).await.expect("sent again");
    let contained = Reason::Contained { path: "lines".to_owned() };
    assert_eq!(unique.refusal().map(|refusal| refusal.reasons().to_vec()), Some(vec![contained]));
    let bill = Bill::get("1").consistent().send(&world.repository).await.expect("a get").expect("a bill");
    assert_eq!((bill.total, bill.lines), (7, vec!["x".to_owned(), "y".to_owned()]));
}

/// A throttled request was certainly not applied.
#[tokio::test]
async fn a_throttled_increment_is_sent_again() {
    let world = bills().await;
    world.faults.throttle(2);
    let update = Bill::update("1").with(Bill::fields().total.add(1)).send(&world.repository).await;
    assert!(update.expect("the third attempt").is_applied());
    world.faults.throttle(5);
    let error =
        Bill::update("1").with(Bill::fields().total.add(1)).send(&world.repository).await.expect_err("throttled");
    assert!(error.is_throttled(), "{error}");
    world.faults.throttle(0);
    assert_eq!(total!(Bill, world), 1);
    // After an internal error of DynamoDB, the increment is not sent again.
    world.faults.next([Fault::ServerError { served: true }]);
    let error = Bill::update("1").with(Bill::fields().total.add(1)).send(&world.repository).await.expect_err("a 500");
    assert!(error.is_outcome_unknown(), "{error}");
}

/// Another write follows the update before its retry. The retry still finds its key in the item.
#[tokio::test]
async fn a_checked_update_overtaken_by_another_write_finds_its_key() {
    let world = world::<Versioned>().await;
    let new = Versioned { id: "1".to_owned(), total: 0, note: "a".to_owned(), version: 0 };
    new.create().send(&world.repository).await.expect("sent").applied().expect("applied");
    let (repository, other) = (world.repository.clone(), world.other());
    let update = async move {
        let update = Versioned::update("1").version(1u64).with(Versioned::fields().total.add(1)).idempotency_key("a");
        update.send(&repository).await.expect("an answer")
    };
    let overtake = async {
        let update = Versioned::update("1").version(2u64).with(Versioned::fields().note.set("b"));
        assert!(update.send(&other).await.expect("an answer").is_applied());
    };
    assert!(is_duplicate(&world.meanwhile(update, overtake).await));
    assert_eq!(total!(Versioned, world), 1);
}

/// The key identifies an unchecked update, so the update can be sent again.
#[tokio::test]
async fn an_unchecked_keyed_update_sent_again_is_recognized_as_a_duplicate() {
    let world = world::<Versioned>().await;
    let new = Versioned { id: "1".to_owned(), total: 0, note: "a".to_owned(), version: 0 };
    new.create().send(&world.repository).await.expect("sent").applied().expect("applied");
    let add = Versioned::update("1").unchecked().with(Versioned::fields().total.add(1)).idempotency_key("a");
    world.lose_answers(3);
    let error = add.clone().send(&world.repository).await.expect_err("no answer");
    assert!(
        error.is_unreachable()
            && error.to_string().ends_with("send a clone of this command to find out, or load the item and decide"),
        "{error}"
    );
    assert!(is_duplicate(&add.send(&world.repository).await.expect("an answer")));
    assert_eq!(total!(Versioned, world), 1);
}

/// A clone of a checked command is the same write, also if the command first reads the position of an element.
#[tokio::test]
async fn a_clone_of_remove_value_recognizes_its_own_removal() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "lists")]
    struct List {
        #[partition_key]
        id: String,
        lines: Vec<String>,
        #[version]
        version: u64,
    }
    for overtaken in [false, true] {
        let world = world::<List>().await;
        let repository = &world.repository;
        let list = List { id: "1".to_owned(), lines: vec!["x".to_owned()], version: 0 };
        list.create().send(repository).await.expect("sent").applied().expect("applied");
        let remove = List::update("1").version(1u64).with(List::fields().lines.remove_value("x"));
        world.faults.hold_after(1);
        let first = tokio::spawn({
            let (remove, repository) = (remove.clone(), repository.clone());
            async move { remove.send(&repository).await }
        });
        world.faults.held().await;
        world.lose_answers(3);
        world.faults.release();
        first.await.expect("no panic").expect_err("no answer");
        if overtaken {
            let other = List::update("1").version(2u64).with(List::fields().lines.push("y"));
            assert!(other.send(&world.other()).await.expect("sent").is_applied());
            assert!(remove.send(repository).await.expect_err("others have been there").is_outcome_unknown());
        } else {
            assert_eq!(remove.send(repository).await.expect("sent").applied().expect("its own"), 2);
        }
    }
}

/// A command without a write id is a new write each time it is sent.
#[tokio::test]
async fn an_unchecked_update_is_not_in_doubt_because_of_its_clone() {
    let world = world::<Versioned>().await;
    let new = Versioned { id: "1".to_owned(), total: 0, note: "a".to_owned(), version: 0 };
    new.create().send(&world.repository).await.expect("sent").applied().expect("applied");
    let add = Versioned::update("1").unchecked().with(Versioned::fields().total.add(1));
    assert!(add.clone().send(&world.repository).await.expect("sent").is_applied());
    world.faults.throttle(9);
    assert!(add.send(&world.repository).await.expect_err("throttled").is_throttled());
}
