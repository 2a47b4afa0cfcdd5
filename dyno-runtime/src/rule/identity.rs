//! The identity of a write: a name that it leaves in the item, so that it knows itself.
//!
//! After a lost answer the SDK sends a write again, and the second attempt meets what the first one wrote. That looks like
//! another writer's, and the write id in the item says whose it is. To compare contents instead would be wrong: two workers
//! that count 5 up to 6 write the same item, and one of them did not.

use super::Write;
use super::write::Rule;
use crate::attribute::{Item, equal_items};
use crate::expression::{Action, Path};
use crate::schema::{Schema, WriteId};
use aws_sdk_dynamodb::types::AttributeValue;

impl WriteId {
    /// Whether the write of this name made the item what it is.
    pub(crate) fn is_own(&self, name: &str, item: &Item) -> bool {
        matches!(item.get(self.attribute), Some(AttributeValue::S(stored)) if stored == name)
    }

    /// Whether an item has the name of the write that made it.
    pub(crate) fn is_in(&self, item: &Item) -> bool {
        item.contains_key(self.attribute)
    }
}

/// By what an item is known that a write of ours has made: the write that has made it, and its version. Together they never come
/// back while its tombstones last (M5). (Of an unchecked update the write id stays, and the version tells; numbers begin again where
/// a tombstone is gone, and the write id tells.)
pub(crate) fn identity<'a>(schema: &Schema, item: &'a Item) -> Option<(&'a str, u64)> {
    let (write_id, version) = schema.write_id.as_ref().zip(schema.version.as_ref())?;
    let name = item.get(write_id.attribute)?.as_s().ok()?;
    version.of(item).filter(|version| *version > 0).map(|version| (name.as_str(), version))
}

/// Whether writes of ours have counted an item: it has a version, and the name of its write if the entity has such names.
pub(crate) fn is_counted(schema: &Schema, item: &Item) -> bool {
    match (&schema.write_id, &schema.version) {
        (None, Some(version)) => version.of(item).is_some_and(|version| version > 0),
        _ => identity(schema, item).is_some(),
    }
}

/// Whether two images are of one write.
pub(crate) fn is_of_one_write(schema: &Schema, one: &Item, other: &Item) -> bool {
    match schema.write_id.as_ref().map(|id| (one.get(id.attribute), other.get(id.attribute))) {
        Some((Some(one), Some(other))) => one == other,
        // Sets come in any order, numbers in any spelling.
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
