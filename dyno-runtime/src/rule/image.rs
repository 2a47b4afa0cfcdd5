//! What was read of an item, which a write expects to find as it was: for items whose writes nothing counts.

use crate::attribute::Item;
use crate::expression::{Node, Operator, Path};
use crate::rule::identity::is_counted;
use crate::schema::Schema;

/// How many undeclared attributes a condition names: beside the other rules' terms, it has 300 operators and 4 KB.
const UNDECLARED: usize = 100;

/// What a write has read.
#[derive(Debug)]
pub(crate) struct Image {
    /// Attributes, as they were read.
    there: Item,
    /// Attributes of the entity that the item did not have.
    absent: Vec<&'static str>,
}

impl Image {
    /// All of an item that can have been looked at: what the entity declares, and where the row was brought up to date or
    /// the entity holds all of it, all that it had. With `whole`, too: a put is of all. Its key says which it is, and others'
    /// updates leave their keys.
    pub(crate) fn of(schema: &Schema, item: &Item, whole: bool) -> Self {
        let is_outdated = schema.schema_version.as_ref().is_some_and(|version| version.of(item) != Ok(version.current));
        let is_declared = |name: &str| {
            let mut attributes = schema.attributes.iter();
            let is_version = schema.schema_version.as_ref().is_some_and(|version| version.attribute == name);
            is_version || attributes.any(|attribute| attribute.name == name || attribute.aliases.contains(&name))
        };
        let there = item.iter().filter(|(name, _)| {
            schema.is_content(name) && (whole || schema.has_rest || is_outdated || is_declared(name))
        });
        let there = there.map(|(name, value)| (name.clone(), value.clone())).collect();
        let attributes = schema.attributes.iter();
        let declared = attributes.flat_map(|attribute| std::iter::once(&attribute.name).chain(attribute.aliases));
        let declared = declared.copied().chain(schema.schema_version.iter().map(|version| version.attribute));
        let absent = declared.filter(|name| !item.contains_key(*name) && schema.is_content(name)).collect();
        Self { there, absent }
    }

    /// What a change of an item that was loaded demands of it; `is_put` says whether the change puts the whole item.
    ///
    /// An item that our writes have counted is known by its version, which the write expects, and by the name of the write that
    /// made it. Programs that do not know the entity neither count nor leave names: so of an item without both, every attribute
    /// that the change looked at is as it was.
    pub(crate) fn of_loaded(schema: &Schema, item: &Item, is_put: bool) -> Option<Self> {
        if is_counted(schema, item) {
            // A put of another program can leave the version and what the entity does not declare as they are. It has no name.
            let undeclared = Self::of_undeclared(schema, item).filter(|_| is_put);
            return match (Self::of_its_write(schema, item), undeclared) {
                (Some(its_write), Some(undeclared)) => Some(its_write.and(undeclared)),
                (its_write, undeclared) => its_write.or(undeclared),
            };
        }
        let image = Self::of(schema, item, is_put);
        // Behind a version of 0, a write of ours has another version. Where numbers have begun again, its name tells.
        let is_numbered = schema.version.as_ref().is_some_and(|version| version.of(item) != Some(0));
        match Self::of_its_write(schema, item).filter(|_| is_numbered) {
            Some(its_write) => Some(image.and(its_write)),
            None => Some(image),
        }
    }

    /// Nothing of an item but this attribute.
    pub(crate) fn of_one(attribute: &'static str, item: &Item) -> Self {
        let there: Item = item.get(attribute).map(|value| (attribute.to_owned(), value.clone())).into_iter().collect();
        let absent = if there.is_empty() { vec![attribute] } else { Vec::new() };
        Self { there, absent }
    }

    /// What the entity does not declare of an item: for a put of the whole item whose version is counted, since programs
    /// that do not know the entity do not count. `None` also where there are more of them than one condition can name.
    pub(crate) fn of_undeclared(schema: &Schema, item: &Item) -> Option<Self> {
        let unknown = item.iter().filter(|(name, _)| !schema.declares(name));
        let there: Item = unknown.map(|(name, value)| (name.clone(), value.clone())).collect();
        (1..=UNDECLARED).contains(&there.len()).then_some(Self { there, absent: Vec::new() })
    }

    /// The name of the write that made an item, or that it has none. Where numbers begin again, behind a deletion or the
    /// purge of a tombstone, the version alone does not tell an item from another one.
    pub(crate) fn of_its_write(schema: &Schema, item: &Item) -> Option<Self> {
        Some(Self::of_one(schema.write_id.as_ref()?.attribute, item))
    }

    /// The name of the write that made an item, and its version: unchecked updates raise that, and leave the name.
    pub(crate) fn of_identity(schema: &Schema, item: &Item) -> Self {
        let version = schema.version.iter().map(|version| version.attribute);
        let names: Vec<_> = version.chain(schema.write_id.iter().map(|write_id| write_id.attribute)).collect();
        let there = names.iter().filter_map(|name| Some(((*name).to_owned(), item.get(*name)?.clone()))).collect();
        let absent = names.into_iter().filter(|name| !item.contains_key(*name)).collect();
        Self { there, absent }
    }

    /// All of an item whose writes nothing has counted; where unchecked updates of ours have, its version tells.
    pub(crate) fn of_uncounted(schema: &Schema, item: &Item) -> Self {
        Self::of(schema, item, true).and(Self::of_identity(schema, item))
    }

    /// Both this and that.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.there.extend(other.there);
        self.absent.extend(other.absent);
        self
    }

    /// That there is no row.
    pub(crate) fn of_nothing(schema: &Schema) -> Self {
        Self { there: Item::new(), absent: vec![schema.partition.name] }
    }

    /// Whether an item is so.
    pub(crate) fn holds(&self, item: &Item) -> bool {
        self.node().is_none_or(|node| node.holds(item))
    }

    pub(super) fn node(&self) -> Option<Node> {
        let mut there: Vec<_> = self.there.iter().collect();
        // The same request each time.
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

    /// A map has no order of its own.
    #[test]
    fn the_condition_of_an_image_is_the_same_each_time() {
        let item =
            || (0..50_u8).map(|number| (format!("name-{number}"), AttributeValue::N(number.to_string()))).collect();
        let image = |there| Image { there, absent: Vec::new() }.node();
        assert_eq!(image(item()), image(item()));
    }
}
