//! What an intent cannot hold, rows that nobody has counted, and tries that take too long.

use super::{Account, account, bank, heads};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Item, Transaction};
use dyno_tests::faults::Event;
use dyno_tests::{World, endpoint, item, n, s, world};
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

/// DynamoDB takes 32 levels, of which an intent has two.
#[tokio::test]
async fn what_is_nested_too_deeply_for_an_intent_is_refused_before_it() {
    let world = world::<Thing>().await;
    world.create_lanes().await;
    let thing = |id: &str, depth| {
        let rest = [("deep".to_owned(), nested(depth))].into_iter().collect();
        Thing { id: id.to_owned(), rest, version: 0 }
    };
    for (depth, is_possible) in [(29, true), (31, false)] {
        let id = depth.to_string();
        let both =
            Transaction::new().put([thing(&format!("{id} a"), 1).create(), thing(&id, depth).create()]).by_intents();
        match both.send(&world.repository).await {
            Ok(outcome) => assert!(is_possible && outcome.is_applied(), "{depth}"),
            Err(error) => assert!(!is_possible && error.is_invalid_input(), "{depth}: {error}"),
        }
    }
    assert_eq!(world.stored::<Thing>().await.len(), 2);
}

/// A row that has neither a version nor a name looks like one that is not there, to conditions that say what it has not.
#[tokio::test(start_paused = true)]
async fn of_a_row_that_was_never_counted_and_has_gone_no_half_is_made() {
    if endpoint().is_some() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(0).await;
    world.write_foreign::<Account>(item([("id", s("a")), ("balance", n(5))])).await;
    // Its read, the lane, its table; then the intent waits.
    world.faults.hold_after(4);
    let repository = world.repository.clone();
    let sent = tokio::spawn(async move {
        let add = Transaction::interactive(|tx| async move {
            let Some(account) = tx.get(Account::get("a")).await? else { return Ok(None) };
            tx.update(Account::update("a").unchecked().with(Account::fields().balance.add(1)));
            Ok(Some(account.balance))
        });
        add.by_intents().send(&repository).await
    });
    tokio::time::timeout(Duration::from_mins(1), world.faults.held()).await.expect("it comes to the intent");
    let delete = world.other().client().delete_item().table_name("accounts").key("id", s("a"));
    delete.send().await.expect("deleted");
    world.faults.release();
    let outcome = sent.await.expect("no panic").expect("sent").applied().expect("applied");
    assert_eq!((outcome, world.stored::<Account>().await), (None, Vec::new()));
}

/// No intent and no commit is sent later: what it expects can have lost its tombstone by then.
#[tokio::test(start_paused = true)]
async fn a_try_that_is_too_old_is_given_up() {
    if endpoint().is_some() {
        return; // Time stands still only where the engine is in this process.
    }
    let world: World = bank(1).await;
    let is_commit = |event: &Event| event.text().contains("SET committed");
    for before in [4, 5] {
        // The first of its intents waits for a quarter of an hour, or the second.
        world.faults.hold_after(if before == 4 { 4 } else { 1 });
        let (repository, clock) = (world.repository.clone(), world.clock.clone());
        let id = format!("new {before}");
        let sent = tokio::spawn(async move {
            let both = [account(&id, 1).create(), account(&format!("{id} b"), 1).create()];
            Transaction::new().put(both).by_intents().send(&repository).await
        });
        tokio::time::timeout(Duration::from_mins(1), world.faults.held()).await.expect("it comes to the intents");
        clock.advance(15 * 60 * 1000);
        world.faults.release();
        sent.await.expect("no panic").expect("sent").applied().expect("applied");
    }
    // The first try of each has committed nothing.
    let numbers = heads(&world).await.remove(0)["committed"].clone();
    assert_eq!(world.faults.events().iter().filter(|event| is_commit(event)).count(), 2);
    assert_eq!(numbers, n(4));
    assert_eq!(world.stored::<Account>().await.len(), 5);
}
