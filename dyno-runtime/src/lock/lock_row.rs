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

/// The row of a lock. It stays when the lock is released, so that the fence only grows. Errors show the name of this type.
#[derive(Entity, Clone, Debug)]
#[entity(table = "dyno-locks")]
pub(crate) struct Lock {
    #[partition_key]
    pub(super) name: String,
    /// Changed by each write, which shows other programs that the holder is alive.
    #[version]
    pub(super) version: u64,
    /// Raised by each lease.
    pub(super) fence: u64,
    /// The name of the lease; absent if no process holds the lock.
    pub(super) holder: Option<String>,
    /// The time without a change after which other processes may take the lock over.
    pub(super) lease_millis: u64,
    pub(super) owner: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) data: Option<AttributeValue>,
    /// The version that a program has observed: see `observation`. The holder does not write it.
    pub(super) observed_version: Option<u64>,
    /// The time of that observation, by the program's wall clock.
    pub(super) observed_at: Option<EpochMillis>,
}

pub(crate) use self::Lock as LockRow;

impl Lock {
    pub(super) fn lease(&self) -> Duration {
        Duration::from_millis(self.lease_millis)
    }

    pub(super) fn is_held_by(&self, holder: &str) -> bool {
        self.holder.as_deref() == Some(holder)
    }
}

/// A row that was read.
#[derive(Clone)]
pub(super) struct ReadRow {
    item: Item,
    /// The time when the answer came that first showed the row.
    at: Duration,
    /// The clock of `at`.
    clock: Arc<dyn Clock>,
}

impl ReadRow {
    pub(super) fn new(row: &Loaded<LockRow>, clock: &Arc<dyn Clock>) -> Self {
        Self { item: without_observation(row), at: clock.monotonic(), clock: Arc::clone(clock) }
    }

    /// Returns `true` if this is the same row, unchanged, by the same clock. (It is the same table, too, because no two writes
    /// have the same write id.)
    pub(super) fn is(&self, row: &Loaded<LockRow>, clock: &Arc<dyn Clock>) -> bool {
        Arc::ptr_eq(&self.clock, clock) && self.item == without_observation(row)
    }

    /// Returns how long ago the row was first seen.
    pub(super) fn age(&self) -> Duration {
        self.clock.monotonic().saturating_sub(self.at)
    }
}

/// Returns the row without the observation, because an observation does not show that the holder is alive.
fn without_observation(row: &Loaded<LockRow>) -> Item {
    let mut item = row.item().clone();
    item.retain(|name, _| !["observed_version", "observed_at"].contains(&name.as_str()));
    item
}

impl fmt::Debug for ReadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadRow")
            .field("version", &self.item.get("version"))
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}
