//! The observation that a program leaves in the row of a lock for later programs: the version that it has read, and when.
//!
//! A program that starts anew each time never sees a row unchanged for a lease by its own clock. With
//! [`persist_observations`](super::Lock::persist_observations), the first look of an acquisition writes the row's version and
//! the program's time into the row, beside the lease. The version itself does not change, because it shows the heartbeats. A
//! later program that finds the same version takes the lock over when, by its wall clock, a lease has passed since the
//! observation, plus twice the most by which any two wall clocks may differ.
//!
//! This is safe, also if one of the clocks runs ahead. Let the holder, whose wall clock is H, send the heartbeat that stored
//! version v at real time h. Program A reads v and records a later time of its own clock, A(s): A(h) ≤ A(s). Program B takes
//! over at t, where B(t) - A(s) ≥ lease + 2·skew. No two clocks differ by more than the skew, so H(t) ≥ B(t) - skew and H(h) ≤
//! A(h) + skew. Therefore H(t) - H(h) ≥ lease: the holder, which trusts the heartbeat for nine tenths of a lease by this very
//! clock, has given up. (Its monotonic clock can only make it give up earlier.) The write that takes the lock over requires v.

use super::lock_row::LockRow;
use crate::Entity;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::Repository;
use std::time::Duration;

/// The row of a lock as observers write it. An observation does not raise the version, because it is no heartbeat.
#[derive(Entity, Clone, Debug)]
#[entity(table = "dyno-locks")]
pub(super) struct ObservedRow {
    #[partition_key]
    name: String,
    version: u64,
    holder: Option<String>,
    observed_version: Option<u64>,
    observed_at: Option<EpochMillis>,
}

/// Returns the time until any program can take the lock over because of an observation, if the row does not change. Without an
/// observation, the time counts from now, because this program observes the row now.
pub(super) fn free_in(row: &LockRow, now: EpochMillis, max_skew: Duration) -> Duration {
    let needed = row.lease().saturating_add(max_skew.saturating_mul(2));
    let Some(at) = observed_at(row, now, max_skew) else { return needed };
    let passed = now.get().saturating_sub(at.get()).try_into().unwrap_or_default();
    needed.saturating_sub(Duration::from_millis(passed))
}

/// Returns the time at which this version of the row was observed. An observation from the future is ignored, because it would
/// delay the take-over by as much as its clock was ahead.
fn observed_at(row: &LockRow, now: EpochMillis, max_skew: Duration) -> Option<EpochMillis> {
    let at = row.observed_at.filter(|_| row.observed_version == Some(row.version))?;
    (at.get() <= latest(now, max_skew).get()).then_some(at)
}

/// Returns the latest time that another program's clock may show.
fn latest(now: EpochMillis, max_skew: Duration) -> EpochMillis {
    EpochMillis::new(now.get().saturating_add(max_skew.as_millis().try_into().unwrap_or(i64::MAX)))
}

/// Writes into the row that it was observed at this time, unless there is an earlier observation of its version: one
/// `UpdateItem`. `now` is a time after the answer that showed the row. If the update is refused, that is no error: the holder
/// is alive, or another program was faster.
pub(super) async fn observe(
    repository: &Repository,
    row: &LockRow,
    now: EpochMillis,
    max_skew: Duration,
) -> Result<(), Error> {
    if observed_at(row, now, max_skew).is_some() {
        return Ok(());
    }
    let f = ObservedRow::fields();
    // An observation that arrives late must not pass, so it requires the version. If the row was deleted and created again, the
    // version can be the same, but the name of the lease differs.
    let is_the_same = f.version.eq(row.version) & f.holder.eq(row.holder.clone());
    let is_first = f.observed_version.ne(Some(row.version)) | f.observed_at.gt(latest(now, max_skew));
    let update =
        ObservedRow::update(&row.name).with([f.observed_version.set(Some(row.version)), f.observed_at.set(Some(now))]);
    update.condition(is_the_same & is_first).send(repository).await.map(drop)
}
