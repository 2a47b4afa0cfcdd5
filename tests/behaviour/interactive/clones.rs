//! Lost responses, and clones of a transaction, which count as one transaction.

use super::{Account, account, balance, bank, receipt};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{ErrorKind, Repository, Transaction};
use dyno_tests::faults::{Fault, cancelled, ms};
use dyno_tests::{World, pause};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A process whose client does not retry.
pub(super) fn impatient(world: &World) -> Repository {
    Repository::new(world.client(RetryConfig::disabled())).with_clock(std::sync::Arc::clone(&world.clock))
}

macro_rules! transfer {
    ($runs:expr) => {{
        let runs = &$runs;
        Transaction::interactive(move |tx| async move {
            let run = runs.fetch_add(1, Ordering::SeqCst) + 1;
            let mut sender = tx.get(Account::get("a")).await?.ok_or("no such account")?;
            let mut receiver = tx.get(Account::get("b")).await?.ok_or("no such account")?;
            sender.balance -= 10;
            receiver.balance += 10;
            tx.put([sender.put(), receiver.put()]);
            tx.put(receipt(&format!("run {run}"), 10).create());
            Ok((run, sender.balance))
        })
    }};
}

/// The SDK sends the transaction again, with the same token.
#[tokio::test]
async fn a_lost_answer_is_retried_with_the_same_token() {
    let world = bank(["a", "b"]).await;
    let runs = AtomicUsize::new(0);
    world.faults.next([Fault::Served, Fault::Served, Fault::AnswerLost]);
    let sent = transfer!(runs).send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(sent, (1, 90));
    assert_eq!((balance(&world, "a").await, balance(&world, "b").await), (Some(90), Some(110)));
}

/// A clone learns the outcome of the first run, and returns the result of its closure. The closure does not run again.
#[tokio::test]
async fn a_clone_sent_again_returns_the_first_run_s_result() {
    for fault in [Fault::AnswerLost, Fault::RequestLost] {
        let world = bank(["a", "b"]).await;
        let runs = AtomicUsize::new(0);
        world.faults.next([Fault::Served, Fault::Served, fault]);
        let transfer = transfer!(runs);
        let error = transfer.clone().send(&impatient(&world)).await.expect_err("no answer");
        assert!(error.may_be_applied(), "{error:?}");
        for _ in 0..2 {
            let sent = transfer.clone().send(&world.repository).await.expect("sent").applied().expect("applied");
            assert_eq!(sent, (1, 90));
        }
        assert_eq!(runs.load(Ordering::SeqCst), 1);
        assert_eq!((balance(&world, "a").await, balance(&world, "b").await), (Some(90), Some(110)));
    }
}

/// Nothing was applied, and another writer has changed an item since, so the closure runs again.
#[tokio::test]
async fn a_clone_runs_the_closure_again_if_nothing_was_applied() {
    let world = bank(["a", "b"]).await;
    let runs = AtomicUsize::new(0);
    world.faults.next([Fault::Served, Fault::Served, Fault::RequestLost]);
    let transfer = transfer!(runs);
    let error = transfer.clone().send(&impatient(&world)).await.expect_err("no answer");
    assert!(error.may_be_applied(), "{error:?}");
    super::deposit(&world.other(), "a", 5).await;
    let sent = transfer.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(sent, (2, 95));
    assert_eq!((balance(&world, "a").await, balance(&world, "b").await), (Some(95), Some(110)));
}

/// Two clones sent at the same time are one transaction: it is applied once, and both return its result.
#[tokio::test]
async fn two_concurrent_clones_are_applied_once() {
    let world = bank(["a", "b"]).await;
    let runs = AtomicUsize::new(0);
    let transfer = transfer!(runs);
    let (one, two) = (transfer.clone().send(&world.repository), transfer.send(&world.repository));
    let (one, two) = futures_util::future::join(one, two).await;
    let [one, two] = [one, two].map(|sent| sent.expect("sent").applied().expect("applied"));
    assert_eq!(one, two);
    assert_eq!((balance(&world, "a").await, balance(&world, "b").await), (Some(90), Some(110)));
}

/// A transaction of a single write is recognized by its write id.
#[tokio::test]
async fn a_single_write_sent_again_is_recognized_by_its_write_id() {
    let world = bank(["a"]).await;
    let runs = &AtomicUsize::new(0);
    let fee = Transaction::interactive(move |tx| async move {
        runs.fetch_add(1, Ordering::SeqCst);
        let mut account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        account.balance -= 1;
        tx.put(account.put());
        Ok(account.balance)
    });
    let impatient = impatient(&world);
    // The read is answered, the write is not.
    world.faults.next([Fault::Served, Fault::AnswerLost]);
    let error = fee.clone().send(&impatient).await.expect_err("no answer");
    assert!(error.may_be_applied(), "{error:?}");
    assert_eq!(fee.send(&world.repository).await.expect("sent").applied().expect("applied"), 99);
    assert_eq!((balance(&world, "a").await, runs.load(Ordering::SeqCst)), (Some(99), 1));
}

/// A single write that was merged from several may have been applied. A later error does not hide that.
#[tokio::test]
async fn a_later_error_does_not_hide_possibly_applied_merged_writes() {
    let world = bank(["a"]).await;
    for (fault, left) in [(Fault::AnswerLost, 98), (Fault::RequestLost, 96)] {
        // The retry is denied, which does not hide the lost attempt before it.
        let denied = Fault::ErrorCode("AccessDeniedException");
        let fees = Transaction::interactive(|tx| async move {
            for _ in 0..2 {
                let mut account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
                account.balance -= 1;
                tx.put(account.put());
            }
            Ok(())
        });
        world.faults.next([Fault::Served, fault, denied]);
        let once = fees.clone().in_doubt_timeout(Duration::ZERO);
        let error = once.send(&world.repository).await.expect_err("no answer");
        assert!(error.may_be_applied(), "{error:?}");
        fees.send(&world.repository).await.expect("sent").applied().expect("applied");
        assert_eq!(balance(&world, "a").await, Some(left));
    }
}

/// Other transactions hold an item for a while. The same request is sent again, because a late arrival of it could otherwise
/// be applied beside a new one.
#[tokio::test]
async fn a_conflict_with_a_transaction_is_retried_without_a_new_run() {
    let world = bank(["a", "b"]).await;
    let runs = AtomicUsize::new(0);
    let conflict = || cancelled(vec!["TransactionConflict", "None", "None"]);
    world.faults.refuse(std::iter::repeat_with(conflict).take(3));
    let sent = transfer!(runs).send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(sent, (1, 90));
    let error = {
        world.faults.refuse(std::iter::repeat_with(conflict).take(1000));
        transfer!(runs).attempts(2).send(&world.repository).await.expect_err("held")
    };
    assert_eq!((error.kind(), runs.load(Ordering::SeqCst)), (ErrorKind::Contended, 2));
}

/// The update is refused because there is no item, and another process then creates the item. The refused request arrives once
/// more, after the retry was applied. It is the same request, so it counts once.
#[tokio::test]
async fn a_refused_request_that_arrives_again_counts_once() {
    pause();
    let world = bank(["a"]).await;
    let repository = world.repository.clone();
    let deposit = tokio::spawn(async move {
        let deposit = Transaction::interactive(|tx| async move {
            tx.get(Account::get("a")).await?;
            tx.update(Account::update("b").unchecked().with(Account::fields().balance.add(5)));
            Ok(())
        });
        deposit.send(&repository).await.expect("sent").applied()
    });
    world.faults.next([Fault::Served, Fault::Duplicated(ms(60_000))]);
    // The transaction is about to read both rows, to learn whether the refusal counts.
    world.faults.hold_after(2);
    world.faults.held().await;
    account("b", 100).create().send(&world.other()).await.expect("sent").applied().expect("applied");
    world.faults.release();
    deposit.await.expect("no panic").expect("applied");
    world.faults.settled().await;
    assert_eq!(balance(&world, "b").await, Some(105));
}

/// Other transactions hold the rows that are read again for validation. The reads cannot be validated, so the closure runs
/// again.
#[tokio::test]
async fn a_locked_row_at_validation_runs_the_closure_again() {
    let world = bank(["a", "b"]).await;
    let runs = &AtomicUsize::new(0);
    let sum = |is_sure: bool| {
        Transaction::interactive(move |tx| async move {
            runs.fetch_add(1, Ordering::SeqCst);
            let accounts = tx.batch_get(Account::batch_get(["a", "b"])).await?;
            let sum: u64 = accounts.into_iter().flatten().map(|account| account.balance).sum();
            if is_sure { Ok(sum) } else { Err(format!("{sum}").into()) }
        })
    };
    for is_sure in [true, false] {
        // The read is answered. The request after it conflicts for longer than one request waits.
        world.faults.next(std::iter::once(Fault::Served).chain(std::iter::repeat_n(Fault::Conflict, 9)));
        let sent = sum(is_sure).send(&world.repository).await;
        if is_sure {
            assert_eq!(sent.expect("sent").applied().expect("applied"), 200);
        } else {
            assert_eq!(sent.expect_err("its own error").kind(), ErrorKind::Aborted);
        }
    }
    assert_eq!(runs.load(Ordering::SeqCst), 4);
}
