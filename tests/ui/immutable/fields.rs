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

#[derive(Entity)]
struct TooMany {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    f0: u8,
    #[attribute(immutable)]
    f1: u8,
    #[attribute(immutable)]
    f2: u8,
    #[attribute(immutable)]
    f3: u8,
    #[attribute(immutable)]
    f4: u8,
    #[attribute(immutable)]
    f5: u8,
    #[attribute(immutable)]
    f6: u8,
    #[attribute(immutable)]
    f7: u8,
    #[attribute(immutable)]
    f8: u8,
    #[attribute(immutable)]
    f9: u8,
    #[attribute(immutable)]
    f10: u8,
    #[attribute(immutable)]
    f11: u8,
    #[attribute(immutable)]
    f12: u8,
    #[attribute(immutable)]
    f13: u8,
    #[attribute(immutable)]
    f14: u8,
    #[attribute(immutable)]
    f15: u8,
    #[attribute(immutable)]
    f16: u8,
    #[attribute(immutable)]
    f17: u8,
    #[attribute(immutable)]
    f18: u8,
    #[attribute(immutable)]
    f19: u8,
    #[attribute(immutable)]
    f20: u8,
}

fn main() {}
