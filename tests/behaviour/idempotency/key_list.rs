//! A window by count: an update guesses whether the list has room, or whether it must drop the oldest key.

use dyno::{Entity, ErrorKind, Repository, Transaction};
use dyno_tests::{is_remote, pause, world};
use std::iter;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "lists")]
#[idempotency(keys = 2, raw, key_bytes = 8)]
struct List {
    #[partition_key]
    id: String,
    total: u64,
    lines: Vec<String>,
}

async fn list(repository: &Repository) {
    let list = List { id: "1".to_owned(), total: 0, lines: vec!["x".to_owned(), "y".to_owned()] };
    list.create().send(repository).await.expect("a create").applied().expect("applied");
}

/// The position that was read before the first guess may be outdated at the second guess.
#[tokio::test]
async fn remove_value_reads_the_item_again_after_a_wrong_guess() {
    let world = world::<List>().await;
    let repository = world.repository.metered();
    list(&repository).await;
    for key in ["a", "b"] {
        assert!(add!(List, &repository, key, 1).is_applied());
    }
    let before = repository.usage().requests;
    let remove = List::update("1").with(List::fields().lines.remove_value("y")).idempotency_key("c");
    assert!(remove.send(&repository).await.expect("an answer").is_applied());
    assert_eq!(repository.usage().requests - before, 4, "it is read and refused, and read and applied");
    let stored = world.stored::<List>().await.remove(0);
    assert_eq!(stored["_k"].as_l().map(Vec::len), Ok(2));
    // The key `a` was dropped, so its update is applied again.
    assert!(add!(List, &repository, "a", 1).is_applied());
}

/// An answer that refuses an update, with an item of this many keys.
fn refused(keys: usize) -> String {
    let keys = iter::repeat_n(r#"{"B":"b2xk"}"#, keys).collect::<Vec<_>>().join(",");
    format!(
        r#"{{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"refused",
            "Item":{{"id":{{"S":"1"}},"total":{{"N":"0"}},"lines":{{"L":[]}},"_k":{{"L":[{keys}]}}}}}}"#
    )
}

/// A moved list element allows more retries than changed keys do, so the limit of the keys counts.
#[tokio::test]
async fn a_transaction_retries_only_as_often_as_its_most_limited_write() {
    if is_remote() {
        // The answers are made by this test.
        return;
    }
    pause();
    let world = world::<List>().await;
    list(&world.repository).await;
    let other = List { id: "2".to_owned(), total: 0, lines: vec!["x".to_owned(), "y".to_owned()] };
    other.create().send(&world.repository).await.expect("a create").applied().expect("applied");
    for (keys, lines) in [(2, r#"{"S":"y"}"#), (1, r#"{"S":"x"},{"S":"y"}"#)].into_iter().cycle().take(40) {
        let keys = iter::repeat_n(r#"{"B":"b2xk"}"#, keys).collect::<Vec<_>>().join(",");
        world.faults.answer("TransactWriteItems", 400, &format!(
            r#"{{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"cancelled","CancellationReasons":[
                {{"Code":"ConditionalCheckFailed","Message":"","Item":{{"id":{{"S":"1"}},"_k":{{"L":[{keys}]}}}}}},
                {{"Code":"ConditionalCheckFailed","Message":"","Item":{{"id":{{"S":"2"}},"lines":{{"L":[{lines}]}}}}}}]}}"#
        ));
    }
    let repository = world.repository.metered();
    let transaction = Transaction::new()
        .update(List::update("1").with(List::fields().total.add(1)).idempotency_key("a"))
        .update(List::update("2").with(List::fields().lines.remove_value("y")));
    let error = transaction.send(&repository).await.expect_err("given up");
    assert!(error.to_string().contains("kept changing the idempotency keys in the item"), "{error:?}");
    assert_eq!(repository.usage().requests, 10, "one of them reads the item");
}

#[tokio::test]
async fn an_update_whose_key_list_keeps_changing_fails_as_contended() {
    if is_remote() {
        // The answers are made by this test.
        return;
    }
    let world = world::<List>().await;
    list(&world.repository).await;
    for keys in [2, 1].into_iter().cycle().take(20) {
        world.faults.answer("UpdateItem", 400, &refused(keys));
    }
    let repository = world.repository.metered();
    let update = List::update("1").with(List::fields().total.add(1)).idempotency_key("a");
    let error = update.send(&repository).await.expect_err("given up");
    assert_eq!(error.kind(), ErrorKind::Contended, "{error:?}");
    assert!(
        error.to_string().contains("kept changing the idempotency keys in the item") && !error.may_be_applied(),
        "{error}"
    );
    assert_eq!(repository.usage().requests, 9);
}
