use dyno::{Entity, EpochMillis, EpochSeconds};

#[derive(Entity)]
#[history_table(mode = "ordered")]
struct Ordered {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[history_table(layout = "same_table", name = "carts-history")]
struct Same {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[history_table(layout = "same_table")]
struct Numbered {
    #[partition_key]
    id: String,
    #[sort_key]
    number: u64,
    _image: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[history_table(layout = "same_table")]
struct Sorted {
    #[partition_key]
    id: String,
    #[sort_key]
    number: u64,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Grouped {
    #[partition_key]
    id: String,
    rating: u8,
    #[ratchet(guards(rating))]
    at: EpochMillis,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[entity(table = "leases")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered", name = "leases")]
struct Lease {
    #[partition_key]
    id: String,
    #[ttl]
    expires: EpochSeconds,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[sort_key(name = "SK", template = "_rev|{name}")]
#[history_table(layout = "same_table")]
struct Reserved {
    #[partition_key]
    id: String,
    name: String,
    #[version]
    version: u64,
}

fn main() {}
