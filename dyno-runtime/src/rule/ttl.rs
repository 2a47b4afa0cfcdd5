//! Expiry: an item whose TTL has passed counts as absent, although DynamoDB may take days to remove it.
//!
//! (Developer guide, "Using time to live": TTL is a top-level Number in epoch seconds. DynamoDB removes expired items within a
//! few days, and until then reads and writes find them. DynamoDB ignores a TTL more than five years in the past, so 0, which
//! some programs store for "never", must not count as expired.)

use super::liveness::{Liveness, State};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Decimal, Peek, Scalar, in_seconds};
use crate::error::EncodeError;
use crate::expression::Node;
use crate::schema::Ttl;
use aws_sdk_dynamodb::types::AttributeValue;

/// Returns the TTL of a row that is kept for at least this many days after `then`.
pub(crate) fn days_from(then: EpochMillis, days: u32) -> AttributeValue {
    const SECONDS_A_DAY: i64 = 24 * 60 * 60;
    seconds_from(then, i64::from(days) * SECONDS_A_DAY)
}

/// Returns the TTL of a row that is kept for at least this many seconds after `then`.
pub(super) fn seconds_from(then: EpochMillis, seconds: i64) -> AttributeValue {
    AttributeValue::N(then.to_seconds_ceil().plus(seconds).to_string())
}

/// The lowest valid TTL.
const FIRST: &str = "1";

/// Returns the latest TTL that has passed; `None` if the clock shows 1970.
fn last_expired(now: EpochMillis) -> Option<String> {
    let seconds = now.to_seconds_floor().get();
    (seconds > 0).then(|| seconds.to_string())
}

/// Returns `true` if a TTL has passed.
pub(crate) fn has_passed(ttl: Option<Scalar<'_>>, now: EpochMillis) -> bool {
    let (Some(Scalar::N(ttl)), Some(last)) = (ttl, last_expired(now)) else { return false };
    // If the text is not a number, `parse` returns `None`, which is less than any number.
    (Decimal::parse(FIRST)..=Decimal::parse(&last)).contains(&Decimal::parse(&ttl))
}

impl Ttl {
    /// Refuses a TTL that can only be in milliseconds, because DynamoDB would ignore it.
    pub(crate) fn check(&self, ttl: &AttributeValue) -> Result<(), EncodeError> {
        in_seconds(ttl).map_err(|error| error.at_name(self.attribute))
    }
}

impl Liveness for Ttl {
    fn dead(&self, now: EpochMillis) -> Option<Node> {
        let [first, last] = [FIRST.to_owned(), last_expired(now)?].map(AttributeValue::N);
        Some(Node::Between(self.attribute.into(), first, last))
    }

    fn state(&self, now: EpochMillis, item: &dyn Peek) -> State {
        if has_passed(item.peek(self.attribute), now) { State::Expired } else { State::Live }
    }
}
