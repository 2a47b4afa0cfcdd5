//! What an eventually consistent read sees.

use super::{Account, Note, account, add, bank, lag};
use dyno_tests::faults::ms;
use dyno_tests::pause;
use std::time::Duration;

fn balances<'a>(accounts: impl IntoIterator<Item = &'a Account>) -> Vec<u64> {
    let mut balances: Vec<_> = accounts.into_iter().map(|account| account.balance).collect();
    balances.sort_unstable();
    balances
}

#[tokio::test]
async fn only_consistent_reads_see_changes_made_within_the_lag() {
    pause();
    let world = bank().await;
    let repository = &world.repository;
    world.faults.replica_lag(Duration::from_hours(1));
    add(&world, "a", 7).await;
    applied!(account("c", 3).create(), &world.other());

    assert_eq!(Account::get("a").send(repository).await.expect("a get").expect("an account").balance, 100);
    assert_eq!(Account::get("a").consistent().send(repository).await.expect("a get").expect("an account").balance, 107);
    assert_eq!(Account::get("c").send(repository).await.expect("a get"), None);
    assert_eq!(balances(&Account::scan().send(repository).await.expect("a scan").items), [100, 100]);
    assert_eq!(balances(&Account::scan().consistent().send(repository).await.expect("a scan").items), [3, 100, 107]);
    assert_eq!(balances(&Account::by_owner("o").send(repository).await.expect("a query").items), [100, 100]);
    let ids = ["a", "b", "c"];
    let read = Account::batch_get(ids).send(repository).await.expect("a batch");
    assert_eq!(balances(read.iter().flatten()), [100, 100]);
    let read = Account::batch_get(ids).consistent().send(repository).await.expect("a batch");
    assert_eq!(balances(read.iter().flatten()), [3, 100, 107]);

    world.faults.replica_lag(Duration::ZERO);
    assert_eq!(Account::get("a").send(repository).await.expect("a get").expect("an account").balance, 107);
}

/// Each change becomes visible after the lag.
#[tokio::test]
async fn a_change_becomes_visible_after_the_lag() {
    if dyno_tests::is_remote() {
        return; // Time is another there.
    }
    pause();
    let world = bank().await;
    world.faults.replica_lag(ms(1000));
    let read = async || {
        let account = Account::get("a").send(&world.repository).await.expect("a get");
        account.expect("an account").balance
    };
    add(&world, "a", 1).await;
    tokio::time::sleep(ms(600)).await;
    add(&world, "a", 10).await;
    assert_eq!(read().await, 100);
    tokio::time::sleep(ms(400)).await;
    assert_eq!(read().await, 101);
    tokio::time::sleep(ms(600)).await;
    assert_eq!(read().await, 111);
    applied!(Account::delete("a", 3), &world.other());
    assert_eq!(read().await, 111);
    tokio::time::sleep(ms(1000)).await;
    assert_eq!(Account::get("a").send(&world.repository).await.expect("a get"), None);
}

/// A batch can read some tables consistently and others not.
#[tokio::test]
async fn a_batch_reads_each_table_at_its_own_consistency() {
    let world = bank().await;
    world.repository.create_table::<Note>().await.expect("a new table");
    let note = |text: &str| Note { id: 1, text: text.to_owned() };
    note("old").put().send(&world.repository).await.expect("a put");
    lag(&world);
    add(&world, "a", 7).await;
    note("new").put().send(&world.other()).await.expect("a put");
    let get = || Account::batch_get(["a"]);
    for (accounts, balance) in [(get(), 100), (get().consistent(), 107)] {
        let read = dyno::batch_get((accounts, Note::batch_get([1])));
        let (accounts, notes) = read.send(&world.repository).await.expect("a batch");
        assert_eq!(balances(accounts.iter().flatten()), [balance]);
        assert_eq!(notes, [Some(note("old"))]);
    }
}

/// A table that is deleted and created again shows none of its old items. Later changes have the lag.
#[tokio::test]
async fn a_table_that_is_created_anew_is_read_as_it_is() {
    let world = bank().await;
    lag(&world);
    add(&world, "a", 7).await;
    let client = world.other().client().clone();
    client.delete_table().table_name("accounts").send().await.expect("deleted");
    world.other().create_table::<Account>().await.expect("a new table");
    assert_eq!(Account::get("a").send(&world.repository).await.expect("a get"), None);
    applied!(account("a", 1).create(), &world.other());
    assert_eq!(Account::get("a").send(&world.repository).await.expect("a get"), None);
}
