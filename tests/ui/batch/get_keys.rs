use dyno::{Entity, EpochMillis};

#[derive(Entity)]
#[partition_key(name = "PK", template = "User#{user}")]
#[sort_key(name = "SK", template = "Movie#{movie}")]
#[tombstone(ttl_days = 7)]
struct Rating {
    user: u64,
    movie: String,
    #[ratchet]
    at: EpochMillis,
}

fn main() {
    let _ = Rating::batch_get([(1, "A")]);
    let _ = Rating::batch_get([("1", "A")]);
    let _ = Rating::batch_get([1]);
    let _ = dyno::batch_get([Rating::batch_get([(1, "A")])]);
}
