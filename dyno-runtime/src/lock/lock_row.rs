//! The row of a lock, as an entity of dyno itself.

use crate::Entity;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::entity::Loaded;
use crate::exchange::Clock;
use aws_sdk_dynamodb::types::AttributeValue;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A lock, or the rest of its last lease: the row stays, so that the fence only grows. Errors use the name of this type.
#[derive(Entity, Clone, Debug)]
#[entity(table = "dyno-locks")]
pub(super) struct Lock {
    #[partition_key]
    pub(super) name: String,
    /// Changed by each write, by which an observer sees that the holder is alive.
    #[version]
    pub(super) version: u64,
    /// Raised with each lease.
    pub(super) fence: u64,
    /// The name of the lease; absent if no process holds the lock.
    pub(super) holder: Option<String>,
    /// The time without a change after which other processes may take the lock over.
    pub(super) lease_millis: u64,
    pub(super) owner: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) data: Option<AttributeValue>,
    /// The version that a program has seen, and when, by its wall clock: see `observation`. A lease does not write it.
    pub(super) observed_version: Option<u64>,
    pub(super) observed_at: Option<EpochMillis>,
}

pub(super) use self::Lock as LockRow;

impl Lock {
    pub(super) fn lease(&self) -> Duration {
        Duration::from_millis(self.lease_millis)
    }

    pub(super) fn is_held_by(&self, holder: &str) -> bool {
        self.holder.as_deref() == Some(holder)
    }
}

/// A row that was read, and when its answer came.
#[derive(Clone)]
pub(super) struct Seen {
    item: Item,
    at: Duration,
    /// The clock that `at` was read from.
    clock: Arc<dyn Clock>,
}

impl Seen {
    pub(super) fn new(row: &Loaded<LockRow>, clock: &Arc<dyn Clock>) -> Self {
        Self { item: lease_of(row), at: clock.monotonic(), clock: Arc::clone(clock) }
    }

    /// Returns `true` if it is this row, unchanged, by the same clock. (No two writes have the same write id, so it is the same
    /// table, too.)
    pub(super) fn is_of(&self, row: &Loaded<LockRow>, clock: &Arc<dyn Clock>) -> bool {
        Arc::ptr_eq(&self.clock, clock) && self.item == lease_of(row)
    }

    /// Returns how long ago the row was first seen.
    pub(super) fn age(&self) -> Duration {
        self.clock.monotonic().saturating_sub(self.at)
    }
}

/// Returns the row without the observations of programs, which change it without its holder.
fn lease_of(row: &Loaded<LockRow>) -> Item {
    let mut item = row.item().clone();
    item.retain(|name, _| !["observed_version", "observed_at"].contains(&name.as_str()));
    item
}

impl fmt::Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seen").field("version", &self.item.get("version")).field("at", &self.at).finish_non_exhaustive()
    }
}
