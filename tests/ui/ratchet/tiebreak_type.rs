use dyno::{Entity, EpochMillis};

#[derive(Entity)]
struct Rating {
    #[partition_key]
    id: String,
    #[ratchet(tiebreak = "score")]
    at: EpochMillis,
    score: f64,
}

fn main() {}
