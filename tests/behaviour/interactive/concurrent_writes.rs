//! Writes of other processes while the closure runs, and between the closure and its request.

use super::{Account, account, balance, bank, deposit, receipt};
use dyno::{ErrorKind, Transaction};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A transfer between the two reads makes the closure see rows of two moments. An abort of the closure because of that does
/// not count: the closure runs again.
#[tokio::test]
async fn an_abort_after_an_inconsistent_read_runs_the_closure_again() {
    let world = bank(["a", "b"]).await;
    let (other, runs) = (&world.other(), &AtomicUsize::new(0));
    let audit = Transaction::interactive(|tx| async move {
        let one = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        if runs.fetch_add(1, Ordering::SeqCst) == 0 {
            super::transfer(other, ("a", "b"), 30).await?;
        }
        let two = tx.get(Account::get("b")).await?.ok_or("no such account")?;
        if one.balance + two.balance != 200 {
            return Err("money was made".into());
        }
        Ok((one.balance, two.balance))
    });
    let seen = audit.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!((seen, runs.load(Ordering::SeqCst)), ((70, 130), 2));
}

/// An invalid write of the closure does not count either, if inconsistent reads have caused it.
#[tokio::test]
async fn an_invalid_write_after_an_inconsistent_read_runs_the_closure_again() {
    let world = bank(["a", "b"]).await;
    let (other, runs) = (&world.other(), &AtomicUsize::new(0));
    let report = Transaction::interactive(|tx| async move {
        let one = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        if runs.fetch_add(1, Ordering::SeqCst) == 0 {
            super::transfer(other, ("a", "b"), 30).await?;
        }
        let two = tx.get(Account::get("b")).await?.ok_or("no such account")?;
        // An empty key is invalid.
        tx.put(receipt(if one.balance + two.balance == 200 { "sum" } else { "" }, 1).create());
        Ok(())
    });
    report.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

/// The result of a closure comes from rows of one moment, too.
#[tokio::test]
async fn the_result_of_a_closure_is_of_one_moment() {
    let world = bank(["a", "b"]).await;
    let (other, runs) = (&world.other(), &AtomicUsize::new(0));
    let sum = Transaction::interactive(|tx| async move {
        let one = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        if runs.fetch_add(1, Ordering::SeqCst) == 0 {
            super::transfer(other, ("a", "b"), 30).await?;
        }
        let two = tx.get(Account::get("b")).await?.ok_or("no such account")?;
        Ok(one.balance + two.balance)
    });
    let sum = sum.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!((sum, runs.load(Ordering::SeqCst)), (200, 2));
}

/// Each of two concurrent changes depends on a row that the other one writes.
#[tokio::test]
async fn a_change_of_a_row_that_was_only_read_runs_the_closure_again() {
    let world = bank(["a", "b"]).await;
    let (other, runs) = (&world.other(), &AtomicUsize::new(0));
    let withdraw = Transaction::interactive(|tx| async move {
        let mut one = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        let two = tx.get(Account::get("b")).await?.ok_or("no such account")?;
        if runs.fetch_add(1, Ordering::SeqCst) == 0 {
            let emptied = Account::modify("b", |account| account.balance = 0);
            emptied.send(other).await?.applied()?;
        }
        // The sum of both accounts must not be overdrawn.
        if one.balance + two.balance < 150 {
            return Err("not enough".into());
        }
        one.balance = 0;
        tx.put(one.put());
        Ok(())
    });
    let error = withdraw.send(&world.repository).await.expect_err("b has been emptied");
    assert_eq!((error.kind(), runs.load(Ordering::SeqCst)), (ErrorKind::Aborted, 2));
    assert_eq!(balance(&world, "a").await, Some(100));
}

/// The closure reads that the item is absent, and another process creates it. The closure runs again.
#[tokio::test]
async fn the_creation_of_an_item_read_as_absent_runs_the_closure_again() {
    let world = bank(["a"]).await;
    let (other, runs) = (&world.other(), &AtomicUsize::new(0));
    let open = Transaction::interactive(|tx| async move {
        let is_taken = tx.get(Account::get("new")).await?.is_some();
        if runs.fetch_add(1, Ordering::SeqCst) == 0 {
            account("new", 1).create().send(other).await?.applied()?;
        }
        let mut bank = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        bank.balance += if is_taken { 1000 } else { 1 };
        tx.put(bank.put());
        Ok(is_taken)
    });
    let is_taken = open.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!((is_taken, runs.load(Ordering::SeqCst)), (true, 2));
    assert_eq!(balance(&world, "a").await, Some(1100));
}

/// An unchecked update expects no version, but the closure has read the row, so the row must be unchanged.
#[tokio::test]
async fn an_unchecked_update_of_a_row_changed_after_its_read_runs_the_closure_again() {
    let world = bank(["a"]).await;
    let (other, runs) = (&world.other(), &AtomicUsize::new(0));
    let double = Transaction::interactive(|tx| async move {
        let account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        if runs.fetch_add(1, Ordering::SeqCst) == 0 {
            // This update raises the version and leaves the write id.
            let deposit = Account::update("a").unchecked().with(Account::fields().balance.add(7));
            deposit.send(other).await?.applied()?;
        }
        tx.update(Account::update("a").unchecked().with(Account::fields().balance.set(account.balance * 2)));
        Ok(())
    });
    double.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!((balance(&world, "a").await, runs.load(Ordering::SeqCst)), (Some(214), 2));
}

/// Another process deletes a row that the closure has read, and creates it again.
#[tokio::test]
async fn a_row_deleted_and_recreated_after_its_read_runs_the_closure_again() {
    let world = bank(["a", "b"]).await;
    let (other, runs) = (&world.other(), &AtomicUsize::new(0));
    let fee = Transaction::interactive(|tx| async move {
        let mut account = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        tx.get(Account::get("b")).await?;
        if runs.fetch_add(1, Ordering::SeqCst) == 0 {
            Account::delete("b", 1).send(other).await?.applied()?;
            account_again(other).await?;
        }
        account.balance -= 1;
        tx.put(account.put());
        Ok(())
    });
    fee.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

async fn account_again(repository: &dyno::Repository) -> Result<(), dyno::Error> {
    account("b", 100).create().send(repository).await?.applied().map(|_| ())
}

/// Two processes create the ticket with the next number of a series. The refusal of the create counts only if the other rows
/// are still as the closure has read them.
#[tokio::test]
async fn a_refusal_by_an_unread_row_counts_only_if_all_reads_still_hold() {
    let world = bank(["series"]).await;
    let (other, runs) = (&world.other(), &AtomicUsize::new(0));
    let next = |is_first: bool| {
        Transaction::interactive(move |tx| async move {
            let mut series = tx.get(Account::get("series")).await?.ok_or("no series")?;
            if is_first && runs.fetch_add(1, Ordering::SeqCst) == 0 {
                // Another process takes the number.
                let ticket = receipt(&format!("ticket {}", series.balance), 0);
                ticket.create().send(other).await?.applied()?;
                deposit(other, "series", 1).await;
            }
            tx.put(receipt(&format!("ticket {}", series.balance), 1).create());
            series.balance += 1;
            tx.put(series.put());
            Ok(series.balance - 1)
        })
    };
    let number = next(true).send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!((number, runs.load(Ordering::SeqCst)), (101, 2));
    assert_eq!(balance(&world, "series").await, Some(102));
}
