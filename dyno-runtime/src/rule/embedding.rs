//! Vectors that are made of other attributes: no item keeps a vector of what it no longer says.
//!
//! An update that changes what an optional vector is made of removes the vector in the same request, unless it sets the vector as
//! well. The vector of the new value comes later, by an update that requires this value (`Guard::Embedded`). An item that is put is
//! believed: its struct has both.

use super::Reason;
use crate::attribute::{Item, equal_or_absent};
use crate::error::Error;
use crate::expression::{Action, RawChange};
use crate::schema::Schema;

/// Returns the changes that remove the vectors of attributes which these changes change.
pub(crate) fn embedding_changes(schema: &Schema, changes: &[RawChange]) -> Vec<RawChange> {
    let is_changed = |name: &str| changes.iter().any(|change| change.path.name() == name);
    let mut removed: Vec<&'static str> = Vec::new();
    for index in schema.vector_indexes {
        let vector = index.vector.name;
        if index.of.iter().any(|name| is_changed(name)) && !is_changed(vector) && !removed.contains(&vector) {
            removed.push(vector);
        }
    }
    removed.into_iter().map(|vector| RawChange::new(vector, Ok(Action::Remove))).collect()
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

/// Returns `true` if a vector was refused because the item has other values than it was made of.
pub(super) fn superseded(reasons: &[Reason]) -> bool {
    let is_of_another =
        |reason: &Reason| matches!(reason, Reason::OtherEntity { .. } | Reason::Fenced { .. } | Reason::Corrupt { .. });
    reasons.iter().any(|reason| matches!(reason, Reason::OtherText { .. })) && !reasons.iter().any(is_of_another)
}
