use dyno::{Entity, EpochMillis};

#[derive(Entity)]
#[ratchet]
#[attribute(rename = "x")]
struct Rating {
    #[partition_key]
    #[entity(table = "ratings")]
    id: String,
    #[tombstone(ttl_days = 7)]
    at: EpochMillis,
    #[sort_key(name = "SK", template = "{id}")]
    sort: String,
}

fn main() {}
