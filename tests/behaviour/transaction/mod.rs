//! Transactions: all or nothing, under the rules of every entity, once.

mod all_or_nothing;
mod elements;
mod history;
mod idempotency;
mod rules;
mod snapshot;
mod token;

use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Entity, EpochMillis, EpochSeconds, Reason, Repository, TransactGet, Transaction, TransactionOutcome};
use dyno_tests::{NOW, World, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
struct Account {
    #[partition_key]
    id: u64,
    balance: u64,
    tags: Vec<String>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "transfers")]
struct Transfer {
    #[partition_key]
    id: String,
    amount: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "transfers")]
#[tombstone(ttl_days = 7)]
struct Rating {
    #[partition_key]
    id: String,
    stars: u8,
    #[ratchet]
    at: EpochMillis,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "transfers")]
#[tombstone(ttl_days = 7)]
struct Cart {
    #[partition_key]
    id: String,
    lines: u64,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "transfers")]
struct Session {
    #[partition_key]
    id: String,
    #[ttl]
    expires: EpochSeconds,
}

fn account(id: u64, balance: u64) -> Account {
    Account { id, balance, tags: Vec::new() }
}

fn transfer(id: &str) -> Transfer {
    Transfer { id: id.to_owned(), amount: 10 }
}

fn rating(id: &str, at: i64) -> Rating {
    Rating { id: id.to_owned(), stars: 3, at: EpochMillis::new(NOW + at) }
}

fn cart(version: u64) -> Cart {
    Cart { id: "cart".to_owned(), lines: 1, version }
}

/// Two accounts with 100 each.
async fn bank() -> World {
    let world = world::<Account>().await;
    world.repository.create_table::<Transfer>().await.expect("a table");
    for id in [1, 2] {
        account(id, 100).put().send(&world.repository).await.expect("a put");
    }
    world
}

/// Moves 10 from the first account to the second, and records the transfer.
fn pay(id: &str) -> Transaction {
    let balance = || Account::fields().balance;
    Transaction::new()
        .put(transfer(id).create())
        .update(Account::update(1).with(balance().decrement(10)))
        .update(Account::update(2).with(balance().increment(10)))
}

async fn balances(world: &World) -> (u64, u64) {
    let both = TransactGet::new((Account::get(1), Account::get(2)));
    let (one, two) = both.send(&world.other()).await.expect("a read");
    (one.expect("an account").balance, two.expect("an account").balance)
}

/// Another process whose client does not retry by itself.
fn patient(world: &World) -> Repository {
    Repository::new(world.client(RetryConfig::disabled())).with_clock(std::sync::Arc::clone(&world.clock))
}

fn reasons(outcome: &TransactionOutcome) -> Vec<(usize, Vec<Reason>)> {
    let refusal = outcome.refusal().expect("refused");
    refusal.actions().map(|action| (action.index(), action.reasons().to_vec())).collect()
}

/// Asserts what DynamoDB charges for this number of actions of up to 1 KB.
fn assert_units(used: f64, actions: u32) {
    let expected = f64::from(2 * actions);
    assert!((used - expected).abs() < 0.01, "{used} of {expected} write units");
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "docs")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Doc {
    #[partition_key]
    id: u64,
    text: String,
    #[version]
    version: u64,
}
