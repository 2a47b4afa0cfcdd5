use dyno::Entity;

#[derive(Entity)]
#[tombstone(ttl_days = 7, deleted = "gone", ttl = "gone")]
struct EachOther {
    #[partition_key]
    id: String,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
struct Field {
    #[partition_key]
    id: String,
    deleted: bool,
    ttl: u64,
}

fn main() {}
