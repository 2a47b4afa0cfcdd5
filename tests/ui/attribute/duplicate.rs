use dyno::{Entity, EpochMillis};

#[derive(Entity)]
#[entity(table = "ratings")]
#[entity(table = "rating")]
#[tombstone(ttl_days = 7)]
#[tombstone(ttl_days = 8)]
struct Rating {
    #[partition_key]
    id: String,
    #[ratchet]
    #[ratchet(strict)]
    at: EpochMillis,
}

fn main() {}
