//! A type that lacks a trait is reported once, at the field, whatever uses the field.

use dyno::{Document, Entity, EpochMillis};

struct Foreign(u8);

#[derive(Document)]
enum Color {
    Red,
    Blue,
}

#[derive(Entity)]
struct Key {
    #[partition_key]
    id: Foreign,
}

#[derive(Entity)]
struct SortKey {
    #[partition_key]
    id: String,
    #[sort_key]
    number: Foreign,
}

#[derive(Entity)]
#[partition_key(name = "PK", template = "User#{id}")]
#[sort_key(name = "SK", template = "Order#{number}")]
struct Templates {
    id: String,
    number: Foreign,
}

#[derive(Entity)]
#[index(name = "by_owner", partition = owner)]
struct IndexPartition {
    #[partition_key]
    id: String,
    owner: Foreign,
}

#[derive(Entity)]
#[index(name = "by_owner", partition = owner, sort = rank)]
struct IndexSort {
    #[partition_key]
    id: String,
    owner: String,
    rank: Option<Foreign>,
}

#[derive(Entity)]
#[index(name = "by_owner", partition = owner, sort(rank, place))]
struct IndexParts {
    #[partition_key]
    id: String,
    owner: String,
    rank: u8,
    place: Foreign,
}

#[derive(Entity)]
#[index(name = "by_place", partition(name = "GSI1PK", template = "Place#{place}"))]
struct IndexTemplate {
    #[partition_key]
    id: String,
    place: Foreign,
}

#[derive(Entity)]
struct Unique {
    #[partition_key]
    id: String,
    #[unique]
    email: Foreign,
}

#[derive(Entity)]
#[unique(name = "handle", fields(tenant, handle))]
struct UniqueTogether {
    #[partition_key]
    id: String,
    tenant: String,
    handle: Foreign,
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, partition = tenant)]
struct VectorPartition {
    #[partition_key]
    id: String,
    tenant: Foreign,
    embedding: [f32; 4],
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, filter(brand))]
struct VectorFilter {
    #[partition_key]
    id: String,
    brand: Foreign,
    embedding: [f32; 4],
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, of(title))]
struct VectorOf {
    #[partition_key]
    id: String,
    title: Foreign,
    embedding: Option<[f32; 4]>,
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding)]
struct NoVector {
    #[partition_key]
    id: String,
    embedding: Foreign,
}

#[derive(Entity)]
struct Version {
    #[partition_key]
    id: String,
    #[version]
    version: Foreign,
}

#[derive(Entity)]
struct VersionInTime {
    #[partition_key]
    id: String,
    #[version]
    version: EpochMillis,
}

#[derive(Entity)]
struct Fence {
    #[partition_key]
    id: String,
    #[fence]
    epoch: Foreign,
}

#[derive(Entity)]
struct NarrowFence {
    #[partition_key]
    id: String,
    #[fence]
    epoch: u32,
}

#[derive(Entity)]
struct Created {
    #[partition_key]
    id: String,
    #[created]
    made: Foreign,
}

#[derive(Entity)]
struct Updated {
    #[partition_key]
    id: String,
    #[updated]
    changed: std::time::SystemTime,
}

#[derive(Entity)]
struct Ttl {
    #[partition_key]
    id: String,
    #[ttl]
    until: Foreign,
}

#[derive(Entity)]
struct Ratchet {
    #[partition_key]
    id: String,
    #[ratchet]
    at: Color,
}

#[derive(Entity)]
struct OptionalRatchet {
    #[partition_key]
    id: String,
    #[ratchet]
    at: Option<EpochMillis>,
}

#[derive(Entity)]
struct Tiebreak {
    #[partition_key]
    id: String,
    #[ratchet(tiebreak = "tie")]
    at: EpochMillis,
    tie: Foreign,
}

#[derive(Entity)]
struct Groups {
    #[partition_key]
    id: String,
    stars: u8,
    #[ratchet(guards(stars))]
    at: Foreign,
    note: String,
    #[ratchet(guards(note))]
    noted_at: EpochMillis,
}

#[derive(Entity)]
struct NotFound {
    #[partition_key]
    id: Unknown,
}

#[derive(Document)]
struct Newtype(Foreign);

#[derive(Document)]
enum Variants {
    One(Foreign),
    Two,
}

#[derive(Document)]
#[document(tag = "kind")]
enum Tagged {
    One(Foreign),
    Two,
}

fn main() {}
