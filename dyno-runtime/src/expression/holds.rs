//! Evaluates a condition on an item in memory, as DynamoDB does. So dyno need not send a request whose condition would fail, nor
//! the requests before it.
//!
//! An absent value, or one of another type, is unequal to everything and has no order, type or part. If a value has no size, its
//! size is unequal to every number.

use super::condition_node::{Node, Operator};
use crate::attribute::{Item, compare, equal};
use crate::error::descriptor;
use aws_sdk_dynamodb::types::AttributeValue;
use std::cmp::Ordering;

impl Node {
    /// Returns true if the condition holds for this item.
    pub(crate) fn holds(&self, item: &Item) -> bool {
        match self {
            Self::Compare(path, operator, value) => {
                path.find(item).map_or(*operator == Operator::Ne, |found| operator.holds(found, value))
            }
            Self::CompareSize(path, operator, value) => {
                let size = path.find(item).and_then(size);
                size.map_or(*operator == Operator::Ne, |size| operator.holds(&size, value))
            }
            Self::Between(path, low, high) => {
                path.find(item).is_some_and(|found| Operator::Ge.holds(found, low) && Operator::Le.holds(found, high))
            }
            Self::In(path, values) => {
                path.find(item).is_some_and(|found| values.iter().any(|value| equal(found, value)))
            }
            Self::Exists(path) => path.find(item).is_some(),
            Self::NotExists(path) => path.find(item).is_none(),
            Self::ComparePaths(one, operator, other) => {
                let found = one.find(item).zip(other.find(item));
                found.map_or(*operator == Operator::Ne, |(one, other)| operator.holds(one, other))
            }
            Self::Present(path) => path.find(item).is_some_and(|found| !found.is_null()),
            Self::Vacant(path) => path.find(item).is_none_or(AttributeValue::is_null),
            Self::IsType(path, name) => path.find(item).is_some_and(|found| descriptor(found) == *name),
            Self::BeginsWith(path, prefix) => path.find(item).is_some_and(|found| begins_with(found, prefix)),
            Self::Contains(path, part) => path.find(item).is_some_and(|found| contains(found, part)),
            Self::And(terms) => terms.iter().all(|term| term.holds(item)),
            Self::Or(terms) => terms.iter().any(|term| term.holds(item)),
            Self::Not(term) => !term.holds(item),
        }
    }
}

impl Operator {
    /// Returns true if the comparison of a stored value with this value holds.
    pub(crate) fn holds(self, found: &AttributeValue, value: &AttributeValue) -> bool {
        let order = || compare(found, value);
        match self {
            Self::Eq => equal(found, value),
            Self::Ne => !equal(found, value),
            Self::Lt => order() == Some(Ordering::Less),
            Self::Le => order().is_some_and(Ordering::is_le),
            Self::Gt => order() == Some(Ordering::Greater),
            Self::Ge => order().is_some_and(Ordering::is_ge),
        }
    }
}

/// Returns the result of `size`, if the value has one. (Developer guide, "Condition and filter expressions, operators, and
/// functions". It speaks of the length of a string; both engines count UTF-16 code units.)
fn size(value: &AttributeValue) -> Option<AttributeValue> {
    let size = match value {
        AttributeValue::S(text) => text.encode_utf16().count(),
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        AttributeValue::Ss(elements) | AttributeValue::Ns(elements) => elements.len(),
        AttributeValue::Bs(elements) => elements.len(),
        AttributeValue::L(elements) => elements.len(),
        AttributeValue::M(members) => members.len(),
        _ => return None,
    };
    Some(AttributeValue::N(size.to_string()))
}

/// Returns true if a text or binary value begins with another.
pub(crate) fn begins_with(found: &AttributeValue, prefix: &AttributeValue) -> bool {
    match (found, prefix) {
        (AttributeValue::S(found), AttributeValue::S(prefix)) => found.starts_with(prefix.as_str()),
        (AttributeValue::B(found), AttributeValue::B(prefix)) => found.as_ref().starts_with(prefix.as_ref()),
        _ => false,
    }
}

fn contains(found: &AttributeValue, part: &AttributeValue) -> bool {
    match (found, part) {
        (AttributeValue::S(found), AttributeValue::S(part)) => found.contains(part.as_str()),
        (AttributeValue::B(found), AttributeValue::B(part)) => {
            let (found, part) = (found.as_ref(), part.as_ref());
            part.is_empty() || found.windows(part.len()).any(|window| window == part)
        }
        (AttributeValue::L(elements), part) => elements.iter().any(|element| equal(element, part)),
        (AttributeValue::Ss(elements), AttributeValue::S(part)) => elements.contains(part),
        (AttributeValue::Ns(elements), AttributeValue::N(_)) => {
            elements.iter().any(|element| equal(&AttributeValue::N(element.clone()), part))
        }
        (AttributeValue::Bs(elements), AttributeValue::B(part)) => elements.contains(part),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_counted_like_dynamodb() {
        let text = |text: &str| AttributeValue::S(text.to_owned());
        for (value, expected) in [
            (text("größe"), Some(5)),
            (text("\u{10000}"), Some(2)),
            (AttributeValue::L(vec![text("a"), text("b")]), Some(2)),
            (AttributeValue::N("12".to_owned()), None),
            (AttributeValue::Null(true), None),
        ] {
            let item = Item::from([("a".to_owned(), value.clone())]);
            for number in 0..8 {
                let of = |operator| {
                    Node::CompareSize("a".into(), operator, AttributeValue::N(number.to_string())).holds(&item)
                };
                assert_eq!(of(Operator::Eq), expected == Some(number), "{value:?} = {number}");
                assert_eq!(of(Operator::Ne), expected != Some(number), "{value:?} <> {number}");
                assert_eq!(of(Operator::Lt), expected.is_some_and(|size| size < number), "{value:?} < {number}");
            }
        }
    }
}
