use dyno::Entity;

#[derive(Entity)]
struct Rating<'a> {
    #[partition_key]
    id: String,
    note: &'a str,
}

fn main() {}
