//! The changes of indexes.

use super::change::{Change, Changes};
use super::file::{Index, VectorIndex};
use std::collections::BTreeMap;

const REMOVED: &str =
    "Programs of the last release may still query it. Remove the queries in one release, and the index in the next";
const CHANGED: &str =
    "DynamoDB cannot change an index. Add one with another name, and remove this one in the next release";

/// Compares the secondary indexes of a table.
pub(super) fn indexes(
    table: &str,
    old: &BTreeMap<String, Index>,
    new: &BTreeMap<String, Index>,
    all: &mut Vec<Change>,
) {
    for (name, index) in new {
        let mut changes = Changes { place: format!("{table}/{name}"), all };
        match old.get(name) {
            Some(known) if known == index => {}
            Some(_) => changes.breaking("the index has other keys, or another projection", CHANGED),
            None if index.local => changes.breaking(
                "the local index is new",
                "DynamoDB creates local indexes only together with their table. Use a global index",
            ),
            None => changes.safe("the index is new"),
        }
    }
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        Changes { place: format!("{table}/{name}"), all }.conditional("the index is removed", REMOVED);
    }
}

/// Compares the vector indexes of a table.
pub(super) fn vector_indexes(
    table: &str,
    old: &BTreeMap<String, VectorIndex>,
    new: &BTreeMap<String, VectorIndex>,
    all: &mut Vec<Change>,
) {
    for (name, index) in new {
        let mut changes = Changes { place: format!("{table}/{name}"), all };
        match old.get(name) {
            Some(known) if known == index => {}
            Some(_) => changes
                .breaking("the vector index has another vector, distance, partition, filter or projection", CHANGED),
            None => changes.safe("the vector index is new"),
        }
    }
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        Changes { place: format!("{table}/{name}"), all }.conditional("the vector index is removed", REMOVED);
    }
}

/// Compares the templates by which an entity composes index keys.
pub(super) fn index_templates(
    old: &BTreeMap<String, Vec<String>>,
    new: &BTreeMap<String, Vec<String>>,
    changes: &mut Changes<'_>,
) {
    for (name, keys) in new {
        match old.get(name) {
            Some(known) if known == keys => {}
            Some(known) => changes.breaking(
                format!("the key of the index `{name}` was `{}`, and is `{}`", known.join("`, `"), keys.join("`, `")),
                "Stored items are in the index under the old key. Add an index with another name, and remove this one in the next release",
            ),
            None => changes.conditional(
                format!("the templated key of the index `{name}` is new"),
                "Stored items lack it, so queries miss them. Deploy the index without queries, run `modify_each(|_| {})`, and add the queries in the next release",
            ),
        }
    }
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        changes.conditional(format!("the templated key of the index `{name}` is removed"), REMOVED);
    }
}
