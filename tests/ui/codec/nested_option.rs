use dyno::Entity;

#[derive(Entity)]
struct Rating {
    #[partition_key]
    id: String,
    note: Option<Option<String>>,
}

fn main() {}
