//! Vectors that are made of other attributes: no item keeps the vector of a text that it no longer has.
//!
//! An update that changes what an optional vector is made of removes the vector in the same request, unless it sets the vector as
//! well. The vector of the new value comes later, by an update that requires this value (`Guard::Embedded`). An item that is put is
//! believed: its struct has both.

use super::{Reason, Write};
use crate::attribute::{Item, equal_or_absent};
use crate::error::Error;
use crate::expression::{Action, Guard, RawChange};
use crate::schema::Schema;

/// Returns the changes that remove the vectors of attributes which these changes change.
///
/// # Errors
/// An `embed` changes what its vector was made of.
pub(crate) fn embedding_changes(schema: &Schema, changes: &[RawChange]) -> Result<Vec<RawChange>, Error> {
    check_unchanged(changes)?;
    let is_changed = |name: &str| changes.iter().any(|change| change.path.name() == name);
    let mut removed: Vec<&'static str> = Vec::new();
    for index in schema.vector_indexes {
        let vector = index.vector.name;
        if index.of.iter().any(|name| is_changed(name)) && !is_changed(vector) && !removed.contains(&vector) {
            removed.push(vector);
        }
    }
    Ok(removed.into_iter().map(|vector| RawChange::new(vector, Ok(Action::Remove))).collect())
}

/// Removes from a merged item the vectors of attributes that were changed without them. An item that cannot be without such a
/// vector is refused.
pub(crate) fn check_embeddings(schema: &Schema, before: &Item, after: &Item, merged: &mut Item) -> Result<(), Error> {
    let is_changed = |name: &str| !equal_or_absent(before.get(name), after.get(name));
    for index in schema.vector_indexes {
        let vector = index.vector;
        let Some(text) = index.of.iter().find(|name| is_changed(name)) else { continue };
        if is_changed(vector.name) || !after.contains_key(vector.name) {
            continue;
        }
        if !vector.is_optional {
            return Err(Error::invalid(format!(
                "`{text}` was changed, and `{}`, which is made of it, was not: set both",
                vector.name
            )));
        }
        merged.remove(vector.name);
    }
    Ok(())
}

/// Returns `true` if a vector is old news: the write stores nothing but vectors, and the item has other values by now than these were
/// made of, or is gone. The vector of the present values comes from whoever embeds these.
pub(super) fn superseded(write: &Write, reasons: &[Reason]) -> bool {
    let is_news = |reason: &Reason| {
        matches!(reason, Reason::OtherText { .. } | Reason::Missing | Reason::Deleted | Reason::Expired)
    };
    let is_harmless = |reason: &Reason| is_news(reason) || matches!(reason, Reason::Conflict { .. });
    write.stores_vectors_only && reasons.iter().any(is_news) && reasons.iter().all(is_harmless)
}

/// Returns `true` if each of these changes stores a vector for the values that it was made of.
pub(crate) fn stores_vectors_only(changes: &[RawChange]) -> bool {
    let is_vector = |change: &RawChange| change.guards.iter().any(|guard| matches!(guard, Guard::Embedded { .. }));
    !changes.is_empty() && changes.iter().all(is_vector)
}

/// Refuses a change of a value in the same update that stores the vector of this value: the condition is about the value before.
fn check_unchanged(changes: &[RawChange]) -> Result<(), Error> {
    for guard in changes.iter().flat_map(|change| &change.guards) {
        let Guard::Embedded { attribute, .. } = guard else { continue };
        if changes.iter().any(|change| change.path.name() == *attribute) {
            return Err(Error::invalid(format!(
                "the update stores a vector that was made of `{attribute}`, and changes `{attribute}`: set both together by the field of \
                 both names, or send two updates"
            )));
        }
    }
    Ok(())
}
