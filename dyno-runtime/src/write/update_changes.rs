//! Completes the changes of an update by those of the rules, and checks them.

use crate::attribute::Item;
use crate::error::Error;
use crate::expression::{Action, Path, RawChange, check_changes};
use crate::key::{add_index_key_changes, check_bytes, check_value, defaults_in_keys};
use crate::rule;
use crate::rule::{Verb, Write, alias};
use crate::schema::{Schema, StoredAttribute};

/// Returns the caller's changes and those of the rules. An upsert also sets `key_copies`, because it may create the item.
pub(crate) fn complete_changes(
    write: &Write,
    key: &Item,
    mut changes: Vec<RawChange>,
    key_copies: Option<Vec<RawChange>>,
) -> Result<Vec<RawChange>, Error> {
    let is_rewrite = matches!(write.verb, Verb::Rewrite | Verb::Renumber);
    // A rewrite may change only a token, which a rule adds.
    if changes.is_empty() && !is_rewrite {
        return Err(changes_nothing());
    }
    // Like an empty set that is inserted.
    changes.retain(|change| !matches!(change.action, Ok(Action::Nothing)));
    let depth = |change: &RawChange| change.path.steps().len();
    let mut size = 0;
    for change in &changes {
        let value = match &change.action {
            Ok(Action::Set(value) | Action::SetAbsent(value) | Action::Add(value) | Action::Delete(value)) => value,
            Ok(Action::Plus { by, .. } | Action::Minus { by }) => by,
            Ok(Action::Append { list, .. }) => list,
            Ok(Action::Copy(_) | Action::Remove | Action::RemoveElement(_) | Action::Nothing) | Err(_) => continue,
        };
        let bytes = check_value(value, depth(change)).map_err(|error| change.path.locate(error))?;
        // Elements that are removed from a set add nothing to the item.
        size += if matches!(change.action, Ok(Action::Delete(_))) { 0 } else { bytes };
    }
    check_bytes(size)?;
    if !is_rewrite {
        changes.extend(rule::embedding_changes(write.schema, &changes)?);
    }
    // A rewrite already has a change for every name of an attribute, and for the keys of indexes.
    let mut changes = if is_rewrite { changes } else { alias::moving(write.schema, changes) };
    rule::assign(write, |path, action| changes.push(RawChange::new(path, Ok(action))));
    if !is_rewrite {
        add_index_key_changes(write.schema, key, key_copies.is_some(), &mut changes)?;
    }
    if let Some(key_copies) = key_copies {
        changes.extend(key_copies);
        check_complete(write.schema, &changes)?;
        // It could only create an item of its key alone.
        if changes.is_empty() {
            return Err(changes_nothing());
        }
    }
    check_changes(&changes)?;
    Ok(changes)
}

#[cold]
fn changes_nothing() -> Error {
    Error::invalid("the update changes nothing: add a change with `with`, as in `.with(fields.name.set(value))`")
}

/// Refuses an upsert that could create an item which cannot be decoded.
fn check_complete(schema: &'static Schema, changes: &[RawChange]) -> Result<(), Error> {
    let is_set = |name| {
        let mut changes = changes.iter();
        // An append or an addition creates an absent list or number. A change of a part needs the attribute to exist.
        let creates = |action: &Action| match action {
            Action::Set(_) | Action::SetAbsent(_) | Action::Add(_) | Action::Append { .. } => true,
            Action::Plus { absent, .. } => absent.is_some(),
            _ => false,
        };
        changes.any(|change| change.path == Path::from(name) && change.action.as_ref().is_ok_and(creates))
    };
    let missing: Vec<String> = schema
        .attributes
        .iter()
        .filter(|attribute| attribute.required && !is_set(attribute.name))
        .map(|attribute| format!("`{}`", attribute.field))
        .collect();
    if !missing.is_empty() {
        return Err(Error::invalid(format!(
            "the upsert could create an item without {}: set that too, give it a default, or put the whole item",
            missing.join(", ")
        )));
    }
    match defaults_in_keys(schema).find(|attribute| !is_set(attribute.name)) {
        None => Ok(()),
        Some(StoredAttribute { field, .. }) => Err(Error::invalid(format!(
            "the upsert could create an item without `{field}`, a key of an index: reads would return its default, but the index would lack the item: set it too, or put the whole item"
        ))),
    }
}
