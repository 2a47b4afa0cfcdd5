//! Batches: chunks, order, duplicates, unprocessed items, and failures that affect only some items.
//!
//! The tests count requests exactly. They use tokio's paused clock, so pauses take no time.

mod failures;
mod read;
mod requests;
mod unprocessed;

use dyno::command::BatchWritten;
use dyno::{BatchWrite, Entity, EpochMillis, EpochSeconds, Repository};
use dyno_tests::{World, world};

/// An entity without rules, except for a TTL of its own.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "users")]
struct User {
    #[partition_key]
    id: u32,
    name: String,
    #[ttl]
    expires: Option<EpochSeconds>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "User#{user}")]
#[sort_key(name = "SK", template = "Order#{number}")]
struct Order {
    user: u32,
    number: u32,
    total: u32,
}

/// A rating, in the same table as the orders.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "User#{user}")]
#[sort_key(name = "SK", template = "Movie#{movie}")]
#[tombstone(ttl_days = 7)]
struct Rating {
    user: u32,
    movie: String,
    #[ratchet]
    at: EpochMillis,
}

fn user(id: u32) -> User {
    User { id, name: format!("name of {id}"), expires: None }
}

async fn put_all(repository: &Repository, users: impl Iterator<Item = u32>) -> BatchWritten {
    let users: Vec<User> = users.map(user).collect();
    users.iter().map(User::put).collect::<BatchWrite>().send(repository).await.expect("a batch")
}

/// Creates a table with this many users, numbered from 0.
async fn users(count: u32) -> World {
    let world = world::<User>().await;
    put_all(&world.repository, 0..count).await.applied().expect("all of them");
    world
}

/// Creates the tables of users and of orders.
async fn both() -> World {
    let world = world::<User>().await;
    world.repository.create_table::<Order>().await.expect("a table");
    world
}

fn ids(users: &[Option<User>]) -> Vec<Option<u32>> {
    users.iter().map(|user| user.as_ref().map(|user| user.id)).collect()
}

fn indices(written: &BatchWritten) -> Vec<usize> {
    written.failures().iter().map(dyno::command::BatchFailure::index).collect()
}
