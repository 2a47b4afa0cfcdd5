use dyno::Entity;

#[derive(Entity)]
#[history_table]
struct Cart {
    #[partition_key]
    id: String,
}

fn main() {}
