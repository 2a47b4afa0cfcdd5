use dyno::Entity;

#[derive(Entity)]
#[history_table(mode = "orderd", layout = "same", ttl_days = 0, name = "a")]
struct Cart {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

fn main() {}
