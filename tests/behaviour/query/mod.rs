//! Query and Scan: ranges of sort keys, limits that count live items, cursors, streams, segments.

mod keys;
mod pages;
mod streams;

use dyno::{Document, Entity, EpochMillis};
use dyno_tests::{World, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "User#{user}")]
#[sort_key(name = "SK", template = "Movie#{movie}")]
#[tombstone(ttl_days = 7)]
struct Rating {
    user: String,
    movie: String,
    rating: u8,
    #[ratchet]
    at: EpochMillis,
}

/// A partition of ratings, one per letter; those in `deleted` are tombstones.
async fn ratings(movies: &str, deleted: &str) -> World {
    let world = world::<Rating>().await;
    for (index, movie) in movies.chars().enumerate() {
        let rating = Rating {
            user: "1".to_owned(),
            movie: movie.to_string(),
            rating: u8::try_from(index).expect("few"),
            at: EpochMillis::new(1),
        };
        let _applied = rating.put().send(&world.repository).await.expect("a put");
    }
    for movie in deleted.chars() {
        let delete = Rating::delete(("1", movie.to_string()), EpochMillis::new(2));
        let _applied = delete.send(&world.repository).await.expect("a delete");
    }
    world
}

async fn movies(world: &World, query: dyno::command::Query<Rating>) -> String {
    let page = query.send(&world.repository).await.expect("a query");
    assert_eq!(page.cursor, None);
    page.items.into_iter().map(|rating| rating.movie).collect()
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
struct Reading {
    #[partition_key]
    sensor: u64,
    #[sort_key]
    at: i64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "plain")]
struct Plain {
    #[partition_key]
    id: String,
    #[sort_key]
    sort: String,
}

#[derive(Document, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[document(rename_all = "lowercase", order = "declared")]
enum Priority {
    #[attribute(rename = "1-low")]
    Low,
    #[attribute(rename = "2-normal")]
    Normal,
    #[attribute(rename = "3-high")]
    High,
    Urgent,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "tickets")]
#[sort_key(name = "SK", template = "{priority}#{id}")]
#[index(name = "by_priority", partition = team, sort(priority, number))]
struct Ticket {
    #[partition_key]
    queue: u8,
    id: String,
    #[attribute(stored)]
    priority: Priority,
    team: String,
    number: u8,
}
