//! What a program leaves in the row of a lock for the programs that come later: which version it has seen, and when.
//!
//! A program that starts anew each time never sees a row unchanged for a lease by its own clock. With
//! [`persist_observations`](super::Lock::persist_observations), the first look of an acquisition writes its version and its time
//! into the row, beside the lease: the version, which tells a heartbeat, stays. A later program that finds the same version takes
//! the lock over when a lease has passed since, by its wall clock, and twice what any two wall clocks may differ by.
//!
//! That is right, whichever of the clocks runs ahead. Let the holder, whose wall clock is H, begin the heartbeat that made version
//! v at real time h. Program A sees v and notes its clock's time A(s) later than that: A(h) ≤ A(s). Program B takes over at t, where
//! B(t) - A(s) ≥ lease + 2·skew. No two clocks differ by more than the skew, so H(t) ≥ B(t) - skew and H(h) ≤ A(h) + skew. Therefore
//! H(t) - H(h) ≥ lease: the holder, who trusts the heartbeat for nine tenths of a lease by this very clock, has given up. (Its
//! monotonic clock can only make it give up earlier.) The take-over itself is conditioned on v.

use super::row::LockRow;
use crate::Entity;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::Repository;
use std::time::Duration;

/// The row of a lock as observers write it: no version of its own, as an observation is no heartbeat.
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

/// When the row can be taken over by what programs have observed, if it does not change: from now, for one that observes it now.
pub(super) fn free_in(row: &LockRow, now: EpochMillis, max_skew: Duration) -> Duration {
    let needed = row.lease().saturating_add(max_skew.saturating_mul(2));
    let Some(at) = observed_at(row, now, max_skew) else { return needed };
    let passed = now.get().saturating_sub(at.get()).try_into().unwrap_or_default();
    needed.saturating_sub(Duration::from_millis(passed))
}

/// When this version of the row was observed. An observation from the future is none: it would keep the lock for as long as its
/// clock was ahead.
fn observed_at(row: &LockRow, now: EpochMillis, max_skew: Duration) -> Option<EpochMillis> {
    let at = row.observed_at.filter(|_| row.observed_version == Some(row.version))?;
    (at.get() <= latest(now, max_skew).get()).then_some(at)
}

/// What a clock may show that is ahead.
fn latest(now: EpochMillis, max_skew: Duration) -> EpochMillis {
    EpochMillis::new(now.get().saturating_add(max_skew.as_millis().try_into().unwrap_or(i64::MAX)))
}

/// Writes into the row that it was seen at this time, unless an earlier observation of its version stands: one `UpdateItem`. `now`
/// is a time after the answer that showed the row. A refusal is no error: the holder lives, or another program was faster.
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
    // An observation that arrives late is of a version that was. A version is another one after the row was removed, too, for a
    // lease has a name of its own.
    let is_the_same = f.version.eq(row.version) & f.holder.eq(row.holder.clone());
    let is_first = f.observed_version.ne(Some(row.version)) | f.observed_at.gt(latest(now, max_skew));
    let update =
        ObservedRow::update(&row.name).with([f.observed_version.set(Some(row.version)), f.observed_at.set(Some(now))]);
    update.condition(is_the_same & is_first).send(repository).await.map(drop)
}
