//! Values in another form than the word takes: the help can be pasted.

use dyno::{Entity, EpochMillis, EpochSeconds, Projection};

#[derive(Entity)]
#[unique(name = "handle", fields = (tenant, handle))]
#[unique(name = "slug", fields = "slug")]
#[unique(name = "title", fields = ["title", "tenant"])]
#[unique(name = "nothing", fields)]
#[unique(name = "missing")]
#[unique(tenant, handle)]
struct Unique {
    #[partition_key]
    id: String,
    tenant: String,
    handle: String,
    slug: String,
    title: String,
}

#[derive(Entity)]
#[index(name = "similar", vector = embedding, of = title)]
#[index(name = "alike", vector = embedding, filter = "title")]
#[index(name = "by_title", partition = (title, tenant))]
#[index(name = "by_tenant", partition = tenant, projection = (title, id))]
struct Indexes {
    #[partition_key]
    id: String,
    tenant: String,
    title: String,
    embedding: Option<[f32; 4]>,
    #[ratchet(guards = "title")]
    at: u64,
}

#[derive(Entity)]
struct Times {
    #[partition_key]
    id: String,
    #[created = "made"]
    made: EpochMillis,
    #[updated(rename = "changed_at")]
    changed: EpochMillis,
    #[ttl = 7]
    until: EpochSeconds,
    #[version = 1]
    version: u64,
    #[attribute(with = codecs::text)]
    text: String,
}

#[derive(Entity)]
#[entity(table = "things", crate = ::dyno)]
#[tombstone(ttl_days = "7")]
#[transactional = true]
struct Things {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[derive(Projection)]
#[projection(of = "Times")]
struct Quoted {
    text: String,
}

fn main() {}
