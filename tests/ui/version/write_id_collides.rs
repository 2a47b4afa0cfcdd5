use dyno::Entity;

#[derive(Entity)]
struct Cart {
    #[partition_key]
    id: String,
    _w: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
struct Order {
    #[partition_key]
    id: String,
    #[version(write_id = "id")]
    version: u64,
}

fn main() {}
