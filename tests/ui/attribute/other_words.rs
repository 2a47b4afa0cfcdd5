//! Words that are not attributes of a field, by which users may look for what they want.

use dyno::Entity;

#[derive(Entity)]
struct Article {
    #[partition_key]
    id: String,
    #[vector]
    embedding: Option<[f32; 4]>,
    #[immutable]
    author: String,
    #[range_key]
    number: u32,
}

#[derive(Entity)]
struct Other {
    #[hash_key]
    id: String,
}

fn main() {}
