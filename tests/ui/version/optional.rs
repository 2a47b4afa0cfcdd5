use dyno::Entity;

#[derive(Entity)]
struct Cart {
    #[partition_key]
    id: String,
    #[version]
    version: Option<u64>,
}

fn main() {}
