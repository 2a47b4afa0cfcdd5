// Two entities of a table, of which one has a vector index.

use dyno::{Entities, Entity};

#[derive(Entity)]
#[entity(table = "things", type_name = "Article")]
#[partition_key(name = "PK", template = "Article#{id}")]
#[index(name = "similar", vector = embedding)]
struct Article {
    id: String,
    embedding: [f32; 4],
}

#[derive(Entity)]
#[entity(table = "things", type_name = "Picture")]
#[partition_key(name = "PK", template = "Picture#{id}")]
struct Picture {
    id: String,
    embedding: Vec<f64>,
}

#[derive(Entities)]
enum Both {
    Article(Article),
    Picture(Picture),
}

#[derive(Entity)]
#[entity(table = "things", type_name = "Sound")]
#[partition_key(name = "PK", template = "Sound#{id}")]
#[index(name = "similar", vector = spectrum)]
struct Sound {
    id: String,
    spectrum: [f32; 4],
}

#[derive(Entities)]
enum SameIndex {
    Article(Article),
    Sound(Sound),
}

#[derive(Entity)]
#[entity(table = "things", type_name = "Film")]
#[partition_key(name = "PK", template = "Film#{id}")]
#[index(name = "near", vector = frames, filter(language))]
#[index(name = "by_year", partition = year)]
struct Film {
    id: String,
    language: String,
    year: u32,
    frames: [f32; 4],
}

#[derive(Entity)]
#[entity(table = "things", type_name = "Word")]
#[partition_key(name = "PK", template = "Word#{id}")]
struct Word {
    id: String,
    language: u32,
}

#[derive(Entity)]
#[entity(table = "things", type_name = "Car")]
#[partition_key(name = "PK", template = "Car#{id}")]
struct Car {
    id: String,
    year: Option<String>,
}

#[derive(Entities)]
enum OtherFilter {
    Film(Film),
    Word(Word),
}

#[derive(Entities)]
enum OtherKey {
    Film(Film),
    Car(Car),
}

fn main() {}
