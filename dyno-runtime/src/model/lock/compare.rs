//! The changes between two states of the file: tables, entities and their keys.

use super::change::{Change, Changes};
use super::compare_attributes::attributes;
use super::compare_indexes::{index_templates, indexes, vector_indexes};
use super::compare_names::{names, table_ttl};
use super::compare_rules::rules;
use super::compare_types::{OTHER_KEY, key_types};
use super::file::{Entity, FORMAT, LockFile, Table, key_name};
use std::collections::BTreeSet;

/// Returns all changes.
pub(super) fn compare(old: &LockFile, new: &LockFile) -> Vec<Change> {
    if old.format == FORMAT {
        return compare_all(old, new);
    }
    let mut reduced = new.clone();
    reduced.reduce();
    let mut all = compare_all(old, &reduced);
    Changes { place: "the file".to_owned(), all: &mut all }.safe(format!(
        "its format was {}, and is {FORMAT}. The old format lacks the types of keys, the elements of sets, the names of maps, the forms of numbers and times, and the groups of ratchets, so these are not compared this time: write the file before you change them",
        old.format
    ));
    all
}

/// Reports the entities that are in one of the files only.
fn whole_entities(old: &LockFile, pairs: &Pairs<'_>, all: &mut Vec<Change>) {
    for (table, name) in &pairs.removed {
        let mut changes = Changes { place: format!("{table}/{name}"), all };
        let moved = pairs.added.iter().find(|(other, added)| added == name && other != table);
        match moved {
            Some((other, _)) => changes.breaking(
                format!("the entity is stored in the table `{other}` now"),
                "Its stored items stay in the old table. Keep the table's name, or copy the items and remove the old entry from the file",
            ),
            None => changes.conditional(
                "the entity is removed",
                "Its items stay stored, and no entity reads them: reads of several entities end in an error at the first of them, unless they skip it (`skip_unknown`, `#[entities(unknown)]`). If they are not needed, delete them first",
            ),
        }
    }
    for (table, name) in &pairs.added {
        let mut changes = Changes { place: format!("{table}/{name}"), all };
        if old.tables.contains_key(*table) {
            changes.conditional(
                "the entity is new, in a table of others",
                "Programs of the last release that read several entities of the table end in an error at its first item, unless they skip it (`skip_unknown`, `#[entities(unknown)]`). Store its items only when none of them runs",
            );
        } else {
            changes.safe("the entity is new");
        }
    }
}

fn compare_all(old: &LockFile, new: &LockFile) -> Vec<Change> {
    let mut all = Vec::new();
    let pairs = Pairs::of(old, new);
    whole_entities(old, &pairs, &mut all);
    for (table, old_name, new_name) in &pairs.kept {
        let (old, new) = (&old.tables[*table].entities[*old_name], &new.tables[*table].entities[*new_name]);
        let mut changes = Changes { place: format!("{table}/{new_name}"), all: &mut all };
        if old_name != new_name {
            renamed(old_name, new, &mut changes);
        }
        let known = changes.all.len();
        entity(old, new, &mut changes);
        if changes.all.len() == known && old != new {
            changes.safe("another difference, with which old and new programs can work");
        }
    }
    for (name, table) in &new.tables {
        let Some(known) = old.tables.get(name) else { continue };
        table_keys(name, known, table, &mut all);
        table_ttl(name, known, table, &mut all);
        indexes(name, known, table, &mut all);
        vector_indexes(name, known, table, &mut all);
    }
    all
}

/// Compares the keys of a table, if none of its entities is in both files.
fn table_keys(name: &str, old: &Table, new: &Table, all: &mut Vec<Change>) {
    let attribute = |key: &str| key.split(" = ").next().unwrap_or_default().to_owned();
    let keys = |table: &Table| {
        let entity = table.entities.values().next();
        entity.map(|entity| (attribute(&entity.partition_key), entity.sort_key.as_deref().map(attribute)))
    };
    let is_kept = new.entities.keys().any(|entity| old.entities.contains_key(entity));
    if !is_kept && keys(old) != keys(new) {
        Changes { place: name.to_owned(), all }.breaking(
            "the table has other key attributes",
            "DynamoDB cannot change the key of a table. Use another table",
        );
    }
}

/// The entities of two files: those in both, and those in one of them.
struct Pairs<'a> {
    /// The table, the old name and the new name.
    kept: Vec<(&'a str, &'a str, &'a str)>,
    removed: Vec<(&'a str, &'a str)>,
    added: Vec<(&'a str, &'a str)>,
}

impl<'a> Pairs<'a> {
    fn of(old: &'a LockFile, new: &'a LockFile) -> Self {
        let mut pairs = Self { kept: Vec::new(), removed: Vec::new(), added: Vec::new() };
        for (table, known) in &old.tables {
            let current = new.tables.get(table).map(|table| &table.entities);
            for (name, entity) in &known.entities {
                // A type that was renamed has the same key, which no other entity of the table has.
                let has_its_key = |(other, candidate): &(&String, &Entity)| {
                    !known.entities.contains_key(*other)
                        && candidate.partition_key == entity.partition_key
                        && candidate.sort_key == entity.sort_key
                };
                let same = current
                    .and_then(|current| current.get_key_value(name).or_else(|| current.iter().find(has_its_key)));
                match same {
                    Some((new_name, _)) => pairs.kept.push((table, name, new_name)),
                    None => pairs.removed.push((table, name)),
                }
            }
        }
        for (table, current) in &new.tables {
            let names = current.entities.keys();
            let is_kept = |name: &&String| pairs.kept.iter().any(|kept| kept.0 == table && kept.2 == name.as_str());
            pairs.added.extend(names.filter(|name| !is_kept(name)).map(|name| (table.as_str(), name.as_str())));
        }
        pairs
    }
}

/// The struct has another name. The name itself is not stored, with one exception.
fn renamed(old_name: &str, new: &Entity, changes: &mut Changes<'_>) {
    let what = format!("the struct was `{old_name}`");
    if new.idempotency.as_ref().is_some_and(|idempotency| idempotency.store == "row") {
        changes.conditional(
            what,
            "The rows of idempotency keys contain the struct's name, so an update that is repeated over the release is applied twice",
        );
    } else {
        changes.safe(what);
    }
}

fn entity(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    keys(old, new, changes);
    type_name(old, new, changes);
    schema_version(old, new, changes);
    attributes(old, new, changes);
    rules(old, new, changes);
    names(old, new, changes);
    index_templates(&old.index_templates, &new.index_templates, changes);
    for (index, fields) in &new.index_fields {
        let known = old.index_fields.get(index).map_or(&[][..], Vec::as_slice);
        swapped(&format!("the key of the index `{index}`"), known, fields, changes);
    }
}

fn keys(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    if old.partition_key != new.partition_key {
        let what = format!("the partition key was `{}`, and is `{}`", old.partition_key, new.partition_key);
        changes.breaking(what, OTHER_KEY);
    }
    swapped("the key", &old.key_fields, &new.key_fields, changes);
    if old.sort_key != new.sort_key {
        let text = |key: &Option<String>| key.as_ref().map_or("absent".to_owned(), |key| format!("`{key}`"));
        let what = format!("the sort key was {}, and is {}", text(&old.sort_key), text(&new.sort_key));
        changes.breaking(what, OTHER_KEY);
    }
    if (&old.partition_key, &old.sort_key) == (&new.partition_key, &new.sort_key) {
        let attributes = [&new.partition_key].into_iter().chain(&new.sort_key).map(|key| key_name(key).to_owned());
        let fields = if new.key_fields.is_empty() { attributes.collect() } else { new.key_fields.clone() };
        let types = old.key_types.iter().zip(&new.key_types);
        for (field, (old, new)) in fields.iter().zip(types) {
            key_types(field, old, new, changes);
        }
    }
}

/// Reports fields that have changed their places in templates. The names themselves are not stored.
pub(super) fn swapped(what: &str, old: &[String], new: &[String], changes: &mut Changes<'_>) {
    let sorted = |names: &[String]| names.iter().cloned().collect::<BTreeSet<_>>();
    if old == new || old.len() != new.len() {
        return;
    }
    if sorted(old) == sorted(new) {
        changes.breaking(
            format!(
                "the fields of {what} were in the order `{}`, and are in the order `{}`",
                old.join("`, `"),
                new.join("`, `")
            ),
            "Reads of stored items would swap the fields. Keep the order",
        );
    } else {
        changes.safe(format!("the fields of {what} were `{}`, and are `{}`", old.join("`, `"), new.join("`, `")));
    }
}

fn type_name(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    match (&old.type_name, &new.type_name) {
        (None, Some(new)) => changes.conditional(
            format!("the type name `{}` in `{}` is new", new.name, new.attribute),
            "Programs of the last release write items without it, and filters of other programs miss them. After the rollout, run `modify_each(|_| {})`",
        ),
        (Some(old), new) if Some(old) != new.as_ref() => changes.breaking(
            format!("the type name was `{}` in `{}`", old.name, old.attribute),
            "Reads would skip all stored items. Keep it: `#[entity(type_name = \"…\")]`",
        ),
        _ => {}
    }
}

fn schema_version(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    match (&old.schema_version, &new.schema_version) {
        (None, Some(new)) if new.current > 1 => changes.breaking(
            format!("the schema version {} is new", new.current),
            "Programs of the last release would misread its items. Deploy `schema_version = 1` first, and 2 in the next release",
        ),
        (None, Some(_)) => changes.safe("the schema version 1 is new"),
        (Some(old), Some(new)) if old.attribute != new.attribute => changes.breaking(
            format!("the schema version was in `{}`, and is in `{}`", old.attribute, new.attribute),
            "Stored items would count as version 1. Keep it: `schema_attribute = \"…\"`",
        ),
        (Some(old), Some(new)) if old.current < new.current => {
            changes.conditional(
                format!("the schema version was {}, and is {}", old.current, new.current),
                "Programs of the last release get an error for items that the new one has written, instead of misreading them. After the rollout, run `modify_each(|_| {})`",
            );
        }
        (Some(old), new) if new.as_ref().is_none_or(|new| new.current < old.current) => {
            let now = new.as_ref().map_or("absent".to_owned(), |new| new.current.to_string());
            changes.breaking(
                format!("the schema version was {}, and is {now}", old.current),
                "Reading an item of a newer version is an error, and without a version the item is misread. To undo a shape, raise the version",
            );
        }
        _ => {}
    }
}
