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

#[derive(Entity)]
#[tombstone(ttl_days = 7, mark = false)]
struct Unmarked {
    #[partition_key]
    id: String,
}

#[derive(Entity)]
#[entity(type_name = "note")]
#[tombstone(ttl_days = 7, mark = true)]
struct Marked {
    #[partition_key]
    id: String,
}

#[derive(Entity)]
#[entity(type_name = "note")]
#[tombstone(ttl_days = 7, mark = "no")]
struct Text {
    #[partition_key]
    id: String,
}

fn main() {}
