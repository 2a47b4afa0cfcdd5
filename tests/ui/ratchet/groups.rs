use dyno::{Entity, EpochMillis};

#[derive(Entity)]
struct Review {
    #[partition_key]
    id: String,
    rating: u8,
    comment: String,
    helpful: bool,
    #[ratchet(guards(rating, comment))]
    rated_at: EpochMillis,
    #[ratchet(guards(coment, rating, id, rated_at))]
    commented_at: EpochMillis,
}

#[derive(Entity)]
struct Empty {
    #[partition_key]
    id: String,
    #[ratchet(guards())]
    at: EpochMillis,
}

fn main() {}
