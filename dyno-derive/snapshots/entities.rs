// The inputs of the expansion snapshots, which are in `expanded`. The workspace's hygiene tests compile this file, and
// compare the conditions in the generated documentation with those that are sent.

/// Five fields and no rules.
#[derive(Entity)]
#[entity(table = "users")]
pub struct User {
    #[partition_key]
    pub id: String,
    pub name: String,
    pub email: Option<String>,
    pub logins: u32,
    pub tags: BTreeSet<String>,
}

#[derive(Entity)]
#[entity(table = "ratings", rename_all = "PascalCase")]
#[partition_key(name = "PK", template = "User#{user_id}")]
#[sort_key(name = "SK", template = "Movie#{movie_id}")]
#[tombstone(ttl_days = 7, deleted = "Deleted", ttl = "TTL")]
pub struct Rating {
    user_id: String,
    movie_id: String,
    rating: u8,
    #[ratchet]
    timestamp: EpochMillis,
}

#[derive(Entity)]
#[entity(table = "leases")]
#[tombstone(ttl_days = 1)]
pub struct Lease {
    #[partition_key]
    id: String,
    #[ratchet(strict, tiebreak = "writer", max_ahead_secs = 60)]
    at: EpochMillis,
    writer: String,
    #[ttl]
    expires: EpochSeconds,
}

#[derive(Entity)]
#[entity(table = "reviews")]
#[tombstone(ttl_days = 30)]
pub(crate) struct Review {
    #[partition_key]
    id: String,
    rating: u8,
    comment: Option<String>,
    #[ratchet(guards(rating, comment))]
    rated_at: EpochMillis,
    shipped: bool,
    #[ratchet(guards(shipped), tiebreak = "carrier")]
    shipped_at: EpochMillis,
    carrier: String,
}

#[derive(Entity)]
#[entity(table = "sessions")]
pub struct Session {
    #[partition_key]
    user: String,
    #[sort_key]
    id: u64,
    #[attribute(rename = "n", default)]
    note: String,
    #[ttl]
    expires: Option<EpochSeconds>,
}

#[derive(Entity)]
#[entity(table = "notes")]
#[tombstone(ttl_days = 7)]
pub struct Note<T> {
    #[partition_key]
    id: String,
    body: T,
}

#[derive(Entity)]
#[entity(table = "carts")]
pub struct Cart {
    #[partition_key]
    id: String,
    lines: Vec<String>,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[entity(table = "documents")]
#[partition_key(name = "PK", template = "Folder#{folder}")]
#[sort_key(name = "SK", template = "Document#{name}")]
#[tombstone(ttl_days = 30)]
#[history_table(mode = "ordered", layout = "same_table", ttl_days = 365)]
pub struct Document {
    folder: String,
    name: String,
    body: String,
    #[ratchet]
    edited_at: EpochMillis,
    #[version(write_id = "write")]
    revision: u32,
}

#[derive(Entity)]
#[entity(table = "orders")]
#[tombstone(ttl_days = 7)]
pub struct Order {
    #[partition_key]
    id: String,
    paid: bool,
    #[ratchet(guards(paid))]
    paid_at: EpochMillis,
    #[version(write_id = false)]
    version: u64,
}

#[derive(Entity)]
#[entity(table = "usages")]
#[tombstone(ttl_days = 7)]
#[idempotency(window_secs = 60, max_skew_secs = 10, max_rps = 20, body_bytes = 100)]
pub struct Usage {
    #[partition_key]
    id: String,
    calls: u64,
}

#[derive(Entity)]
#[entity(table = "profiles", schema_version = 2, upgrade = "Self::upgrade")]
pub struct Profile {
    #[partition_key]
    id: String,
    #[attribute(alias = "nick", alias = "nickname")]
    name: String,
    #[attribute(alias = "hits", default)]
    visits: u32,
    #[attribute(rest)]
    rest: ::dyno::Item,
}

#[derive(Entity)]
#[entity(table = "parcels")]
#[partition_key(name = "PK", template = "Customer#{customer}")]
#[sort_key(name = "SK", template = "Parcel#{id:010}")]
#[index(name = "by_status", partition = status, sort(depot, weight), projection(weight))]
#[index(
    name = "GSI1",
    query = by_city,
    partition(name = "GSI1PK", template = "City#{city}"),
    sort(name = "GSI1SK", template = "{depot}#{customer}")
)]
#[index(name = "by_weight", local, sort = weight, projection = "keys")]
pub struct Parcel {
    /// Who has sent it.
    customer: String,
    id: u32,
    status: String,
    depot: String,
    city: Option<String>,
    /// In grams.
    weight: u64,
}

#[derive(Entity)]
#[entity(table = "desk", type_name = "ticket")]
#[tombstone(ttl_days = 7)]
pub struct Ticket {
    #[partition_key]
    id: String,
    title: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[entity(table = "desk", type_name = "agent")]
#[partition_key(name = "id", template = "Agent#{name}")]
pub struct Agent {
    name: String,
    phone: String,
}

#[derive(Entity)]
#[entity(table = "reports")]
#[tombstone(ttl_days = 7)]
pub struct Report {
    #[partition_key]
    id: String,
    #[ratchet(guards(lines))]
    at: EpochMillis,
    lines: u32,
    #[fence]
    epoch: u64,
}

#[derive(Entity)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
pub struct Account {
    #[partition_key]
    id: String,
    balance: u64,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[entity(table = "contracts")]
#[tombstone(ttl_days = 7)]
pub struct Contract {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    client: String,
    #[attribute(immutable)]
    agent: Option<String>,
    text: String,
    #[created]
    made: EpochMillis,
    #[updated]
    changed: Option<EpochSeconds>,
}

#[derive(Entity)]
#[entity(table = "parts", schema_version = 2, upgrade = "Self::upgrade")]
pub struct Part {
    #[partition_key]
    id: String,
    #[attribute(immutable, default)]
    maker: String,
    #[attribute(immutable)]
    serial: u64,
}

#[derive(Entity)]
#[entity(table = "votes")]
#[tombstone(ttl_days = 7)]
pub struct Vote {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    voter: String,
    choice: u32,
    #[ratchet(guards(voter, choice))]
    at: EpochMillis,
}

#[derive(Entity)]
#[entity(table = "articles")]
#[index(name = "similar", vector = embedding, of(title, tags), partition = tenant, filter(brand), projection(title))]
pub struct Article {
    #[partition_key]
    id: String,
    tenant: String,
    brand: Option<String>,
    title: String,
    tags: Vec<String>,
    embedding: Option<[f32; 8]>,
}

#[derive(Entity)]
#[entity(table = "customers")]
#[unique(name = "handle", fields(tenant, handle))]
pub struct Customer {
    #[partition_key]
    id: String,
    #[unique]
    email: Option<String>,
    tenant: String,
    handle: String,
}
