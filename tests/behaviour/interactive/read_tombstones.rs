//! Rows that are only read, and are tombstones.

use super::{Account, balance, bank};
use dyno::Transaction;

/// That an item was deleted is what was read, as that there was none.
#[tokio::test]
async fn a_tombstone_that_was_only_read_is_checked_with_the_writes() {
    let world = bank(["a", "b"]).await;
    Account::delete("a", 1).send(&world.repository).await.expect("sent").applied().expect("applied");
    let before = world.faults.events().len();
    let bonus = Transaction::interactive(|tx| async move {
        let is_closed = tx.get(Account::get("a")).await?.is_none();
        let mut account = tx.get(Account::get("b")).await?.ok_or("no such account")?;
        account.balance += if is_closed { 1 } else { 1000 };
        tx.put(account.put());
        Ok(())
    });
    bonus.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(balance(&world, "b").await, Some(101));
    assert_eq!(world.faults.events().len() - before, 3, "two reads and a transaction");
}

/// Somebody else has opened it again.
#[tokio::test]
async fn an_item_created_over_a_read_tombstone_runs_the_closure_again() {
    let world = bank(["a", "b"]).await;
    Account::delete("a", 1).send(&world.repository).await.expect("sent").applied().expect("applied");
    let (other, runs) = (&world.other(), &std::sync::atomic::AtomicUsize::new(0));
    let bonus = Transaction::interactive(|tx| async move {
        let is_closed = tx.get(Account::get("a")).await?.is_none();
        if runs.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0 {
            super::account("a", 5).create().send(other).await?.applied()?;
        }
        let mut account = tx.get(Account::get("b")).await?.ok_or("no such account")?;
        account.balance += if is_closed { 1 } else { 1000 };
        tx.put(account.put());
        Ok(())
    });
    bonus.send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!(balance(&world, "b").await, Some(1100));
}
