//! Limits: items that an intent cannot hold, rows without a version, and attempts that take too long.

use super::{Account, account, bank, creates, heads, is_commit, there};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Item, Reason, Transaction};
use dyno_tests::faults::{Event, Fault};
use dyno_tests::{World, is_remote, item, n, s, world};
use std::time::Duration;

#[derive(Entity, Clone)]
#[entity(table = "things")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Thing {
    #[partition_key]
    id: String,
    #[attribute(rest)]
    rest: Item,
    #[version]
    version: u64,
}

fn nested(depth: usize) -> AttributeValue {
    (1..depth).fold(AttributeValue::L(Vec::new()), |value, _| AttributeValue::L(vec![value]))
}

/// DynamoDB allows 32 levels of nesting, and an intent takes two of them.
#[tokio::test]
async fn an_item_nested_too_deeply_for_its_intent_is_refused_before_any_write() {
    let world = world::<Thing>().await;
    world.create_lanes().await;
    let thing = |id: &str, depth| {
        let rest = [("deep".to_owned(), nested(depth))].into_iter().collect();
        Thing { id: id.to_owned(), rest, version: 0 }
    };
    for (depth, is_possible) in [(29, true), (31, false)] {
        let id = depth.to_string();
        let both =
            Transaction::new().put([thing(&format!("{id} a"), 1).create(), thing(&id, depth).create()]).client_side();
        match both.send(&world.repository).await {
            Ok(outcome) => assert!(is_possible && outcome.is_applied(), "{depth}"),
            Err(error) => assert!(!is_possible && error.is_invalid_input(), "{depth}: {error}"),
        }
    }
    assert_eq!(world.stored::<Thing>().await.len(), 2);
}

/// The old item and the intent share the row for a while, so both must fit into it. Only the new values can be elsewhere.
#[tokio::test]
async fn an_item_too_large_with_its_intent_is_refused_before_any_write() {
    let world = world::<Thing>().await;
    world.create_lanes().await;
    let thing = |id: &str, kilobytes: usize, version| {
        let rest = [("text".to_owned(), s(&"x".repeat(kilobytes * 1024)))].into_iter().collect();
        Thing { id: id.to_owned(), rest, version }
    };
    let full = Thing { rest: [("text".to_owned(), s(&"x".repeat(400 * 1024 - 60)))].into(), ..thing("a", 0, 0) };
    full.create().send(&world.repository).await.expect("sent").applied().expect("applied");
    let stored = world.stored::<Thing>().await;
    let before = world.faults.events().len();
    let both = Transaction::new().put([thing("b", 1, 0).put(), thing("a", 1, 1).put()]);
    let error = both.client_side().send(&world.repository).await.expect_err("too large");
    assert!(error.is_invalid_input() && error.to_string().contains("with the transaction's pending change"), "{error}");
    let events = world.faults.events().split_off(before);
    assert!(!events.iter().any(|event| event.is_write() && event.tables().contains("things")), "{events:?}");
    assert_eq!(world.stored::<Thing>().await, stored);
}

/// A row without a version and a write id meets conditions that only demand their absence, and so does a deleted row. The
/// deleted row is not recreated.
#[tokio::test(start_paused = true)]
async fn a_deleted_row_without_a_version_is_not_recreated_in_part() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(0).await;
    world.write_foreign::<Account>(item([("id", s("a")), ("balance", n(5))])).await;
    // Four requests come before the intent: the read, the read of lanes, the creation of a lane, and `DescribeTable`.
    world.faults.hold_after(4);
    let repository = world.repository.clone();
    let sent = tokio::spawn(async move {
        let add = Transaction::interactive(|tx| async move {
            let Some(account) = tx.get(Account::get("a")).await? else { return Ok(None) };
            tx.update(Account::update("a").unchecked().with(Account::fields().balance.add(1)));
            Ok(Some(account.balance))
        });
        add.client_side().send(&repository).await
    });
    tokio::time::timeout(Duration::from_mins(1), world.faults.held()).await.expect("it comes to the intent");
    let delete = world.other().client().delete_item().table_name("accounts").key("id", s("a"));
    delete.send().await.expect("deleted");
    world.faults.release();
    let outcome = sent.await.expect("no panic").expect("sent").applied().expect("applied");
    assert_eq!((outcome, world.stored::<Account>().await), (None, Vec::new()));
}

/// A row with only its key meets conditions that demand the absence of everything else, and so does a deleted row. The
/// deleted row is not recreated.
#[tokio::test(start_paused = true)]
async fn a_deleted_row_with_only_its_key_is_not_recreated_in_part() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(0).await;
    world.write_foreign::<Account>(item([("id", s("a"))])).await;
    // Four requests come before the intent: the read, the read of lanes, the creation of a lane, and `DescribeTable`.
    world.faults.hold_after(4);
    let repository = world.repository.clone();
    let sent = tokio::spawn(async move {
        let set = Account::update("a").unchecked().with(Account::fields().balance.set(1));
        Transaction::new().update(set).client_side().send(&repository).await
    });
    world.faults.held().await;
    let delete = world.other().client().delete_item().table_name("accounts").key("id", s("a"));
    delete.send().await.expect("deleted");
    world.faults.release();
    let outcome = sent.await.expect("no panic").expect("sent");
    let refusal = outcome.refusal().and_then(|refusal| refusal.refusal_of::<Account>(0)).expect("refused");
    assert_eq!(refusal.reasons(), [Reason::Missing]);
    assert_eq!(world.stored::<Account>().await, Vec::new());
}

/// No intent and no commit is sent later than 15 minutes after the attempt began, because an expected tombstone can be gone
/// by then.
#[tokio::test(start_paused = true)]
async fn an_attempt_older_than_15_minutes_does_not_commit() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world: World = bank(1).await;
    for before in [4, 5] {
        // One of the two intents waits for 15 minutes.
        world.faults.hold_after(if before == 4 { 4 } else { 1 });
        let (repository, clock) = (world.repository.clone(), world.clock.clone());
        let id = format!("new {before}");
        let sent = tokio::spawn(async move {
            let both = [account(&id, 1).create(), account(&format!("{id} b"), 1).create()];
            Transaction::new().put(both).client_side().send(&repository).await
        });
        tokio::time::timeout(Duration::from_mins(1), world.faults.held()).await.expect("it comes to the intents");
        clock.advance(15 * 60 * 1000);
        world.faults.release();
        sent.await.expect("no panic").expect("sent").applied().expect("applied");
    }
    // The first attempt of each transaction has not committed.
    let numbers = heads(&world).await.remove(0)["committed"].clone();
    assert_eq!(world.faults.events().iter().filter(|event| is_commit(event)).count(), 2);
    assert_eq!(numbers, n(4));
    assert_eq!(world.stored::<Account>().await.len(), 5);
}

/// The SDK would resend a lost request with a new signature, but not if the attempt began 15 minutes ago.
#[tokio::test(start_paused = true)]
async fn a_lost_request_of_an_attempt_older_than_15_minutes_is_not_resent() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    // Three requests come before the two intents: the read of lanes, the creation of a lane, and `DescribeTable`.
    let is_intent = |event: &Event| event.text().starts_with("PutItem accounts");
    for is_asked_for in [false, true] {
        let (before, is_this): (_, fn(&Event) -> bool) = if is_asked_for { (5, is_commit) } else { (3, is_intent) };
        let world: World = bank(0).await;
        let process = world.process(RetryConfig::standard()).along();
        process.faults.on_request(1, is_this, Fault::RequestLost);
        process.faults.hold_after(before);
        let repository = process.repository.clone();
        let transaction = creates(&["a", "b"]);
        let sent = transaction.clone();
        let sent = tokio::spawn(async move { sent.send(&repository).await });
        process.faults.held().await;
        process.clock.advance(15 * 60 * 1000);
        process.faults.release();
        // If the commit is lost, `send` reads the lane row and makes another attempt. If an intent is lost, `send` returns
        // an error.
        let sent = sent.await.expect("no panic");
        assert_eq!(sent.is_ok(), is_asked_for, "{sent:?}");
        transaction.send(&process.repository).await.expect("sent").applied().expect("applied");
        let events = process.faults.events();
        assert!(events.iter().filter(|event| is_this(event)).all(|event| event.attempt == 1), "{events:#?}");
        // The attempt that committed is a later one.
        assert!(heads(&world).await.iter().all(|head| head["committed"] != n(1)));
        assert_eq!(there(&world, &["a", "b"]).await, ["a", "b"]);
    }
}
