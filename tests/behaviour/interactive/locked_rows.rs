//! Rows that a client-side transaction has locked: reads wait, and writes change nothing, until the lock is removed.

use super::{Account, account, balance, bank};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{ErrorKind, Repository, Transaction};
use dyno_tests::lanes::{self, TICKET};
use dyno_tests::{World, item, n, pause, s};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Accounts, and a lane whose transaction is still undecided.
async fn beside<const N: usize>(ids: [&str; N]) -> World {
    let world = bank(ids).await;
    world.create_lanes().await;
    world.put_head(lanes::open()).await;
    world
}

/// A ticket on a lane that does not exist.
const LOST: &str = "2/abc/1/def";

/// Adds the intent of a transaction to an account, or removes it.
async fn hold(world: &World, id: &str, ticket: &str, is_held: bool) {
    let other = world.other();
    let update = other.client().update_item().table_name("accounts").key("id", s(id));
    let update = update.expression_attribute_names("#x", "_x");
    let update = if is_held {
        let intent = AttributeValue::M(item([("id", s(ticket)), ("since", n(1))]));
        update.update_expression("SET #x = :x").expression_attribute_values(":x", intent)
    } else {
        update.update_expression("REMOVE #x")
    };
    update.send().await.expect("an update by hand");
}

async fn sum(repository: &Repository) -> Result<u64, dyno::Error> {
    let sum = Transaction::interactive(|tx| async move {
        let accounts = tx.batch_get(Account::batch_get(["a", "b"])).await?;
        let other = tx.get(Account::get("c")).await?;
        Ok(accounts.into_iter().chain([other]).flatten().map(|account| account.balance).sum())
    });
    sum.send(repository).await?.applied()
}

#[tokio::test]
async fn a_read_waits_until_its_row_is_unlocked() {
    pause();
    for id in ["b", "c"] {
        let world = beside(["a", "b", "c"]).await;
        hold(&world, id, LOST, true).await;
        let error = sum(&world.repository).await.expect_err("nobody can tell");
        assert_eq!(error.kind(), ErrorKind::LaneMissing);
        assert_eq!(error.key(), Some(&*format!("id = \"{id}\"")), "{error}");
        hold(&world, id, TICKET, true).await;
        // The first read finds the lock. It is removed before a later request is served.
        let repository = world.repository.clone();
        world.faults.hold_after(2);
        let sum = tokio::spawn(async move { sum(&repository).await });
        world.faults.held().await;
        hold(&world, id, TICKET, false).await;
        world.faults.release();
        assert_eq!(sum.await.expect("no panic").expect("sent"), 300);
    }
}

/// A transaction locks a row after the closure has read it. The validation notices that, and the closure runs again.
#[tokio::test]
async fn a_row_locked_after_its_read_runs_the_closure_again() {
    pause();
    let world = bank(["a", "b"]).await;
    let (world, runs) = (&world, &AtomicUsize::new(0));
    let sum = Transaction::interactive(|tx| async move {
        let run = runs.fetch_add(1, Ordering::SeqCst);
        hold(world, "b", TICKET, false).await;
        let one = tx.get(Account::get("a")).await?.map_or(0, |account| account.balance);
        let two = tx.get(Account::get("b")).await?.map_or(0, |account| account.balance);
        hold(world, "b", TICKET, run == 0).await;
        Ok(one + two)
    });
    assert_eq!(sum.send(&world.repository).await.expect("sent").applied().expect("applied"), 200);
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

/// A locked row is not written, whether the closure has read it or not.
#[tokio::test]
async fn a_locked_row_is_not_written() {
    pause();
    for is_read in [false, true] {
        let world = beside(["a", "b"]).await;
        let world = &world;
        let double = Transaction::interactive(|tx| async move {
            if is_read {
                hold(world, "a", LOST, false).await;
                tx.get(Account::get("a")).await?;
            }
            hold(world, "a", LOST, true).await;
            tx.update(Account::update("a").unchecked().with(Account::fields().balance.add(1)));
            tx.put(account("c", 1).create());
            Ok(())
        });
        let error = double.attempts(2).send(&world.repository).await.expect_err("it is held");
        assert_eq!(error.kind(), ErrorKind::LaneMissing);
        hold(world, "a", LOST, false).await;
        assert_eq!((balance(world, "a").await, balance(world, "c").await), (Some(100), None));
    }
}
