use dyno::{Entity, EpochMillis, EpochSeconds};

#[derive(Entity)]
struct Two {
    #[partition_key]
    id: String,
    #[created]
    made: EpochMillis,
    #[created]
    begun: EpochMillis,
    #[updated]
    changed: EpochMillis,
    #[updated]
    edited: EpochMillis,
}

#[derive(Entity)]
struct Both {
    #[partition_key]
    id: String,
    #[created]
    #[updated]
    at: EpochMillis,
}

#[derive(Entity)]
struct Immutable {
    #[partition_key]
    id: String,
    #[created]
    #[attribute(immutable)]
    made: EpochMillis,
}

#[derive(Entity)]
struct Key {
    #[partition_key]
    id: String,
    #[sort_key]
    #[created]
    made: EpochMillis,
}

#[derive(Entity)]
struct Token {
    #[partition_key]
    id: String,
    #[ratchet(guards(made))]
    #[updated]
    at: EpochMillis,
    #[created]
    made: EpochMillis,
}

#[derive(Entity)]
struct Expiry {
    #[partition_key]
    id: String,
    #[ttl]
    #[created]
    expires: EpochSeconds,
}

#[derive(Entity)]
struct Said {
    #[partition_key]
    id: String,
    #[created]
    #[attribute(serde, alias = "born")]
    made: EpochMillis,
    #[updated(by = "clock")]
    #[attribute(immutable)]
    changed: EpochMillis,
}

#[derive(Entity)]
#[index(name = "by_day", partition(name = "PK1", template = "day#{made}"))]
struct Templated {
    #[partition_key]
    id: String,
    #[created]
    made: EpochMillis,
}

#[derive(Entity)]
#[created]
struct OfTheStruct {
    #[partition_key]
    id: String,
}

fn main() {}
