use dyno::Entity;

#[derive(Entity)]
struct Cart {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
    #[version]
    revision: u64,
}

fn main() {}
