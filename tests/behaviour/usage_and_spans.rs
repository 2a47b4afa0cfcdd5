//! Every request of every command has one span and is counted once.

use crate::entities::{Cart, Draft, cart, draft};
use crate::spans::subscribe;
use dyno::{BatchWrite, Entity, Repository, TransactGet, Transaction};
use dyno_tests::{World, is_remote, world};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tracing::span;
use tracing_subscriber::layer::{Context, Layer};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "plain")]
struct Plain {
    #[partition_key]
    id: String,
    count: u32,
    tags: Vec<String>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "lines")]
struct Line {
    #[partition_key]
    id: String,
    #[sort_key]
    number: u32,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[history_table]
struct Page {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bills")]
#[idempotency(store = "row", window_secs = 3600, max_skew_secs = 10)]
struct Bill {
    #[partition_key]
    id: String,
    total: u32,
}

fn plain(count: u32) -> Plain {
    Plain { id: "1".to_owned(), count, tags: vec!["a".to_owned()] }
}

fn page(text: &str, version: u64) -> Page {
    Page { id: "1".to_owned(), text: text.to_owned(), version }
}

/// Counts the spans of requests.
#[derive(Clone, Default)]
struct Spans(Arc<AtomicUsize>);

impl<S: tracing::Subscriber> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &span::Attributes<'_>, _: &span::Id, _: Context<'_, S>) {
        let metadata = attributes.metadata();
        if metadata.target().starts_with("dyno") && metadata.name() == "dynamodb" {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Spans {
    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// For each command: its name, the number of requests that were sent, the number that was counted, and the number of spans.
type Seen = Vec<(&'static str, usize, usize, usize)>;

/// Runs each command in turn.
macro_rules! each {
    ($world:expr, $spans:expr, $seen:expr; $($name:literal: $command:expr;)*) => {$({
        let counted = || usize::try_from($world.repository.usage().requests).expect("a few");
        let before = ($world.faults.events().len(), counted(), $spans.count());
        // Boxed: a test has little stack.
        let _answer = Box::pin($command).await.expect($name);
        let after = ($world.faults.events().len(), counted(), $spans.count());
        $seen.push(($name, after.0 - before.0, after.1 - before.1, after.2 - before.2));
    })*};
}

async fn tables(world: &World, spans: &Spans) -> Seen {
    let repository = &world.repository;
    let mut seen = Seen::new();
    each! { world, spans, seen;
        "create_table": repository.create_table::<Cart>();
        "create_table of what is there": repository.create_table::<Cart>();
        "create_table with a history": repository.create_table::<Draft>();
        "create_table with another history": repository.create_table::<Page>();
        "create_table with a sort key": repository.create_table::<Line>();
        "create_table with keys": repository.create_table::<Bill>();
        "verify_table": repository.verify_table::<Bill>();
        "verify_table with TTL": repository.verify_table::<Cart>();
    }
    seen
}

/// Reads and writes of one request each, or of several.
async fn commands(world: &World, spans: &Spans) -> Seen {
    let repository = &world.repository;
    let mut seen = Seen::new();
    let f = Plain::fields();
    each! { world, spans, seen;
        "put": plain(1).put().send(repository);
        "put that is refused": plain(2).put().condition(f.count.eq(7)).send(repository);
        "update": Plain::update("1").with(f.count.add(1)).send(repository);
        "remove_value": Plain::update("1").with(f.tags.remove_value("a")).send(repository);
        "modify_each": Plain::scan().modify_each(|plain| plain.count += 1).send(repository);
        "get": Plain::get("1").send(repository);
        "batch_get": Plain::batch_get(["1", "2"]).send(repository);
        "batch_write": BatchWrite::new().add(plain(3).put()).send(repository);
        "query": Line::query("1").send(repository);
        "scan in two segments": Plain::scan().parallel(2).stream(repository).try_collect();
        "transaction": Transaction::new().put(plain(4).put()).send(repository);
        "transact_get": TransactGet::new((Plain::get("1"), Plain::get("2"))).send(repository);
        "delete": Plain::delete("1").send(repository);
    }
    versioned(world, spans, &mut seen).await;
    seen
}

async fn versioned(world: &World, spans: &Spans, seen: &mut Seen) {
    let repository = &world.repository;
    each! { world, spans, seen;
        "create": cart(1, 0).create().send(repository);
        "put of a version": cart(2, 1).put().send(repository);
        "put of another version": cart(2, 1).put().send(repository);
        "update of a version": Cart::update("1").version(2u64).with(Cart::fields().lines.set(3)).send(repository);
        "modify of a version": Cart::modify("1", |cart| cart.lines += 1).send(repository);
        "delete of a version": Cart::delete("1", 4u64).send(repository);
        "create over a tombstone": cart(1, 0).create().send(repository);
        "create with a history": page("a", 0).create().send(repository);
        "put with a history": page("b", 1).put().send(repository);
        "modify with a history": Page::modify("1", |page| page.text.push('c')).send(repository);
        "revisions": Page::revisions("1").send(repository);
        "revision": Page::revision("1", 1u64).send(repository);
        "rollback": Page::rollback("1", 1u64).send(repository);
        "delete with a history": Page::delete("1", 4u64).send(repository);
        "create with an ordered history": draft("a", 0).create().send(repository);
        "put with an ordered history": draft("b", 1).put().send(repository);
        "delete with an ordered history": Draft::delete("1", 2u64).send(repository);
        "create over a deletion in an ordered history": draft("c", 0).create().send(repository);
        "put before a key": Bill { id: "1".to_owned(), total: 0 }.put().send(repository);
        "update with a key": Bill::update("1").with(Bill::fields().total.add(1)).idempotency_key("a").send(repository);
        "update with the same key": Bill::update("1").with(Bill::fields().total.add(1)).idempotency_key("a").send(repository);
    }
}

/// Runs all commands in a world of its own.
async fn all() -> Seen {
    let (spans, world) = (Spans::default(), world::<Plain>().await);
    let _guard = subscribe(spans.clone());
    let mut seen = tables(&world, &spans).await;
    seen.extend(commands(&world, &spans).await);
    seen
}

#[tokio::test]
async fn every_request_is_counted_once() {
    for (command, sent, counted, _) in all().await {
        assert!(sent > 0, "{command}");
        assert_eq!(counted, sent, "{command}");
    }
}

#[tokio::test]
async fn every_request_is_a_span() {
    for (command, sent, _, spans) in all().await {
        assert_eq!(spans, sent, "{command}");
    }
}

/// Answers the next `DescribeTable` with this status.
fn status(world: &World, status: &str) {
    world.faults.answer(
        "DescribeTable",
        200,
        &format!(r#"{{"Table":{{"TableName":"carts","TableStatus":"{status}"}}}}"#),
    );
}

#[tokio::test(start_paused = true)]
async fn create_table_polls_until_the_table_is_active() {
    if is_remote() {
        // The test itself makes the answers. While another engine works, the paused clock would jump to the next timer.
        return;
    }
    let world = world::<Plain>().await;
    let repository = &world.repository;
    for _ in 0..3 {
        status(&world, "CREATING");
    }
    let (start, sent) = (tokio::time::Instant::now(), |repository: &Repository| repository.usage().requests);
    repository.create_table::<Cart>().await.expect("active in the end");
    // `CreateTable`, four `DescribeTable`, and the requests for TTL.
    assert_eq!(sent(repository), 7);
    assert_eq!(start.elapsed().as_millis(), 500 + 1000 + 2000);
    // `create_table` does not wait for a table that does not become active.
    for never in ["DELETING", "ARCHIVED", "INACCESSIBLE_ENCRYPTION_CREDENTIALS"] {
        status(&world, never);
        let (before, start) = (sent(repository), tokio::time::Instant::now());
        let error = repository.create_table::<Cart>().await.expect_err(never);
        assert_eq!((sent(repository) - before, start.elapsed().as_millis()), (2, 0));
        let message = format!(
            "create_table of `Cart`: the table `carts` is {never}, and will not become active: call `create_table` again once it is deleted or restored"
        );
        assert_eq!(error.to_string(), message);
    }
    // The wait for a table is limited.
    for _ in 0..30 {
        status(&world, "UPDATING");
    }
    let error = repository.create_table::<Cart>().await.expect_err("not active");
    let message = "create_table of `Cart`: the table `carts` is still UPDATING after 5 minutes: call `create_table` again to keep waiting";
    assert_eq!(error.to_string(), message);
    assert!((300..320).contains(&start.elapsed().as_secs()), "{:?}", start.elapsed());
}
