//! Client-side transactions: their requests and their results.

mod aborted_and_taken_over;
mod claimed_histories;
mod claims;
mod closures;
mod contention;
mod contention_errors;
mod entity_rules;
mod events;
mod forked_processes;
mod histories;
mod in_doubt;
mod isolation;
mod late_requests;
mod limits;
mod liveness;
mod overwritten;
mod placeholders;
mod refused_by_history;
mod request_counts;
mod round_trips;
mod unappliable;
mod write_kinds;

use dyno::{Entity, Item, Transaction};
use dyno_tests::faults::Event;
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

fn account(id: &str, balance: u64) -> Account {
    Account { id: id.to_owned(), balance, version: 0 }
}

fn name(at: usize) -> String {
    format!("{at:05}")
}

/// Creates this many accounts of 100 each, and a lane table.
async fn bank(accounts: usize) -> World {
    let world = world::<Account>().await;
    world.create_lanes().await;
    for at in 0..accounts {
        account(&name(at), 100).create().send(&world.repository).await.expect("sent").applied().expect("applied");
    }
    world
}

/// Returns all stored lane rows.
async fn heads(world: &World) -> Vec<Item> {
    let scan = world.other().client().scan().table_name("dyno-lanes").send().await.expect("a scan");
    scan.items.unwrap_or_default()
}

/// The commit of a transaction.
fn is_commit(event: &Event) -> bool {
    event.text().contains("SET committed")
}

/// A transaction that creates accounts with these IDs.
fn creates(ids: &[&str]) -> Transaction {
    let creates: Vec<_> = ids.iter().map(|id| account(id, 1).create()).collect();
    Transaction::new().put(creates).client_side()
}

/// Returns the IDs and balances of those of these accounts that exist.
async fn balances(world: &World, ids: &[&str]) -> Vec<(String, u64)> {
    let (mut found, other) = (Vec::new(), world.other());
    for id in ids {
        let got = Account::get(*id).consistent().send(&other).await.expect("a get");
        found.extend(got.map(|account| (account.id, account.balance)));
    }
    found
}

/// Returns the IDs of those of these accounts that exist.
async fn there(world: &World, ids: &[&str]) -> Vec<String> {
    balances(world, ids).await.into_iter().map(|(id, _)| id).collect()
}

/// Returns the operations of all requests after the first `before` ones.
fn operations(world: &World, before: usize) -> Vec<String> {
    world.faults.events()[before..].iter().map(|event| event.operation.clone()).collect()
}

/// Whether a request puts a revision. A deletion does not count, because an ordered history can record it before the commit.
fn is_record(event: &Event) -> bool {
    event.is_write() && event.text().contains("_image") && !event.text().contains("_deleted")
}

/// Whether a request puts a revision, or applies or removes an intent.
fn is_application(event: &Event) -> bool {
    is_record(event) || dyno_tests::witness::is_end(event)
}
