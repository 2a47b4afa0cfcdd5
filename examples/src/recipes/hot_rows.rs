//! A counter that takes more writes than one item can: it is divided into several items, and each event still counts once.

use dyno::{Entity, Error, Repository};
use sha2::{Digest, Sha256};

/// Transactions on one item exclude each other: an item takes some tens of them a second, and ten items ten times as many.
const SHARDS: u8 = 10;

/// A part of the likes of a post.
#[derive(Entity, Clone, Debug)]
#[entity(table = "likes")]
#[idempotency(store = "row", window_secs = 86_400)]
pub struct Likes {
    #[partition_key]
    pub post: String,
    #[sort_key]
    pub shard: u8,
    pub count: u64,
}

/// Counts an event once. The shard follows from the event's id, so that a repeated event meets the same item.
pub async fn like(repository: &Repository, post: &str, event: &str) -> Result<(), Error> {
    let shard = Sha256::digest(event)[0] % SHARDS;
    let update = Likes::update((post, shard)).with(Likes::fields().count.add(1)).upsert();
    update.idempotency_key(event).send(repository).await?.accept_duplicate()?;
    Ok(())
}

/// Adds up the shards.
pub async fn likes(repository: &Repository, post: &str) -> Result<u64, Error> {
    let shards = Likes::batch_get((0..SHARDS).map(|shard| (post, shard))).send(repository).await?;
    Ok(shards.iter().flatten().map(|likes| likes.count).sum())
}
