//! `modify_each` and `delete_each`: they change all items of a query or scan beside other writers, and resume after an
//! interruption.

mod deletes;
mod failures;
mod items;
mod questions;
mod rules;
mod runs;

use dyno::command::Scan;
use dyno::{Entity, Item, Progress, Repository};
use dyno_tests::{World, item, n, s};

/// An entity without rules.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "films", schema_version = 2, upgrade = "to_minutes")]
struct Film {
    #[partition_key]
    id: String,
    #[attribute(alias = "name")]
    title: String,
    minutes: u32,
    #[attribute(default)]
    likes: u32,
    note: Option<String>,
}

/// The first schema version stored the length in seconds.
fn to_minutes(item: &mut Item, _: u32) -> Result<(), &'static str> {
    let seconds = item.remove("seconds").ok_or("no length")?;
    let seconds: u32 = seconds.as_n().ok().and_then(|seconds| seconds.parse().ok()).ok_or("no number")?;
    item.insert("minutes".to_owned(), n(seconds / 60));
    Ok(())
}

fn film(id: &str) -> Film {
    Film { id: id.to_owned(), title: "Alien".to_owned(), minutes: 117, likes: 0, note: None }
}

fn older(id: &str) -> Item {
    item([("id", s(id)), ("name", s("Alien")), ("seconds", n(117 * 60)), ("likes", n(0)), ("other", s("kept"))])
}

async fn live(repository: &Repository, id: &str) -> Option<Film> {
    Film::get(id).consistent().send(repository).await.expect("a get")
}

fn like(film: &mut Film) {
    film.likes = film.likes.max(1);
}

/// Returns the numbers of items that were changed, unchanged, gone, failed and retried.
fn counts(progress: &Progress) -> [u64; 5] {
    let counts = [progress.changed(), progress.unchanged(), progress.gone(), progress.failed()];
    assert_eq!(progress.done_items(), counts.iter().sum::<u64>());
    [counts[0], counts[1], counts[2], counts[3], progress.retried()]
}

/// Runs `modify_each` up to its first write, then lets another writer write, and then lets the run continue.
async fn with_another<E, F>(world: &World, edit: F, other: impl AsyncFnOnce(Repository)) -> Progress
where
    E: Entity + Send,
    F: FnMut(&mut E) + Send + 'static,
{
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let run = tokio::spawn(async move { Scan::<E>::new().modify_each(edit).send(&repository).await });
    world.faults.held().await;
    other(world.other()).await;
    world.faults.release();
    run.await.expect("no panic").expect("sent")
}

/// An entity with a version and idempotency keys.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "counters")]
#[idempotency(window_secs = 60)]
struct Counter {
    #[partition_key]
    id: String,
    #[attribute(alias = "n")]
    count: u32,
    #[attribute(default)]
    step: u32,
    #[version]
    version: u64,
}

#[allow(clippy::unnecessary_wraps, reason = "what `upgrade` takes")]
fn none_to_do(_: &mut Item, _: u32) -> Result<(), String> {
    Ok(())
}

async fn fill(world: &World, films: usize) {
    for id in 0..films {
        world.write_foreign::<Film>(older(&id.to_string())).await;
    }
}
