//! Transactions, and reads of items that transactions hold.

use super::{Account, account, add, balance, bank, lag};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Error, Repository, Sweep, Transaction};
use dyno_tests::World;
use dyno_tests::faults::{Event, Fault};
use dyno_tests::pause;

fn is_commit(event: &Event) -> bool {
    event.text().contains("SET committed")
}

/// Reads one account alone, and two more as a batch.
async fn collect(repository: &Repository, client_side: bool) -> Result<u64, Error> {
    let collect = Transaction::interactive(|tx| async move {
        let mut into = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        let from = tx.batch_get(Account::batch_get(["b", "c"])).await?;
        for mut account in from.into_iter().flatten() {
            into.balance += account.balance;
            account.balance = 0;
            tx.put(account.put());
        }
        tx.put(into.put());
        Ok(into.balance)
    });
    let collect = if client_side { collect.client_side() } else { collect };
    collect.send(repository).await?.applied()
}

/// The closure runs only once, because its reads are not stale.
#[tokio::test]
async fn an_interactive_transaction_commits_at_its_first_attempt() {
    pause();
    for client_side in [false, true] {
        let world = bank().await;
        lag(&world);
        add(&world, "a", 1).await;
        add(&world, "b", 10).await;
        applied!(account("c", 5).create(), &world.other());
        assert_eq!(collect(&world.repository, client_side).await.expect("sent"), 216);
        let gets = world.faults.events().iter().filter(|event| event.text().starts_with("GetItem accounts")).count();
        assert_eq!(gets, 1, "{client_side}");
        assert_eq!(balance(&world, "a").await, 216);
        assert_eq!(balance(&world, "b").await, 0);
    }
}

/// Two changes of a row that the closure has not read are merged into one change of the current row.
#[tokio::test]
async fn two_changes_of_an_unread_row_commit_at_the_first_attempt() {
    pause();
    for client_side in [false, true] {
        let world = bank().await;
        lag(&world);
        add(&world, "a", 1).await;
        let add_twice = Transaction::interactive(|tx| async move {
            for sum in [10, 20] {
                tx.update(Account::update("a").unchecked().with(Account::fields().balance.add(sum)));
            }
            Ok(())
        });
        let add_twice = if client_side { add_twice.client_side() } else { add_twice };
        let before = world.faults.events().len();
        add_twice.send(&world.repository).await.expect("sent").applied().expect("applied");
        let events = world.faults.events().split_off(before);
        let writes = events.iter().filter(|event| event.is_write() && event.tables().contains("accounts"));
        assert_eq!(writes.count(), if client_side { 2 } else { 1 }, "{events:?}");
        assert_eq!(balance(&world, "a").await, 131);
    }
}

#[tokio::test]
async fn a_request_id_is_found_after_another_process_has_used_it() {
    pause();
    let world = bank().await;
    let pay = || {
        let pay = Transaction::interactive(|tx| async move {
            let mut account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
            account.balance -= 30;
            tx.put(account.put());
            Ok(())
        });
        pay.request_id("payment#1")
    };
    world.repository.create_request_table().await.expect("a new table");
    lag(&world);
    pay().send(&world.other()).await.expect("sent").applied().expect("applied");
    let again = pay().send(&world.repository).await.expect("sent");
    assert!(again.refusal().is_some_and(dyno::TransactionRefusal::is_duplicate));
    assert_eq!(balance(&world, "a").await, 70);
}

/// A transaction that changes two accounts. Its process dies after the commit, so the transaction still holds both accounts.
async fn committed_and_held(world: &World) {
    let process = world.process(RetryConfig::disabled());
    process.faults.on_request(1, is_commit, Fault::DiesAfter);
    let repository = process.repository.clone();
    let transfer = Transaction::new().update([
        Account::update("a").unchecked().with(Account::fields().balance.add(7)),
        Account::update("b").unchecked().with(Account::fields().balance.add(7)),
    ]);
    let sent = process.run(async move { transfer.client_side().send(&repository).await }).await;
    assert!(sent.is_none(), "the process died");
}

#[tokio::test]
async fn consistent_reads_see_a_committed_transaction_that_is_not_applied() {
    pause();
    let world = bank().await;
    lag(&world);
    committed_and_held(&world).await;
    let repository = &world.repository;
    let got = Account::get("a").consistent().send(repository).await.expect("a get").expect("an account");
    assert_eq!(got.balance, 107);
    let batch = Account::batch_get(["a", "b"]).consistent().send(repository).await.expect("a batch");
    assert_eq!(batch.iter().flatten().map(|account| account.balance).collect::<Vec<_>>(), [107, 107]);
    let scan = Account::scan().consistent().send(repository).await.expect("a scan");
    assert_eq!(scan.items.iter().map(|account| account.balance).collect::<Vec<_>>(), [107, 107]);
}

/// While a read resolves a transaction, another process applies the transaction and changes the items again.
#[tokio::test]
async fn a_read_sees_what_happens_while_it_resolves_a_transaction() {
    pause();
    for requests in 1..=3 {
        for batch in [false, true] {
            let world = bank().await;
            lag(&world);
            committed_and_held(&world).await;
            world.faults.hold_after(requests);
            let repository = world.repository.clone();
            let reading = tokio::spawn(async move {
                if batch {
                    let read = Account::batch_get(["a", "b"]).consistent().send(&repository).await.expect("a batch");
                    read.into_iter().flatten().collect()
                } else {
                    Account::scan().consistent().send(&repository).await.expect("a scan").items
                }
            });
            world.faults.held().await;
            add(&world, "a", 1).await;
            add(&world, "b", 1).await;
            world.faults.release();
            let read: Vec<Account> = reading.await.expect("no panic");
            let balances: Vec<_> = read.iter().map(|account| account.balance).collect();
            assert!(balances.iter().all(|balance| [107, 108].contains(balance)), "{requests}, {batch}: {balances:?}");
            assert_eq!(balances.len(), 2, "{requests}, {batch}");
        }
    }
}

#[tokio::test]
async fn a_write_finds_the_transaction_that_holds_its_item() {
    pause();
    let world = bank().await;
    lag(&world);
    committed_and_held(&world).await;
    applied!(Account::update("a").unchecked().with(Account::fields().balance.add(1)), &world.repository);
    assert_eq!(balance(&world, "a").await, 108);
    assert_eq!(balance(&world, "b").await, 107);
}

#[tokio::test]
async fn a_sweep_finds_items_that_are_held_since_a_moment_ago() {
    pause();
    let world = bank().await;
    lag(&world);
    committed_and_held(&world).await;
    let patient = world.repository.clone().with_lock_timeout(std::time::Duration::ZERO);
    let report = Sweep::new().of::<Account>().send(&patient).await.expect("swept");
    assert_eq!((report.rolled_forward(), report.failed()), (2, 0), "{report:?}");
}
