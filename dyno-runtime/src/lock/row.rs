//! The row of a lock, in the library's own words.

use crate::Entity;
use crate::entity::Loaded;
use crate::exchange::Clock;
use aws_sdk_dynamodb::types::AttributeValue;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A lock, or what is left of its last lease: the row stays, so that the fence only grows.
#[derive(Entity, Clone, Debug)]
#[entity(table = "dyno-locks")]
pub(super) struct LockRow {
    #[partition_key]
    pub(super) name: String,
    /// Another one with each write: by it, an observer sees that the holder is alive.
    #[version]
    pub(super) version: u64,
    /// Another one with each lease, and greater.
    pub(super) fence: u64,
    /// The name of the lease; absent, if nobody has it.
    pub(super) holder: Option<String>,
    /// After how long without a change others may take it over.
    pub(super) lease_millis: u64,
    pub(super) owner: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) data: Option<AttributeValue>,
}

impl LockRow {
    pub(super) fn lease(&self) -> Duration {
        Duration::from_millis(self.lease_millis)
    }

    pub(super) fn is_held_by(&self, holder: &str) -> bool {
        self.holder.as_deref() == Some(holder)
    }
}

/// A row as it was seen: when its answer came.
#[derive(Clone)]
pub(super) struct Seen {
    row: Loaded<LockRow>,
    at: Duration,
    /// The clock that said it.
    clock: Arc<dyn Clock>,
}

impl Seen {
    pub(super) fn new(row: Loaded<LockRow>, clock: &Arc<dyn Clock>) -> Self {
        Self { row, at: clock.monotonic(), clock: Arc::clone(clock) }
    }

    /// Whether it is this row, unchanged, by the same clock. (A write's name is no other one's, so the table is the same, too.)
    pub(super) fn is_of(&self, row: &Loaded<LockRow>, clock: &Arc<dyn Clock>) -> bool {
        Arc::ptr_eq(&self.clock, clock) && self.row.item() == row.item()
    }

    /// How long ago it was seen first.
    pub(super) fn age(&self) -> Duration {
        self.clock.monotonic().saturating_sub(self.at)
    }
}

impl fmt::Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seen").field("row", &self.row.entity).field("at", &self.at).finish_non_exhaustive()
    }
}
