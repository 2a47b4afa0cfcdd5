// A vector has 1 to 4096 dimensions, and its type says whether an item can be without it.

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

fn main() {
    let _ = (TooMany::scan(), None0::scan(), Alias::scan());
}
