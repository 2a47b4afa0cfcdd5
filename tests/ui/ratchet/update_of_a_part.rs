use dyno::{Entity, EpochMillis};

#[derive(Entity)]
struct Review {
    #[partition_key]
    id: String,
    rating: u8,
    comment: String,
    #[ratchet(guards(rating, comment))]
    rated_at: EpochMillis,
}

fn main() {
    // A field of a ratchet's group cannot be set alone.
    let _ = Review::fields().rating.set(4);
    // The group cannot be set without its token.
    let _ = Review::update("1").rating(4);
    // All fields of the group must be set.
    let half = Review::update("1").rated_at(EpochMillis::new(1)).rating(4);
    let _ = half.upsert();
}
