//! Names that belong to an attribute in one release, and to a rule in the other one: a stored value of one would be taken for one of
//! the other.

use super::change::{Change, Changes};
use super::file::{Entity, Table, key_name};
use crate::schema::names::INTENT;

/// Compares the names of an entity's attributes with those of its rules.
pub(super) fn names(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    // A name that a rule has in both releases, with a field or without one, is reported with the rule.
    let is_of_both = |name: &String| rule(old, name).is_some() && rule(new, name).is_some();
    for name in old.attributes.keys().filter(|name| !new.attributes.contains_key(*name) && !is_of_both(name)) {
        match rule(new, name) {
            Some(INDEX_KEY) => changes.conditional(
                format!("`{name}` was an attribute, and is {INDEX_KEY}"),
                "The index has stored items under the values that they have. Deploy it without queries, run `modify_each(|_| {})`, and add the queries in the next release",
            ),
            Some(rule) => changes.breaking(
                format!("`{name}` was an attribute, and is {rule}"),
                "The stored values would be taken for those of the rule. Give the rule another name",
            ),
            None => {}
        }
    }
    for name in new.attributes.keys().filter(|name| !old.attributes.contains_key(*name) && !is_of_both(name)) {
        if let Some(rule) = rule(old, name) {
            changes.breaking(
                format!("`{name}` was {rule}, and is an attribute"),
                "The values that the rule has stored would be taken for those of the attribute. Give the attribute another name: `#[attribute(rename = \"…\")]`",
            );
        }
    }
}

const INDEX_KEY: &str = "the key of an index";

/// Returns the rule that stores its own values under a name, without a field of the entity.
fn rule(entity: &Entity, name: &str) -> Option<&'static str> {
    let Entity { type_name, schema_version, tombstone, .. } = entity;
    let is_key = |place: &str| match place.split_once(" to ") {
        // The keys of a window are in several attributes, which differ in the number at their end.
        Some((first, _)) => {
            let number = name.strip_prefix(first.trim_end_matches(|digit: char| digit.is_ascii_digit()));
            number.is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
        }
        None => place == name,
    };
    let of_items = entity.idempotency.iter().filter(|idempotency| idempotency.store != "row");
    let rules = [
        (type_name.iter().any(|mark| mark.attribute == name), "the type name"),
        (schema_version.iter().any(|version| version.attribute == name), "the schema version"),
        (entity.write_id.as_deref() == Some(name), "the write ID"),
        (tombstone.iter().any(|tombstone| tombstone.deleted == name), "the flag of tombstones"),
        (tombstone.iter().any(|tombstone| tombstone.ttl == name), "the TTL of tombstones"),
        (of_items.map(|idempotency| &idempotency.place).any(|place| is_key(place)), "a place of idempotency keys"),
        (entity.transactional && name == INTENT, "the pending change of a transaction"),
        (entity.index_templates.values().flatten().any(|key| key_name(key) == name), INDEX_KEY),
    ];
    rules.into_iter().find(|(is_it, _)| *is_it).map(|(_, rule)| rule)
}

/// Compares the TTL attribute of a table with the attributes of all its entities.
pub(super) fn table_ttl(table: &str, old: &Table, new: &Table, all: &mut Vec<Change>) {
    let Some(ttl) = ttl(new).filter(|name| ttl(old) != Some(*name)) else { return };
    for (name, entity) in &old.entities {
        // The TTL of the entity itself is reported with its rules.
        let is_its_own = new.entities.values().any(|other| {
            let is_it = (&other.partition_key, &other.sort_key) == (&entity.partition_key, &entity.sort_key);
            is_it && (rule(other, ttl).is_some() || other.ttl.as_deref() == Some(ttl))
        });
        if entity.attributes.contains_key(ttl) && !is_its_own {
            Changes { place: format!("{table}/{name}"), all }.breaking(
                format!("`{ttl}` is an attribute of stored items, and the TTL of the table now"),
                "DynamoDB removes the items whose number in it is a time that has passed. Give the TTL another name",
            );
        }
    }
}

/// Returns the TTL attribute of a table.
fn ttl(table: &Table) -> Option<&str> {
    table.entities.values().find_map(|entity| {
        let of_tombstones = entity.tombstone.as_ref().map(|tombstone| &tombstone.ttl);
        let of_revisions = entity.history.as_ref().filter(|history| history.table.is_none());
        let of_revisions = of_revisions.and_then(|history| history.ttl.as_ref());
        entity.ttl.as_ref().or(of_tombstones).or(of_revisions).map(String::as_str)
    })
}
