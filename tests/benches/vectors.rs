//! A search of a vector index, compared with a query of the whole partition and a search in memory, for 1,000 and for 100,000
//! items, on the embedded engine: `cargo bench -p dyno-tests --bench vectors`.
//!
//! Both subjects run in turns, and the ratio is the median over their pairs. The engine computes the distance of each vector
//! of the partition, as the search in memory does, so the ratio shows what it costs to move the items to the program. The
//! requests and the capacity are those that DynamoDB would bill for the same bytes.

#![allow(missing_docs, clippy::print_stdout, reason = "a bench prints, and is not documented item by item")]

use dyno::{BatchWrite, Entity, Projection, Repository};
use futures_util::TryStreamExt as _;
use std::time::Instant;
use tokio::runtime::Builder;

const DIMENSIONS: usize = 64;

#[derive(Entity)]
#[entity(table = "documents")]
#[index(name = "near", vector = vector, metric = "euclidean", partition = owner, projection = "keys")]
struct Document {
    #[partition_key]
    owner: String,
    #[sort_key]
    id: u32,
    vector: [f32; DIMENSIONS],
}

#[derive(Projection)]
#[projection(of = Document, index = DocumentNear)]
struct Id {
    id: u32,
}

fn vector(seed: u64) -> [f32; DIMENSIONS] {
    let mut random = fastrand::Rng::with_seed(seed);
    std::array::from_fn(|_| (random.f32() * 2000.0).round() / 1000.0 - 1.0)
}

fn distance(one: &[f32; DIMENSIONS], other: &[f32; DIMENSIONS]) -> f64 {
    one.iter().zip(other).map(|(one, other)| (f64::from(*one) - f64::from(*other)).powi(2)).sum::<f64>().sqrt()
}

async fn search(repository: &Repository, to: [f32; DIMENSIONS]) -> Vec<u32> {
    let found = Document::near("a", to).project::<Id>().send(repository).await.expect("a search");
    found.into_iter().map(|found| found.item.id).collect()
}

async fn query(repository: &Repository, to: [f32; DIMENSIONS]) -> Vec<u32> {
    let items = Document::query("a").stream(repository);
    let scored = items.map_ok(|document| (distance(&document.vector, &to), document.id));
    let mut scored: Vec<(f64, u32)> = scored.try_collect().await.expect("the partition");
    scored.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    scored.into_iter().take(10).map(|(_, id)| id).collect()
}

async fn compare(items: u32, pairs: u32) {
    let repository = Repository::local().await.expect("an engine");
    repository.create_table::<Document>().await.expect("a table");
    let ids: Vec<u32> = (0..items).collect();
    for part in ids.chunks(1000) {
        let documents =
            part.iter().map(|id| Document { owner: "a".to_owned(), id: *id, vector: vector(u64::from(*id)) });
        let batch = BatchWrite::new().add_all(documents.map(|document| document.put()));
        batch.send(&repository).await.expect("a batch").applied().expect("all of it");
    }
    let (by_index, by_query) = (repository.metered(), repository.metered());
    let mut ratios = Vec::new();
    for pair in 0..pairs {
        let to = vector(1_000_000 + u64::from(pair));
        let start = Instant::now();
        let found = search(&by_index, to).await;
        let index = start.elapsed();
        let start = Instant::now();
        let expected = query(&by_query, to).await;
        ratios.push(start.elapsed().as_secs_f64() / index.as_secs_f64());
        assert_eq!(found, expected);
    }
    ratios.sort_by(f64::total_cmp);
    println!(
        "{items} items: the query takes {:.1} times as long as the search ({:.1} to {:.1}); \
         {} requests and {} read units, the search 1 request and {} bytes",
        ratios[ratios.len() / 2],
        ratios[0],
        ratios[ratios.len() - 1],
        by_query.usage().requests / u64::from(pairs),
        by_query.usage().read_units / f64::from(pairs),
        by_index.usage().vector_read_bytes / f64::from(pairs),
    );
}

fn main() {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        compare(1_000, 11).await;
        compare(100_000, 3).await;
    });
}
