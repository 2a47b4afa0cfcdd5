//! How DynamoDB orders two values: to read a refusal the way DynamoDB decided it.

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
