//! The test harness that the suites of this workspace share: processes, faults by the position of a request, recorded events,
//! and time.

mod clocks;
mod engine_pauses;
mod fault_positions;
mod invalid_requests;
mod processes;
mod recorded_events;

use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Entity, Repository, Transaction};
use dyno_tests::process::Process;
use dyno_tests::{World, world};
use std::time::Duration;

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
#[entity(table = "receipts")]
struct Receipt {
    #[partition_key]
    id: String,
    sum: u64,
}

fn account(id: &str, balance: u64, version: u64) -> Account {
    Account { id: id.to_owned(), balance, version }
}

fn receipt(id: &str) -> Receipt {
    Receipt { id: id.to_owned(), sum: 1 }
}

fn retries() -> RetryConfig {
    RetryConfig::standard().with_max_attempts(4).with_initial_backoff(Duration::from_millis(10))
}

/// Two accounts of 100 each, the table of the receipts, and a process.
async fn bank() -> (World, Process) {
    let world = world::<Account>().await;
    Repository::new(world.client(retries())).create_table::<Receipt>().await.expect("a new table");
    for id in ["a", "b"] {
        applied!(account(id, 100, 0).create(), &world.repository);
    }
    let process = world.process(retries());
    (world, process)
}

async fn balance(world: &World, id: &str) -> u64 {
    let account = Account::get(id).consistent().send(&world.other()).await.expect("a get");
    account.expect("an account").balance
}

/// Two reads and a transaction.
async fn transfer(repository: Repository, sum: u64) -> Result<u64, dyno::Error> {
    let transfer = Transaction::interactive(|tx| async move {
        let mut sender = tx.get(Account::get("a")).await?.ok_or("no such account")?;
        let mut receiver = tx.get(Account::get("b")).await?.ok_or("no such account")?;
        sender.balance -= sum;
        receiver.balance += sum;
        tx.put([sender.put(), receiver.put()]);
        Ok(sender.balance)
    });
    transfer.send(&repository).await?.applied()
}
