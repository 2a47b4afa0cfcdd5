//! Expiry: an item whose TTL has passed counts as absent, though DynamoDB may take days to remove it.
//!
//! (Developer guide, "Using time to live": TTL is a top-level Number in epoch seconds; expired items are
//! removed within a few days and until then are read and written like others; a TTL more than five years in
//! the past is not acted upon, so 0, which some writers store for "never", must not count as expired.)

use super::Rule;
use crate::attribute::time::EpochMillis;
use crate::attribute::{EncodeError, Item, compare};
use crate::expression::Node;
use crate::rule::Reason;
use crate::schema::Ttl;
use aws_sdk_dynamodb::types::AttributeValue;
use std::cmp::Ordering;

/// The first TTL that is one.
fn first() -> AttributeValue {
    AttributeValue::N("1".to_owned())
}

/// The last that has passed; nothing has where the clock shows 1970.
fn last_expired(now: EpochMillis) -> Option<AttributeValue> {
    let seconds = now.to_seconds_floor().get();
    (seconds > 0).then(|| AttributeValue::N(seconds.to_string()))
}

/// Whether a TTL has passed.
pub(crate) fn has_passed(ttl: Option<&AttributeValue>, now: EpochMillis) -> bool {
    let has_passed = |ttl: &AttributeValue| {
        let from_first = compare(ttl, &first())? != Ordering::Less;
        Some(from_first && compare(ttl, &last_expired(now)?)? != Ordering::Greater)
    };
    ttl.and_then(has_passed).unwrap_or_default()
}

/// The first second of the year 5000. The milliseconds since 1973 are beyond it.
const TOO_LATE: i64 = 95_617_584_000;

impl Ttl {
    /// Refuses a TTL that can only be a number of milliseconds: DynamoDB would never act upon it.
    pub(crate) fn check(&self, ttl: &AttributeValue) -> Result<(), EncodeError> {
        in_seconds(ttl).map_err(|error| error.at_name(self.attribute))
    }
}

/// Refuses a number of seconds that can only be one of milliseconds.
pub(crate) fn in_seconds(seconds: &AttributeValue) -> Result<(), EncodeError> {
    let too_late = AttributeValue::N(TOO_LATE.to_string());
    match (seconds, compare(seconds, &too_late)) {
        (AttributeValue::N(seconds), Some(Ordering::Greater | Ordering::Equal)) => Err(EncodeError::new(format!(
            "{seconds} seconds are beyond the year 5000, so these are milliseconds: `EpochMillis::to_seconds_ceil` makes seconds of them"
        ))),
        _ => Ok(()),
    }
}

impl Rule for Ttl {
    fn dead(&self, now: EpochMillis) -> Option<Node> {
        Some(Node::Between(self.attribute.into(), first(), last_expired(now)?))
    }

    fn is_dead(&self, now: EpochMillis, item: &Item) -> Option<Reason> {
        has_passed(item.get(self.attribute), now).then_some(Reason::Expired)
    }
}

/// Types a `#[ttl]` field may have: [`EpochSeconds`](crate::EpochSeconds), or an `Option` of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a TTL",
    label = "expected `EpochSeconds` or `Option<EpochSeconds>`",
    note = "DynamoDB removes items by a number of whole seconds since 1970; any other type or unit is ignored without an error, and nothing ever expires"
)]
pub trait Expiry {}

impl Expiry for crate::EpochSeconds {}
impl Expiry for Option<crate::EpochSeconds> {}
