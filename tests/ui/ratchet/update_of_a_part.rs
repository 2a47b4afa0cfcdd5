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
    // A field of the group alone.
    let _ = Review::fields().rating.set(4);
    // The group without its token.
    let _ = Review::update("1").rating(4);
    // Half of the group.
    let half = Review::update("1").rated_at(EpochMillis::new(1)).rating(4);
    let _ = half.upsert();
}
