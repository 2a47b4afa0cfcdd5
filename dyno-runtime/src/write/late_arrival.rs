//! Decides which writes may arrive twice: soon, because the SDK sends a request again, or late, because the request was hedged.

use super::write_command::WriteCommand;
use crate::error::Error;
use crate::exchange::Repeat;
use crate::expression::RawChange;
use crate::rule::{Expected, Verb};
use crate::schema::Store;

impl WriteCommand {
    /// Returns whether the SDK may send the request again after an attempt that may have been applied: the write is idempotent,
    /// or DynamoDB refuses it the second time.
    pub(crate) fn repeat(&self) -> Repeat {
        let is_repeatable = self.update.changes.iter().all(RawChange::is_repeatable);
        if self.has_dedup_key() || is_repeatable || self.is_checked() { Repeat::Freely } else { Repeat::Once }
    }

    /// Returns `true` if a second arrival does no harm, however late and whatever other writers have written in between: it is
    /// refused, or recognized as the same write, or changes nothing that is newer.
    pub(crate) fn is_hedgeable(&self) -> bool {
        let schema = self.schema;
        // Each arrival of an unchecked write raises the version.
        let is_counted = schema.version.is_some() && !self.is_checked();
        let is_strict = schema.ratchets.iter().any(|ratchet| ratchet.strict);
        // A write id is not enough if a delete leaves nothing: a late write would bring the item back.
        let leaves_trace = schema.tombstone.is_some() || schema.history.is_some();
        let is_identified = self.is_checked() && schema.write_id.is_some() && leaves_trace;
        let is_ordered = !is_strict && (self.is_ratcheted() || is_identified);
        self.repeat() == Repeat::Freely && !is_counted && (is_ordered || self.is_deduplicated())
    }

    /// Returns `true` if the write expects a version.
    pub(crate) fn is_checked(&self) -> bool {
        matches!(self.expected(), Ok(Some(expected)) if expected != Expected::Unchecked)
    }

    /// Returns `true` if a ratchet orders everything that the write changes. (Each attribute is in the group of one ratchet.)
    fn is_ratcheted(&self) -> bool {
        let has_token = matches!(&self.tokens, Ok(tokens) if tokens.iter().any(Option::is_some));
        !self.schema.ratchets.is_empty() && (has_token || self.is_put() || self.verb == Verb::Delete)
    }

    /// Returns `true` if the write is recognized by its idempotency key for as long as it can be under way.
    fn is_deduplicated(&self) -> bool {
        let is_upsert = self.verb == (Verb::Update { upsert: true });
        match self.dedup_store() {
            Some(Store::Row { .. }) => true,
            // If the item is deleted, its keys are, too, and a late upsert would create the item again.
            Some(Store::Time { .. }) => !is_upsert,
            // Other updates can evict the key from the list.
            Some(Store::Count { .. }) | None => false,
        }
    }
}

/// The error of a `hedge` that the types of the commands cannot exclude.
#[cold]
pub(crate) fn not_hedgeable() -> Error {
    Error::invalid(
        "the write cannot be hedged, because its second request could be applied once more: give an update a version or an idempotency key (an upsert with keys by time cannot have one), do not return the old item, or leave `hedge` out",
    )
}
