//! Small entities whose writes several tests compare, one entity for each kind of rule.

use dyno::Entity;

/// An entity with a version and a tombstone.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "carts")]
#[tombstone(ttl_days = 7)]
pub(crate) struct Cart {
    #[partition_key]
    pub(crate) id: String,
    pub(crate) lines: u32,
    #[version]
    pub(crate) version: u64,
}

/// An entity with an ordered history.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "drafts")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered")]
pub(crate) struct Draft {
    #[partition_key]
    pub(crate) id: String,
    pub(crate) text: String,
    #[version]
    pub(crate) version: u64,
}

/// An entity without rules.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "plain")]
pub(crate) struct Plain {
    #[partition_key]
    pub(crate) id: String,
    pub(crate) count: u32,
}

/// An entity with idempotency keys.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bills")]
#[idempotency(window_secs = 60, max_rps = 1)]
pub(crate) struct Bill {
    #[partition_key]
    pub(crate) id: String,
    pub(crate) total: u32,
}

pub(crate) fn cart(lines: u32, version: u64) -> Cart {
    Cart { id: "1".to_owned(), lines, version }
}

pub(crate) fn draft(text: &str, version: u64) -> Draft {
    Draft { id: "1".to_owned(), text: text.to_owned(), version }
}

pub(crate) fn plain(count: u32) -> Plain {
    Plain { id: "1".to_owned(), count }
}
