// A vector has 1 to 4096 dimensions, its type says whether an item can be without it, and it is made of values that are stored in one
// way only.

use dyno::Entity;

#[derive(Entity)]
#[index(name = "similar", vector = embedding)]
struct TooMany {
    #[partition_key]
    id: String,
    embedding: Box<[f32; 5000]>,
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding)]
struct None0 {
    #[partition_key]
    id: String,
    embedding: Option<[f32; 0]>,
}

type Embedding = Option<[f32; 4]>;

#[derive(Entity)]
#[index(name = "similar", vector = embedding)]
struct Alias {
    #[partition_key]
    id: String,
    embedding: Embedding,
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, of(score))]
struct OfAFloat {
    #[partition_key]
    id: String,
    score: f64,
    embedding: Option<[f32; 4]>,
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, of(ratings))]
struct OfAListOfFloats {
    #[partition_key]
    id: String,
    ratings: Option<Vec<f32>>,
    embedding: Option<[f32; 4]>,
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, of(tags, topics, names))]
struct OfLists {
    #[partition_key]
    id: String,
    tags: Vec<String>,
    topics: std::collections::BTreeSet<u32>,
    names: Option<[String; 2]>,
    embedding: Option<[f32; 4]>,
}

fn main() {
    let _ = (TooMany::scan(), None0::scan(), Alias::scan());
    let _ = (OfAFloat::scan(), OfAListOfFloats::scan(), OfLists::scan());
}
