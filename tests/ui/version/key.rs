use dyno::Entity;

#[derive(Entity)]
struct Cart {
    #[partition_key]
    id: String,
    #[sort_key]
    #[version]
    version: u64,
}

fn main() {}
