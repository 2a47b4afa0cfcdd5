//! What a process remembers of the lists of idempotency keys it has met: whether they were full. A guess for the next
//! write, which costs a request where it is wrong, and nothing else.

use super::write_command::WriteCommand;
use crate::attribute::Item;
use crate::exchange::Repository;
use crate::rule::Phase;
use crate::schema::Store;
use aws_sdk_dynamodb::types::AttributeValue;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// Items share places, so that this never grows.
const PLACES: usize = 1024;

/// For each item, whether its list was full.
pub(crate) struct Phases([AtomicBool; PLACES]);

impl Default for Phases {
    fn default() -> Self {
        Self([const { AtomicBool::new(false) }; PLACES])
    }
}

impl Phases {
    /// The phase that the list of this item was in.
    pub(crate) fn of(&self, table: &str, key: &Item) -> Phase {
        let full = self.place(table, key).load(Ordering::Relaxed);
        if full { Phase::Replacing } else { Phase::Adding }
    }

    /// Notes the phase for next time.
    pub(crate) fn note(&self, table: &str, key: &Item, phase: Phase) {
        self.place(table, key).store(phase == Phase::Replacing, Ordering::Relaxed);
    }

    fn place(&self, table: &str, key: &Item) -> &AtomicBool {
        let mut hasher = DefaultHasher::new();
        table.hash(&mut hasher);
        let mut parts: Vec<_> = key.iter().collect();
        parts.sort_unstable_by_key(|(name, _)| *name);
        for (name, value) in parts {
            name.hash(&mut hasher);
            match value {
                AttributeValue::S(text) | AttributeValue::N(text) => text.hash(&mut hasher),
                AttributeValue::B(bytes) => bytes.as_ref().hash(&mut hasher),
                _ => {}
            }
        }
        let hash = usize::try_from(hasher.finish() % PLACES as u64).unwrap_or_default();
        &self.0[hash]
    }
}

impl WriteCommand {
    /// Returns the phase that the idempotency keys in the item are assumed to be in. Keys by time are almost always in the current
    /// window. Whether a list was full is remembered.
    pub(crate) fn assumed_phase(&self, repository: &Repository, table: &str) -> Phase {
        let is_list = matches!(self.dedup_store(), Some(Store::Count { .. }));
        // A write whose key is impossible is not sent.
        let key = if is_list { self.key().ok() } else { None };
        key.map_or(Phase::default(), |key| repository.memory::<Phases>().of(table, &key))
    }
}
