//! The number of requests that a closure sends.

use super::{Account, account, balance, bank, deposit, receipt, transfer};
use dyno::{ErrorKind, Repository, Transaction};
use dyno_tests::faults::Event;
use dyno_tests::pause;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The operations of all requests after the first `before`.
fn operations(events: &[Event], before: usize) -> Vec<&str> {
    events[before..].iter().map(|event| &*event.operation).collect()
}

#[tokio::test]
async fn a_transfer_sends_two_reads_and_one_transaction() {
    let world = bank(["a", "b"]).await;
    let before = world.faults.events().len();
    assert_eq!(transfer(&world.repository, ("a", "b"), 30).await.expect("sent"), 70);
    let events = world.faults.events();
    assert_eq!(operations(&events, before), ["GetItem", "GetItem", "TransactWriteItems"]);
    assert_eq!((balance(&world, "a").await, balance(&world, "b").await), (Some(70), Some(130)));
}

#[tokio::test]
async fn changing_one_row_sends_one_read_and_one_write() {
    let world = bank(["a"]).await;
    let before = world.faults.events().len();
    let fee = Transaction::interactive(|tx| async move {
        let mut account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        account.balance -= 1;
        tx.put(account.put());
        Ok(account.balance)
    });
    assert_eq!(fee.send(&world.repository).await.expect("sent").applied().expect("applied"), 99);
    assert_eq!(operations(&world.faults.events(), before), ["GetItem", "PutItem"]);
}

/// The closure has read the tombstone, so the create continues its versions without another read.
#[tokio::test]
async fn a_create_over_a_tombstone_that_was_read_sends_one_write() {
    let world = bank(["a"]).await;
    Account::delete("a", 1).send(&world.repository).await.expect("sent").applied().expect("applied");
    let before = world.faults.events().len();
    let open = Transaction::interactive(|tx| async move {
        if tx.get(Account::get("a")).await?.is_none() {
            tx.put(account("a", 5).create());
        }
        Ok(())
    });
    open.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(operations(&world.faults.events(), before), ["GetItem", "PutItem"]);
    let stored = Account::get("a").consistent().send(&world.repository).await.expect("a get").expect("an account");
    assert_eq!((stored.version, stored.balance), (3, 5));
}

#[tokio::test]
async fn rows_that_were_only_read_are_checked_with_the_writes() {
    let world = bank(["a", "b"]).await;
    let before = world.faults.events().len();
    let bonus = Transaction::interactive(|tx| async move {
        let rich = tx.get(Account::get("a")).await?.is_some_and(|account| account.balance >= 100);
        let mut account = tx.get(Account::get("b")).await?.ok_or("no such account")?;
        account.balance += if rich { 0 } else { 10 };
        tx.put(account.put());
        Ok(())
    });
    bonus.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(operations(&world.faults.events(), before), ["GetItem", "GetItem", "TransactWriteItems"]);
}

#[tokio::test]
async fn a_closure_without_writes_validates_several_rows_by_one_more_read() {
    let world = bank(["a", "b"]).await;
    for (ids, expected) in [
        (&[][..], &[][..]),
        (&["a"], &["GetItem"]),
        // A missing item counts as a row that was read.
        (&["a", "c"], &["GetItem", "GetItem", "TransactGetItems"]),
        (&["a", "a"], &["GetItem"]),
    ] {
        let before = world.faults.events().len();
        let sum = Transaction::interactive(|tx| async move {
            let mut sum = 0;
            for id in ids {
                sum += tx.get(Account::get(*id)).await?.map_or(0, |account| account.balance);
            }
            Ok(sum)
        });
        let sum = sum.send(&world.repository).await.expect("sent").applied().expect("applied");
        assert_eq!(sum, ids.iter().filter(|id| **id == "a").count() as u64 * 100, "{ids:?}");
        assert_eq!(operations(&world.faults.events(), before), expected, "{ids:?}");
    }
}

#[tokio::test]
async fn batch_get_in_a_closure_reads_many_rows_in_one_request() {
    let world = bank(["a", "b", "c"]).await;
    let before = world.faults.events().len();
    let all = Transaction::interactive(|tx| async move {
        tx.get(Account::get("b")).await?;
        let all = tx.batch_get(Account::batch_get(["c", "b", "x", "a", "c"])).await?;
        Ok(all.into_iter().map(|account| account.map(|account| account.id)).collect::<Vec<_>>())
    });
    let all = all.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(all, [Some("c"), Some("b"), None, Some("a"), Some("c")].map(|id| id.map(str::to_owned)));
    assert_eq!(operations(&world.faults.events(), before), ["GetItem", "BatchGetItem", "TransactGetItems"]);
}

#[tokio::test]
async fn an_aborted_closure_that_has_read_two_rows_writes_nothing() {
    let world = bank(["a", "b"]).await;
    let before = world.faults.events().len();
    let error = transfer(&world.repository, ("a", "b"), 101).await.expect_err("not enough");
    assert_eq!(operations(&world.faults.events(), before), ["GetItem", "GetItem", "TransactGetItems"]);
    assert_eq!(error.kind(), ErrorKind::Aborted);
    assert_eq!(error.closure_error().expect("the closure's own").to_string(), "not enough");
}

/// Each conflict costs all requests of the closure once more.
#[tokio::test]
async fn each_conflict_sends_all_requests_of_the_closure_again() {
    for conflicts in 0..3 {
        let world = bank(["a", "b"]).await;
        let (other, before) = (&world.other(), world.faults.events().len());
        let runs = &AtomicUsize::new(0);
        let metered = world.repository.metered();
        let transfer = Transaction::interactive(|tx| async move {
            let mut sender = tx.get(Account::get("a")).await?.ok_or("no such account")?;
            let mut receiver = tx.get(Account::get("b")).await?.ok_or("no such account")?;
            if runs.fetch_add(1, Ordering::SeqCst) < conflicts {
                deposit(other, "b", 1).await;
            }
            sender.balance -= 1;
            receiver.balance += 1;
            tx.put([sender.put(), receiver.put()]);
            tx.put(receipt("r", 1).create());
            Ok(())
        });
        transfer.send(&metered).await.expect("sent").applied().expect("applied");
        let once = ["GetItem", "GetItem", "TransactWriteItems"];
        assert_eq!(operations(&world.faults.events(), before), once.repeat(conflicts + 1), "{conflicts}");
        assert_eq!(metered.usage().requests, 3 * (conflicts as u64 + 1));
        assert_eq!(balance(&world, "b").await, Some(101 + conflicts as u64));
    }
}

/// Another process changes the row in every attempt.
#[tokio::test]
async fn a_closure_fails_as_contended_after_its_last_attempt() {
    let world = bank(["a", "b"]).await;
    let runs = &AtomicUsize::new(0);
    let other = &world.other();
    let transfer = |attempts| {
        let transfer = Transaction::interactive(move |tx| async move {
            runs.fetch_add(1, Ordering::SeqCst);
            let mut account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
            deposit(other, "a", 1).await;
            account.balance = 0;
            tx.put(account.put());
            Ok(())
        });
        let repository: &Repository = &world.repository;
        async move { transfer.attempts(attempts).send(repository).await.expect_err("others were faster") }
    };
    let error = transfer(3).await;
    assert_eq!(error.kind(), ErrorKind::Contended);
    assert_eq!(
        error.to_string(),
        "other writers changed the transaction's items during each of its 3 attempts, and nothing was applied: send it again later"
    );
    assert_eq!(runs.load(Ordering::SeqCst), 3);
    assert!(transfer(0).await.is_invalid_input());
    assert_eq!(runs.load(Ordering::SeqCst), 3);
}

/// The hedge delay of a read applies in a closure, too.
#[tokio::test]
async fn a_read_in_a_closure_is_hedged_after_its_delay() {
    pause();
    let world = bank(["a"]).await;
    let delay = Duration::from_millis(20);
    for is_batch in [false, true] {
        world.faults.slow([(500, 0), (0, 0)]);
        let metered = world.repository.metered();
        let read = Transaction::interactive(|tx| async move {
            if is_batch {
                tx.batch_get(Account::batch_get(["a"]).hedge(delay)).await?;
            } else {
                tx.get(Account::get("a").hedge(delay)).await?;
            }
            Ok(())
        });
        read.send(&metered).await.expect("sent").applied().expect("applied");
        assert_eq!((metered.usage().requests, metered.usage().hedges), (2, 1), "{is_batch}");
    }
}
