//! Items that a client-side transaction has locked: every write of such an entity leaves them unchanged, and waits.

mod native_transactions;
mod reads;
mod waiting;
mod writes;

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Item};
use dyno_tests::{World, item, lanes, n, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Account {
    #[partition_key]
    id: String,
    balance: u64,
    notes: Vec<String>,
    #[version]
    version: u64,
    #[attribute(rest)]
    rest: Item,
}

/// An entity with a revision of each version.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[tombstone(ttl_days = 7)]
#[history_table]
#[transactional]
struct Page {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

/// An entity with a revision of each superseded version.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "drafts")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered")]
#[transactional]
struct Draft {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

/// An entity that stores the idempotency keys of its updates.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "meters")]
#[tombstone(ttl_days = 7)]
#[idempotency(keys = 10)]
#[transactional]
struct Meter {
    #[partition_key]
    id: String,
    count: u64,
    #[version]
    version: u64,
}

fn account(balance: u64, version: u64) -> Account {
    Account { id: "1".to_owned(), balance, notes: vec!["a".to_owned()], version, rest: Item::new() }
}

fn page(text: &str, version: u64) -> Page {
    Page { id: "1".to_owned(), text: text.to_owned(), version }
}

fn draft(text: &str, version: u64) -> Draft {
    Draft { id: "1".to_owned(), text: text.to_owned(), version }
}

/// The intent of a transaction.
fn intent() -> AttributeValue {
    let set = AttributeValue::M(item([("balance", n(7)), ("version", n(4)), ("_w", s("1/7"))]));
    AttributeValue::M(item([("id", s(lanes::TICKET)), ("set", set), ("since", n(1))]))
}

fn held(mut item: Item) -> Item {
    item.insert("_x".to_owned(), intent());
    item
}

/// An account of version 3, as a write has left it.
fn stored() -> Item {
    let notes = AttributeValue::L(vec![s("a")]);
    item([("id", s("1")), ("balance", n(5)), ("notes", notes), ("version", n(3)), ("_w", s("-before"))])
}

/// The tombstone of the account. Its TTL is parked.
fn deleted() -> Item {
    item([("id", s("1")), ("deleted", AttributeValue::Bool(true)), ("version", n(3)), ("_w", s("-before"))])
}

/// The placeholder of an item that a transaction is about to create.
fn placeholder() -> Item {
    let new = ("new", AttributeValue::Bool(true));
    let place = item([("id", s("1")), ("deleted", AttributeValue::Bool(true))]);
    lanes::with(place, item([("id", s(lanes::TICKET)), ("since", n(1)), new]))
}

/// A world in which this is the row of an account, and the transaction that locks it is still undecided.
async fn holding(row: Item) -> World {
    let world = lost(row).await;
    world.put_head(lanes::open()).await;
    world
}

/// A world in which this is the row of an account, and the lane of the transaction that locks it is missing. So the outcome
/// of the transaction is unknown.
async fn lost(row: Item) -> World {
    let world = world::<Account>().await;
    world.create_lanes_only().await;
    world.write_foreign::<Account>(row).await;
    world
}

/// The raw row of the only item, read without faults.
async fn row<E: Entity>(world: &World) -> Item {
    let other = world.other();
    let scan = other.client().scan().table_name(other.table_name::<E>().expect("a table"));
    scan.send().await.expect("a scan").items.expect("items").remove(0)
}

/// Puts a raw row, without faults.
async fn put_row<E: Entity>(world: &World, row: Item) {
    let other = world.other();
    let put = other.client().put_item().table_name(other.table_name::<E>().expect("a table"));
    put.set_item(Some(row)).send().await.expect("put");
}

/// Removes the row of the only account, as an aborted transaction removes its placeholder.
async fn remove_row(world: &World) {
    let other = world.other();
    let delete = other.client().delete_item().table_name(other.table_name::<Account>().expect("a table"));
    delete.key("id", s("1")).send().await.expect("removed");
}

/// Removes the intent from the account, as an aborted transaction does.
async fn let_go(world: &World) {
    let mut committed = row::<Account>(world).await;
    committed.remove("_x");
    put_row::<Account>(world, committed).await;
}
