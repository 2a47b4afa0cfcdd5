//! Entities with unique values, each combined with other rules of dyno.

use dyno::{Entity, EpochMillis};

#[derive(Entity, Clone)]
#[entity(table = "users")]
#[unique(name = "handle", fields(tenant, handle))]
pub(crate) struct User {
    #[partition_key]
    pub(crate) id: String,
    #[unique]
    pub(crate) email: Option<String>,
    pub(crate) tenant: String,
    pub(crate) handle: String,
    pub(crate) logins: u64,
}

#[derive(Entity, Clone)]
#[entity(table = "members")]
#[tombstone(ttl_days = 7)]
pub(crate) struct Member {
    #[partition_key]
    pub(crate) id: String,
    #[unique]
    pub(crate) email: String,
    pub(crate) visits: u64,
    #[version]
    pub(crate) version: u64,
}

#[derive(Entity, Clone)]
#[entity(table = "contracts")]
#[tombstone(ttl_days = 7)]
#[history_table]
pub(crate) struct Contract {
    #[partition_key]
    pub(crate) id: String,
    #[unique]
    pub(crate) email: String,
    #[version]
    pub(crate) version: u64,
}

#[derive(Entity, Clone)]
#[entity(table = "players")]
#[tombstone(ttl_days = 7)]
#[transactional]
pub(crate) struct Player {
    #[partition_key]
    pub(crate) id: String,
    #[unique]
    pub(crate) email: String,
    #[version]
    pub(crate) version: u64,
}

#[derive(Entity, Clone)]
#[entity(table = "rated")]
#[tombstone(ttl_days = 7)]
pub(crate) struct Rated {
    #[partition_key]
    pub(crate) id: String,
    #[unique]
    pub(crate) email: String,
    #[ratchet]
    pub(crate) at: EpochMillis,
}

#[derive(Entity, Clone)]
#[entity(table = "jobs")]
#[idempotency(window_secs = 300, store = "row")]
pub(crate) struct Job {
    #[partition_key]
    pub(crate) id: String,
    #[unique]
    pub(crate) email: Option<String>,
    pub(crate) runs: u64,
}
