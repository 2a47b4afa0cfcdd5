//! The attributes that a write has read and expects to find unchanged: for items that have no version or write id.

use crate::attribute::{Item, equal};
use crate::expression::{Node, Operator, Path};
use crate::rule::identity::is_counted;
use crate::schema::{Schema, StoredAttribute};
use crate::sorted;
use aws_sdk_dynamodb::types::AttributeValue;
use std::borrow::Cow;

/// The most undeclared attributes that a condition names. With the terms of the other rules, the condition may have 300 operators
/// and 4 KB.
const UNDECLARED: usize = 100;

/// The most attributes that a condition names although version and write id identify the item. Half of the operators are left to the
/// caller's own condition.
const BESIDE_VERSION: usize = 75;

/// The attributes of an item that a write has read. Those that the item did not have have no value.
#[derive(Debug)]
pub(crate) struct Image(Vec<(Cow<'static, str>, Option<AttributeValue>)>);

/// The names of attributes that a write has read.
#[derive(Default)]
struct Names<'a> {
    /// Those that the entity or a rule declares.
    declared: Vec<&'static str>,
    /// Others, which the item has.
    undeclared: Vec<&'a str>,
}

impl Image {
    /// Returns these attributes of an item, in the order of their names.
    fn of_names(names: Names<'_>, item: &Item) -> Self {
        let declared = sorted::names(names.declared.into_iter()).into_iter().map(Cow::Borrowed);
        let undeclared = sorted::names(names.undeclared.into_iter()).into_iter().map(|name| name.to_owned().into());
        let read = declared.chain(undeclared).map(|name: Cow<'static, str>| {
            let value = item.get(&*name).cloned();
            (name, value)
        });
        Self(read.collect())
    }

    /// Returns everything that a write may have read, as [`read`] says.
    #[cfg(any(feature = "bulk", test))]
    pub(crate) fn of(schema: &Schema, item: &Item, whole: bool) -> Self {
        Self::of_names(read(schema, item, whole), item)
    }

    /// Returns the attributes that a change of a loaded item expects to find unchanged. `is_put` is true if the change puts the
    /// whole item.
    ///
    /// Among dyno's own writes, an item that these have counted is identified by its version, which the write expects, and by its
    /// write id. Other programs change attributes without counting, so every attribute that the change has read must be unchanged.
    pub(crate) fn of_loaded(schema: &Schema, item: &Item, is_put: bool) -> Option<Self> {
        let mut names = read(schema, item, is_put);
        let is_named = if is_counted(schema, item) {
            // Not necessary among dyno's own writes, so it is left out if it is too long. A condition can name this many attributes
            // beside the terms of the other rules. Their placeholders are numbers, so it has at most 3 KB.
            if names.declared.len() + names.undeclared.len() > BESIDE_VERSION {
                names = Names {
                    undeclared: undeclared(schema, item).filter(|_| is_put).unwrap_or_default(),
                    ..Names::default()
                };
            }
            true
        } else {
            // Over a version greater than 0, a write of dyno's has another version. If versions have begun again, it has another
            // write id.
            schema.version.as_ref().is_some_and(|version| version.of(item) != Some(0))
        };
        names.declared.extend(schema.write_id.iter().map(|write_id| write_id.attribute).filter(|_| is_named));
        Some(Self::of_names(names, item)).filter(|image| !image.0.is_empty())
    }

    /// Returns only these attributes of an item.
    fn of_declared(declared: Vec<&'static str>, item: &Item) -> Self {
        Self::of_names(Names { declared, undeclared: Vec::new() }, item)
    }

    /// Returns only this attribute of an item.
    pub(crate) fn of_one(attribute: &'static str, item: &Item) -> Self {
        Self::of_declared(vec![attribute], item)
    }

    /// Returns the undeclared attributes of an item, or `None` if there are none, or more than one condition can name.
    #[cfg(feature = "transactions")]
    pub(crate) fn of_undeclared(schema: &Schema, item: &Item) -> Option<Self> {
        Some(Self::of_names(Names { declared: Vec::new(), undeclared: undeclared(schema, item)? }, item))
    }

    /// Returns the write id of an item, or its absence. If versions begin again after a deletion or after the purge of a
    /// tombstone, the version alone does not identify an item.
    #[cfg(feature = "transactions")]
    pub(crate) fn of_its_write(schema: &Schema, item: &Item) -> Option<Self> {
        Some(Self::of_one(schema.write_id.as_ref()?.attribute, item))
    }

    /// Returns the write id and the version of an item. Both are needed, because unchecked updates raise the version and keep the
    /// write id.
    #[cfg(feature = "transactions")]
    pub(crate) fn of_identity(schema: &Schema, item: &Item) -> Self {
        Self::of_declared(identity(schema).collect(), item)
    }

    /// Returns all attributes of an item that no write of dyno's has counted, and its version and write id, because an unchecked
    /// update raises the version.
    pub(crate) fn of_uncounted(schema: &Schema, item: &Item) -> Self {
        let mut names = read(schema, item, true);
        names.declared.extend(identity(schema));
        Self::of_names(names, item)
    }

    /// Returns `true` if the item must still have this value in this attribute.
    pub(crate) fn has(&self, name: &str, value: &AttributeValue) -> bool {
        self.0.iter().any(|(read, there)| read == name && there.as_ref().is_some_and(|there| equal(there, value)))
    }

    /// Joins two images.
    #[cfg(feature = "transactions")]
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Returns the image of an absent row.
    #[cfg(any(feature = "bulk", feature = "transactions"))]
    pub(crate) fn of_nothing(schema: &Schema) -> Self {
        Self::of_one(schema.partition.name, &Item::new())
    }

    /// Returns `true` if an item still agrees with the image.
    #[cfg(feature = "transactions")]
    pub(crate) fn holds(&self, item: &Item) -> bool {
        self.node().is_none_or(|node| node.holds(item))
    }

    /// Returns the condition that the item still agrees with the image, or `None` if the image is empty.
    pub(super) fn node(&self) -> Option<Node> {
        let there = self
            .0
            .iter()
            .filter_map(|(name, value)| Some(Node::Compare(Path::from(name.clone()), Operator::Eq, value.clone()?)));
        let absent = self.0.iter().filter(|(_, value)| value.is_none());
        Node::all(there.chain(absent.map(|(name, _)| Node::NotExists(Path::from(name.clone())))).collect())
    }
}

/// Returns the names of everything that a write may have read: the declared attributes; and if the row was upgraded, if the entity
/// keeps undeclared attributes, or with `whole` (for a put), all attributes that the item had. The key is left out because it
/// identifies the item, and idempotency keys because updates of other writers add them.
fn read<'a>(schema: &Schema, item: &'a Item, whole: bool) -> Names<'a> {
    let is_outdated = schema.schema_version.as_ref().is_some_and(|version| version.of(item) != Ok(version.current));
    let declared = schema.attributes.iter().flat_map(StoredAttribute::names);
    let declared = declared.chain(schema.schema_version.iter().map(|version| version.attribute));
    let declared: Vec<&'static str> = declared.filter(|name| schema.is_content(name)).collect();
    let has_more = whole || schema.has_rest || is_outdated;
    let stored = item.keys().map(String::as_str).filter(|_| has_more);
    let undeclared = stored.filter(|name| schema.is_content(name) && !declared.contains(name)).collect();
    Names { declared, undeclared }
}

/// Returns the names of the undeclared attributes of an item, or `None` if there are none, or more than one condition can name. A put
/// of a whole item needs them, because programs that do not know the entity can change them without a new version.
fn undeclared<'a>(schema: &Schema, item: &'a Item) -> Option<Vec<&'a str>> {
    let names: Vec<&str> = item.keys().map(String::as_str).filter(|name| !schema.declares(name)).collect();
    (1..=UNDECLARED).contains(&names.len()).then_some(names)
}

/// Returns the names of version and write id.
fn identity(schema: &Schema) -> impl Iterator<Item = &'static str> {
    let version = schema.version.iter().map(|version| version.attribute);
    version.chain(schema.write_id.iter().map(|write_id| write_id.attribute))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_condition_of_an_image_is_deterministic() {
        let item =
            || (0..50_u8).map(|number| (format!("name-{number}"), AttributeValue::N(number.to_string()))).collect();
        let image = |item: Item| {
            let undeclared = item.keys().map(String::as_str).collect();
            Image::of_names(Names { declared: Vec::new(), undeclared }, &item).node()
        };
        assert_eq!(image(item()), image(item()));
    }
}
