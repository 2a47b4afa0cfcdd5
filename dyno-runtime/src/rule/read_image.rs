//! The attributes that a write has read and expects to find unchanged: for items that have no version or write id.

use crate::attribute::{Item, equal};
use crate::expression::{Node, Operator, Path};
use crate::rule::identity::is_counted;
use crate::schema::{Schema, StoredAttribute};
use crate::sorted;
use aws_sdk_dynamodb::types::AttributeValue;

/// The most undeclared attributes that a condition names. With the terms of the other rules, the condition may have 300 operators
/// and 4 KB.
const UNDECLARED: usize = 100;

/// The most attributes that a condition names although version and write id identify the item. Half of the operators are left to the
/// caller's own condition.
const BESIDE_VERSION: usize = 75;

/// The attributes of an item that a write has read.
#[derive(Debug)]
pub(crate) struct Image {
    /// The attributes that the item had, as they were read.
    there: Item,
    /// The attributes of the entity that the item did not have.
    absent: Vec<&'static str>,
}

impl Image {
    /// Returns everything that a write may have read: the declared attributes; and if the row was upgraded, if the entity keeps
    /// undeclared attributes, or with `whole` (for a put), all attributes that the item had. The key is left out because it
    /// identifies the item, and idempotency keys because updates of other writers add them.
    pub(crate) fn of(schema: &Schema, item: &Item, whole: bool) -> Self {
        let is_outdated = schema.schema_version.as_ref().is_some_and(|version| version.of(item) != Ok(version.current));
        let declared = || {
            let attributes = schema.attributes.iter().flat_map(StoredAttribute::names);
            attributes.chain(schema.schema_version.iter().map(|version| version.attribute))
        };
        let is_declared = |name: &str| declared().any(|declared| declared == name);
        let there = item.iter().filter(|(name, _)| {
            schema.is_content(name) && (whole || schema.has_rest || is_outdated || is_declared(name))
        });
        let there = there.map(|(name, value)| (name.clone(), value.clone())).collect();
        let absent = declared().filter(|name| !item.contains_key(*name) && schema.is_content(name)).collect();
        Self { there, absent }
    }

    /// Returns the attributes that a change of a loaded item expects to find unchanged. `is_put` is true if the change puts the
    /// whole item.
    ///
    /// Among dyno's own writes, an item that these have counted is identified by its version, which the write expects, and by its
    /// write id. Other programs change attributes without counting, so every attribute that the change has read must be unchanged.
    pub(crate) fn of_loaded(schema: &Schema, item: &Item, is_put: bool) -> Option<Self> {
        let its_write = Self::of_its_write(schema, item);
        let images = if is_counted(schema, item) {
            // Not necessary among dyno's own writes, so it is left out if it is too long.
            let read = Some(Self::of(schema, item, is_put)).filter(Self::is_short);
            [its_write, read.or_else(|| Self::of_undeclared(schema, item).filter(|_| is_put))]
        } else {
            // Over a version greater than 0, a write of dyno's has another version. If versions have begun again, it has another
            // write id.
            let is_numbered = schema.version.as_ref().is_some_and(|version| version.of(item) != Some(0));
            [Some(Self::of(schema, item, is_put)), its_write.filter(|_| is_numbered)]
        };
        images.into_iter().flatten().reduce(Self::and)
    }

    /// Returns only these attributes of an item.
    fn of_attributes(names: impl Iterator<Item = &'static str>, item: &Item) -> Self {
        let (there, absent): (Vec<_>, Vec<_>) = names.partition(|name| item.contains_key(*name));
        let there = there.into_iter().filter_map(|name| Some((name.to_owned(), item.get(name)?.clone())));
        Self { there: there.collect(), absent }
    }

    /// Returns only this attribute of an item.
    pub(crate) fn of_one(attribute: &'static str, item: &Item) -> Self {
        Self::of_attributes(std::iter::once(attribute), item)
    }

    /// Returns the undeclared attributes of an item, or `None` if there are none, or more than one condition can name. A put of a
    /// whole item needs them, because programs that do not know the entity can change them without a new version.
    pub(crate) fn of_undeclared(schema: &Schema, item: &Item) -> Option<Self> {
        let unknown = item.iter().filter(|(name, _)| !schema.declares(name));
        let there: Item = unknown.map(|(name, value)| (name.clone(), value.clone())).collect();
        (1..=UNDECLARED).contains(&there.len()).then_some(Self { there, absent: Vec::new() })
    }

    /// Returns the write id of an item, or its absence. If versions begin again after a deletion or after the purge of a
    /// tombstone, the version alone does not identify an item.
    pub(crate) fn of_its_write(schema: &Schema, item: &Item) -> Option<Self> {
        Some(Self::of_one(schema.write_id.as_ref()?.attribute, item))
    }

    /// Returns the write id and the version of an item. Both are needed, because unchecked updates raise the version and keep the
    /// write id.
    pub(crate) fn of_identity(schema: &Schema, item: &Item) -> Self {
        let version = schema.version.iter().map(|version| version.attribute);
        Self::of_attributes(version.chain(schema.write_id.iter().map(|write_id| write_id.attribute)), item)
    }

    /// Returns all attributes of an item that no write of dyno's has counted, and its version and write id, because an unchecked
    /// update raises the version.
    pub(crate) fn of_uncounted(schema: &Schema, item: &Item) -> Self {
        Self::of(schema, item, true).and(Self::of_identity(schema, item))
    }

    /// Returns `true` if a condition can name these attributes beside the terms of the other rules. The placeholders of such a
    /// condition are numbers, so it has at most 3 KB.
    fn is_short(&self) -> bool {
        self.there.len() + self.absent.len() <= BESIDE_VERSION
    }

    /// Returns `true` if the item must still have this value in this attribute.
    pub(crate) fn has(&self, name: &str, value: &AttributeValue) -> bool {
        self.there.get(name).is_some_and(|there| equal(there, value))
    }

    /// Joins two images.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.there.extend(other.there);
        self.absent.extend(other.absent);
        self
    }

    /// Returns the image of an absent row.
    pub(crate) fn of_nothing(schema: &Schema) -> Self {
        Self { there: Item::new(), absent: vec![schema.partition.name] }
    }

    /// Returns `true` if an item still agrees with the image.
    #[cfg(feature = "transactions")]
    pub(crate) fn holds(&self, item: &Item) -> bool {
        self.node().is_none_or(|node| node.holds(item))
    }

    /// Returns the condition that the item still agrees with the image, or `None` if the image is empty.
    pub(super) fn node(&self) -> Option<Node> {
        // The order of a map is random, but the request must be the same each time.
        let there = sorted::entries(&self.there);
        let there = there.map(|(name, value)| Node::Compare(Path::from(name.clone()), Operator::Eq, value.clone()));
        Node::all(there.chain(self.absent.iter().map(|name| Node::NotExists((*name).into()))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_condition_of_an_image_is_deterministic() {
        let item =
            || (0..50_u8).map(|number| (format!("name-{number}"), AttributeValue::N(number.to_string()))).collect();
        let image = |there| Image { there, absent: Vec::new() }.node();
        assert_eq!(image(item()), image(item()));
    }
}
