//! The changes of indexes.

use super::change::{Change, Changes};
use super::file::{Attribute, Table, Type, key_name};
use std::collections::BTreeMap;

const REMOVED: &str =
    "Programs of the last release may still query it. Remove the queries in one release, and the index in the next";
const CHANGED: &str =
    "DynamoDB cannot change an index. Add one with another name, and remove this one in the next release";
const REFUSED: &str = "DynamoDB refuses the write of an item in which it is empty or too long, also by programs of the last release, and the index lacks such items that are stored. Make sure that no program writes them";
const NOT_FOUND: &str = "The index lacks items that are read with the default. Deploy it without queries, run `modify_each(|_| {})`, and add the queries in the next release";

/// Compares the secondary indexes of a table.
pub(super) fn indexes(table: &str, old: &Table, new: &Table, all: &mut Vec<Change>) {
    for (name, index) in &new.indexes {
        let mut changes = Changes { place: format!("{table}/{name}"), all };
        match old.indexes.get(name) {
            Some(known) if known == index => {}
            Some(_) => changes.breaking("the index has other keys, or another projection", CHANGED),
            None if index.local => changes.breaking(
                "the local index is new",
                "DynamoDB creates local indexes only together with their table. Use a global index",
            ),
            None => added("index", index.partition_key.iter().chain(&index.sort_key), old, new, &mut changes),
        }
    }
    for name in old.indexes.keys().filter(|name| !new.indexes.contains_key(*name)) {
        Changes { place: format!("{table}/{name}"), all }.conditional("the index is removed", REMOVED);
    }
}

/// Compares the vector indexes of a table.
pub(super) fn vector_indexes(table: &str, old: &Table, new: &Table, all: &mut Vec<Change>) {
    for (name, index) in &new.vector_indexes {
        let mut changes = Changes { place: format!("{table}/{name}"), all };
        match old.vector_indexes.get(name) {
            Some(known) if known == index => {}
            Some(_) => changes
                .breaking("the vector index has another vector, distance, partition, filter or projection", CHANGED),
            // A filter can be empty, and items can lack it.
            None => added("vector index", index.partition_key.iter(), old, new, &mut changes),
        }
    }
    for name in old.vector_indexes.keys().filter(|name| !new.vector_indexes.contains_key(*name)) {
        Changes { place: format!("{table}/{name}"), all }.conditional("the vector index is removed", REMOVED);
    }
}

/// Reports a new index, and the items that it refuses or does not find.
fn added<'a>(what: &str, keys: impl Iterator<Item = &'a String>, old: &Table, new: &Table, changes: &mut Changes<'_>) {
    let is_stored = |table: &Table, key: &str, is: fn(&Attribute) -> bool| {
        table.entities.values().any(|entity| entity.attributes.get(key).is_some_and(is))
    };
    let mut is_safe = true;
    for key in keys.map(|key| key_name(key)) {
        if is_stored(old, key, |attribute| is_unlimited(&attribute.stored_type)) {
            changes.conditional(format!("the {what} is new, and its key `{key}` can be empty or too long"), REFUSED);
            is_safe = false;
        }
        if is_stored(new, key, |attribute| attribute.default) {
            changes.conditional(format!("the {what} is new, and its key `{key}` has a default"), NOT_FOUND);
            is_safe = false;
        }
    }
    if is_safe {
        changes.safe(format!("the {what} is new"));
    }
}

/// Returns true if values of the type can be empty, or longer than the key of an index.
fn is_unlimited(stored_type: &Type) -> bool {
    matches!(stored_type, Type::Plain(name) if ["S", "S as URL", "B"].contains(&name.as_str()))
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
                "Stored items lack it, so queries miss them, and a write of a key that is empty or too long is refused now. Deploy the index without queries, run `modify_each(|_| {})`, and add the queries in the next release",
            ),
        }
    }
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        changes.conditional(format!("the templated key of the index `{name}` is removed"), REMOVED);
    }
}
