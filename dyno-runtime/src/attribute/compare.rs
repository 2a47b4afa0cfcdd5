//! Comparison of two values as DynamoDB does it, so that a refusal can be explained the way DynamoDB decided it.

use super::{Decimal, Item};
use aws_sdk_dynamodb::types::AttributeValue;
use std::cmp::Ordering;

/// Returns the order of two values of one type, as DynamoDB compares them: numbers by value in any spelling, strings and
/// binaries by bytes. Returns `None` where all of DynamoDB's comparisons are false: for two different types, or for a type
/// without an order.
pub(crate) fn compare(one: &AttributeValue, other: &AttributeValue) -> Option<Ordering> {
    match (one, other) {
        (AttributeValue::N(one), AttributeValue::N(other)) => Some(Decimal::parse(one)?.cmp(&Decimal::parse(other)?)),
        (AttributeValue::S(one), AttributeValue::S(other)) => Some(one.as_bytes().cmp(other.as_bytes())),
        (AttributeValue::B(one), AttributeValue::B(other)) => Some(one.as_ref().cmp(other.as_ref())),
        _ => None,
    }
}

/// Returns true if DynamoDB's `=` holds. Lists and maps are compared member by member, and sets in any order.
pub(crate) fn equal(one: &AttributeValue, other: &AttributeValue) -> bool {
    /// Sorts both sets, because a set can have a hundred thousand elements, too many to compare each with each.
    fn same<'a, T, K: Ord>(one: &'a [T], other: &'a [T], key: impl Fn(&'a T) -> K) -> bool {
        let sorted = |set: &'a [T]| {
            let mut keys: Vec<K> = set.iter().map(&key).collect();
            keys.sort_unstable();
            keys
        };
        one.len() == other.len() && sorted(one) == sorted(other)
    }
    match (one, other) {
        (AttributeValue::L(one), AttributeValue::L(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (AttributeValue::M(one), AttributeValue::M(other)) => {
            let has = |(name, one)| other.get(name).is_some_and(|other| equal(one, other));
            one.len() == other.len() && one.iter().all(has)
        }
        (AttributeValue::N(one), AttributeValue::N(other)) if one == other => true,
        (AttributeValue::Ns(one), AttributeValue::Ns(other)) => same(one, other, |number| Decimal::parse(number)),
        (AttributeValue::Ss(one), AttributeValue::Ss(other)) => same(one, other, String::as_bytes),
        (AttributeValue::Bs(one), AttributeValue::Bs(other)) => same(one, other, AsRef::<[u8]>::as_ref),
        (AttributeValue::N(_) | AttributeValue::S(_) | AttributeValue::B(_), _) => {
            compare(one, other) == Some(Ordering::Equal)
        }
        _ => one == other,
    }
}

/// Returns true if both items lack an attribute, or have equal values.
pub(crate) fn equal_or_absent(one: Option<&AttributeValue>, other: Option<&AttributeValue>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => equal(one, other),
        (None, None) => true,
        _ => false,
    }
}

/// Returns true if DynamoDB would find all attributes of two items equal.
pub(crate) fn equal_items(one: &Item, other: &Item) -> bool {
    let is_there = |(name, value): (&String, _)| other.get(name).is_some_and(|other| equal(value, other));
    one.len() == other.len() && one.iter().all(is_there)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn n(number: &str) -> AttributeValue {
        AttributeValue::N(number.to_owned())
    }

    #[test]
    fn numbers_are_equal_by_value_in_any_spelling() {
        let list = |numbers: &[&str]| AttributeValue::L(numbers.iter().map(|number| n(number)).collect());
        let set = |numbers: &[&str]| AttributeValue::Ns(numbers.iter().map(|number| (*number).to_owned()).collect());
        let map = |number| AttributeValue::M(HashMap::from([("a".to_owned(), n(number))]));
        for (one, other, expected) in [
            (n("1"), n("1.0"), true),
            (n("1"), AttributeValue::S("1".to_owned()), false),
            (list(&["1", "2"]), list(&["1.0", "2"]), true),
            (list(&["1", "2"]), list(&["2", "1"]), false),
            (list(&["1"]), list(&["1", "1"]), false),
            (set(&["1", "2"]), set(&["2", "1E0"]), true),
            (set(&["1", "2"]), set(&["1"]), false),
            (map("1"), map("1.0"), true),
            (map("1"), map("2"), false),
            (AttributeValue::Bool(true), AttributeValue::Bool(true), true),
            (AttributeValue::Null(true), AttributeValue::Bool(true), false),
        ] {
            assert_eq!(equal(&one, &other), expected, "{one:?} {other:?}");
            assert_eq!(equal(&other, &one), expected, "{other:?} {one:?}");
        }
    }

    /// As many elements as an item can hold. Comparing each with each would take ten thousand million comparisons.
    #[test]
    fn sets_of_100000_elements_are_compared() {
        let set = |numbers: &mut dyn Iterator<Item = u32>| {
            AttributeValue::Ns(numbers.map(|number| number.to_string()).collect())
        };
        let one = set(&mut (0..100_000));
        assert!(equal(&one, &set(&mut (0..100_000).rev())));
        assert!(!equal(&one, &set(&mut (1..100_001))));
    }
}
