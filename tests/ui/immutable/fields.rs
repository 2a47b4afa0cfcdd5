use dyno::{Document, Entity, EpochMillis, Item};

#[derive(Entity)]
#[partition_key(name = "pk", template = "File#{id}")]
struct Key {
    #[attribute(immutable)]
    id: String,
}

#[derive(Entity)]
struct Rules {
    #[partition_key]
    id: String,
    #[ratchet(tiebreak = "writer")]
    #[attribute(immutable)]
    at: EpochMillis,
    #[attribute(immutable)]
    writer: String,
    #[fence]
    #[attribute(immutable)]
    epoch: u64,
    #[version]
    #[attribute(immutable)]
    version: u64,
}

#[derive(Entity)]
struct Unstored {
    #[partition_key]
    id: String,
    #[attribute(immutable, skip)]
    cached: bool,
    #[attribute(immutable, rest)]
    rest: Item,
}

#[derive(Document)]
struct Address {
    #[attribute(immutable)]
    city: String,
}

#[derive(Entity)]
struct Valued {
    #[partition_key]
    id: String,
    #[attribute(immutable = true)]
    tenant: String,
}

fn main() {}
