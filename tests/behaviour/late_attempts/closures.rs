//! Closures in native transactions.

use super::{arrives, check_doubt, postpone};
use dyno::{Entity, Transaction};
use dyno_tests::{World, pause, world};

const HINT: &str = "the answer says whether it was applied";

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Account {
    #[partition_key]
    id: String,
    balance: u64,
    #[version]
    version: u64,
}

fn account(id: &str, balance: u64) -> Account {
    Account { id: id.to_owned(), balance, version: 0 }
}

fn raise(id: &str) -> dyno::command::Update<Account> {
    Account::update(id).unchecked().with(Account::fields().balance.add(1))
}

async fn balances(world: &World) -> Vec<Option<u64>> {
    let mut balances = Vec::new();
    for id in ["a", "b", "c"] {
        let account = Account::get(id).consistent().send(&world.other()).await.expect("a get");
        balances.push(account.map(|account| account.balance));
    }
    balances
}

#[tokio::test]
async fn a_clone_learns_that_late_blind_updates_were_applied() {
    pause();
    let world = world::<Account>().await;
    let raise_both = Transaction::interactive(|tx| async move {
        tx.update([raise("a"), raise("b")]);
        Ok(())
    });
    postpone(&world);
    let error = raise_both.clone().send(&world.repository).await.expect_err("an attempt is on its way");
    check_doubt(&error, "there is no item", HINT);
    for id in ["a", "b"] {
        applied!(account(id, 10).create(), &world.other());
    }
    assert!(arrives(&world).await);
    raise_both.send(&world.repository).await.expect("sent").applied().expect("its own");
    assert_eq!(balances(&world).await, [Some(11), Some(11), None]);
}

#[tokio::test]
async fn a_late_blind_update_with_a_read_and_a_create_is_in_doubt() {
    pause();
    let world = world::<Account>().await;
    applied!(account("a", 100).create(), &world.other());
    let open = Transaction::interactive(|tx| async move {
        let payer = tx.get(Account::get("a")).await?.ok_or("no payer")?;
        tx.update(raise("b"));
        tx.put(account("c", payer.balance).create());
        Ok(())
    });
    // The first request is the read.
    world.faults.next([dyno_tests::faults::Fault::Served]);
    postpone(&world);
    let error = open.clone().send(&world.repository).await.expect_err("an attempt is on its way");
    check_doubt(&error, "there is no item", HINT);
    applied!(account("b", 10).create(), &world.other());
    assert!(arrives(&world).await);
    open.send(&world.repository).await.expect("sent").applied().expect("its own");
    assert_eq!(balances(&world).await, [Some(100), Some(11), Some(100)]);
}

/// A version that was read never returns once the row has changed. So the closure runs again, although the first attempt is
/// still under way.
#[tokio::test]
async fn a_stale_read_runs_the_closure_again_while_an_attempt_is_open() {
    pause();
    let world = world::<Account>().await;
    for id in ["a", "b"] {
        applied!(account(id, 100).create(), &world.other());
    }
    let repository = world.repository.clone();
    world.faults.next([dyno_tests::faults::Fault::Served, dyno_tests::faults::Fault::Served]);
    postpone(&world);
    world.faults.hold_after(3);
    let moved = tokio::spawn(async move {
        let transfer = Transaction::interactive(|tx| async move {
            let mut from = tx.get(Account::get("a")).await?.ok_or("no payer")?;
            let mut to = tx.get(Account::get("b")).await?.ok_or("no payee")?;
            (from.balance, to.balance) = (from.balance - 10, to.balance + 10);
            tx.put([from.put(), to.put()]);
            Ok(())
        });
        transfer.send(&repository).await
    });
    world.faults.held().await;
    applied!(raise("a"), &world.other());
    world.faults.release();
    moved.await.expect("no panic").expect("sent").applied().expect("applied");
    assert!(!arrives(&world).await);
    assert_eq!(balances(&world).await, [Some(91), Some(110), None]);
}
