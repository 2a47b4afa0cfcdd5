//! What comes of a write that arrives twice: soon, as the SDK sends it again, or late, as a hedge can.

use super::write_command::WriteCommand;
use crate::error::Error;
use crate::exchange::Repeat;
use crate::expression::RawChange;
use crate::rule::{Expected, Verb};
use crate::schema::Store;

impl WriteCommand {
    /// Whether what is sent twice is as sent once, or is refused the second time: then the SDK may do so.
    pub(crate) fn repeat(&self) -> Repeat {
        let is_repeatable = self.update.changes.iter().all(RawChange::is_repeatable);
        if self.has_dedup_key() || is_repeatable || self.is_checked() { Repeat::Freely } else { Repeat::Once }
    }

    /// Whether a second arrival does no harm, however late and whatever others have written before it: it is refused, or is
    /// found to be the first one's, or changes nothing that is newer.
    pub(crate) fn is_hedgeable(&self) -> bool {
        let schema = self.schema;
        // Unchecked, each arrival raises the version.
        let is_counted = schema.version.is_some() && !self.is_checked();
        let is_strict = schema.ratchets.iter().any(|ratchet| ratchet.strict);
        // A name is not enough where nothing is left of what was deleted: a late one would bring it back.
        let is_remembered = schema.tombstone.is_some() || schema.history.is_some();
        let is_named = self.is_checked() && schema.write_id.is_some() && is_remembered;
        let is_ordered = !is_strict && (self.is_ratcheted() || is_named);
        self.repeat() == Repeat::Freely && !is_counted && (is_ordered || self.is_keyed())
    }

    /// Whether it expects a version.
    pub(crate) fn is_checked(&self) -> bool {
        matches!(self.expected(), Ok(Some(expected)) if expected != Expected::Unchecked)
    }

    /// Whether a ratchet orders all that it changes. Each attribute is in the group of one.
    fn is_ratcheted(&self) -> bool {
        let has_token = matches!(&self.tokens, Ok(tokens) if tokens.iter().any(Option::is_some));
        !self.schema.ratchets.is_empty() && (has_token || self.is_put() || self.verb == Verb::Delete)
    }

    /// Whether it is known by its idempotency key for as long as it can be late.
    fn is_keyed(&self) -> bool {
        let is_upsert = self.verb == (Verb::Update { upsert: true });
        match self.dedup_store() {
            Some(Store::Row { .. }) => true,
            // The keys are gone with the item, which a late upsert would make anew.
            Some(Store::Time { .. }) => !is_upsert,
            // Others' updates can have pushed the key out of the list.
            Some(Store::Count { .. }) | None => false,
        }
    }
}

/// What the types let through.
#[cold]
pub(crate) fn not_hedgeable() -> Error {
    Error::invalid(
        "the write cannot be hedged, since a second arrival could be applied anew: say the version of an update, or give it an idempotency key (which an upsert with keys by time would lose); return nothing of what was there before; or send it without `hedge`",
    )
}
