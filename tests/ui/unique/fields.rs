// A unique value is stored as its type says, and the writes know it.

use dyno::{Entity, EpochMillis};

#[derive(Entity)]
struct Key {
    #[partition_key]
    #[unique]
    id: String,
}

#[derive(Entity)]
struct Coded {
    #[partition_key]
    id: String,
    #[unique]
    #[attribute(serde)]
    code: String,
    #[unique]
    #[attribute(skip)]
    other: String,
    #[unique]
    #[attribute(default)]
    number: u64,
}

#[derive(Entity)]
struct Set {
    #[partition_key]
    id: String,
    #[unique]
    #[version]
    version: u64,
    #[unique]
    #[updated]
    at: EpochMillis,
}

#[derive(Entity)]
struct Grouped {
    #[partition_key]
    id: String,
    #[unique]
    email: String,
    #[ratchet(guards(email))]
    at: EpochMillis,
}

#[derive(Entity)]
#[unique(name = "handle", fields(tenant, handle))]
#[partition_key(name = "PK", template = "User#{tenant}#{id}")]
struct Templated {
    tenant: String,
    id: String,
    handle: String,
}

#[derive(Entity)]
#[partition_key(name = "PK", template = "User#{tenant}#{id}")]
struct StoredToo {
    #[attribute(stored)]
    tenant: String,
    #[attribute(stored)]
    #[unique]
    id: String,
}

#[derive(Entity)]
#[unique(name = "email", fields(tenant, email))]
#[unique(name = "a b", fields(tenant))]
#[unique(name = "none", fields())]
#[unique(name = "twice", fields(tenant, tenant))]
#[unique(fields(tenant))]
#[unique(name = "unknown", fields(handel))]
struct Named {
    #[partition_key]
    id: String,
    #[unique]
    email: String,
    tenant: String,
    handle: String,
}

#[derive(Entity)]
#[index(name = "get_by_email", partition = email)]
struct Twice {
    #[partition_key]
    id: String,
    #[unique]
    email: String,
    #[unique(email)]
    other: String,
}

fn main() {}
