//! Refuses values that DynamoDB would refuse, before any request. The error has the path and says what to do.
//!
//! (Limits: developer guide, "Quotas and limits in Amazon DynamoDB" and "Constraints"; sizes: "DynamoDB item
//! sizes and formats".)

use super::index_key::check_index_keys;
use crate::attribute::depth::{NESTING, TooDeep as _};
use crate::attribute::{Decimal, Item};
use crate::error::foreign_text::value;
use crate::error::{EncodeError, Error, Step};
use crate::expression::{Node, problem_of_name};
use crate::schema::Schema;
use aws_sdk_dynamodb::types::AttributeValue;

const ITEM_BYTES: usize = 400 * 1024;
pub(crate) const PARTITION_KEY_BYTES: usize = 2048;
pub(crate) const SORT_KEY_BYTES: usize = 1024;
const DIGITS: usize = 38;
/// The most bytes of all values of a request's expressions together.
/// (Developer guide, "Quotas and limits in Amazon DynamoDB", expression parameters: all substitution variables.)
const VALUES_BYTES: usize = 2 * 1024 * 1024;

/// Returns the size of a whole item, after checking that DynamoDB can hold it.
pub(crate) fn check_item(item: &Item, schema: &Schema) -> Result<usize, Error> {
    check_keys(item, schema)?;
    check_index_keys(schema, item)?;
    check_size(item)
}

/// Returns the size of an item or row, after checking that DynamoDB can hold it.
pub(crate) fn check_size(item: &Item) -> Result<usize, Error> {
    let mut size = 0;
    for (name, value) in item {
        if let Some(problem) = problem_of_name(name) {
            return Err(Error::invalid(problem));
        }
        size += name.len() + check_value(value, 0).map_err(|error| error.at_name(name.clone()))?;
    }
    check_bytes(size)?;
    Ok(size)
}

/// Refuses an item or row that may be too large for DynamoDB, by any rule that fits the recorded sizes. For what must never be
/// refused later.
pub(crate) fn check_certain_size(item: &Item) -> Result<(), Error> {
    check_bytes(check_size(item)? + item.values().map(uncertain_bytes).sum::<usize>())
}

/// Refuses a size above the limit of an item.
pub(crate) fn check_bytes(size: usize) -> Result<(), Error> {
    if size > ITEM_BYTES {
        return Err(Error::invalid(format!(
            "the item has {size} bytes, but DynamoDB stores at most {ITEM_BYTES} (names included): store large values elsewhere and keep a reference"
        )));
    }
    Ok(())
}

/// Returns the size of an item that DynamoDB returned.
pub(crate) fn item_size(item: &Item) -> usize {
    let attributes = item.iter();
    attributes.map(|(name, value)| name.len() + check_value(value, 0).unwrap_or_default()).sum()
}

/// Refuses a condition or filter that is too long, or that has values which DynamoDB cannot hold.
pub(crate) fn check_condition(condition: &Node) -> Result<(), Error> {
    condition.check()?;
    let mut size = 0;
    condition.try_each_value(&mut |path, value| {
        size += check_value(value, 0).map_err(|error| path.locate(error))?;
        Ok::<_, Error>(())
    })?;
    if size > VALUES_BYTES {
        return Err(Error::invalid(format!(
            "the values of the condition have {size} bytes, but DynamoDB accepts {VALUES_BYTES}: compare with fewer or smaller values"
        )));
    }
    Ok(())
}

/// Refuses an item whose key attributes are empty or too long, or whose sort key looks like a revision's.
pub(crate) fn check_keys(item: &Item, schema: &Schema) -> Result<(), EncodeError> {
    for (key, limit) in schema.keys().zip([PARTITION_KEY_BYTES, SORT_KEY_BYTES]) {
        let value = item.get(key.name).unwrap_or(&AttributeValue::Null(true));
        check_key(value, limit).map_err(|error| error.at_name(key.name))?;
    }
    schema.history.as_ref().map_or(Ok(()), |history| history.check_key(schema, item))
}

/// Checks the value of one key attribute.
pub(crate) fn check_key(value: &AttributeValue, limit: usize) -> Result<(), EncodeError> {
    let length = match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        // A number is always short enough.
        AttributeValue::N(_) => 1,
        _ => 0,
    };
    if length == 0 {
        return Err(EncodeError::new("a key cannot be empty"));
    }
    if length > limit {
        return Err(EncodeError::new(format!(
            "the key has {length} bytes, but DynamoDB takes at most {limit} here: hash or shorten it"
        )));
    }
    Ok(())
}

/// Returns the size of a value, after checking that DynamoDB can hold it.
pub(crate) fn check_value(value: &AttributeValue, depth: usize) -> Result<usize, EncodeError> {
    if depth > NESTING {
        return Err(EncodeError::too_deep());
    }
    match value {
        AttributeValue::S(text) => Ok(text.len()),
        AttributeValue::B(bytes) => Ok(bytes.as_ref().len()),
        AttributeValue::N(text) => check_number(text),
        AttributeValue::Bool(_) | AttributeValue::Null(_) => Ok(1),
        AttributeValue::Ss(elements) => check_set(elements, |text| Ok(text.len())),
        AttributeValue::Ns(elements) => check_set(elements, |text| check_number(text)),
        AttributeValue::Bs(elements) => check_set(elements, |bytes| Ok(bytes.as_ref().len())),
        AttributeValue::L(elements) => elements.iter().enumerate().try_fold(3, |size, (index, element)| {
            let element = check_value(element, depth + 1).map_err(|error| error.at(Step::Index(index)))?;
            Ok(size + 1 + element)
        }),
        AttributeValue::M(members) => members.iter().try_fold(3, |size, (name, member)| {
            if let Some(problem) = problem_of_name(name) {
                return Err(EncodeError::new(problem));
            }
            let member = check_value(member, depth + 1).map_err(|error| error.at_name(name.clone()))?;
            Ok(size + 1 + name.len() + member)
        }),
        _ => Err(EncodeError::new("a value of a type that this SDK does not know")),
    }
}

fn check_set<T>(elements: &[T], check: impl Fn(&T) -> Result<usize, EncodeError>) -> Result<usize, EncodeError> {
    if elements.is_empty() {
        return Err(EncodeError::new("DynamoDB has no empty set: leave the attribute out instead"));
    }
    elements.iter().try_fold(0, |size, element| Ok(size + check(element)?))
}

/// Returns the size of a number: one byte, one for the sign, and one for every two digits before the point and for every two digits
/// after it, without leading and trailing zeros. (Recorded on AWS to the byte; the developer guide's rule is too small for 1.5.)
fn check_number(text: &str) -> Result<usize, EncodeError> {
    // The common case needs no parsing.
    if let Some(digits) = plain_digits(text) {
        return Ok(1 + digits.div_ceil(2));
    }
    match Decimal::parse(text) {
        Some(number) if number.precision() > DIGITS => Err(EncodeError::new(format!(
            "{} has more than {DIGITS} digits, which DynamoDB cannot store: store it as a string",
            value(text)
        ))),
        Some(number) if number.in_range() => {
            let (digits, whole) = (number.precision(), number.whole_digits());
            Ok(1 + whole.div_ceil(2) + (digits - whole).div_ceil(2) + usize::from(number.is_negative()))
        }
        _ => Err(EncodeError::new(format!(
            "{} is not a number that DynamoDB can store: it must be finite, and 0 or from 1E-130 to 9.99E+125",
            value(text)
        ))),
    }
}

/// Returns the number of digits, if the text consists of digits that all count.
fn plain_digits(text: &str) -> Option<usize> {
    let are_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_trimmed = !text.starts_with('0') && !text.ends_with('0') && !text.is_empty();
    (are_digits && is_trimmed && text.len() <= DIGITS).then_some(text.len())
}

/// Returns the most bytes that a value can have beyond its size. The recorded sizes fit two rules, which differ by one byte for a
/// number like 12000 or 0.012: it takes two pairs of digits instead of one if the pairs begin at the point.
fn uncertain_bytes(value: &AttributeValue) -> usize {
    let of_number = |text: &String| usize::from(Decimal::parse(text).is_some_and(|number| number.is_between_pairs()));
    match value {
        AttributeValue::N(text) => of_number(text),
        AttributeValue::Ns(texts) => texts.iter().map(of_number).sum(),
        AttributeValue::L(elements) => elements.iter().map(uncertain_bytes).sum(),
        AttributeValue::M(members) => members.values().map(uncertain_bytes).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn number(text: &str) -> AttributeValue {
        AttributeValue::N(text.to_owned())
    }

    #[test]
    fn sizes_of_values_with_elements_follow_the_documentation() {
        let text = AttributeValue::S("größe".to_owned());
        for (value, size) in [
            (text.clone(), 7),
            (AttributeValue::Bool(true), 1),
            (AttributeValue::Null(true), 1),
            (AttributeValue::L(vec![]), 3),
            (AttributeValue::L(vec![text.clone(), number("7")]), 3 + 1 + 7 + 1 + 2),
            (AttributeValue::M(HashMap::from([("ab".to_owned(), text)])), 3 + 1 + 2 + 7),
            (AttributeValue::Ns(vec!["7".to_owned(), "77".to_owned()]), 4),
        ] {
            assert_eq!(check_value(&value, 0), Ok(size), "{value:?}");
        }
    }

    /// The sizes that were recorded on AWS (eu-west-2, August 2026).
    #[test]
    fn sizes_of_numbers_are_the_recorded_ones() {
        for (text, size) in [
            ("0", 1),
            ("-0", 1),
            ("1", 2),
            ("12", 2),
            ("123", 3),
            ("1234", 3),
            (&"1234567890".repeat(4)[..38], 20),
            ("0042", 2),
            ("100", 2),
            ("1000000", 2),
            ("1010", 3),
            ("0.0000001", 2),
            ("1E125", 2),
            ("1E-100", 2),
            ("15", 2),
            ("0.15", 2),
            ("1.5", 3),
            ("1.2", 3),
            ("1.200", 3),
            ("1.234", 4),
            ("123456", 4),
            ("3.14159", 5),
            ("100.5", 4),
            ("-42", 3),
        ] {
            assert_eq!(check_number(text), Ok(size), "{text}");
            assert_eq!(uncertain_bytes(&number(text)), 0, "{text}");
        }
        // The longest number: 38 digits, of which an odd number stands before the point.
        assert_eq!(check_number(&format!("-1.{}", "3".repeat(37))), Ok(22));
        for text in ["12000", "-12000", "0.012", "1234E3", "12E-7"] {
            assert_eq!(uncertain_bytes(&number(text)), 1, "{text}");
        }
        for text in [".", "-", "1.2.3", "--1", "1.-2", "4,75"] {
            assert!(check_number(text).is_err(), "{text}");
        }
        let long = format!("1.{}", "9".repeat(38));
        assert!(check_number(&long).is_err(), "{long}");
    }

    /// 31 lists or maps around a scalar are the most.
    #[test]
    fn nesting_ends_at_31_lists_around_a_scalar() {
        let nested = |depth| (0..depth).fold(number("7"), |value, _| AttributeValue::L(vec![value]));
        assert!(check_value(&nested(31), 0).is_ok());
        assert!(check_value(&nested(32), 0).is_err());
    }

    #[test]
    fn a_value_that_dynamodb_would_refuse_is_refused_with_its_path() {
        for value in [
            number("NaN"),
            number(""),
            number("1E126"),
            number("1E-131"),
            number(&"9".repeat(39)),
            AttributeValue::Ss(vec![]),
        ] {
            assert!(check_value(&value, 0).is_err(), "{value:?}");
        }
        let map = AttributeValue::M(HashMap::from([(
            "scores".to_owned(),
            AttributeValue::L(vec![number("1"), number("inf")]),
        )]));
        let error = check_value(&map, 0).expect_err("infinity").to_string();
        assert!(error.starts_with("`scores[1]`: inf is not a number"), "{error}");
        for value in [number("9.99E125"), number("-1E-130"), number(&"9".repeat(38))] {
            assert!(check_value(&value, 0).is_ok(), "{value:?}");
        }
    }
}
