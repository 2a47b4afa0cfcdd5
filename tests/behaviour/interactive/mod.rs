//! Transactions that read, decide and write in a closure: the requests that they send, and the outcomes that count.

mod clones;
mod closure_errors;
mod concurrent_clones;
mod concurrent_writes;
mod created_and_deleted;
mod foreign_rows;
mod idempotency_keys;
mod in_doubt;
mod input;
mod locked_rows;
mod merged_writes_in_doubt;
mod own_writes;
mod read_tombstones;
mod refusals;
mod request_counts;
mod spawned;
mod stored_versions;
mod two_entities;

use dyno::{Entity, Repository, Transaction};
use dyno_tests::{World, world};

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

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Receipt {
    #[partition_key]
    id: String,
    sum: u64,
    #[version]
    version: u64,
}

fn account(id: &str, balance: u64) -> Account {
    Account { id: id.to_owned(), balance, version: 0 }
}

fn receipt(id: &str, sum: u64) -> Receipt {
    Receipt { id: id.to_owned(), sum, version: 0 }
}

/// Accounts with a balance of 100 each.
async fn bank<const N: usize>(ids: [&str; N]) -> World {
    let world = world::<Account>().await;
    for id in ids {
        account(id, 100).create().send(&world.repository).await.expect("sent").applied().expect("applied");
    }
    world
}

/// The balance of an account, or `None` if there is no account.
async fn balance(world: &World, id: &str) -> Option<u64> {
    let account = Account::get(id).consistent().send(&world.other()).await.expect("a get");
    account.map(|account| account.balance)
}

/// Adds a sum to an account, as a program does that takes no part in the transaction.
async fn deposit(repository: &Repository, id: &str, sum: u64) {
    let deposit = Account::modify(id, |account| account.balance += sum);
    deposit.send(repository).await.expect("sent").applied().expect("applied");
}

/// A transfer with a receipt. Returns the balance that the sender has left.
async fn transfer(repository: &Repository, (from, to): (&str, &str), sum: u64) -> Result<u64, dyno::Error> {
    let transfer = Transaction::interactive(|tx| async move {
        let mut sender = tx.get(Account::get(from)).await?.ok_or("no such account")?;
        let mut receiver = tx.get(Account::get(to)).await?.ok_or("no such account")?;
        sender.balance = sender.balance.checked_sub(sum).ok_or("not enough")?;
        receiver.balance += sum;
        tx.put([sender.put(), receiver.put()]);
        tx.put(receipt(&format!("{from} to {to}"), sum).create());
        Ok(sender.balance)
    });
    transfer.send(repository).await?.applied()
}
