// A unique value is a string, an integer or bytes.

use dyno::Entity;

#[derive(Entity)]
struct Measured {
    #[partition_key]
    id: String,
    #[unique]
    length: f64,
    #[unique]
    tags: Vec<String>,
    #[unique]
    flag: Option<bool>,
}

fn main() {}
