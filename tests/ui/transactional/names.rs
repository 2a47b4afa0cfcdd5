use dyno::{Entity, EpochMillis};

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Field {
    #[partition_key]
    id: String,
    #[attribute(rename = "_x")]
    x: u32,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Alias {
    #[partition_key]
    id: String,
    #[attribute(alias = "_x")]
    x: u32,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Key {
    #[partition_key]
    _x: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[partition_key(name = "_x", template = "Thing#{id}")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Template {
    id: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[index(name = "by_name", partition(name = "_x", template = "Name#{name}"))]
#[tombstone(ttl_days = 7)]
#[transactional]
struct IndexKey {
    #[partition_key]
    id: String,
    name: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7, deleted = "_x")]
#[transactional]
struct Flag {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7, ttl = "_x")]
#[transactional]
struct Ttl {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Version {
    #[partition_key]
    id: String,
    #[version(write_id = "_w")]
    #[attribute(rename = "_x")]
    version: u64,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
#[transactional]
struct WriteId {
    #[partition_key]
    id: String,
    #[version(write_id = "_x")]
    version: u64,
}

#[derive(Entity)]
#[entity(type_attribute = "_x")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Mark {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[entity(schema_version = 1, schema_attribute = "_x")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Shape {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
#[idempotency(keys = 10, attribute = "_x")]
#[transactional]
struct Keys {
    #[partition_key]
    id: String,
    count: u32,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Token {
    #[partition_key]
    id: String,
    #[ratchet]
    #[attribute(rename = "_x")]
    at: EpochMillis,
    #[version]
    version: u64,
}

/// An entity that is not transactional may use the name.
#[derive(Entity)]
struct Free {
    #[partition_key]
    id: String,
    #[attribute(rename = "_x")]
    x: u32,
}

fn main() {
    let _ = Free::get("1");
}
