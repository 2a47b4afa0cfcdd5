//! The row of a lock, in the library's own words.

use crate::Entity;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::entity::Loaded;
use crate::exchange::Clock;
use aws_sdk_dynamodb::types::AttributeValue;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A lock, or what is left of its last lease: the row stays, so that the fence only grows. Errors call it by this name.
#[derive(Entity, Clone, Debug)]
#[entity(table = "dyno-locks")]
pub(super) struct Lock {
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
    /// The version that a program has seen, and when, by its wall clock: see `observation`. No lease writes it.
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

/// A row as it was seen: when its answer came.
#[derive(Clone)]
pub(super) struct Seen {
    item: Item,
    at: Duration,
    /// The clock that said it.
    clock: Arc<dyn Clock>,
}

impl Seen {
    pub(super) fn new(row: &Loaded<LockRow>, clock: &Arc<dyn Clock>) -> Self {
        Self { item: lease_of(row), at: clock.monotonic(), clock: Arc::clone(clock) }
    }

    /// Whether it is this row, unchanged, by the same clock. (A write's name is no other one's, so the table is the same, too.)
    pub(super) fn is_of(&self, row: &Loaded<LockRow>, clock: &Arc<dyn Clock>) -> bool {
        Arc::ptr_eq(&self.clock, clock) && self.item == lease_of(row)
    }

    /// How long ago it was seen first.
    pub(super) fn age(&self) -> Duration {
        self.clock.monotonic().saturating_sub(self.at)
    }
}

/// The row without what programs have observed of it: that changes without its holder.
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
