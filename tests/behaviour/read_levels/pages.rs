//! Limits, cursors, streams and combined batches that read items held by a transaction.

use super::{Change, Entry, Stage, book, entry};
use dyno::{Entities, Entity};
use dyno_tests::{item, lanes, n, s, world};

#[tokio::test]
async fn a_limit_counts_the_items_shown() {
    let world = book(Change::Create, Stage::Open).await;
    let page = Entry::query("ledger").limit(2).send(&world.repository).await.expect("a page");
    assert_eq!(page.items.iter().map(|entry| entry.line).collect::<Vec<_>>(), [0, 2]);
    let page = Entry::query("ledger").limit(2).uncommitted().send(&world.repository).await.expect("a page");
    assert_eq!(page.items.iter().map(|entry| entry.line).collect::<Vec<_>>(), [0, 1]);
    let rest = Entry::query("ledger").after(page.cursor.expect("more")).uncommitted();
    let rest = rest.send(&world.repository).await.expect("a page");
    assert_eq!(rest.items.iter().map(|entry| entry.line).collect::<Vec<_>>(), [2]);
    let world = book(Change::Delete, Stage::Committed).await;
    let page = Entry::query("ledger").limit(2).consistent().send(&world.repository).await.expect("a page");
    assert_eq!(page.items.iter().map(|entry| entry.line).collect::<Vec<_>>(), [0, 2]);
}

#[tokio::test]
async fn a_stream_and_a_parallel_scan_show_the_version_of_their_level() {
    let world = book(Change::Update, Stage::Committed).await;
    let sums = |mut entries: Vec<Entry>| {
        entries.retain(|entry| entry.book == "ledger");
        entries.sort_by_key(|entry| entry.line);
        entries.iter().map(|entry| entry.sum).collect::<Vec<_>>()
    };
    let uncommitted = Entry::scan().uncommitted().parallel(3).stream(&world.repository).try_collect().await;
    assert_eq!(sums(uncommitted.expect("a scan")), [1, 7, 1]);
    let committed = Entry::query("ledger").stream(&world.repository).try_collect().await;
    assert_eq!(sums(committed.expect("a query")), [1, 5, 1]);
    let consistent = Entry::query("ledger").consistent().stream(&world.repository).try_collect().await;
    assert_eq!(sums(consistent.expect("a query")), [1, 7, 1]);
}

#[derive(Entities, Debug, PartialEq)]
enum Any {
    Entry(Entry),
}

#[tokio::test]
async fn a_query_of_several_entities_shows_the_version_of_its_level() {
    for (stage, consistent) in [(Stage::Open, 5), (Stage::Committed, 7)] {
        let world = book(Change::Update, stage).await;
        for (query, sum) in [
            (Entry::query("ledger"), 5),
            (Entry::query("ledger").uncommitted(), 7),
            (Entry::query("ledger").consistent(), consistent),
        ] {
            let page = query.entities::<Any>().send(&world.repository).await.expect("a page");
            let Any::Entry(entry) = &page.items[1];
            assert_eq!((page.items.len(), entry.sum), (3, sum), "{stage:?}");
        }
    }
}

/// A batch that reads one key at several levels returns the item at each level.
#[tokio::test]
async fn one_batch_shows_an_item_at_each_level() {
    for (stage, consistent) in [(Stage::Open, 5), (Stage::Committed, 7)] {
        let world = book(Change::Update, stage).await;
        let one = || Entry::batch_get([("ledger", 1), ("ledger", 1)]);
        let read = dyno::batch_get((one(), one().uncommitted(), one().consistent(), one().consistent().uncommitted()));
        let (committed, uncommitted, latest, both) = read.send(&world.repository).await.expect("a batch");
        for (read, sum) in [(committed, 5), (uncommitted, 7), (latest, consistent), (both, 7)] {
            assert!(read.iter().all(|entry| entry.as_ref().is_some_and(|entry| entry.sum == sum)), "{stage:?}, {sum}");
            assert_eq!(read.len(), 2);
        }
    }
}

/// Reads that resolve a malformed intent, or an intent whose lane is missing, fail with an error that names the item.
#[tokio::test]
async fn an_unresolvable_intent_fails_only_the_reads_that_resolve_it() {
    for (intent, is_missing) in
        [(lanes::intent(lanes::TICKET, item([("sum", n(7))])), true), (item([("id", s("what?"))]), false)]
    {
        let world = world::<Entry>().await;
        world.create_lanes_only().await;
        let row = item([("book", s("ledger")), ("line", n(1)), ("sum", n(5)), ("kind", s("kind")), ("version", n(1))]);
        let row = lanes::with(row, intent);
        world.write_foreign::<Entry>(row.clone()).await;
        let repository = &world.repository;
        assert_eq!(
            Entry::scan().send(repository).await.expect("a scan").items,
            [Entry { version: 1, ..entry("ledger", 1, 5) }]
        );
        let mut errors = vec![
            Entry::query("ledger").consistent().send(repository).await.map(drop),
            Entry::scan().consistent().send(repository).await.map(drop),
            Entry::batch_get([("ledger", 1)]).consistent().send(repository).await.map(drop),
            Entry::batch_get([("ledger", 1)]).consistent().send_each(repository).await.remove(0).map(drop),
        ];
        if !is_missing {
            errors.extend([
                Entry::query("ledger").uncommitted().send(repository).await.map(drop),
                Entry::get(("ledger", 1)).uncommitted().send(repository).await.map(drop),
                Entry::batch_get([("ledger", 1)]).uncommitted().send(repository).await.map(drop),
            ]);
        }
        for error in errors {
            let error = error.expect_err("it is not understood");
            assert_eq!(
                (error.is_lane_missing(), error.key()),
                (is_missing, Some(r#"book = "ledger", line = 1"#)),
                "{error}"
            );
        }
        assert_eq!(world.stored::<Entry>().await, [row]);
    }
}

/// A claim only keeps other writers out and writes nothing, so an uncommitted read returns the stored item.
#[tokio::test]
async fn an_uncommitted_read_of_a_claimed_row_shows_the_stored_item() {
    let claim = || lanes::intent(lanes::TICKET, dyno::Item::new());
    let world = world::<Entry>().await;
    world.create_lanes_only().await;
    let row = item([("book", s("ledger")), ("line", n(1)), ("sum", n(5)), ("kind", s("kind")), ("version", n(1))]);
    world.write_foreign::<Entry>(lanes::with(row.clone(), claim())).await;
    let shown = Entry::get(("ledger", 1)).uncommitted().send(&world.repository).await.expect("a get");
    assert_eq!(shown.map(|entry| entry.sum), Some(5));
    let shown = Entry::get(("ledger", 1)).uncommitted().loaded().send(&world.repository).await.expect("a get");
    assert_eq!(shown.map(|loaded| loaded.item().clone()), Some(row));
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "shop")]
#[partition_key(name = "PK", template = "Shop#{shop}")]
#[sort_key(name = "SK", template = "Order#{number}")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Order {
    shop: String,
    number: u64,
    sum: u64,
    #[version]
    version: u64,
}

#[derive(Entities, Debug, PartialEq)]
enum Orders {
    Order(Order),
}

/// A row of another entity is filtered by its stored attributes, and its intent is not resolved.
#[tokio::test]
async fn a_filter_ignores_the_intent_on_another_entity_s_row() {
    let world = world::<Order>().await;
    world.create_lanes_only().await;
    let row = item([("PK", s("Shop#a")), ("SK", s("Parcel#1")), ("sum", n(5))]);
    world.write_foreign::<Order>(lanes::with(row, lanes::intent(lanes::TICKET, item([("sum", n(7))])))).await;
    for sum in [5, 7] {
        let query = || Order::query("a").filter(Order::fields().sum.eq(sum));
        for query in [query(), query().consistent(), query().uncommitted()] {
            let found = query.entities::<Orders>().send(&world.repository).await;
            assert_eq!(
                found.map(|page| page.items.len()).map_err(|error| error.kind()),
                if sum == 7 { Ok(0) } else { Err(dyno::ErrorKind::Decode) }
            );
        }
    }
}
