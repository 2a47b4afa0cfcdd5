use dyno::{Entity, EpochMillis};

#[derive(Entity)]
struct Cart {
    #[partition_key]
    id: String,
    #[version(write_id = true, writeid = "w")]
    #[attribute(default = "first", with = "codec")]
    version: u64,
}

#[derive(Entity)]
struct Order {
    #[partition_key]
    id: String,
    #[version]
    #[ratchet]
    version: u64,
    #[attribute(skip)]
    #[version]
    other: u64,
}

#[derive(Entity)]
struct Review {
    #[partition_key]
    id: String,
    rating: u8,
    #[ratchet(tiebreak = "version", guards(rating, version))]
    at: EpochMillis,
    #[version]
    version: u64,
}

fn main() {}
