//! The one table of words: the attributes, where they go, and the keys that each takes.

/// Where an attribute goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Container,
    Field,
    Both,
}

/// Each attribute of the derives, its level, and its keys; keys of both levels together.
const ATTRIBUTES: &[(&str, Level, &[&str])] = &[
    (
        "entity",
        Level::Container,
        &[
            "table",
            "rename_all",
            "type_name",
            "type_attribute",
            "crate",
            "schema_version",
            "upgrade",
            "schema_attribute",
        ],
    ),
    ("document", Level::Container, &["rename_all", "tag", "order", "crate"]),
    ("partition_key", Level::Both, &["name", "template"]),
    ("sort_key", Level::Both, &["name", "template"]),
    ("tombstone", Level::Container, &["ttl_days", "deleted", "ttl", "mark"]),
    ("history_table", Level::Container, &["mode", "layout", "name", "ttl_days"]),
    (
        "idempotency",
        Level::Container,
        &[
            "window_secs",
            "max_skew_secs",
            "keys",
            "store",
            "table",
            "max_rps",
            "key_bytes",
            "body_bytes",
            "raw",
            "attribute",
        ],
    ),
    ("index", Level::Container, &["name", "query", "partition", "sort", "local", "projection"]),
    ("entities", Level::Both, &["crate", "unknown"]),
    ("aggregate", Level::Container, &["crate"]),
    ("projection", Level::Container, &["of", "index", "crate"]),
    ("attribute", Level::Field, &["rename", "alias", "default", "skip", "serde", "with", "format", "stored", "rest"]),
    ("ratchet", Level::Field, &["strict", "tiebreak", "max_ahead_secs", "guards"]),
    ("ttl", Level::Field, &[]),
    ("version", Level::Field, &["write_id"]),
];

/// The keys that an attribute takes.
pub(super) fn keys(attribute: &str) -> &'static [&'static str] {
    let known = ATTRIBUTES.iter().find(|(name, ..)| *name == attribute);
    known.map_or(&[], |(_, _, keys)| keys)
}

/// Where an attribute goes, if it is one of the derives'.
pub(super) fn level(attribute: &str) -> Option<Level> {
    let known = ATTRIBUTES.iter().find(|(name, ..)| *name == attribute);
    known.map(|(_, level, _)| *level)
}
