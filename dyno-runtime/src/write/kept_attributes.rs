//! Attributes of which a `modify` is no judge: immutable ones, and the times of writes.

use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, equal_or_absent};
use crate::error::Error;
use crate::rule;
use crate::schema::{Schema, TimeAttribute};

/// Refuses a change of an attribute that is immutable or the time of a write, if the stored item has a value.
pub(super) fn check_kept(schema: &Schema, stored: &Item, before: &Item, after: &Item) -> Result<(), Error> {
    let is_changed = |name: &str| !equal_or_absent(before.get(name), after.get(name));
    let has_value = |name: &'static str| !rule::is_absent(schema, name, stored);
    if let Some(name) = schema.immutable.iter().find(|name| has_value(name) && is_changed(name)) {
        return Err(Error::invalid(format!(
            "`{name}` was changed, and it is immutable: leave it as it is, or create another item"
        )));
    }
    let mut times = schema.created.iter().chain(&schema.updated);
    match times.find(|time| time.is_set(stored) && is_changed(time.attribute)) {
        Some(time) => Err(Error::invalid(format!(
            "`{}` was changed, and it is the time of a write, which the write sets itself: leave it as it is",
            time.attribute
        ))),
        None => Ok(()),
    }
}

/// Returns `true` if an absent attribute stays absent until somebody sets it, and does not get its default: it is immutable, and no
/// index needs it.
pub(super) fn is_set_once(schema: &Schema, name: &str) -> bool {
    let is_indexed = schema.attribute(name).is_some_and(|attribute| schema.is_indexed(attribute));
    schema.immutable.contains(&name) && !is_indexed
}

/// Gives a merged item the time of its last write, if the caller has changed one of these attributes, and not this time itself.
pub(super) fn set_updated<'a>(
    updated: &TimeAttribute,
    now: EpochMillis,
    changed: impl Iterator<Item = &'a str>,
    merged: &mut Item,
) -> Result<(), Error> {
    let changed: Vec<&str> = changed.collect();
    if !changed.is_empty() && !changed.contains(&updated.attribute) {
        merged.insert(updated.attribute.to_owned(), updated.at(now)?);
    }
    Ok(())
}
