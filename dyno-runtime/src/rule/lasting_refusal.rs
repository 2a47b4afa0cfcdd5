//! Decides whether a refusal lasts: whether the refused write can never pass later.
//!
//! While an earlier attempt is on its way, a refusal of another attempt is final only if it lasts. Otherwise the item may have
//! changed when the earlier attempt arrives, and let it pass. A request arrives within 15 minutes or never, because DynamoDB
//! refuses older signatures (API reference, "Common Error Types", `RequestExpired`).
//!
//! A program that ignores the rules can let any write pass, and so can a `purge`, because it removes the tombstone that keeps
//! older writes out.

use super::{Expected, Reason, Write, has_passed, other_entity};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, Peek as _};
use crate::schema::{Schema, Store};

/// The longest time for which a request can be on its way.
const LATEST_SECS: u32 = 15 * 60;

/// Returns `true` if this item, which refused the write for these reasons, keeps it out from now on. One rule that does so is
/// enough, because a write must meet the conditions of all rules.
pub(crate) fn lasts(write: &Write, item: Option<&Item>, reasons: &[Reason]) -> bool {
    if other_entity(write.schema, item).is_some() {
        return false;
    }
    reasons.iter().any(|reason| is_lasting(write, item, reason)) || of_numbers(write, item) || of_an_image(write)
}

/// Returns `true` if a rule that gave this reason will always give it from now on.
fn is_lasting(write: &Write, item: Option<&Item>, reason: &Reason) -> bool {
    match reason {
        // Tokens and fences only grow.
        Reason::Stale { .. } | Reason::Ahead { .. } | Reason::Fenced { .. } => {
            item.is_some_and(|item| stays(write, item))
        }
        // Only its TTL removes a key's row. Keys in the item are deleted with it, or evicted by other keys.
        Reason::Duplicate => match write.schema.key_store() {
            Some(Store::Row { keep_secs, .. }) => write.is_known && *keep_secs >= LATEST_SECS,
            _ => false,
        },
        _ => false,
    }
}

/// Returns `true` if no item of this key will have the version that the write expects; or if one may, but every item of that
/// version refuses the write.
fn of_numbers(write: &Write, item: Option<&Item>) -> bool {
    let (Some(version), Some(expected)) = (&write.schema.version, write.expected) else { return false };
    let found = item.and_then(|item| version.of(item));
    match (expected, item) {
        // Only the caller's own condition can refuse an absent item. If an item exists later, it refuses a new one.
        (Expected::New(_), None) => true,
        // If the item is deleted, its tombstone refuses a new one, too.
        (Expected::New(_), Some(item)) => write.schema.tombstone.is_some() && stays(write, item),
        (Expected::Loaded(base) | Expected::Dead(base) | Expected::Behind { found: base, .. }, Some(item)) => {
            let is_over = found > Some(base) || found == Some(base) && base > 0 && write.image.is_none();
            is_over && write.schema.numbers_last() && (write.schema.history.is_some() || stays(write, item))
        }
        _ => false,
    }
}

/// Returns `true` if the write expects a row as it was read, and that row never comes back: neither `purge` nor a `#[ttl]`
/// removes a row of a transactional entity, and each write has its own write id and version.
fn of_an_image(write: &Write) -> bool {
    write.image.is_some() && write.schema.is_transactional
}

/// Returns `true` if there will be a row of this key for as long as a request can be on its way: the item, an item written over
/// it, or its tombstone.
fn stays(write: &Write, item: &Item) -> bool {
    let schema: &Schema = write.schema;
    let until = EpochMillis::new(write.now.get().saturating_add(i64::from(LATEST_SECS) * 1000));
    let is_removed = |ttl: &'static str| has_passed(item.peek(ttl), until);
    let tombstone = schema.tombstone.as_ref().filter(|tombstone| tombstone.is_flagged(item));
    !schema.expires() && !tombstone.is_some_and(|tombstone| is_removed(tombstone.ttl))
}
