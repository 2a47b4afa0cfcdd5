use dyno::{Entity, EpochMillis};

#[derive(Entity)]
struct Unknown {
    #[partition_key]
    id: String,
    #[ratchet(tiebreak = "sequence")]
    at: EpochMillis,
}

#[derive(Entity)]
struct Own {
    #[partition_key]
    id: String,
    #[ratchet(tiebreak = "at")]
    at: EpochMillis,
}

#[derive(Entity)]
struct Key {
    #[partition_key]
    id: String,
    #[ratchet(tiebreak = "id")]
    at: EpochMillis,
}

#[derive(Entity)]
struct Shared {
    #[partition_key]
    id: String,
    rating: u8,
    #[ratchet(guards(rating), tiebreak = "writer")]
    at: EpochMillis,
    note: u8,
    #[ratchet(guards(note), tiebreak = "writer")]
    noted_at: EpochMillis,
    writer: String,
}

#[derive(Entity)]
struct Ratchets {
    #[partition_key]
    id: String,
    rating: u8,
    #[ratchet(guards(rating), tiebreak = "noted_at")]
    at: EpochMillis,
    note: u8,
    #[ratchet(guards(note))]
    noted_at: EpochMillis,
}

fn main() {}
