//! Reads that are eventually consistent show an older state, and the library's own reads never do.
//!
//! In each test, eventually consistent reads see no change that is made after `lag`.

mod locks;
mod replica;
mod transactions;
mod writes;

use dyno::Entity;
use dyno_tests::World;
use std::time::Duration;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
#[index(name = "by_owner", partition = owner)]
struct Account {
    #[partition_key]
    id: String,
    owner: String,
    balance: u64,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
struct Note {
    #[partition_key]
    id: u64,
    text: String,
}

fn account(id: &str, balance: u64) -> Account {
    Account { id: id.to_owned(), owner: "o".to_owned(), balance, version: 0 }
}

/// Two accounts of 100 each, and lanes.
async fn bank() -> World {
    let world = dyno_tests::world::<Account>().await;
    world.create_lanes().await;
    for id in ["a", "b"] {
        applied!(account(id, 100).create(), &world.repository);
    }
    world
}

/// From now on, the eventually consistent reads of the world's repository see no change.
fn lag(world: &World) {
    world.faults.replica_lag(Duration::MAX);
}

/// Another process adds to the account.
async fn add(world: &World, id: &str, sum: u64) {
    applied!(Account::update(id).unchecked().with(Account::fields().balance.add(sum)), &world.other());
}

/// The balance of the account, read consistently by another process.
async fn balance(world: &World, id: &str) -> u64 {
    let account = Account::get(id).consistent().send(&world.other()).await.expect("a get");
    account.expect("an account").balance
}
