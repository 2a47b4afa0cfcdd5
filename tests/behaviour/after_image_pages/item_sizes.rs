//! Item sizes in client-side transactions: an item can reach DynamoDB's maximum size, also with a history. A larger item is
//! refused before any write.

use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Entity, Item, Transaction};
use dyno_tests::faults::{Event, Fault};
use dyno_tests::witness::is_commit;
use dyno_tests::{World, pause, s, world};
use std::collections::BTreeMap;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "files")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct File {
    #[partition_key]
    id: String,
    head: String,
    body: String,
    #[attribute(rest)]
    rest: Item,
    #[version]
    version: u64,
}

const KB: usize = 1024;

fn file(id: &str, body: char, version: u64) -> File {
    let [head, body] = [("h", 50), (&body.to_string(), 250)].map(|(text, kilobytes)| text.repeat(kilobytes * KB));
    File { id: id.to_owned(), head, body, rest: Item::new(), version }
}

/// Creates a file of 300 KB and a small one.
async fn files() -> World {
    let world = world::<File>().await;
    world.create_lanes().await;
    applied!(file("a", 'x', 0).create(), &world.repository);
    applied!(small(0).create(), &world.repository);
    world
}

fn small(version: u64) -> File {
    File { id: "small".to_owned(), head: String::new(), body: String::new(), rest: Item::new(), version }
}

/// The write of a page with the values that an intent sets.
fn is_page(event: &Event) -> bool {
    event.operation == "PutItem" && event.tables().contains("dyno-lanes") && event.json()["Item"]["set"].is_object()
}

async fn pages(world: &World) -> Vec<Item> {
    let (mut pages, mut from) = (Vec::new(), None);
    loop {
        let scan = world.other().client().scan().table_name("dyno-lanes").set_exclusive_start_key(from);
        let scan = scan.send().await.expect("a scan");
        pages.extend(scan.items.unwrap_or_default().into_iter().filter(|row| row.contains_key("set")));
        from = scan.last_evaluated_key;
        if from.is_none() {
            return pages;
        }
    }
}

async fn stored(world: &World) -> BTreeMap<String, Item> {
    let rows = world.stored::<File>().await.into_iter();
    rows.map(|row| (row["id"].as_s().expect("a text").clone(), row)).collect()
}

/// A large create first writes pages for an absent item, and then finds a tombstone. It writes new pages for its next
/// intent, so a duplicate of an earlier page changes nothing.
#[tokio::test]
async fn a_create_over_a_tombstone_writes_new_pages() {
    pause();
    let world = files().await;
    applied!(File::delete("small", 1u64), &world.repository);
    let process = world.process(RetryConfig::disabled());
    // The duplicate is of the second page, because the first page has the same content both times.
    process.faults.on_request(2, is_page, Fault::DuplicateKept);
    process.faults.on_request(1, is_commit, Fault::DiesAfter);
    let large =
        File { body: "w".repeat(400 * KB - 200), rest: [("more".to_owned(), s(&"m".repeat(60)))].into(), ..small(0) };
    let create = Transaction::new().put(large.clone().create()).client_side();
    assert!(process.run(create.send(&process.repository)).await.is_none());
    // The kept page arrives once more.
    assert!(process.faults.deliver().await.is_some());
    let found = File::get("small").consistent().send(&world.repository).await.expect("a get");
    assert_eq!(found, Some(File { version: 3, ..large }));
}

#[tokio::test]
async fn client_side_writes_can_store_an_item_of_the_maximum_size() {
    pause();
    let world = files().await;
    let rest = |texts: &[(&str, usize)]| -> Item {
        texts.iter().map(|(name, kilobytes)| ((*name).to_owned(), s(&name.repeat(kilobytes * KB)))).collect()
    };
    let parts = rest(&[("p", 180), ("q", 180), ("r", 30)]);
    let made = |id: &str, version| File { id: id.to_owned(), rest: parts.clone(), version, ..small(0) };
    let whole = File { id: "whole".to_owned(), body: "w".repeat(400 * KB - 100), ..small(0) };
    // `small` becomes a tombstone. The transaction creates an item over it, a new item, and an item with one large
    // attribute.
    applied!(File::delete("small", 1u64), &world.repository);
    let all = Transaction::new().put([made("small", 0).create(), made("new", 0).create(), whole.clone().create()]);
    let all = all.put(File { rest: parts.clone(), version: 1, ..File { id: "a".to_owned(), ..small(0) } }.put());
    all.client_side().send(&world.repository).await.expect("sent").applied().expect("applied");
    // The two created items of 390 KB need no pages, because their rows hold almost nothing beside the intent.
    assert_eq!(pages(&world).await.len(), 4);
    world.faults.thaw_replica();
    for (id, expected) in [("small", made("small", 3)), ("new", made("new", 1)), ("a", made("a", 2))] {
        assert_eq!(File::get(id).send(&world.repository).await.expect("a get"), Some(expected), "{id}");
    }
    let found = File::get("whole").send(&world.repository).await.expect("a get");
    assert_eq!(found, Some(File { version: 1, ..whole }));
    assert!(stored(&world).await.values().all(|row| !row.contains_key("_x") && !row.contains_key("deleted")));
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "papers")]
#[tombstone(ttl_days = 7)]
#[history_table]
#[transactional]
struct Paper {
    #[partition_key]
    id: u64,
    head: String,
    body: String,
    #[version]
    version: u64,
}

/// An item of almost 400 KB becomes too large as a revision, or with its write id. The transaction is refused, and nothing
/// is written.
#[tokio::test]
async fn an_item_or_revision_too_large_to_apply_is_refused_before_any_write() {
    let world = files().await;
    world.other().create_table::<Paper>().await.expect("a new table");
    let (paper, before) = (Paper { id: 1, head: String::new(), body: String::new(), version: 0 }, stored(&world).await);
    applied!(paper.clone().create(), &world.repository);
    let large = Paper { body: "w".repeat(400 * KB - 60), version: 1, ..paper };
    let error = Transaction::new().put(large.put()).client_side().send(&world.repository).await.expect_err("too large");
    assert!(error.is_invalid_input() && error.to_string().contains("the revision in the history"), "{error}");
    // The item alone, with 17 bytes of attribute names, just fits into 400 KB.
    let body = "w".repeat(400 * KB - 42);
    let file = File { body: body.clone(), ..file("a", 'x', 1) };
    let file = File { head: String::new(), ..file };
    let error = Transaction::new().put(file.put()).client_side().send(&world.repository).await.expect_err("too large");
    assert!(error.is_invalid_input(), "{error}");
    assert_eq!(stored(&world).await, before);
    world.faults.thaw_replica();
    assert_eq!(Paper::get(1).send(&world.repository).await.expect("a get").map(|paper| paper.version), Some(1));
}

#[tokio::test]
async fn the_history_of_a_large_item_has_whole_revisions() {
    pause();
    for fault in [Fault::Served, Fault::DiesAfter] {
        let world = world::<Paper>().await;
        world.create_lanes().await;
        let [head, x, y] = ["h", "x", "y"].map(|text| text.repeat(150 * KB));
        let paper = |body: &String, version| Paper { id: 1, head: head.clone(), body: body.clone(), version };
        applied!(paper(&x, 0).create(), &world.repository);
        let both = Paper { head: y.clone(), ..paper(&y, 1) };
        let process = world.process(RetryConfig::disabled());
        process.faults.on_request(1, is_commit, fault);
        process.run(Transaction::new().put(both.put()).client_side().send(&process.repository)).await;
        let now = Paper::get(1).consistent().send(&world.repository).await.expect("a get");
        assert_eq!(now, Some(Paper { head: y.clone(), ..paper(&y, 2) }));
        for (version, expected) in [(1, paper(&x, 1)), (2, Paper { head: y.clone(), ..paper(&y, 2) })] {
            let revision = Paper::revision(1, version).send(&world.repository).await.expect("sent").expect("there");
            assert_eq!(revision.decode().expect("decodes"), Some(expected));
        }
    }
}
