//! Whether a refusal lasts: whether nothing can let the write pass later that this item has refused.
//!
//! While an attempt is on its way, a refusal of another one is an outcome only if it lasts. Otherwise the item may be another one
//! when that attempt arrives, and lets it pass. A request arrives within 15 minutes or never, since DynamoDB takes no signature
//! that is older (API reference, "Common Error Types", `RequestExpired`).
//!
//! A program that obeys no rules can let anything pass, and so can a `purge`: it removes what keeps older writes out.

use super::{Expected, Reason, Write, has_passed, other_entity};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, Peek as _};
use crate::schema::{Schema, Store};

/// For how long a request can be on its way.
const LATEST_SECS: u32 = 15 * 60;

/// Whether this item, which has refused the write for these reasons, keeps it out from now on. One rule that does so is enough,
/// since a write meets the conditions of all of them.
pub(crate) fn lasts(write: &Write, item: Option<&Item>, reasons: &[Reason]) -> bool {
    if other_entity(write.schema, item).is_some() {
        return false;
    }
    reasons.iter().any(|reason| is_lasting(write, item, reason)) || of_numbers(write, item) || of_an_image(write)
}

/// Whether a rule that has given this reason gives it from now on.
fn is_lasting(write: &Write, item: Option<&Item>, reason: &Reason) -> bool {
    match reason {
        // Tokens and fences only grow.
        Reason::Stale { .. } | Reason::Ahead { .. } | Reason::Fenced { .. } => {
            item.is_some_and(|item| stays(write, item))
        }
        // A row of a key is removed by its TTL alone. Keys in the item go with it, or others push them out.
        Reason::Duplicate => match write.schema.key_store() {
            Some(Store::Row { keep_secs, .. }) => write.is_known && *keep_secs >= LATEST_SECS,
            _ => false,
        },
        _ => false,
    }
}

/// Whether no item of this key has the version any more that the write expects; or has it, and refuses the write by what else it
/// holds, which is the same in each item of that version.
fn of_numbers(write: &Write, item: Option<&Item>) -> bool {
    let (Some(version), Some(expected)) = (&write.schema.version, write.expected) else { return false };
    let found = item.and_then(|item| version.of(item));
    match (expected, item) {
        // The caller's own condition, of no item: where there is one, a new item cannot be made.
        (Expected::New(_), None) => true,
        // A tombstone follows it.
        (Expected::New(_), Some(item)) => write.schema.tombstone.is_some() && stays(write, item),
        (Expected::Loaded(base) | Expected::Dead(base) | Expected::Behind { found: base, .. }, Some(item)) => {
            let is_over = found > Some(base) || found == Some(base) && base > 0 && write.image.is_none();
            is_over && write.schema.numbers_last() && (write.schema.history.is_some() || stays(write, item))
        }
        _ => false,
    }
}

/// Whether the write expects a row as it was read, which never comes back: neither `purge` nor a `#[ttl]` removes a row of a
/// transactional entity, and each write of it has a name and a version of its own.
fn of_an_image(write: &Write) -> bool {
    write.image.is_some() && write.schema.is_transactional
}

/// Whether there is a row of this key for as long as a request can be on its way: the item, what is written over it, or its
/// tombstone.
fn stays(write: &Write, item: &Item) -> bool {
    let schema: &Schema = write.schema;
    let until = EpochMillis::new(write.now.get().saturating_add(i64::from(LATEST_SECS) * 1000));
    let is_removed = |ttl: &'static str| has_passed(item.peek(ttl), until);
    let tombstone = schema.tombstone.as_ref().filter(|tombstone| tombstone.is_flagged(item));
    !schema.expires() && !tombstone.is_some_and(|tombstone| is_removed(tombstone.ttl))
}
