//! The ratchet on a whole item: order of arrival, ties, rows of another shape, tokens from the future.

mod foreign_tokens;
mod order;
mod tiebreak;

use dyno::{Entity, EpochMillis, Reason};
use dyno_tests::{World, reasons};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
struct Rating {
    #[partition_key]
    id: String,
    rating: u8,
    #[ratchet]
    at: EpochMillis,
}

fn rating(rating: u8, at: i64) -> Rating {
    Rating { id: "1".to_owned(), rating, at: EpochMillis::new(at) }
}

async fn live(world: &World) -> Option<Rating> {
    Rating::get("1").send(&world.repository).await.expect("a get")
}

/// Puts the rating, and returns the reasons of a refusal.
async fn put(world: &World, rating: &Rating) -> Vec<Reason> {
    reasons(&rating.put().send(&world.repository).await.expect("a put"))
}

fn stale(tie: bool) -> Vec<Reason> {
    vec![Reason::Stale { attribute: "at", tie }]
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
struct Guarded {
    #[partition_key]
    id: String,
    #[ratchet(max_ahead_secs = 300)]
    at: EpochMillis,
}
