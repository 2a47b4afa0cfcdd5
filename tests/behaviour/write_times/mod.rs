//! `#[created]` and `#[updated]`: the times of the first and of the last write, by the writer's clock.

mod attempts;
mod modified;
#[cfg(feature = "all")]
mod transactions;
mod types;

use dyno::{Entity, EpochMillis, Reason};
use dyno_tests::{NOW, World, item, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
#[tombstone(ttl_days = 7)]
#[index(name = "by_change", partition = folder, sort = changed)]
struct Note {
    #[partition_key]
    id: String,
    folder: String,
    #[created]
    made: Option<EpochMillis>,
    #[updated]
    changed: EpochMillis,
}

fn note(id: &str, made: Option<i64>) -> Note {
    let made = made.map(EpochMillis::new);
    Note { id: id.to_owned(), folder: "f".to_owned(), made, changed: EpochMillis::default() }
}

/// Returns both times of a stored note, in seconds since the tests began.
async fn times(world: &World, id: &str) -> (Option<i64>, i64) {
    let note = Note::get(id).consistent().send(&world.repository).await.expect("a get").expect("a note");
    let seconds = |time: EpochMillis| (time.get() - NOW) / 1000;
    (note.made.map(seconds), seconds(note.changed))
}

#[tokio::test]
async fn writes_of_a_new_item_set_both_times() {
    let world = world::<Note>().await;
    let repository = &world.repository;
    world.clock.advance(1000);
    applied!(note("create", None).create(), repository);
    note("put", None).put().send(repository).await.expect("a put");
    note("put of 1970", Some(0)).put().send(repository).await.expect("a put");
    applied!(Note::update("upsert").with((Note::fields().folder.set("f"),)).upsert(), repository);
    for id in ["create", "put", "put of 1970", "upsert"] {
        assert_eq!(times(&world, id).await, (Some(1), 1), "{id}");
    }
}

/// An entity that already has a time of creation, such as an imported row, keeps this time.
#[tokio::test]
async fn a_given_time_of_creation_is_stored() {
    let world = world::<Note>().await;
    let repository = &world.repository;
    let given = Some(NOW - 9000);
    applied!(note("create", given).create(), repository);
    note("put", given).put().send(repository).await.expect("a put");
    for id in ["create", "put"] {
        assert_eq!(times(&world, id).await, (Some(-9), 0), "{id}");
    }
}

#[tokio::test]
async fn later_writes_set_the_time_of_the_last_one() {
    let world = world::<Note>().await;
    let repository = &world.repository;
    applied!(note("1", None).create(), repository);
    let mut loaded = Note::get("1").send(repository).await.expect("a get").expect("a note");
    world.clock.advance(1000);
    loaded.folder = "g".to_owned();
    loaded.put().send(repository).await.expect("a put");
    assert_eq!(times(&world, "1").await, (Some(0), 1));
    world.clock.advance(1000);
    applied!(loaded.replace(), repository);
    assert_eq!(times(&world, "1").await, (Some(0), 2));
    world.clock.advance(1000);
    applied!(Note::update("1").with(Note::fields().folder.set("h")), repository);
    assert_eq!(times(&world, "1").await, (Some(0), 3));
    world.clock.advance(1000);
    applied!(Note::update("1").with(Note::fields().folder.set("i")).upsert(), repository);
    assert_eq!(times(&world, "1").await, (Some(0), 4));
}

/// The time at which the row was created is unknown, so a replace stores none.
#[tokio::test]
async fn a_row_without_a_time_of_creation_gets_none_from_a_replace() {
    let world = world::<Note>().await;
    world.write_foreign::<Note>(item([("id", s("1")), ("folder", s("f")), ("changed", dyno_tests::n(NOW))])).await;
    applied!(note("1", None).replace(), &world.repository);
    assert_eq!(times(&world, "1").await, (None, 0));
}

#[tokio::test]
async fn a_refused_write_sets_no_time() {
    let world = world::<Note>().await;
    let repository = &world.repository;
    applied!(note("1", None).create(), repository);
    world.clock.advance(1000);
    assert_eq!(refused!(note("1", None).create(), repository), [Reason::Exists]);
    assert_eq!(times(&world, "1").await, (Some(0), 0));
}

/// A tombstone has no times. An undeleted item has the time of creation that the entity has, or a new one if the entity has
/// none.
#[tokio::test]
async fn an_undeleted_item_has_the_given_time_of_creation_or_a_new_one() {
    let world = world::<Note>().await;
    let repository = &world.repository;
    for (given, expected) in [(Some(NOW), 0), (None, 1)] {
        applied!(note("1", Some(NOW)).create(), repository);
        Note::delete("1").send(repository).await.expect("a delete");
        let stone = world.stored::<Note>().await.remove(0);
        assert!(!stone.contains_key("made") && !stone.contains_key("changed"), "{stone:?}");
        world.clock.advance(1000);
        applied!(note("1", given).undelete(), repository);
        let (made, changed) = times(&world, "1").await;
        assert_eq!((made, changed > 0), (Some(expected * changed), true));
        Note::delete("1").send(repository).await.expect("a delete");
    }
}

#[tokio::test]
async fn an_index_sorts_by_the_time_of_the_last_write() {
    let world = world::<Note>().await;
    let repository = &world.repository;
    for id in ["a", "b", "c"] {
        applied!(note(id, None).create(), repository);
        world.clock.advance(1000);
    }
    applied!(Note::update("a").with(Note::fields().folder.set("f")), repository);
    let page = Note::by_change("f").descending().send(repository).await.expect("a query");
    let ids: Vec<_> = page.items.iter().map(|note| &note.id[..]).collect();
    assert_eq!(ids, ["a", "c", "b"]);
}
