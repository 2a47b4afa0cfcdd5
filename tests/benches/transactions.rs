//! What transactions cost: native, client-side, and by the protocol of an article:
//! `cargo bench -p dyno-tests --bench transactions`. The bench prints two tables in Markdown; the second one is that of
//! `contended`.
//!
//! - Requests, units and round trips are counted and compared with `docs/client-side-transactions.md`. For the round trips,
//!   the clock is paused and each request takes 5 ms.
//! - Times are ratios within this run. The kinds of transactions take turns, and each ratio is a median. The engine runs in
//!   this process, without a network.

#![allow(missing_docs, clippy::print_stdout, reason = "a bench prints, and is not documented item by item")]
#![allow(clippy::cast_precision_loss, reason = "counts are small")]

#[path = "transactions/article.rs"]
mod article;
#[path = "transactions/contended.rs"]
mod contended;

use article::{Article, RECORDS, record_bytes};
use dyno::aws_sdk_dynamodb::types::{AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType};
use dyno::{Entity, Repository, Transaction};
use dyno_tests::{World, world};
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::time::Instant;

#[derive(Entity, Clone)]
#[entity(table = "wides")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Wide {
    #[partition_key]
    id: String,
    text: String,
    sum: u64,
    #[version]
    version: u64,
}

/// How long a request takes when round trips are counted.
const TRIP: Duration = Duration::from_millis(5);
/// Numbers of items, and how often the kinds of transactions take turns.
const COUNTS: [(usize, usize); 4] = [(2, 31), (10, 31), (100, 9), (1000, 3)];
/// How many items a transaction reads if it writes one of them.
const READ: usize = 21;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Natively,
    ByIntents,
    Article,
}

/// The counted cost of a transaction.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cost {
    requests: usize,
    write_units: f64,
    read_units: f64,
    trips: usize,
}

fn main() {
    println!("| | | Requests | Write units | Read units | Round trips | Time |\n|---|---|---|---|---|---|---|");
    for (count, turns) in COUNTS {
        let mut ways = vec![Way::Natively, Way::ByIntents, Way::Article];
        ways.retain(|way| count <= 100 || *way != Way::Natively);
        let costs: Vec<_> = ways.iter().map(|way| counted(*way, count, false)).collect();
        for (way, cost) in ways.iter().zip(&costs) {
            verify(*way, count, *cost);
        }
        print(&format!("{count} updates"), &ways, &costs, &ratios(&ways, count, turns, false));
    }
    let ways = [Way::Natively, Way::ByIntents];
    let costs = ways.map(|way| counted(way, READ, true));
    let [natively, client_side] = costs;
    // Native: 20 checks and an update cost 2 write units each. Client-side: one request reads all items, one writes the
    // intent, one reads 20 items again, one commits, and one applies.
    assert_eq!((natively.requests, natively.write_units, natively.trips), (2, 42.0, 2));
    assert_eq!((client_side.requests, client_side.write_units, client_side.trips), (5, 3.0, 5));
    assert_eq!((natively.read_units, client_side.read_units), (21.0, 41.0));
    print("1 update, 20 only read", &ways, &costs, &ratios(&ways, READ, COUNTS[0].1, true));
    contended::print();
}

fn name(at: usize) -> String {
    format!("{at:05}")
}

/// Creates `count` items of 400 bytes, and the tables of lanes and of records.
async fn wides(count: usize) -> World {
    let mut world = world::<Wide>().await;
    // With a lock timeout of an hour, even a slow transaction sends no heartbeats, which would be counted.
    world.repository = world.repository.with_lock_timeout(Duration::from_hours(1));
    world.create_lanes().await;
    let id = AttributeDefinition::builder().attribute_name("id").attribute_type(ScalarAttributeType::S);
    let key = KeySchemaElement::builder().attribute_name("id").key_type(KeyType::Hash);
    let other = world.other();
    let create = other.client().create_table().table_name(RECORDS).billing_mode(BillingMode::PayPerRequest);
    let create = create.attribute_definitions(id.build().expect("an attribute"));
    create.key_schema(key.build().expect("a key")).send().await.expect("a table of records");
    for at in 0..count {
        let wide = Wide { id: name(at), text: "x".repeat(374), sum: 0, version: 0 };
        wide.create().send(&other).await.expect("sent").applied().expect("applied");
    }
    // The first transaction takes a lane and asks for the keys of the table's indexes, so it is not counted.
    update(Way::ByIntents, &world.repository, 1).await;
    world
}

/// Updates `count` items.
async fn update(way: Way, repository: &Repository, count: usize) {
    let updates = (0..count).map(|at| Wide::update(name(at)).unchecked().with(Wide::fields().sum.add(1)));
    let all = Transaction::new().update(updates.collect::<Vec<_>>());
    let all = if way == Way::Natively { all.native() } else { all.client_side() };
    all.send(repository).await.expect("sent").applied().expect("applied");
}

/// Reads `count` items and writes one.
async fn read(way: Way, repository: &Repository, count: usize) {
    let all = Transaction::interactive(|tx| async move {
        let all = tx.batch_get(Wide::batch_get((0..count).map(name))).await?;
        let mut first = all.into_iter().flatten().next().ok_or("no item")?;
        first.sum += 1;
        tx.put(first.put());
        Ok(())
    });
    let all = if way == Way::Natively { all.native() } else { all.client_side() };
    all.send(repository).await.expect("sent").applied().expect("applied");
}

/// Sends a transaction. Returns reads, writes and units if it is the article's.
async fn send(way: Way, repository: &Repository, count: usize, is_read: bool) -> Option<article::Sent> {
    match (way, is_read) {
        (Way::Article, _) => {
            let article = Article::new(repository.client().clone(), "wides");
            article.send(&(0..count).map(name).collect::<Vec<_>>()).await;
            Some(article.sent())
        }
        (_, true) => {
            read(way, repository, count).await;
            None
        }
        (_, false) => {
            update(way, repository, count).await;
            None
        }
    }
}

fn counted(way: Way, count: usize, is_read: bool) -> Cost {
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().expect("a runtime");
    runtime.block_on(async {
        let world = wides(count).await;
        world.faults.latency_ms(2, 3);
        let (before, metered, begun) = (world.faults.events().len(), world.repository.metered(), Instant::now());
        let sent = send(way, &metered, count, is_read).await;
        let elapsed = begun.elapsed();
        let sent_now = world.faults.events().split_off(before);
        assert!(sent_now.iter().all(|event| event.attempt == 1), "nothing is sent twice");
        let requests = sent_now.len();
        assert_eq!(elapsed.as_millis() % TRIP.as_millis(), 0, "{elapsed:?}");
        let trips = usize::try_from(elapsed.as_millis() / TRIP.as_millis()).expect("not that long");
        let usage = metered.usage();
        let (read_units, write_units) =
            sent.map_or((usage.read_units, usage.write_units), |sent| (sent.read_units, sent.write_units));
        if let Some(sent) = sent {
            assert_eq!((sent.reads, sent.writes), (count, 6 * count + 4), "the verifications, and all else");
        } else {
            assert_eq!(usage.requests, requests as u64, "{way:?}");
        }
        Cost { requests, write_units, read_units, trips }
    })
}

/// Compares a cost with the guide.
fn verify(way: Way, count: usize, cost: Cost) {
    let (hundreds, all) = (count.div_ceil(100), count as f64);
    match way {
        Way::Natively => {
            assert_eq!(cost, Cost { requests: 1, write_units: 2.0 * all, read_units: 0.0, trips: 1 });
        }
        Way::ByIntents => {
            // If the keys do not fit into the lane row, they are in a page of 6 KB, which costs 6 units.
            let (pages, units) = if count > 500 { (1, 6.0) } else { (0, 0.0) };
            let requests = hundreds + 2 * count + 1 + pages;
            let write_units = 2.0 * all + 1.0 + units;
            // Four reads run at once, and a hundred intents or applies. The page is written while the intents are.
            let trips = hundreds.div_ceil(4) + 2 * hundreds + 1;
            assert_eq!(cost, Cost { requests, write_units, read_units: all, trips }, "{count}");
        }
        Way::Article => {
            let kilobytes = |requests, state, of: usize| record_bytes("wides", requests, state).div_ceil(of) as f64;
            let adds: f64 = (0..=count).map(|requests| kilobytes(requests, "pending", 1024)).sum();
            let ends: f64 =
                ["committed", "committed", "complete"].map(|state| kilobytes(count, state, 1024)).iter().sum();
            // Five writes for each item: it is locked, saved, applied and unlocked, and its image is deleted.
            assert_eq!(
                (cost.requests, cost.write_units),
                (7 * count + 4, 5.0 * all + adds + ends),
                "{count}: {cost:?}"
            );
            // When an item is verified, the record holds up to three requests that were added after the item's own.
            let read = |more| (1..=count).map(|at| kilobytes(count.min(at + more), "pending", 4096)).sum::<f64>();
            assert!((read(2)..=read(3)).contains(&cost.read_units), "{count}: {cost:?}");
            assert_eq!(cost.trips, count + 8 + (2 * count).div_ceil(100), "{count}: {cost:?}");
        }
    }
}

/// Returns the times, as ratios to those of the first kind of transaction.
fn ratios(ways: &[Way], count: usize, turns: usize, is_read: bool) -> Vec<f64> {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let world = wides(count).await;
        let mut ratios = vec![Vec::new(); ways.len()];
        for turn in 0..=turns {
            let mut times = vec![0.0; ways.len()];
            for step in 0..ways.len() {
                let at = (turn + step) % ways.len();
                let begun = std::time::Instant::now();
                send(ways[at], &world.repository, count, is_read).await;
                times[at] = begun.elapsed().as_secs_f64();
            }
            // The first turn warms up.
            for (ratios, time) in ratios.iter_mut().zip(&times).filter(|_| turn > 0) {
                ratios.push(time / times[0]);
            }
        }
        let median = |mut ratios: Vec<f64>| {
            ratios.sort_by(f64::total_cmp);
            ratios[ratios.len() / 2]
        };
        ratios.into_iter().map(median).collect()
    })
}

fn print(what: &str, ways: &[Way], costs: &[Cost], ratios: &[f64]) {
    for ((way, cost), ratio) in ways.iter().zip(costs).zip(ratios) {
        let way = match way {
            Way::Natively => "native",
            Way::ByIntents => "client-side",
            Way::Article => "the article's",
        };
        let Cost { requests, write_units, read_units, trips } = cost;
        println!("| {what} | {way} | {requests} | {write_units} | {read_units} | {trips} | {ratio:.1} |");
    }
}
