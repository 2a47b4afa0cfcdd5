//! Types with elements that a change can address one by one: lists, sets and maps, optional or not.

use super::kind::{ElementKind, ListedKind, TextKind};
use super::{Attribute, Decimal, Element, Value};
use crate::error::EncodeError;
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A type stored as a list of any length.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list",
    label = "`push`, `extend`, `remove_value` and the like are for a `Vec`",
    note = "a set has `insert` and `remove`, a map `entry`"
)]
pub trait ListOf: Attribute {
    /// The type of the elements.
    type Element: Element;
}

impl<T: Element<Kind: ListedKind>> ListOf for Vec<T> {
    type Element = T;
}

impl<T: Element<Kind: ListedKind>> ListOf for Option<Vec<T>> {
    type Element = T;
}

/// A type stored as a set.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set",
    label = "`insert` and `remove` are for a `BTreeSet` or a `HashSet`",
    note = "a list has `push`, `remove_value` and `remove_at`, a map `entry`; an attribute that may be absent is removed by `clear`"
)]
pub trait SetOf: Attribute {
    /// The type of the elements.
    type Element: Value<Kind: ElementKind>;
}

impl<T: Value<Kind: ElementKind> + Ord> SetOf for BTreeSet<T> {
    type Element = T;
}

impl<T: Value<Kind: ElementKind>, S> SetOf for HashSet<T, S>
where
    Self: Attribute,
{
    type Element = T;
}

/// A type stored as a map whose keys are not known in advance.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a map",
    label = "`entry` is for a `BTreeMap` or a `HashMap`",
    note = "the members of a `#[derive(Document)]` struct have handles of their own: `fields()`"
)]
pub trait MapOf: Attribute {
    /// The type of the keys.
    type Key: Value<Kind: TextKind>;
    /// The type of the values.
    type Value: Value;
}

impl<K: Value<Kind: TextKind> + Ord, T: Value> MapOf for BTreeMap<K, T> {
    type Key = K;
    type Value = T;
}

impl<K: Value<Kind: TextKind>, T: Value, S> MapOf for HashMap<K, T, S>
where
    Self: Attribute,
{
    type Key = K;
    type Value = T;
}

impl<M: Value + MapOf> MapOf for Option<M> {
    type Key = M::Key;
    type Value = M::Value;
}

/// Encodes a set of these elements, without duplicates. Returns `None` if there are none, because DynamoDB has no empty set.
pub(crate) fn encode_set<T: Value<Kind: ElementKind>>(
    elements: impl Iterator<Item = T>,
) -> Result<Option<AttributeValue>, EncodeError> {
    let encoded: Vec<AttributeValue> = elements.map(|element| element.encode()).collect::<Result<_, _>>()?;
    if encoded.is_empty() {
        return Ok(None);
    }
    let mut set = T::Kind::encode_set(encoded.into_iter().map(Ok))?;
    match &mut set {
        AttributeValue::Ss(texts) => keep_first(texts, Clone::clone),
        AttributeValue::Bs(blobs) => keep_first(blobs, |blob| blob.as_ref().to_vec()),
        // Two spellings of one number are duplicates too.
        AttributeValue::Ns(numbers) => keep_first(numbers, |number| Decimal::parse(number).ok_or(number.clone())),
        _ => {}
    }
    Ok(Some(set))
}

/// Removes duplicates and keeps the first of equal elements.
fn keep_first<T, K: Ord>(elements: &mut Vec<T>, key: impl Fn(&T) -> K) {
    let mut known = BTreeSet::new();
    elements.retain(|element| known.insert(key(element)));
}
