//! Decides whether a refusal lasts: whether the refused write can never pass later.
//!
//! While an earlier request attempt is in flight, the refusal of a later one is final only if it lasts. Otherwise the item may
//! have changed by the time the earlier attempt arrives, so that the attempt passes. A request arrives within 15 minutes or
//! never, because DynamoDB refuses older signatures (API reference, "Common Error Types", `RequestExpired`).
//!
//! A program that ignores the rules can let any write pass, and so can a `purge`, because it removes the tombstone that keeps
//! older writes out.

use super::{Expected, Reason, Write, has_passed, other_entity};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, Peek as _};
use crate::schema::{Schema, Store};

/// The longest time for which a request can be in flight.
pub(crate) const LATEST_SECS: u32 = 15 * 60;

/// Returns `true` if the key of this item, which refused the write for these reasons, will always refuse it. One rule that always
/// refuses is enough, because a write must meet the conditions of all rules.
pub(crate) fn lasts(write: &Write, item: Option<&Item>, reasons: &[Reason]) -> bool {
    if other_entity(write.schema, item).is_some() {
        return false;
    }
    reasons.iter().any(|reason| is_lasting(write, item, reason))
        || no_longer_has_version(write, item)
        || no_longer_matches_image(write)
}

/// Returns `true` if a rule that gave this reason will always give it from now on.
fn is_lasting(write: &Write, item: Option<&Item>, reason: &Reason) -> bool {
    match reason {
        // Tokens and fences only grow.
        Reason::Stale { .. } | Reason::Ahead { .. } | Reason::Fenced { .. } => {
            item.is_some_and(|item| row_stays(write, item))
        }
        // Only the TTL removes the row of a key. Keys in the item are deleted with the item, or evicted by other keys.
        Reason::Duplicate => match write.schema.key_store() {
            Some(Store::Row { keep_secs, .. }) => write.dedup.has_row && *keep_secs >= LATEST_SECS,
            _ => false,
        },
        _ => false,
    }
}

/// Returns `true` if no item of this key will have the version that the write expects; or if one may, but every item of that
/// version refuses the write.
fn no_longer_has_version(write: &Write, item: Option<&Item>) -> bool {
    let (Some(version), Some(expected)) = (&write.schema.version, write.expected) else { return false };
    let found = item.and_then(|item| version.of(item));
    match (expected, item) {
        // Only the caller's own condition can refuse a new item where there is none. If an item exists later, that item refuses
        // it.
        (Expected::New(_), None) => true,
        // If the item is deleted, its tombstone refuses a new item, too.
        (Expected::New(_), Some(item)) => write.schema.tombstone.is_some() && row_stays(write, item),
        (Expected::Loaded(base) | Expected::Dead(base) | Expected::Behind { found: base, .. }, Some(item)) => {
            let is_over = found > Some(base) || found == Some(base) && base > 0 && write.image.is_none();
            is_over && write.schema.numbers_last() && (write.schema.history.is_some() || row_stays(write, item))
        }
        _ => false,
    }
}

/// Returns `true` if the write expects a row as it was read, and the row can never be so again: neither `purge` nor a `#[ttl]`
/// removes a row of a transactional entity, and each write has its own write id and version.
fn no_longer_matches_image(write: &Write) -> bool {
    write.image.is_some() && write.schema.is_transactional
}

/// Returns `true` if the key will have a row for as long as a request can be in flight: this item, an item written over it, or
/// its tombstone.
fn row_stays(write: &Write, item: &Item) -> bool {
    let schema: &Schema = write.schema;
    let until = EpochMillis::new(write.now.get().saturating_add(i64::from(LATEST_SECS) * 1000));
    let is_removed = |ttl: &'static str| has_passed(item.peek(ttl), until);
    let tombstone = schema.tombstone.as_ref().filter(|tombstone| tombstone.is_flagged(item));
    !schema.expires() && !tombstone.is_some_and(|tombstone| is_removed(tombstone.ttl))
}
