//! An entity of each kind, all with one row: `id` 1.

use dyno::{Document, Entity, EpochMillis, EpochSeconds};
use std::collections::{BTreeMap, BTreeSet};

/// An entity without rules.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
pub(super) struct Plain {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    pub(super) count: Option<i8>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things", type_attribute = "kind")]
pub(super) struct Expiring {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    #[ttl]
    pub(super) expires: Option<EpochSeconds>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
#[tombstone(ttl_days = 7)]
pub(super) struct Ratcheted {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    #[ratchet]
    pub(super) at: EpochMillis,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
#[tombstone(ttl_days = 7)]
pub(super) struct Strict {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    #[ratchet(strict, tiebreak = "writer")]
    pub(super) at: u64,
    pub(super) writer: String,
    #[ttl]
    pub(super) expires: Option<EpochSeconds>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
#[tombstone(ttl_days = 7)]
pub(super) struct Grouped {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    #[ratchet(guards(text))]
    pub(super) at: u64,
    pub(super) count: u32,
    pub(super) note: Option<String>,
    #[ratchet(guards(count, note), tiebreak = "writer")]
    pub(super) counted_at: u64,
    pub(super) writer: u8,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
#[tombstone(ttl_days = 7)]
pub(super) struct Versioned {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    #[attribute(alias = "old")]
    pub(super) count: i8,
    #[version]
    pub(super) version: u8,
}

#[derive(Document, Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) city: String,
    pub(super) visits: u8,
}

/// An entity with every kind of field that can be changed, and with index keys that are made of some of them.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "shops")]
#[index(name = "GSI1", query = by_city, partition(name = "GSI1PK", template = "City#{city}"), sort(name = "GSI1SK", template = "{floor}#{id}"))]
pub(super) struct Shop {
    #[partition_key]
    pub(super) id: String,
    pub(super) city: String,
    pub(super) floor: u8,
    #[attribute(alias = "old")]
    pub(super) stars: Option<i64>,
    #[attribute(alias = "older")]
    pub(super) tags: BTreeSet<String>,
    #[attribute(alias = "oldest")]
    pub(super) list: Vec<String>,
    pub(super) scores: BTreeMap<String, i64>,
    pub(super) place: Place,
    pub(super) note: Option<String>,
    pub(super) ratio: Option<f64>,
}

/// An entity that an upsert can create, with a copy of its key and with index keys that are made of the key.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "counters")]
#[partition_key(name = "PK", template = "Counter#{id}")]
#[index(name = "all", partition(name = "GSI1PK", template = "Counters"), sort(name = "GSI1SK", template = "{id}"))]
pub(super) struct Counter {
    pub(super) id: String,
    pub(super) count: u32,
    #[attribute(alias = "old")]
    pub(super) seen: BTreeSet<u8>,
    #[attribute(default)]
    pub(super) list: Vec<String>,
}

/// An entity that an upsert can create from its key alone.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
#[tombstone(ttl_days = 7)]
pub(super) struct Loose {
    #[partition_key]
    pub(super) id: String,
    pub(super) note: Option<String>,
    pub(super) count: Option<i16>,
    #[version]
    pub(super) version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
#[idempotency(window_secs = 60, max_skew_secs = 30)]
pub(super) struct Timed {
    #[partition_key]
    pub(super) id: String,
    pub(super) count: u32,
    pub(super) list: Vec<String>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
#[idempotency(keys = 2, attribute = "keys", raw, key_bytes = 8)]
pub(super) struct Recent {
    #[partition_key]
    pub(super) id: String,
    pub(super) count: u32,
    #[version]
    pub(super) version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
#[idempotency(store = "row", window_secs = 3600, max_skew_secs = 10)]
pub(super) struct Rowed {
    #[partition_key]
    pub(super) id: String,
    pub(super) count: u32,
}

/// An entity that client-side transactions can write.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
#[tombstone(ttl_days = 7)]
#[transactional]
pub(super) struct Account {
    #[partition_key]
    pub(super) id: String,
    pub(super) balance: u8,
    #[version]
    pub(super) version: u64,
}

macro_rules! histories {
    ($($entity:ident $(#[$attribute:meta])*;)*) => {$(
        #[derive(Entity, Clone, Debug, PartialEq)]
        #[entity(table = "things")]
        $(#[$attribute])*
        pub(super) struct $entity {
            #[partition_key]
            pub(super) id: String,
            pub(super) text: String,
            #[version]
            pub(super) version: u64,
        }
    )*};
}

histories! {
    Atomic #[history_table];
    Ordered #[tombstone(ttl_days = 7)] #[history_table(mode = "ordered")];
    Draft #[tombstone(ttl_days = 7)] #[history_table];
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
#[tombstone(ttl_days = 7)]
pub(super) struct Fenced {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    #[fence]
    pub(super) epoch: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things", schema_version = 1, schema_attribute = "shape")]
pub(super) struct Shaped {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    #[version]
    pub(super) version: u64,
}
