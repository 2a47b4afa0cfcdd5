//! Lanes: how a process gets one, what happens to abandoned lanes, and what a sweep finds.

mod item_sweep;
mod lane_allocation;
mod lane_sweep;
mod lane_table;
mod lane_table_failures;
mod participant_pages;
mod take_over;

use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Item, Repository};
use dyno_tests::{NOW, World, item, n, s, world};

/// A little more than a minute, in milliseconds.
const LONG: i64 = 60_001;

/// The count of ticket numbers in an epoch.
const EPOCH: u64 = 1_000_000_000_000;

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

/// A world with a lane table.
async fn with_lanes() -> World {
    let world = world::<Account>().await;
    // The handle is another one, so the test's own handle counts only the requests of the test.
    world.other().create_lane_table().await.expect("a lane table");
    world
}

fn account(id: &str, balance: u64) -> Item {
    item([("id", s(id)), ("balance", n(balance)), ("version", n(1)), ("_w", s("-before"))])
}

/// An account with the intent of a transaction that sets this balance.
fn held(id: &str, ticket: &str, balance: u64) -> Item {
    let set = item([("balance", n(balance)), ("version", n(2)), ("_w", s("after"))]);
    let intent = item([("id", s(ticket)), ("set", AttributeValue::M(set)), ("since", n(NOW))]);
    let mut row = account(id, 5);
    row.insert("_x".to_owned(), AttributeValue::M(intent));
    row
}

/// The account after the transaction was applied.
fn applied(id: &str, balance: u64) -> Item {
    item([("id", s(id)), ("balance", n(balance)), ("version", n(2)), ("_w", s("after"))])
}

/// The head of a lane that has committed nothing yet. Its last heartbeat is `silent` milliseconds old.
fn head(lane: u32, silent: i64) -> Item {
    item([
        ("lane", s(&lane.to_string())),
        ("part", s("#")),
        ("born", s("born")),
        ("owner", s("another")),
        ("beat", n(NOW - silent)),
        ("committed", n(0)),
        ("void", n(0)),
        ("epochs", AttributeValue::M(Item::new())),
    ])
}

/// The same head, with the ticket `<lane>/born/<number>/try` committed for these accounts.
fn committed(lane: u32, number: u64, silent: i64, ids: &[&str]) -> Item {
    let mut head = head(lane, silent);
    head.extend(item([("committed", n(number)), ("try", s("try")), ("of", n(number)), ("participants", named(ids))]));
    head
}

/// Accounts as the participants of a ticket.
fn named(ids: &[&str]) -> AttributeValue {
    let ids = ids.iter().map(|id| s(id)).collect();
    AttributeValue::L(vec![AttributeValue::M(item([
        ("table", s("accounts")),
        ("key", AttributeValue::L(vec![s("id")])),
        ("items", AttributeValue::L(ids)),
    ]))])
}

async fn put(client: &Client, table: &str, item: Item) {
    client.put_item().table_name(table).set_item(Some(item)).send().await.expect("put");
}

/// Writes raw items, without faults.
async fn write(world: &World, table: &str, items: impl IntoIterator<Item = Item>) {
    let other = world.other();
    for item in items {
        put(other.client(), table, item).await;
    }
}

/// The current head of a lane.
async fn lane(world: &World, lane: u32) -> Item {
    lane_of(&world.other(), "dyno-lanes", lane).await
}

async fn lane_of(repository: &Repository, table: &str, lane: u32) -> Item {
    let get = repository.client().get_item().table_name(table).key("lane", s(&lane.to_string())).key("part", s("#"));
    get.send().await.expect("an answer").item.expect("a lane")
}

/// The names of all lanes.
async fn lanes(world: &World) -> Vec<String> {
    let scan = world.other().client().scan().table_name("dyno-lanes").send().await.expect("a scan");
    let name = |item: Item| item["lane"].as_s().expect("a name").clone();
    let mut names: Vec<String> = scan.items.unwrap_or_default().into_iter().map(name).collect();
    names.sort();
    names
}

/// The raw stored account, read without faults.
async fn stored(world: &World, id: &str) -> Item {
    let other = world.other();
    let get = other.client().get_item().table_name("accounts").key("id", s(id)).consistent_read(true);
    get.send().await.expect("an answer").item.expect("an account")
}

/// The parts of a ticket.
fn parts(ticket: &str) -> (String, String, u64, String) {
    let parts: Vec<&str> = ticket.split('/').collect();
    let [lane, born, number, nonce] = parts[..] else { panic!("{ticket}") };
    (lane.to_owned(), born.to_owned(), number.parse().expect("a number"), nonce.to_owned())
}
