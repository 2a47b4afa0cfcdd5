//! Consistent gets show all committed changes, whether they are applied or not.

use super::{Account, account, changed, held, held_tombstone, holding, placeholder, row, stored, tombstone};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Found, Item, Projection, TransactGet};
use dyno_tests::{World, item, lanes, n, pause, s};
use std::time::Duration;

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Account)]
struct Balance {
    balance: u64,
}

/// The result of a consistent get, and its number of requests.
async fn get(world: &World) -> (Option<Account>, u64) {
    let metered = world.repository.metered();
    let got = Account::get("1").consistent().send(&metered).await.expect("a get");
    (got, metered.usage().requests)
}

#[tokio::test]
async fn a_consistent_get_shows_and_applies_a_committed_intent() {
    for held_row in [held(), placeholder(), held_tombstone()] {
        let world = holding(held_row.clone(), lanes::committed()).await;
        assert_eq!(Account::get("1").send(&world.repository).await.expect("a get").is_some(), held_row == held());
        assert_eq!(row(&world).await, Some(held_row));
        assert_eq!(get(&world).await, (Some(account(7, 4)), 3));
        assert_eq!(row(&world).await, Some(changed()));
        assert_eq!(get(&world).await, (Some(account(7, 4)), 1));
    }
}

#[tokio::test]
async fn a_consistent_get_hides_and_removes_an_aborted_intent() {
    for (held_row, there, shown) in [
        (held(), Some(stored()), Some(account(5, 3))),
        (placeholder(), None, None),
        (held_tombstone(), Some(tombstone()), None),
    ] {
        let world = holding(held_row, lanes::void()).await;
        // The get reads the row once more, because the change may have been applied between the reads of the row and the lane.
        assert_eq!(get(&world).await, (shown, 4));
        assert_eq!(row(&world).await, there);
    }
}

/// Between the reads of the row and the lane, the change is applied and the lane advances. The intent looks aborted, but the
/// row that was read is outdated.
#[tokio::test]
async fn a_consistent_get_shows_a_change_applied_during_the_read() {
    for held_row in [held(), placeholder(), held_tombstone()] {
        let world = holding(held_row, lanes::committed()).await;
        let repository = world.repository.clone();
        world.faults.hold_after(1);
        let got = tokio::spawn(async move { Account::get("1").consistent().send(&repository).await });
        world.faults.held().await;
        let other = world.other();
        other.client().put_item().table_name("accounts").set_item(Some(changed())).send().await.expect("put");
        world.put_head(lanes::head(8, "next", 0)).await;
        world.faults.release();
        assert_eq!(got.await.expect("no panic").expect("a get"), Some(account(7, 4)));
        assert_eq!(row(&world).await, Some(changed()));
    }
}

#[tokio::test]
async fn a_consistent_get_neither_shows_nor_waits_for_an_open_intent() {
    for (held_row, shown) in [(held(), Some(account(5, 3))), (placeholder(), None), (held_tombstone(), None)] {
        let world = holding(held_row.clone(), lanes::open()).await;
        assert_eq!(get(&world).await, (shown, 2));
        let found = Account::get("1").consistent().include_deleted().send(&world.repository).await.expect("a get");
        match found {
            Some(Found::Deleted(_)) => assert_eq!(held_row, held_tombstone()),
            Some(Found::Live(found)) => assert_eq!((found, held_row.clone()), (account(5, 3), held())),
            _ => assert_eq!(held_row, placeholder()),
        }
        assert_eq!(row(&world).await, Some(held_row));
    }
}

/// A projection reads a part of the row, so the get shows that part of the change and writes nothing.
#[tokio::test]
async fn a_consistent_projection_shows_a_committed_intent_and_writes_nothing() {
    for (head, balance, requests) in [(lanes::committed(), 7, 2), (lanes::void(), 5, 3), (lanes::open(), 5, 2)] {
        let world = holding(held(), head).await;
        let metered = world.repository.metered();
        let get = Account::get("1").consistent().project::<Balance>();
        assert_eq!(get.send(&metered).await.expect("a get"), Some(Balance { balance }));
        assert_eq!(metered.usage().requests, requests);
        assert_eq!(row(&world).await, Some(held()));
    }
    let world = holding(placeholder(), lanes::committed()).await;
    let get = Account::get("1").consistent().project::<Balance>();
    assert_eq!(get.clone().send(&world.repository).await.expect("a get"), Some(Balance { balance: 7 }));
    world.put_head(lanes::open()).await;
    assert_eq!(get.send(&world.repository).await.expect("a get"), None);
}

/// A snapshot shows two items of a transaction both after the transaction, or both before it.
#[tokio::test]
async fn a_snapshot_shows_all_or_nothing_of_a_transaction() {
    let two = |row: Item| -> Item { row.into_iter().chain([("id".to_owned(), s("2"))]).collect() };
    for (head, applied, balance) in
        [(lanes::committed(), changed(), 7), (lanes::committed(), held(), 7), (lanes::void(), stored(), 5)]
    {
        let world = holding(held(), head).await;
        world.write_foreign::<Account>(two(applied.clone())).await;
        let metered = world.repository.metered();
        let gets = (Account::get("1"), Account::get("2").project::<Balance>());
        let (first, second) = TransactGet::new(gets).send(&metered).await.expect("a moment");
        assert_eq!((first.map(|it| it.balance), second), (Some(balance), Some(Balance { balance })));
        // The snapshot reads all items twice, the second time with the lane, and writes nothing.
        assert_eq!(metered.usage().requests, 2);
        assert!(world.stored::<Account>().await.contains(&held()));
    }
}

/// If items and lanes are too many for one request, the intents are resolved first. If a change is too long for an expression,
/// the whole row is put, and attributes outside the projection are kept.
#[tokio::test]
async fn a_snapshot_of_100_items_first_resolves_their_intents() {
    let set: Item = (0..310).map(|at| (format!("extra{at}"), n(at))).collect();
    let world = holding(lanes::with(stored(), lanes::intent(lanes::TICKET, set.clone())), lanes::committed()).await;
    let metered = world.repository.metered();
    let others = (0..99).map(|at| Account::get(format!("other {at}"))).collect::<Vec<_>>();
    let got = TransactGet::new((Account::get("1").project::<Balance>(), others)).send(&metered).await;
    assert_eq!(got.expect("a moment").0, Some(Balance { balance: 5 }));
    assert!(row(&world).await == Some(stored().into_iter().chain(set).collect()), "not as it is to be");
    // The requests: all items twice, the whole row, its lane, and a write.
    assert_eq!(metered.usage().requests, 5);
}

/// Another transaction, on another lane, puts its intent into a row between the two reads of the snapshot.
#[tokio::test]
async fn a_snapshot_reads_again_if_another_transaction_locked_a_row() {
    let world = holding(held(), lanes::committed()).await;
    let mut second = lanes::open();
    second.insert("lane".to_owned(), s("2"));
    world.put_head(second).await;
    let process = world.process(RetryConfig::disabled());
    process.faults.hold_after(1);
    let repository = process.repository.clone();
    let sent =
        tokio::spawn(async move { TransactGet::new((Account::get("1"), Account::get("2"))).send(&repository).await });
    process.faults.held().await;
    let other = lanes::intent("2/a1b2/7/other", item([("balance", n(9))]));
    world.write_foreign::<Account>(lanes::with(changed(), other)).await;
    // The other transaction commits before the snapshot reads its lane.
    let mut second = lanes::head(7, "other", 0);
    second.insert("lane".to_owned(), s("2"));
    world.put_head(second).await;
    process.faults.release();
    let (first, _) = sent.await.expect("no panic").expect("a moment");
    assert_eq!(first.map(|account| account.balance), Some(9));
}

/// A claim only blocks other writers and changes nothing, so readers do not wait for it.
#[tokio::test]
async fn a_snapshot_does_not_wait_for_a_claim() {
    let mut new = lanes::intent(lanes::TICKET, Item::new());
    new.insert("new".to_owned(), dyno::aws_sdk_dynamodb::types::AttributeValue::Bool(true));
    let place = item([("id", s("2")), ("deleted", dyno::aws_sdk_dynamodb::types::AttributeValue::Bool(true))]);
    let world = holding(lanes::with(stored(), lanes::intent(lanes::TICKET, Item::new())), lanes::open()).await;
    world.write_foreign::<Account>(lanes::with(place, new)).await;
    let metered = world.repository.metered();
    let gets = (Account::get("1").project::<Balance>(), Account::get("2"));
    let got = TransactGet::new(gets).send(&metered).await.expect("a moment");
    assert_eq!(got, (Some(Balance { balance: 5 }), None));
    let got = TransactGet::new((Account::get("1"),)).send(&metered).await.expect("a moment");
    assert_eq!((got.0, metered.usage().requests), (Some(account(5, 3)), 2));
}

/// A snapshot waits for an open transaction, and then aborts it.
#[tokio::test]
async fn a_snapshot_aborts_an_open_transaction_after_its_lock_timeout() {
    pause();
    let world = holding(held(), lanes::open()).await;
    let repository = world.repository.metered().with_lock_timeout(Duration::ZERO);
    let got = TransactGet::new((Account::get("1"),)).send(&repository).await.expect("a moment");
    assert_eq!((got.0, repository.usage().requests), (Some(account(5, 3)), 6));
    assert_eq!(world.lane().await["void"], n(7));
    let other = item([("id", s("1"))]);
    assert_eq!(row(&world).await.map(|row| row["id"].clone()), other.get("id").cloned());
}
