use dyno::{Entity, EpochMillis};

#[derive(Entity)]
struct Rating {
    #[partition_key]
    id: String,
    rating: u8,
    #[ratchet]
    at: EpochMillis,
}

fn main() {
    let _ = Rating::update("1").with(Rating::fields().rating.set(4));
}
