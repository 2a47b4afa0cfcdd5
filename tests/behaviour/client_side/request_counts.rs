//! The numbers of requests that client-side transactions send.

use super::{Account, account, bank, heads, name, operations};
use dyno::{Transaction, TransactionOutcome};
use dyno_tests::{World, pause};
use std::time::Duration;

#[tokio::test]
async fn creating_two_items_takes_two_intents_a_commit_and_two_applies() {
    let world = bank(0).await;
    let before = world.faults.events().len();
    let made = Transaction::new().put([account("a", 1).create(), account("b", 2).create()]).client_side();
    let made = made.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!((made.version_of::<Account>(0), made.version_of::<Account>(1), made.unapplied()), (Some(1), Some(1), 0));
    // The read of lanes, the creation of a lane, and `DescribeTable` for the keys of the indexes.
    let lane = ["BatchGetItem", "DescribeTable", "PutItem"];
    let sent = ["PutItem", "PutItem", "UpdateItem", "UpdateItem", "UpdateItem"];
    let mut found = operations(&world, before);
    found[..3].sort();
    assert_eq!(found, [&lane[..], &sent].concat());
    let stored = world.stored::<Account>().await;
    assert!(
        stored.len() == 2 && stored.iter().all(|item| !item.contains_key("_x") && !item.contains_key("deleted")),
        "{stored:?}"
    );
    assert_eq!(heads(&world).await.len(), 1);
}

/// With this lock timeout, even a slow engine causes no heartbeats of the lane, which would count as writes.
fn patient(mut world: World) -> World {
    world.repository = world.repository.with_lock_timeout(Duration::from_mins(10));
    world
}

#[tokio::test]
async fn n_updates_send_one_read_per_hundred_items_and_2n_plus_1_writes() {
    pause();
    for count in [1, 10, 150, 600] {
        let world = patient(bank(0).await);
        let all: Vec<_> = (0..count).map(|at| account(&name(at), 100).create()).collect();
        let all = Transaction::new().put(all).client_side().send(&world.repository).await;
        all.expect("sent").applied().expect("applied");
        let before = world.faults.events().len();
        let updates: Vec<_> =
            (0..count).map(|at| Account::update(name(at)).unchecked().with(Account::fields().balance.add(1))).collect();
        let sent = Transaction::new().update(updates).client_side();
        let outcome = sent.send(&world.repository).await.expect("sent");
        assert!(matches!(outcome, TransactionOutcome::Applied(_)));
        let operations = operations(&world, before);
        let of = |name: &str| operations.iter().filter(|operation| *operation == name).count();
        let pages = usize::from(count > 500);
        assert_eq!(
            (of("BatchGetItem"), of("UpdateItem"), of("PutItem")),
            (count.div_ceil(100), 2 * count + 1, pages),
            "{count}"
        );
        assert_eq!(operations.len(), count.div_ceil(100) + 2 * count + 1 + pages);
        for at in 0..count {
            let account =
                Account::get(name(at)).consistent().send(&world.other()).await.expect("a get").expect("an account");
            assert_eq!((account.balance, account.version), (101, 2));
        }
    }
}

#[tokio::test]
async fn a_transaction_too_large_for_one_request_commits_client_side() {
    let world = bank(101).await;
    let updates: Vec<_> =
        (0..101).map(|at| Account::update(name(at)).version(1).with(Account::fields().balance.add(1))).collect();
    let sent = Transaction::new().update(updates);
    assert!(
        sent.request(&world.repository).expect_err("many requests").to_string().contains("2 for each of its 101 items")
    );
    let committed = sent.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(committed.version_of::<Account>(100), Some(2));
}

#[tokio::test]
async fn a_closure_too_large_for_one_request_commits_client_side() {
    let world = patient(bank(120).await);
    let before = world.faults.events().len();
    let all = Transaction::interactive(|tx| async move {
        let accounts = tx.batch_get(Account::batch_get((0..120).map(name))).await?;
        let accounts: Option<Vec<Account>> = accounts.into_iter().collect();
        let accounts = accounts.ok_or("an account is missing")?;
        let sum: u64 = accounts.iter().map(|account| account.balance).sum();
        for mut account in accounts.into_iter().take(110) {
            account.balance += 1;
            tx.put(account.put());
        }
        Ok(sum)
    });
    let sum = all.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(sum, 12_000);
    let operations = operations(&world, before);
    let of = |name: &str| operations.iter().filter(|operation| *operation == name).count();
    // Two read the accounts, one reads lanes, and one validates the ten accounts that were only read.
    assert_eq!((of("BatchGetItem"), of("UpdateItem")), (4, 221));
}
