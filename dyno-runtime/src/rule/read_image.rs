//! The attributes that a write has read and expects to find unchanged: for items that have no version or write id.

use crate::attribute::Item;
use crate::expression::{Node, Operator, Path};
use crate::rule::identity::is_counted;
use crate::schema::{Schema, StoredAttribute};

/// The most undeclared attributes that a condition names: with the other rules' terms, it may have 300 operators and 4 KB.
const UNDECLARED: usize = 100;

/// The attributes of an item that a write has read.
#[derive(Debug)]
pub(crate) struct Image {
    /// The attributes that the item had, as they were read.
    there: Item,
    /// The attributes of the entity that the item did not have.
    absent: Vec<&'static str>,
}

impl Image {
    /// Returns everything that a write may have looked at: the declared attributes; and if the row was brought up to date, if the
    /// entity holds all attributes, or with `whole` (for a put), all attributes that the item had. The key is left out because it
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

    /// Returns the attributes that a change of a loaded item expects to find unchanged; `is_put` tells whether the change puts
    /// the whole item.
    ///
    /// An item that our writes have counted is identified by its version, which the write expects, and by its write id. Programs
    /// that do not know the entity neither count nor leave write ids. So if an item lacks one of the two, every attribute that
    /// the change looked at must be as it was.
    pub(crate) fn of_loaded(schema: &Schema, item: &Item, is_put: bool) -> Option<Self> {
        if is_counted(schema, item) {
            // A put of another program can keep the version and the undeclared attributes, but it has no write id.
            let undeclared = Self::of_undeclared(schema, item).filter(|_| is_put);
            return match (Self::of_its_write(schema, item), undeclared) {
                (Some(its_write), Some(undeclared)) => Some(its_write.and(undeclared)),
                (its_write, undeclared) => its_write.or(undeclared),
            };
        }
        let image = Self::of(schema, item, is_put);
        // Over a version greater than 0, a write of ours has another version. If numbers have begun again, its write id tells.
        let is_numbered = schema.version.as_ref().is_some_and(|version| version.of(item) != Some(0));
        match Self::of_its_write(schema, item).filter(|_| is_numbered) {
            Some(its_write) => Some(image.and(its_write)),
            None => Some(image),
        }
    }

    /// Returns only this attribute of an item.
    pub(crate) fn of_one(attribute: &'static str, item: &Item) -> Self {
        let there: Item = item.get(attribute).map(|value| (attribute.to_owned(), value.clone())).into_iter().collect();
        let absent = if there.is_empty() { vec![attribute] } else { Vec::new() };
        Self { there, absent }
    }

    /// Returns the undeclared attributes of an item. For a put of a whole item whose version is counted, because programs that do
    /// not know the entity do not count. `None` if there are none, or more than one condition can name.
    pub(crate) fn of_undeclared(schema: &Schema, item: &Item) -> Option<Self> {
        let unknown = item.iter().filter(|(name, _)| !schema.declares(name));
        let there: Item = unknown.map(|(name, value)| (name.clone(), value.clone())).collect();
        (1..=UNDECLARED).contains(&there.len()).then_some(Self { there, absent: Vec::new() })
    }

    /// Returns the write id of an item, or that it has none. If numbers begin again after a deletion or after the purge of a
    /// tombstone, the version alone does not identify an item.
    pub(crate) fn of_its_write(schema: &Schema, item: &Item) -> Option<Self> {
        Some(Self::of_one(schema.write_id.as_ref()?.attribute, item))
    }

    /// Returns the write id and the version of an item: unchecked updates raise the version and keep the write id.
    pub(crate) fn of_identity(schema: &Schema, item: &Item) -> Self {
        let version = schema.version.iter().map(|version| version.attribute);
        let names: Vec<_> = version.chain(schema.write_id.iter().map(|write_id| write_id.attribute)).collect();
        let there = names.iter().filter_map(|name| Some(((*name).to_owned(), item.get(*name)?.clone()))).collect();
        let absent = names.into_iter().filter(|name| !item.contains_key(*name)).collect();
        Self { there, absent }
    }

    /// Returns all of an item that no write has counted, and its version and write id, because unchecked updates of ours raise
    /// the version.
    pub(crate) fn of_uncounted(schema: &Schema, item: &Item) -> Self {
        Self::of(schema, item, true).and(Self::of_identity(schema, item))
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

    /// Returns `true` if an item is as the image says.
    pub(crate) fn holds(&self, item: &Item) -> bool {
        self.node().is_none_or(|node| node.holds(item))
    }

    pub(super) fn node(&self) -> Option<Node> {
        let mut there: Vec<_> = self.there.iter().collect();
        // Sorted, so that the request is the same each time.
        there.sort_unstable_by_key(|(name, _)| *name);
        let there =
            there.into_iter().map(|(name, value)| Node::Compare(Path::from(name.clone()), Operator::Eq, value.clone()));
        Node::all(there.chain(self.absent.iter().map(|name| Node::NotExists((*name).into()))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::types::AttributeValue;

    /// The iteration order of a map is random.
    #[test]
    fn the_condition_of_an_image_is_deterministic() {
        let item =
            || (0..50_u8).map(|number| (format!("name-{number}"), AttributeValue::N(number.to_string()))).collect();
        let image = |there| Image { there, absent: Vec::new() }.node();
        assert_eq!(image(item()), image(item()));
    }
}
