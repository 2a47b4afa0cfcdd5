//! Expiry: an item whose TTL has passed counts as absent, though DynamoDB may take days to remove it.
//!
//! (Developer guide, "Using time to live": TTL is a top-level Number in epoch seconds; expired items are
//! removed within a few days and until then are read and written like others; a TTL more than five years in
//! the past is not acted upon, so 0, which some writers store for "never", must not count as expired.)

use super::liveness::Liveness;
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, compare, in_seconds};
use crate::error::EncodeError;
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

impl Ttl {
    /// Refuses a TTL that can only be a number of milliseconds: DynamoDB would never act upon it.
    pub(crate) fn check(&self, ttl: &AttributeValue) -> Result<(), EncodeError> {
        in_seconds(ttl).map_err(|error| error.at_name(self.attribute))
    }
}

impl Liveness for Ttl {
    fn dead(&self, now: EpochMillis) -> Option<Node> {
        Some(Node::Between(self.attribute.into(), first(), last_expired(now)?))
    }

    fn is_dead(&self, now: EpochMillis, item: &Item) -> Option<Reason> {
        has_passed(item.get(self.attribute), now).then_some(Reason::Expired)
    }
}
