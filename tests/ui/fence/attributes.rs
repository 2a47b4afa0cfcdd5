use dyno::{Entity, EpochMillis, EpochSeconds};

#[derive(Entity)]
struct Two {
    #[partition_key]
    id: String,
    #[fence]
    epoch: u64,
    #[fence]
    other: u64,
}

#[derive(Entity)]
struct Key {
    #[partition_key]
    id: String,
    #[sort_key]
    #[fence]
    epoch: u64,
}

#[derive(Entity)]
struct Optional {
    #[partition_key]
    id: String,
    #[fence]
    epoch: Option<u64>,
}

#[derive(Entity)]
struct Said {
    #[partition_key]
    id: String,
    #[fence(strict)]
    #[attribute(default, with = "codec", alias = "number")]
    epoch: u64,
}

#[derive(Entity)]
struct Skipped {
    #[partition_key]
    id: String,
    #[fence]
    #[attribute(skip)]
    epoch: u64,
}

#[derive(Entity)]
#[fence]
struct OfTheStruct {
    #[partition_key]
    id: String,
}

#[derive(Entity)]
struct Ratchet {
    #[partition_key]
    id: String,
    #[fence]
    #[ratchet]
    epoch: u64,
}

#[derive(Entity)]
struct Version {
    #[partition_key]
    id: String,
    #[fence]
    #[version]
    epoch: u64,
}

#[derive(Entity)]
struct Expiry {
    #[partition_key]
    id: String,
    #[fence]
    #[ttl]
    epoch: EpochSeconds,
}

#[derive(Entity)]
struct Tiebreak {
    #[partition_key]
    id: String,
    lines: u32,
    #[ratchet(tiebreak = "epoch", guards(lines, epoch))]
    at: EpochMillis,
    #[fence]
    epoch: u64,
}

#[derive(Entity)]
#[index(name = "by_epoch", partition = id, sort(name = "sk", template = "Epoch#{epoch}"))]
struct InATemplate {
    #[partition_key]
    id: String,
    #[fence]
    epoch: u64,
}

fn main() {}
