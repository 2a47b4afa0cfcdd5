//! Idempotency keys: each update is applied once, also if it is delivered twice, late, or with another clock.

/// Adds to the total of an item of any of these entities.
macro_rules! add {
    ($entity:ident, $repository:expr, $key:expr, $amount:expr) => {
        $entity::update("1")
            .with($entity::fields().total.add($amount))
            .idempotency_key($key)
            .send($repository)
            .await
            .expect("an answer")
    };
}

macro_rules! total {
    ($entity:ident, $world:expr) => {
        $entity::get("1").consistent().send(&$world.other()).await.expect("a get").expect("a bill").total
    };
}

mod duplicates;
mod key_list;
mod key_rows;
mod lost_answers;
mod window;

use dyno::{Entity, Outcome};
use dyno_tests::{World, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bills")]
#[idempotency(window_secs = 60, max_skew_secs = 60)]
struct Bill {
    #[partition_key]
    id: String,
    total: u64,
    lines: Vec<String>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bills")]
#[idempotency(store = "row", window_secs = 3600, max_skew_secs = 10)]
struct Rowed {
    #[partition_key]
    id: String,
    total: u64,
    lines: Vec<String>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bills")]
#[tombstone(ttl_days = 7)]
#[idempotency(window_secs = 60)]
struct Versioned {
    #[partition_key]
    id: String,
    total: u64,
    note: String,
    #[version]
    version: u64,
}

fn bill() -> Bill {
    Bill { id: "1".to_owned(), total: 0, lines: Vec::new() }
}

async fn bills() -> World {
    let world = world::<Bill>().await;
    bill().create().send(&world.repository).await.expect("a create").applied().expect("applied");
    world
}

fn is_duplicate<E, T>(outcome: &Outcome<E, T>) -> bool {
    outcome.refusal().is_some_and(dyno::Refusal::is_duplicate)
}
