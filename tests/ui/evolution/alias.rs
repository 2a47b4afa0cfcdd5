use dyno::{Document, Entity, EpochMillis, EpochSeconds};

#[derive(Entity)]
#[entity(table = "films")]
#[tombstone(ttl_days = 7)]
#[index(name = "by_studio", partition = studio)]
struct Film {
    #[partition_key]
    #[attribute(alias = "key")]
    id: String,
    #[attribute(alias = "year", alias = "title")]
    title: String,
    year: u16,
    #[attribute(alias = "gone")]
    #[ratchet(tiebreak = "writer")]
    at: EpochMillis,
    #[attribute(alias = "by")]
    writer: String,
    #[attribute(alias = "until")]
    #[ttl]
    expires: EpochSeconds,
    #[attribute(alias = "number")]
    #[version]
    version: u64,
    #[attribute(alias = "deleted")]
    note: String,
    #[attribute(skip, alias = "memo")]
    cache: u8,
    #[attribute(alias = "company")]
    studio: String,
    #[attribute(alias = 1)]
    more: u8,
}

#[derive(Document)]
struct Address {
    #[attribute(alias = "town")]
    city: String,
}

fn main() {}
