//! Transactions whose change does not fit into the row beside its old values: the new values go to pages.

mod claimed;
mod item_sizes;
mod late_pages;
mod near_the_limit;
mod page_renewal;
mod page_writes;
mod recovery;
mod uncommitted;

use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::aws_sdk_dynamodb::primitives::Blob;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Item, Projection, Transaction};
use dyno_tests::faults::{Event, Fault};
use dyno_tests::{World, item, n, s, world};

const DAY: i64 = 86_400;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "documents")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Document {
    #[partition_key]
    shelf: String,
    #[sort_key]
    line: u64,
    title: String,
    #[attribute(rest)]
    rest: Item,
    #[version]
    version: u64,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Document)]
struct Title {
    title: String,
}

fn document(line: u64, title: &str, rest: Item, version: u64) -> Document {
    Document { shelf: "a".to_owned(), line, title: title.to_owned(), rest, version }
}

fn text(letter: &str, kilobytes: usize) -> AttributeValue {
    s(&letter.repeat(kilobytes * 1024))
}

/// The large document before the transaction, of 300 KB.
fn before() -> Document {
    let gone = AttributeValue::Null(true);
    let rest = [("kept", text("k", 50)), ("one", text("b", 125)), ("two", text("b", 125)), ("gone", gone)];
    document(1, "before", item(rest), 1)
}

/// The large document with 250 KB of it changed, to values of every type.
fn after() -> Document {
    let texts = |texts: [&str; 2]| texts.map(str::to_owned).into();
    let bytes = |byte: u8, count: usize| Blob::new(vec![byte; count]);
    let list = vec![n(-1), AttributeValue::Null(true), AttributeValue::L(Vec::new()), s("")];
    let rest = item([
        ("kept", text("k", 50)),
        ("one", text("a", 125)),
        ("two", AttributeValue::B(bytes(7, 125 * 1024))),
        ("flag", AttributeValue::Bool(true)),
        ("nothing", AttributeValue::Null(true)),
        ("number", n("12345678901234567890123456789012345678")),
        ("list", AttributeValue::L(list)),
        ("map", AttributeValue::M(item([("of a map", AttributeValue::M(item([("half", n(0.5))])))]))),
        ("texts", AttributeValue::Ss(texts(["a", "b"]))),
        ("numbers", AttributeValue::Ns(texts(["1", "2"]))),
        ("many bytes", AttributeValue::Bs(vec![bytes(1, 2), bytes(2, 1)])),
    ]);
    document(1, "after", rest, 1)
}

/// The large document after the transaction.
fn made() -> Document {
    Document { version: 2, ..after() }
}

fn small(line: u64, title: &str) -> Document {
    document(line, title, Item::new(), 0)
}

/// A library with a lane table, the large document, and a small one at line 2.
async fn library() -> World {
    let world = world::<Document>().await;
    world.create_lanes().await;
    applied!(Document { version: 0, ..before() }.create(), &world.repository);
    applied!(small(2, "before").create(), &world.repository);
    world
}

/// A transaction that changes both documents.
fn change() -> Transaction {
    let title = Document::update(("a", 2)).version(1).with(Document::fields().title.set("after"));
    Transaction::new().put(after().put()).update(title).client_side()
}

/// A library in which a process has died before a request of this transaction.
async fn died(transaction: Transaction, before: fn(&Event) -> bool) -> World {
    let world = library().await;
    die(&world, transaction, before).await;
    world
}

async fn die(world: &World, transaction: Transaction, before: fn(&Event) -> bool) {
    let process = world.process(RetryConfig::disabled());
    process.faults.on_request(1, before, Fault::DiesBefore);
    assert!(process.run(transaction.send(&process.repository)).await.is_none(), "it died");
}

/// Returns the stored row of a line, read without the faults of the test's network.
async fn row(world: &World, line: u64) -> Option<Item> {
    let other = world.other();
    let get = other.client().get_item().table_name("documents").key("shelf", s("a")).key("line", n(line));
    get.consistent_read(true).send().await.expect("an answer").item
}

/// Checks that the stored row has a write id, the attributes of the document, and nothing else.
async fn assert_stored(world: &World, document: &Document, case: &str) {
    let mut row = row(world, document.line).await.expect("a row");
    assert!(row.remove("_w").is_some(), "{case}");
    let own = item([
        ("shelf", s(&document.shelf)),
        ("line", n(document.line)),
        ("title", s(&document.title)),
        ("version", n(document.version)),
    ]);
    let expected: Item = own.into_iter().chain(document.rest.clone()).collect();
    assert!(equal(&row, &expected), "{case}: {:?}", row.keys());
}

/// Whether both items have the same attributes, whatever the order of the elements in sets.
fn equal(one: &Item, other: &Item) -> bool {
    let sorted = |item: &Item| -> Item {
        let sorted = item.iter().map(|(name, value)| (name.clone(), in_order(value.clone())));
        sorted.collect()
    };
    sorted(one) == sorted(other)
}

fn in_order(value: AttributeValue) -> AttributeValue {
    match value {
        AttributeValue::Ss(mut values) => {
            values.sort();
            AttributeValue::Ss(values)
        }
        AttributeValue::Ns(mut values) => {
            values.sort();
            AttributeValue::Ns(values)
        }
        AttributeValue::Bs(mut values) => {
            values.sort_by(|one, other| one.as_ref().cmp(other.as_ref()));
            AttributeValue::Bs(values)
        }
        value => value,
    }
}

/// Returns all pages, read without the faults of the test's network.
async fn pages(world: &World) -> Vec<Item> {
    let scan = world.other().client().scan().table_name("dyno-lanes").consistent_read(true);
    let mut pages: Vec<Item> = scan.into_paginator().items().send().try_collect().await.expect("a scan");
    pages.retain(|item| item["part"] != s("#"));
    pages.sort_by_key(|page| page["part"].as_s().expect("a text").clone());
    pages
}

async fn delete_page(world: &World, page: &Item) {
    let other = world.other();
    let delete = other.client().delete_item().table_name("dyno-lanes");
    delete.key("lane", page["lane"].clone()).key("part", page["part"].clone()).send().await.expect("deleted");
}

async fn put_page(world: &World, page: &Item) {
    let other = world.other();
    other.client().put_item().table_name("dyno-lanes").set_item(Some(page.clone())).send().await.expect("put");
}

/// The write of a page.
fn is_page(event: &Event) -> bool {
    let text = event.text();
    text.starts_with("PutItem dyno-lanes") && !text.contains("part=\"#\"")
}
