//! Attributes that the closure of a `modify` cannot change: immutable ones, and the times of writes; and those that a rollback keeps.

use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, equal, equal_or_absent};
use crate::error::Error;
use crate::key::{check_index_keys, check_item, check_size};
use crate::read::{normalized, outdated};
use crate::rule;
use crate::schema::{Schema, TimeAttribute};
use std::borrow::Cow;

/// Refuses a change of an attribute that is immutable or the time of a write, if the stored item has a value.
pub(super) fn check_kept(schema: &Schema, stored: &Item, before: &Item, after: &Item) -> Result<(), Error> {
    let is_changed = |name: &str| !equal_or_absent(before.get(name), after.get(name));
    let has_value = |name: &'static str| !rule::is_absent(schema, name, stored);
    if let Some(name) = schema.immutable.iter().find(|name| has_value(name) && is_changed(name)) {
        return Err(Error::invalid(format!(
            "`{name}` is immutable and was changed: leave it unchanged, or create another item"
        )));
    }
    let mut times = schema.created.iter().chain(&schema.updated);
    match times.find(|time| time.is_set(stored) && is_changed(time.attribute)) {
        Some(time) => Err(Error::invalid(format!(
            "`{}` was changed, but the write itself sets this time: leave it unchanged",
            time.attribute
        ))),
        None => Ok(()),
    }
}

/// Refuses an item that DynamoDB does not hold. If it is not put as a whole, the keys of indexes that have not changed are not checked,
/// because an index that was added later does not hold each key that was stored before.
pub(super) fn check_written(schema: &Schema, is_put: bool, old: &Item, new: &Item) -> Result<(), Error> {
    if is_put {
        return check_item(new, schema).map(drop);
    }
    if schema.indexes.is_empty() && !schema.has_vectors() {
        return check_size(new).map(drop);
    }
    let is_as_stored = |name, value| old.get(name).is_some_and(|old| equal(old, value));
    let changed = new.iter().filter(|(name, value)| !is_as_stored(*name, *value));
    check_index_keys(schema, &changed.map(|(name, value)| (name.clone(), value.clone())).collect())?;
    check_size(new).map(drop)
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

/// Returns a live item in the current shape, if the entity has immutable attributes. Over an item of a newer shape it returns `None`:
/// the write is refused.
pub(super) fn immutable_values<'a>(schema: &'static Schema, live: &'a Item) -> Result<Option<Cow<'a, Item>>, Error> {
    if schema.immutable.is_empty() || outdated(schema, live).is_err() {
        return Ok(None);
    }
    normalized(schema, live).map(Some)
}

/// Returns the immutable attributes that have the values of a live row of an older shape. The condition of the write cannot compare
/// them with this row, which can have them in another form. That the row is the one which was read is another condition.
pub(super) fn kept_by(
    schema: &'static Schema,
    now: EpochMillis,
    read: &Item,
    new: &Item,
) -> Result<Vec<&'static str>, Error> {
    let is_live = rule::state(schema, now, read).is_live();
    if !is_live || !matches!(outdated(schema, read), Ok(Some(_))) {
        return Ok(Vec::new());
    }
    let Some(live) = immutable_values(schema, read)? else { return Ok(Vec::new()) };
    let names = schema.immutable.iter().copied();
    Ok(names.filter(|name| equal_or_absent(live.get(*name), new.get(*name))).collect())
}
