// The types of a vector, of what it is made of, and of the fields that a search compares.

use dyno::Entity;

#[derive(Entity)]
#[index(name = "similar", vector = embedding)]
struct NoDimensions {
    #[partition_key]
    id: String,
    embedding: Vec<f32>,
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding)]
struct Doubles {
    #[partition_key]
    id: String,
    embedding: [f64; 4],
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, partition = score, filter(rating, tags))]
struct Filters {
    #[partition_key]
    id: String,
    score: f64,
    rating: Option<f32>,
    tags: Vec<String>,
    embedding: [f32; 4],
}

fn main() {}
