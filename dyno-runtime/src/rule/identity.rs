//! The identity of a write: a write id that it stores in the item, by which it recognizes its own result.
//!
//! After a lost answer the SDK sends a write again, and the second attempt finds the result of the first one. This looks like
//! another writer's result, but the write id in the item proves that it is not. Comparing contents would be wrong: two workers
//! that both count from 5 to 6 write the same item, and one of the two counts is lost.

use super::Write;
use super::write::Rule;
use crate::attribute::{Item, equal_items};
use crate::expression::{Action, Path};
use crate::schema::{Schema, WriteId};
use aws_sdk_dynamodb::types::AttributeValue;

impl WriteId {
    /// Returns `true` if the item has this write id.
    pub(crate) fn is_own(&self, name: &str, item: &Item) -> bool {
        matches!(item.get(self.attribute), Some(AttributeValue::S(stored)) if stored == name)
    }

    /// Returns `true` if an item has a write id.
    pub(crate) fn is_in(&self, item: &Item) -> bool {
        item.contains_key(self.attribute)
    }
}

/// Returns the identity of an item that a write of dyno's has stored: the write id and the version. The pair never comes back
/// while the item's tombstones last (M5). Both parts are needed: an unchecked update keeps the write id but raises the version,
/// and after a tombstone was removed, versions begin again but write ids differ.
pub(crate) fn identity<'a>(schema: &Schema, item: &'a Item) -> Option<(&'a str, u64)> {
    let (write_id, version) = schema.write_id.as_ref().zip(schema.version.as_ref())?;
    let name = item.get(write_id.attribute)?.as_s().ok()?;
    version.of(item).filter(|version| *version > 0).map(|version| (name.as_str(), version))
}

/// Returns `true` if writes of dyno's have counted an item: it has a version, and a write id if the entity has write ids.
pub(crate) fn is_counted(schema: &Schema, item: &Item) -> bool {
    match (&schema.write_id, &schema.version) {
        (None, Some(version)) => version.of(item).is_some_and(|version| version > 0),
        _ => identity(schema, item).is_some(),
    }
}

/// Returns `true` if the same write made both images.
pub(crate) fn is_of_one_write(schema: &Schema, one: &Item, other: &Item) -> bool {
    match schema.write_id.as_ref().map(|id| (one.get(id.attribute), other.get(id.attribute))) {
        Some((Some(one), Some(other))) => one == other,
        // `equal_items` ignores the order of sets and the spelling of numbers.
        _ => equal_items(one, other),
    }
}

impl Rule for WriteId {
    fn assign(&self, write: &Write, assign: &mut dyn FnMut(Path, Action)) {
        if let Some(name) = write.write_id.clone() {
            assign(self.attribute.into(), Action::Set(AttributeValue::S(name)));
        }
    }
}
