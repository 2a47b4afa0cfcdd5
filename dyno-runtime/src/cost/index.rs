//! The write units of a secondary index.
//!
//! (Developer guide, "Using Global Secondary Indexes in DynamoDB", provisioned throughput considerations: nothing if what the index
//! holds stays as it was, one write if an entry comes, goes or changes, and two if its key changes, each of the entry's size. A
//! transaction does not double them: recorded on AWS by dynoxide's authors, August 2026.)

use super::bounds::Span;
use super::row::{Before, Bytes, write_units};
use crate::attribute::Item;
use crate::key::item_size;
use crate::schema::{Index, Projected, Schema};

/// The change that a row's write makes.
pub(super) enum Change<'a> {
    /// Stores this item, of this size.
    Put(&'a Item, Bytes),
    /// Changes attributes, which are among these.
    Update(Vec<&'a str>),
    /// Removes the item.
    Delete,
    Nothing,
}

/// Returns the units of an index when an item of the entity is written.
pub(super) fn index_units(schema: &'static Schema, index: &'static Index, change: &Change<'_>, before: Before) -> Span {
    let stays = index.keys().all(|key| schema.is_key(key.name));
    let old = if before.applied == 0 { 0.0 } else { write_units(before.applied) };
    match change {
        Change::Nothing => Span::NOTHING,
        Change::Delete => Span::new(0.0, old),
        Change::Update(names) => {
            let is_changed = |name: &&str| names.contains(name);
            let (moves, units) = (!stays && index.keys().any(|key| is_changed(&key.name)), write_units(before.applied));
            let most = match index.projection {
                _ if moves => 2.0 * units,
                Projected::Only(held) if before.exists && !held.iter().any(is_changed) => 0.0,
                _ => units,
            };
            // The item may not be in the index.
            Span::new(0.0, most)
        }
        Change::Put(item, bytes) => match entry(schema, index, item, *bytes) {
            None => Span::new(0.0, old),
            Some(new) => {
                let new = new.write_units();
                let holds_change = index.projection == Projected::All;
                let is_certain = before.applied == 0 || before.differs && holds_change;
                let most = if stays { new.most.max(old) } else { new.most + old };
                Span::new(if is_certain { new.least } else { 0.0 }, most)
            }
        },
    }
}

/// Returns the size of an item's entry in an index; `None` if it has no entry, because the item lacks a part of the key.
fn entry(schema: &'static Schema, index: &'static Index, item: &Item, bytes: Bytes) -> Option<Bytes> {
    if index.keys().any(|key| !item.contains_key(key.name)) {
        return None;
    }
    let Projected::Only(names) = index.projection else { return Some(bytes) };
    let keys = schema.keys().chain(index.keys()).map(|key| key.name);
    let names: Vec<&str> = keys.chain(names.iter().copied()).collect();
    let held = item.iter().filter(|(name, _)| names.contains(&name.as_str()));
    let size = item_size(&held.map(|(name, value)| (name.clone(), value.clone())).collect());
    // The numbers that can be longer or shorter may be in the index.
    let whole = item_size(item);
    Some(Bytes { least: size.saturating_sub(whole - bytes.least), most: size + (bytes.most - whole) })
}
