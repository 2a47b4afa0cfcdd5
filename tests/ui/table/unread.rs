//! Differences and reports that the program ignores.

#![deny(unused_must_use)]

use dyno::{Entity, Repository, Sweep};

#[derive(Entity)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Account {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

async fn unread(repository: &Repository) -> Result<(), dyno::Error> {
    repository.verify_table::<Account>().await?;
    repository.verify_lane_table().await?;
    Sweep::new().of::<Account>().send(repository).await?;
    Ok(())
}

fn main() {}
