//! Batches: the sum of their items, and the number of requests.

use super::{Indexed, Plain, texts};
use dyno::model::Bounds;
use dyno::{BatchWrite, Entity, EpochMillis, Repository, Usage};
use dyno_tests::{batch_get_units, world};

#[derive(Entity, Clone, Debug)]
#[entity(table = "notes")]
struct Note {
    #[partition_key]
    id: String,
    text: String,
    #[updated]
    at: EpochMillis,
}

/// Returns the usage of a `batch_get`, with the least units of its cost if the engine reports none.
fn reported(metered: &Repository, cost: Bounds) -> Usage {
    let mut usage = metered.usage();
    if batch_get_units(1.0) < 1.0 {
        usage.read_units = cost.least.read_units;
    }
    usage
}

macro_rules! batches {
    ($repository:expr, $bytes:expr, $batch:expr) => {{
        let batch = $batch;
        let cost = batch.cost($repository, $bytes).expect("a cost");
        let metered = $repository.metered();
        batch.send(&metered).await.expect("sent").applied().expect("applied");
        assert!(cost.applied.includes(&metered.usage()), "{:?}: {cost}", metered.usage());
        assert_eq!(cost.refused, None);
        cost.applied
    }};
}

#[tokio::test]
async fn a_batch_of_writes_costs_what_was_told() {
    let world = world::<Plain>().await;
    let repository = &world.repository;
    repository.create_table::<Indexed>().await.expect("a table");
    repository.create_table::<Note>().await.expect("a table");
    assert_eq!(batches!(repository, 0, BatchWrite::new()).most.requests, 0);
    for text in texts() {
        let group = Some("g".to_owned());
        let indexed = |line| Indexed {
            id: "1".into(),
            line,
            group: group.clone().filter(|_| line % 2 == 0),
            rank: line,
            text: text.clone(),
            tags: vec!["a".into()],
        };
        let plain = |id: u32| Plain { id: id.to_string(), text: text.clone() }.put();
        let note = |id: u32| Note { id: id.to_string(), text: text.clone(), at: EpochMillis::default() }.put();
        let puts = batches!(repository, 10 * 1024, BatchWrite::new().add_all((0..30).map(plain)));
        assert_eq!((puts.least.requests, puts.most.requests), (2, 2));
        let mixed = || BatchWrite::new().add_all((0..10).map(|line| indexed(line).put())).add_all((0..15).map(note));
        assert_eq!(batches!(repository, 10 * 1024, mixed()).most.requests, 1);
        batches!(repository, 10 * 1024, mixed().add(Plain::delete("1")).add(Plain::delete("absent")));
        let deletes = (0..12).map(|line| Indexed::delete(("1", line)));
        batches!(repository, 10 * 1024, BatchWrite::new().add_all(deletes));
    }
    // Nothing is stored.
    let exact = batches!(repository, 0, BatchWrite::new().add(Plain { id: "x".into(), text: "x".repeat(1500) }.put()));
    assert_eq!((exact.least.write_units, exact.most.write_units), (2.0, 2.0));
    let twice = BatchWrite::new().add(Plain::delete("1")).add(Plain::delete("1"));
    let (told, sent) = (twice.cost(repository, 0), twice.clone().send(repository).await);
    assert_eq!(told.expect_err("one item twice").to_string(), sent.expect_err("one item twice").to_string());
}

#[tokio::test]
async fn a_batch_of_reads_costs_what_was_told() {
    let world = world::<Plain>().await;
    let repository = &world.repository;
    for (index, text) in (0..).zip(texts()) {
        let bytes = text.len() + 100;
        Plain { id: index.to_string(), text }.put().send(repository).await.expect("sent");
        for keys in [0_u32, 1, 100, 101] {
            // Each key twice: it is read once.
            let keys = || (0..keys).chain(0..keys).map(|key| key.to_string());
            for get in [Plain::batch_get(keys()), Plain::batch_get(keys()).consistent()] {
                let cost = get.cost(repository, bytes).expect("a cost");
                assert_eq!((cost.applied.least.requests, cost.refused), (cost.applied.most.requests, None));
                let metered = repository.metered();
                get.send(&metered).await.expect("sent");
                let usage = reported(&metered, cost.applied);
                assert!(cost.applied.includes(&usage), "{usage:?}: {cost}");
            }
        }
    }
    let (told, sent) = (Plain::batch_get([""]).cost(repository, 0), Plain::batch_get([""]).send(repository).await);
    assert_eq!(told.expect_err("no key").to_string(), sent.expect_err("no key").to_string());
}

#[tokio::test]
async fn a_batch_of_reads_beyond_16_megabytes_costs_more_requests() {
    let world = world::<Plain>().await;
    let repository = &world.repository;
    for id in 0..50 {
        Plain { id: id.to_string(), text: "x".repeat(390_000) }.put().send(repository).await.expect("sent");
    }
    let get = Plain::batch_get((0..50).map(|id| id.to_string()));
    let cost = get.cost(repository, 391_000).expect("a cost").applied;
    assert_eq!((cost.least.requests, cost.most.requests), (1, 2));
    let metered = repository.metered();
    assert_eq!(get.send(&metered).await.expect("sent").iter().flatten().count(), 50);
    let usage = reported(&metered, cost);
    assert!(cost.includes(&usage), "{usage:?}: {cost:?}");
}
