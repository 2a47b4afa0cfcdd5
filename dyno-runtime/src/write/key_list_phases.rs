//! Remembers which lists of idempotency keys were full. The next update guesses from this whether its key replaces the oldest
//! one. A wrong guess costs one more request, and nothing else.

use super::write_command::WriteCommand;
use crate::attribute::Item;
use crate::exchange::Repository;
use crate::rule::Phase;
use crate::schema::Store;
use crate::sorted;
use aws_sdk_dynamodb::types::AttributeValue;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of slots. Several items share a slot, so that the memory never grows.
const SLOTS: usize = 1024;

/// For each slot, `true` if the list of the last item was full.
pub(crate) struct KeyListPhases([AtomicBool; SLOTS]);

impl Default for KeyListPhases {
    fn default() -> Self {
        Self([const { AtomicBool::new(false) }; SLOTS])
    }
}

impl KeyListPhases {
    /// Returns the last known state of this item's list.
    pub(crate) fn of(&self, table: &str, key: &Item) -> Phase {
        let full = self.slot(table, key).load(Ordering::Relaxed);
        if full { Phase::Replacing } else { Phase::Adding }
    }

    /// Notes the state of this item's list.
    pub(crate) fn note(&self, table: &str, key: &Item, phase: Phase) {
        self.slot(table, key).store(phase == Phase::Replacing, Ordering::Relaxed);
    }

    fn slot(&self, table: &str, key: &Item) -> &AtomicBool {
        let mut hasher = DefaultHasher::new();
        table.hash(&mut hasher);
        for (name, value) in sorted::entries(key) {
            name.hash(&mut hasher);
            match value {
                AttributeValue::S(text) | AttributeValue::N(text) => text.hash(&mut hasher),
                AttributeValue::B(bytes) => bytes.as_ref().hash(&mut hasher),
                _ => {}
            }
        }
        let hash = usize::try_from(hasher.finish() % SLOTS as u64).unwrap_or_default();
        &self.0[hash]
    }
}

impl WriteCommand {
    /// Returns the assumed state of the idempotency keys in the item. Keys by time are almost always those of the current window.
    /// For a list, it is the last known state.
    pub(crate) fn assumed_phase(&self, repository: &Repository, table: &str) -> Phase {
        let is_list = matches!(self.dedup_store(), Some(Store::Count { .. }));
        // A write whose key cannot be encoded is not sent.
        let key = if is_list { self.key().ok() } else { None };
        key.map_or(Phase::default(), |key| repository.memory::<KeyListPhases>().of(table, &key))
    }
}
