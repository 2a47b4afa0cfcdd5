//! Tombstones that the closure only reads.

use super::{Account, balance, bank};
use dyno::{Reason, Transaction};

/// The closure relies on the deletion, so the transaction checks that the item is still deleted.
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

/// Another process creates the deleted item again, after the closure has read its tombstone.
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

/// Only a create continues the version numbers of the tombstone. A put of an item that was loaded before the deletion is refused.
#[tokio::test]
async fn a_put_of_a_loaded_item_does_not_replace_a_read_tombstone() {
    let world = bank(["a"]).await;
    let loaded = &Account::get("a").send(&world.repository).await.expect("a get").expect("an account");
    Account::delete("a", 1).send(&world.repository).await.expect("sent").applied().expect("applied");
    let put = Transaction::interactive(|tx| async move {
        assert_eq!(tx.get(Account::get("a")).await?, None);
        tx.put(loaded.put());
        Ok(())
    });
    let outcome = put.send(&world.repository).await.expect("sent");
    let refusal = outcome.refusal().expect("the item was deleted");
    let reasons: Vec<_> = refusal.actions().flat_map(|action| action.reasons().to_vec()).collect();
    assert_eq!(reasons, [Reason::Conflict { expected: 1, found: Some(2) }, Reason::Deleted]);
    assert_eq!(balance(&world, "a").await, None);
}
