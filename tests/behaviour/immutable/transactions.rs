//! Transactions, native and client-side, keep the values of immutable attributes.

use dyno::{Entity, Reason, Transaction, TransactionOutcome};
use dyno_tests::{World, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Account {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    currency: String,
    balance: u64,
    #[version]
    version: u64,
}

fn account(id: &str, currency: &str, version: u64) -> Account {
    Account { id: id.to_owned(), currency: currency.to_owned(), balance: 5, version }
}

/// A table with an account, and the lane table.
async fn bank() -> World {
    let world = world::<Account>().await;
    world.repository.create_lane_table().await.expect("a table");
    applied!(account("a", "EUR", 0).put(), &world.repository);
    world
}

fn refused<T>(outcome: &TransactionOutcome<T>) -> Vec<(usize, Vec<Reason>)> {
    let refusal = outcome.refusal().expect("a refusal");
    refusal.actions().map(|action| (action.index(), action.reasons().to_vec())).collect()
}

fn changed(index: usize) -> Vec<(usize, Vec<Reason>)> {
    vec![(index, vec![Reason::Immutable { attribute: "currency" }])]
}

#[tokio::test]
async fn an_action_with_another_value_refuses_the_transaction() {
    let world = bank().await;
    let repository = &world.repository;
    let both = |currency| Transaction::new().put(account("b", "EUR", 0).put()).put(account("a", currency, 1).put());
    assert_eq!(refused(&both("USD").send(repository).await.expect("sent")), changed(1));
    assert_eq!(refused(&both("USD").client_side().send(repository).await.expect("sent")), changed(1));
    assert_eq!(Account::get("b").send(repository).await.expect("a get"), None);
    applied!(both("EUR").client_side(), repository);
    assert_eq!(Account::get("b").send(repository).await.expect("a get"), Some(account("b", "EUR", 1)));
}

#[tokio::test]
async fn a_closure_that_writes_another_value_is_refused() {
    let world = bank().await;
    let repository = &world.repository;
    for is_client_side in [false, true] {
        let convert = Transaction::interactive(|tx| async move {
            let mut account = tx.get(Account::get("a")).await?.ok_or("no account")?;
            account.currency = "USD".to_owned();
            tx.put(account.put());
            tx.put(self::account("c", "EUR", 0).create());
            Ok(())
        });
        let convert = if is_client_side { convert.client_side() } else { convert };
        assert_eq!(refused(&convert.send(repository).await.expect("sent")), changed(0));
        assert_eq!(Account::get("a").send(repository).await.expect("a get"), Some(account("a", "EUR", 1)));
    }
}

/// One transaction may delete an item and create a new one with the same key.
#[tokio::test]
async fn a_closure_may_delete_the_item_and_create_it_with_another_value() {
    let world = bank().await;
    let repository = &world.repository;
    let renew = Transaction::interactive(|tx| async move {
        let old = tx.get(Account::get("a")).await?.ok_or("no account")?;
        tx.delete(Account::delete("a", old.version));
        tx.put(account("a", "USD", 0).create());
        Ok(())
    });
    let outcome = renew.client_side().send(repository).await.expect("sent");
    outcome.applied().expect("applied");
    let renewed = Account::get("a").send(repository).await.expect("a get").expect("an account");
    assert_eq!(renewed.currency, "USD");
}
