use dyno::Entity;
use std::collections::HashSet;

#[derive(Entity)]
struct Rating {
    #[partition_key]
    id: String,
    flags: HashSet<bool>,
}

fn main() {}
