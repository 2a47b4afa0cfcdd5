//! Takes over a lane whose owner has abandoned it.
//!
//! This ends the owner's epoch (M21): whatever it had not committed is aborted, and its later requests are refused. So a take-over
//! is safe at any time. The silence before it only protects owners that live.

use super::finish_committed::finish;
use crate::error::Error;
use crate::exchange::{Answer, Caller, ItemRef, Repository};
use crate::transaction::record::{TransactionRecord, adopt as adoption, adopted, lane, mark, record_key};
use crate::transaction::resolve::{of_lanes, row, send, trace_events};
use std::time::Duration;

/// The silence after which an owner is presumed dead.
pub(crate) const SILENCE: Duration = Duration::from_mins(1);

/// How often a lane is tried that changes meanwhile.
const TRIES: usize = 3;

/// The result of a take-over.
#[derive(Debug)]
pub(crate) enum TakeOver {
    /// The lane has this owner now.
    Done(TransactionRecord),
    /// The owner lives, another process was faster, or there is no such lane.
    Others,
    /// What the lane has committed could not be completed, so the lane stays as it is.
    Unfinished(Error),
}

/// Whether the owner of a lane is presumed dead, by the clock of this process.
pub(crate) fn is_abandoned(repository: &Repository, record: &TransactionRecord) -> bool {
    let silence = repository.now().get().saturating_sub(record.beat.get());
    i64::try_from(SILENCE.as_millis()).is_ok_and(|longest| silence > longest)
}

/// Takes over a lane, after it has completed all that the lane has committed. The owner must have been silent for long, unless it is
/// `abandoned_by`.
pub(crate) async fn adopt(
    repository: &Repository,
    caller: Caller<'_>,
    name: &str,
    abandoned_by: Option<&str>,
) -> Result<TakeOver, Error> {
    let table = repository.lane_table()?;
    let at = ItemRef { table: table.clone(), key: record_key(name) };
    let Some(mut item) = row(repository, caller, &at).await.map_err(of_lanes)? else { return Ok(TakeOver::Others) };
    for _ in 0..TRIES {
        let record = match TransactionRecord::read(&item) {
            Ok(record) => record,
            Err(error) => return Ok(TakeOver::Unfinished(error)),
        };
        if abandoned_by != Some(&*record.owner) && !is_abandoned(repository, &record) {
            return Ok(TakeOver::Others);
        }
        let finished = finish(repository, caller, &record).await;
        if let Err(error) =
            finished.and_then(|outcomes| outcomes.into_iter().try_for_each(|(_, rolled)| rolled.map(drop)))
        {
            return Ok(TakeOver::Unfinished(error));
        }
        let (owner, now) = (mark()?, repository.now());
        match send(repository, caller, adoption(&table, &record, &owner, now)?).await.map_err(of_lanes)? {
            Answer::Done(_) => {
                trace_events::taken_over(name, record.committed.number);
                return Ok(TakeOver::Done(adopted(&record, &owner, now)));
            }
            Answer::Denied(None) => return Ok(TakeOver::Others),
            // The answer to the first request attempt was lost: no other process has this owner's mark.
            Answer::Denied(Some(there)) if there.get(lane::OWNER).and_then(|of| of.as_s().ok()) == Some(&owner) => {
                trace_events::taken_over(name, record.committed.number);
                return Ok(TransactionRecord::read(&there).map_or_else(TakeOver::Unfinished, TakeOver::Done));
            }
            Answer::Denied(Some(there)) => item = there,
        }
    }
    Ok(TakeOver::Others)
}
