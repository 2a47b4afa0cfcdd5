// A vector index names fields that it can hold, and an item cannot leave it silently.

use dyno::{Entity, EpochMillis};

#[derive(Entity)]
#[index(name = "similar", vector = embedding, partition = tenant)]
struct OptionalPartition {
    #[partition_key]
    id: String,
    tenant: Option<String>,
    embedding: [f32; 4],
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, sort = at, local)]
struct Sorted {
    #[partition_key]
    id: String,
    at: u64,
    embedding: [f32; 4],
}

#[derive(Entity)]
#[index(name = "similar", vector = embeding)]
struct Misspelt {
    #[partition_key]
    id: String,
    embedding: [f32; 4],
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, metric = "cosin")]
struct Metric {
    #[partition_key]
    id: String,
    embedding: [f32; 4],
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, of(embedding, id, at, version))]
struct Of {
    #[partition_key]
    id: String,
    #[updated]
    at: EpochMillis,
    #[version]
    version: u64,
    embedding: Option<[f32; 4]>,
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, partition = tenant, filter(tenant, brand, brand))]
struct Twice {
    #[partition_key]
    id: String,
    tenant: String,
    brand: String,
    embedding: [f32; 4],
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, partition(name = "PK1", template = "T#{id}"))]
struct Template {
    #[partition_key]
    id: String,
    embedding: [f32; 4],
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, filter(brand))]
struct Elsewhere {
    #[partition_key]
    id: String,
    #[attribute(alias = "make")]
    brand: String,
    #[attribute(default = "zero")]
    embedding: [f32; 4],
}

fn zero() -> [f32; 4] {
    [0.0; 4]
}

#[derive(Entity)]
#[index(name = "by_brand", partition = brand, metric = "cosine", of(brand))]
struct Secondary {
    #[partition_key]
    id: String,
    brand: String,
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding)]
#[index(name = "similar", vector = embedding, metric = "euclidean")]
#[index(name = "similar_2", query = similar, vector = embedding)]
struct SameName {
    #[partition_key]
    id: String,
    embedding: [f32; 4],
}

#[derive(Entity)]
#[index(name = "one", vector = embedding)]
#[index(name = "two", vector = embedding)]
#[index(name = "three", vector = embedding)]
#[index(name = "four", vector = embedding)]
#[index(name = "five", vector = embedding)]
#[index(name = "six", vector = embedding)]
struct TooMany {
    #[partition_key]
    id: String,
    embedding: [f32; 4],
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, filter(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s))]
struct TooManyFilters {
    #[partition_key]
    id: String,
    a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8, j: u8,
    k: u8, l: u8, m: u8, n: u8, o: u8, p: u8, q: u8, r: u8, s: u8,
    embedding: [f32; 4],
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, of(title))]
struct OtherRatchet {
    #[partition_key]
    id: String,
    #[ratchet(guards(title))]
    titled_at: EpochMillis,
    title: String,
    #[ratchet(guards(embedding))]
    embedded_at: EpochMillis,
    embedding: Option<[f32; 4]>,
}

#[derive(Entity)]
#[index(name = "similar", vector = combined, of(title, embedding))]
#[index(name = "embed", vector = embedding, of(title))]
#[index(name = "embed_combined", partition = title)]
struct OfAVector {
    #[partition_key]
    id: String,
    title: String,
    embedding: Option<[f32; 4]>,
    combined: Option<[f32; 4]>,
}

#[derive(Entity)]
#[index(name = "embed", vector = embedding, of(title))]
struct Reserved {
    #[partition_key]
    id: String,
    title: String,
    embedding: Option<[f32; 4]>,
}

fn main() {}
