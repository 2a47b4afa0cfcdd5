use dyno::{Entity, EpochSeconds};

#[derive(Entity)]
#[transactional]
struct Bare {
    #[partition_key]
    id: String,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
#[transactional]
struct WithoutAVersion {
    #[partition_key]
    id: String,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
#[transactional]
struct WithoutWriteIds {
    #[partition_key]
    id: String,
    #[version(write_id = false)]
    version: u64,
}

#[derive(Entity)]
#[transactional]
struct WithoutATombstone {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

/// A history does not replace the tombstone.
#[derive(Entity)]
#[history_table]
#[transactional]
struct WithAHistory {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Expires {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
    #[ttl]
    expires: EpochSeconds,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
#[transactional(lanes = 4096)]
struct Said {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
#[transactional]
#[transactional]
struct Twice {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
struct OnAField {
    #[partition_key]
    id: String,
    #[version]
    #[transactional]
    version: u64,
}

fn main() {}
