//! Client-side transactions in a stream: one change of each item when the transaction is applied, and no change if it fails.

use super::records::{records, streamed};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::stream::{Changed, Record};
use dyno::{Entity, Transaction};
use dyno_tests::faults::Fault;
use dyno_tests::witness::is_commit;
use dyno_tests::{World, pause};
use std::time::Duration;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Account {
    #[partition_key]
    id: u64,
    balance: u64,
    #[version]
    version: u64,
}

fn account(id: u64, balance: u64, version: u64) -> Account {
    Account { id, balance, version }
}

/// An account to change, an account to delete, and a tombstone.
async fn accounts() -> World {
    pause();
    let world = streamed::<Account>().await;
    world.create_lanes().await;
    for id in 1..=3 {
        applied!(account(id, 100, 0).create(), &world.repository);
    }
    applied!(Account::delete(3, 1), &world.repository);
    world
}

fn transaction() -> Transaction {
    Transaction::new()
        .update(Account::update(1).version(1).with(Account::fields().balance.add(5)))
        .delete(Account::delete(2, 1))
        .put([account(3, 7, 0).create(), account(4, 9, 0).create()])
        .client_side()
}

/// The changes in the stream after the first `before` records.
async fn told(world: &World, before: usize) -> Vec<Changed<Account>> {
    let records: Vec<Record> = records::<Account>(world).await;
    let mut changes: Vec<_> =
        records[before..].iter().filter_map(|record| record.change::<Account>().expect("decodes")).collect();
    changes.sort_by_key(|change| change.before().or(change.after()).map(|account| account.id));
    changes
}

#[tokio::test]
async fn a_client_side_transaction_changes_each_item_once() {
    let world = accounts().await;
    let before = records::<Account>(&world).await.len();
    transaction().send(&world.repository).await.expect("sent").applied().expect("applied");
    let changes = told(&world, before).await;
    let [updated, Changed::Deleted { old, tombstone: Some(_), expired: false }, again, created] = &changes[..] else {
        panic!("{changes:?}");
    };
    assert_eq!(updated, &Changed::Updated { old: account(1, 100, 1), new: account(1, 105, 2) });
    assert_eq!(old, &account(2, 100, 1));
    assert_eq!(again, &Changed::Created { new: account(3, 7, 3) });
    assert_eq!(created, &Changed::Created { new: account(4, 9, 1) });
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "files")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct File {
    #[partition_key]
    id: u64,
    head: String,
    body: String,
    #[version]
    version: u64,
}

/// While the transaction is open, the new item is stored in pages.
#[tokio::test]
async fn an_item_of_300_kb_changes_once() {
    pause();
    let world = streamed::<File>().await;
    world.create_lanes().await;
    let file = |body: &str, version| File { id: 1, head: "h".repeat(50 << 10), body: body.repeat(250 << 10), version };
    applied!(file("x", 0).create(), &world.repository);
    let before = records::<File>(&world).await.len();
    let change = Transaction::new().put(file("y", 1).put()).client_side();
    change.send(&world.repository).await.expect("sent").applied().expect("applied");
    let records: Vec<Record> = records::<File>(&world).await;
    let changes = records[before..].iter().filter_map(|record| record.change::<File>().expect("decodes"));
    assert!(changes.eq([Changed::Updated { old: file("x", 1), new: file("y", 2) }]));
}

#[tokio::test]
async fn a_failed_client_side_transaction_reports_no_change() {
    let world = accounts().await;
    let before = records::<Account>(&world).await.len();
    let process = world.process(RetryConfig::disabled());
    process.faults.on_request(1, is_commit, Fault::DiesBefore);
    assert!(process.run(transaction().send(&process.repository)).await.is_none());
    // The next process aborts the transaction: a write and three reads remove its intents.
    let hasty = world.other().with_lock_timeout(Duration::ZERO);
    let other = account(4, 1, 0).create();
    applied!(other, &hasty);
    for id in [1, 2, 3] {
        let check = Transaction::interactive(|tx| async move { Ok(tx.get(Account::get(id)).await?.is_some()) });
        let there = check.send(&hasty).await.expect("sent").applied().expect("nothing can be refused");
        assert_eq!(there, id != 3);
    }
    assert!(!world.stored::<Account>().await.iter().any(|row| row.contains_key("_x")));
    assert_eq!(told(&world, before).await, [Changed::Created { new: account(4, 1, 1) }]);
}
