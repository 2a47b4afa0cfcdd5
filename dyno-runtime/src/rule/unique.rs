//! Unique values: no two live items of an entity have the same one.
//!
//! Each value has a row in a table of its own, its *guard*, which names the item that claimed the value last. A write that stores
//! the value claims it in its own transaction. Nothing releases a guard: a write that removes the value, a delete, the TTL and other
//! programs need not know it. Instead, a claim of a guard that another item holds also checks that this item does not have the
//! value. So two statements hold at all times:
//!
//! - A live item that has the value has the guard. (Only a write of this library stores the value, and it claims the guard.)
//! - A guard whose item does not have the value is nobody's, and the next claim takes it over.
//!
//! `tests/models` checks both in all states of a small system, and shows that no condition here can be left out.
//!
//! A guard does not name its entity. If the item that it names is another entity's, the guard may be that entity's, too: so it is
//! neither taken over nor removed while there is such an item.
//!
//! The check looks at the value alone, and not at the item's TTL: an item past its TTL has its value until DynamoDB removes it,
//! because two clocks that differ could otherwise give one value to two items.

use super::alias;
use crate::attribute::{Decimal, Item};
use crate::error::{EncodeError, Error, descriptor};
use crate::expression::{Node, Operator};
use crate::key::{PARTITION_KEY_BYTES, check_key, check_keys, identity_text, key_of, key_text, matches_templates};
use crate::rule::Reason;
use crate::schema::{Schema, Tombstone, Unique, names};
use aws_sdk_dynamodb::types::AttributeValue;
use std::fmt;

/// A unique value of one item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Claim {
    pub(crate) unique: &'static Unique,
    /// The key of the guard: the constraint's name and the value.
    pub(crate) guard: String,
    /// The values of the attributes, in their order.
    values: Vec<AttributeValue>,
}

impl PartialEq for Unique {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Claim {
    /// Returns the value that an item with these attributes has, or `None` if it lacks one of them.
    pub(crate) fn of(
        unique: &'static Unique,
        value_of: impl Fn(&'static str) -> Option<AttributeValue>,
    ) -> Result<Option<Self>, Error> {
        let values: Option<Vec<AttributeValue>> = unique.attributes.iter().map(|name| value_of(name)).collect();
        let Some(values) = values else { return Ok(None) };
        let mut guard = name_text(unique)?;
        for (name, value) in unique.attributes.iter().zip(&values) {
            guard.push('|');
            guard += &text_of(value).map_err(|error| error.at_name(*name))?;
        }
        check_key(&AttributeValue::S(guard.clone()), PARTITION_KEY_BYTES)
            .map_err(|error| Error::from(error).of(&format!("the guard of the unique value `{}`", unique.name)))?;
        Ok(Some(Self { unique, guard, values }))
    }

    /// Returns the key of the guard's row.
    pub(crate) fn guard_key(&self) -> Item {
        guard_key(&self.guard)
    }

    /// Returns the guard's row, as an item with this key leaves it.
    pub(crate) fn guard_row(&self, claimant: &Item) -> Item {
        let mut row = self.guard_key();
        row.insert(names::HOLDER.to_owned(), AttributeValue::M(canonical(claimant)));
        row
    }

    /// Returns the condition that an item of the entity has the value.
    pub(crate) fn is_had(&self, schema: &Schema) -> Node {
        let parts = self.unique.attributes.iter().zip(&self.values);
        let own = parts.map(|(name, value)| alias::seen(schema, Node::compare(*name, Operator::Eq, value)));
        let mut terms: Vec<Node> = own.collect();
        // A tombstone keeps its key. If another program marks deleted rows in the same way, it may keep all attributes.
        terms.extend(schema.tombstone.iter().map(|tombstone| tombstone.flagged().not()));
        // There is a term for each attribute, of which there is at least one.
        Node::all(terms).unwrap_or_else(|| Node::And(Vec::new()))
    }

    /// Returns the condition that the item which holds the guard does not have the value. An item of another entity counts as having
    /// it, because its entity may have the value under another name.
    pub(crate) fn is_free_of(&self, schema: &Schema, holder: &Item) -> Node {
        if !matches_templates(schema, holder) {
            return Node::NotExists(schema.partition.name.into());
        }
        let not_had = self.is_not_had(schema);
        let Some(mark) = &schema.entity_type else { return not_had };
        let own = Node::Compare(mark.attribute.into(), Operator::Eq, AttributeValue::S(mark.name.to_owned()));
        not_had.and(Node::Or(vec![Node::NotExists(mark.attribute.into()), own]))
    }

    /// Returns the condition that an item of the entity does not have the value. In a row of another shape, the value may have another
    /// name, which only `upgrade` knows: so such an item counts as having it.
    pub(crate) fn is_not_had(&self, schema: &Schema) -> Node {
        let not_had = self.is_had(schema).not();
        let Some(shape) = &schema.schema_version else { return not_had };
        // Nor does it know the name in a row of a newer program, also if this program has the first shape.
        let mut current = shape.is_current_or_absent(schema);
        current.extend(schema.tombstone.iter().map(Tombstone::flagged));
        not_had.and(Node::Or(current))
    }

    /// Returns the value of an attribute.
    pub(crate) fn value_of(&self, name: &str) -> Option<&AttributeValue> {
        let parts = self.unique.attributes.iter().zip(&self.values);
        parts.into_iter().find_map(|(attribute, value)| (*attribute == name).then_some(value))
    }

    /// Returns the reason against a claim: this item, which holds the guard, has the value, or it is of another entity.
    pub(crate) fn taken(&self, schema: &Schema, item: &Item) -> Reason {
        let (constraint, key) = (self.unique.name, key_of(schema, item));
        let text = key_text(&key, schema).unwrap_or_default();
        let holder = HolderKey { key, text };
        if is_of_another(schema, item) {
            Reason::TakenByOtherEntity { constraint, holder }
        } else {
            Reason::Taken { constraint, holder }
        }
    }
}

/// Returns `true` if an item is another entity's, by its mark or its key.
pub(crate) fn is_of_another(schema: &Schema, item: &Item) -> bool {
    schema.entity_type.as_ref().is_some_and(|mark| !mark.may_mark(item)) || !matches_templates(schema, item)
}

/// Returns the unique values of an item in the current shape of the entity. Where a value makes no key, this is the error.
pub(crate) fn unique_values_of(schema: &'static Schema, item: &Item) -> Vec<Result<Claim, Error>> {
    if schema.tombstone.as_ref().is_some_and(|tombstone| tombstone.is_flagged(item)) {
        return Vec::new();
    }
    let item = alias::with_own_names(schema, item);
    let value_of = |name: &'static str| present(schema, name, item.get(name));
    schema.unique.iter().filter_map(|unique| Claim::of(unique, value_of).transpose()).collect()
}

/// Returns the value of an attribute, unless it is NULL and NULL counts as absent.
pub(crate) fn present(schema: &Schema, name: &str, value: Option<&AttributeValue>) -> Option<AttributeValue> {
    let is_nullable = schema.attribute(name).is_some_and(|attribute| attribute.nullable);
    value.filter(|value| !(is_nullable && value.is_null())).cloned()
}

/// Returns the condition of a claim by the item with this key: the guard is free, or the claimant's own; or another item still holds
/// it.
pub(crate) fn is_claimable(claimant: &Item, holder: Option<&Item>) -> Node {
    match holder {
        Some(holder) => is_held_by(holder),
        None => Node::Or(vec![Node::NotExists(names::KEY.into()), is_held_by(claimant)]),
    }
}

/// Returns the condition that a guard is held by the item with this key.
pub(crate) fn is_held_by(item: &Item) -> Node {
    Node::Compare(names::HOLDER.into(), Operator::Eq, AttributeValue::M(canonical(item)))
}

/// Returns `true` if this is the key of a guard of the constraint.
#[cfg(feature = "bulk")]
pub(crate) fn is_guard_of(unique: &Unique, guard: &str) -> bool {
    name_text(unique).is_ok_and(|name| guard.strip_prefix(&name).is_some_and(|rest| rest.starts_with('|')))
}

/// Returns the key of a guard's row.
pub(crate) fn guard_key(guard: &str) -> Item {
    Item::from([(names::KEY.to_owned(), AttributeValue::S(guard.to_owned()))])
}

/// Returns the key of the item that holds a guard, given the guard's row. If another program has written the row, this is the reason
/// against each claim of it.
pub(crate) fn holder(schema: &Schema, row: &Item) -> Result<Item, Reason> {
    let is_key = |item: &Item| item.len() == schema.keys().count() && check_keys(item, schema).is_ok();
    match row.get(names::HOLDER) {
        Some(AttributeValue::M(holder)) if is_key(holder) => Ok(holder.clone()),
        found => Err(Reason::Corrupt {
            attribute: names::HOLDER,
            expected: "the key of an item (M)",
            found: found.map_or("nothing", descriptor),
        }),
    }
}

/// Returns a key with one spelling of each number, because two maps are equal only if their texts are.
pub(crate) fn canonical(key: &Item) -> Item {
    let spelled = |value: &AttributeValue| match value {
        AttributeValue::N(number) => {
            let number = Decimal::parse(number).map_or_else(|| number.clone(), |number| number.to_string());
            AttributeValue::N(number)
        }
        value => value.clone(),
    };
    key.iter().map(|(name, value)| (name.clone(), spelled(value))).collect()
}

/// Returns the part of a guard's key before the first `|`.
fn name_text(unique: &Unique) -> Result<String, EncodeError> {
    text_of(&AttributeValue::S(unique.name.to_owned()))
}

fn text_of(value: &AttributeValue) -> Result<String, EncodeError> {
    identity_text(Some(value))
}

/// The key of the item that has a unique value.
#[derive(Clone, PartialEq)]
pub struct HolderKey {
    key: Item,
    /// The key as text, for people.
    text: String,
}

impl HolderKey {
    /// Returns the key attributes, as they are stored.
    #[must_use]
    pub fn attributes(&self) -> &Item {
        &self.key
    }
}

/// A key has strings, numbers and bytes, and each is equal to itself.
impl Eq for HolderKey {}

impl fmt::Display for HolderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for HolderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({})", self.text)
    }
}
