use dyno::Entity;

#[derive(Entity)]
#[tombstone(ttl_days = 0)]
struct Zero {
    #[partition_key]
    id: String,
}

#[derive(Entity)]
#[tombstone]
struct Unsaid {
    #[partition_key]
    id: String,
}

fn main() {}
