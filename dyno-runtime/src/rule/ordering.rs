//! How DynamoDB compares two values: to read a refusal the way DynamoDB decided it.

use crate::attribute::Decimal;
use aws_sdk_dynamodb::types::AttributeValue;
use std::cmp::Ordering;

/// The order of two values of one type, as DynamoDB compares them: numbers by value whatever their spelling,
/// strings and binaries by bytes. `None` where DynamoDB's comparisons are all false: other types, or one that
/// has no order.
pub(crate) fn compare(one: &AttributeValue, other: &AttributeValue) -> Option<Ordering> {
    match (one, other) {
        (AttributeValue::N(one), AttributeValue::N(other)) => Some(Decimal::parse(one)?.cmp(&Decimal::parse(other)?)),
        (AttributeValue::S(one), AttributeValue::S(other)) => Some(one.as_bytes().cmp(other.as_bytes())),
        (AttributeValue::B(one), AttributeValue::B(other)) => Some(one.as_ref().cmp(other.as_ref())),
        _ => None,
    }
}

/// Whether DynamoDB's `=` holds: of lists and maps too, member by member, and of sets in any order.
pub(crate) fn equal(one: &AttributeValue, other: &AttributeValue) -> bool {
    fn same<T>(one: &[T], other: &[T], equal: impl Fn(&T, &T) -> bool) -> bool {
        one.len() == other.len() && one.iter().all(|element| other.iter().any(|other| equal(element, other)))
    }
    match (one, other) {
        (AttributeValue::L(one), AttributeValue::L(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (AttributeValue::M(one), AttributeValue::M(other)) => {
            let has = |(name, one)| other.get(name).is_some_and(|other| equal(one, other));
            one.len() == other.len() && one.iter().all(has)
        }
        (AttributeValue::Ns(one), AttributeValue::Ns(other)) => {
            same(one, other, |one, other| Decimal::parse(one) == Decimal::parse(other))
        }
        (AttributeValue::Ss(one), AttributeValue::Ss(other)) => same(one, other, |one, other| one == other),
        (AttributeValue::Bs(one), AttributeValue::Bs(other)) => same(one, other, |one, other| one == other),
        (AttributeValue::N(_) | AttributeValue::S(_) | AttributeValue::B(_), _) => {
            compare(one, other) == Some(Ordering::Equal)
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn n(number: &str) -> AttributeValue {
        AttributeValue::N(number.to_owned())
    }

    #[test]
    fn equality_is_that_of_values_and_not_of_spellings() {
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
}
