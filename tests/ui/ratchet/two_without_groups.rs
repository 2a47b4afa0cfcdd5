use dyno::{Entity, EpochMillis};

#[derive(Entity)]
struct Both {
    #[partition_key]
    id: String,
    #[ratchet]
    rated_at: EpochMillis,
    #[ratchet]
    seen_at: EpochMillis,
}

#[derive(Entity)]
struct One {
    #[partition_key]
    id: String,
    rating: u8,
    #[ratchet(guards(rating))]
    rated_at: EpochMillis,
    #[ratchet]
    seen_at: EpochMillis,
}

fn main() {}
