//! Which entities `delete_each` and `delete_each_at` take.

use dyno::{Entity, EpochMillis, Repository};

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
#[index(name = "by_stars", partition = stars)]
struct Rating {
    #[partition_key]
    id: String,
    stars: u8,
    #[ratchet]
    at: EpochMillis,
}

#[derive(Entity)]
struct Score {
    #[partition_key]
    id: String,
    #[ratchet]
    at: EpochMillis,
}

async fn misuse(repository: &Repository) -> Result<(), dyno::Error> {
    let _ = Rating::scan().delete_each().send(repository).await?;
    let _ = Rating::by_stars(3).delete_each();
    let _ = Rating::scan().delete_each_at(|rating| rating.stars);
    let _ = Score::scan().delete_each_at(|score| score.at);
    Ok(())
}

fn main() {}
