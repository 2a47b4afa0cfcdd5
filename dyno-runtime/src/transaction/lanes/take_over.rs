//! Takes over a lane that its owner has abandoned.
//!
//! A take-over ends the owner's epoch: all attempts that the owner has not committed are aborted, and DynamoDB refuses its later
//! requests (M21). So a take-over is safe at any time. The minute of silence before it only spares owners that are alive.

use super::finish_committed::finish;
use crate::error::Error;
use crate::exchange::{Answer, Caller, ItemRef, Repository};
use crate::transaction::record::explain_lane_error;
use crate::transaction::record::{self, TransactionRecord, adopted, lane, random_mark, record_key};
use crate::transaction::resolve::{read_item, send_write, trace_events};
use std::time::Duration;

/// The time without a heartbeat after which an owner is presumed dead.
const SILENCE: Duration = Duration::from_mins(1);

/// How often the take-over of one lane is tried, if its row changes meanwhile.
const TRIES: usize = 3;

/// The result of a take-over.
#[derive(Debug)]
pub(crate) enum TakeOver {
    /// This process owns the lane now.
    Owned(TransactionRecord),
    /// The owner is alive, another process was faster, or there is no such lane.
    NotAvailable,
    /// The committed attempt of the lane could not be rolled forward completely, so the lane stays as it is.
    Unfinished(Error),
}

/// Whether the owner of a lane is presumed dead, by the clock of this process.
pub(crate) fn is_abandoned(repository: &Repository, record: &TransactionRecord) -> bool {
    let silence = repository.now().get().saturating_sub(record.beat.get());
    i64::try_from(SILENCE.as_millis()).is_ok_and(|longest| silence > longest)
}

/// Rolls the committed attempt of a lane forward, and then takes the lane over. It takes the lane at once from the owner with the
/// mark `abandoned_by`, and from any other owner after a minute of silence.
pub(crate) async fn adopt(
    repository: &Repository,
    caller: Caller<'_>,
    name: &str,
    abandoned_by: Option<&str>,
) -> Result<TakeOver, Error> {
    let table = repository.lane_table()?;
    let at = ItemRef { table: table.clone(), key: record_key(name) };
    let Some(mut item) = read_item(repository, caller, &at).await.map_err(explain_lane_error)? else {
        return Ok(TakeOver::NotAvailable);
    };
    for _ in 0..TRIES {
        let record = match TransactionRecord::read(&item) {
            Ok(record) => record,
            Err(error) => return Ok(TakeOver::Unfinished(error)),
        };
        if abandoned_by != Some(&*record.owner) && !is_abandoned(repository, &record) {
            return Ok(TakeOver::NotAvailable);
        }
        let finished = finish(repository, caller, &record).await;
        let finished =
            finished.and_then(|outcomes| outcomes.into_iter().try_for_each(|(_, outcome)| outcome.map(drop)));
        if let Err(error) = finished {
            return Ok(TakeOver::Unfinished(error));
        }
        let (owner, now) = (random_mark()?, repository.now());
        let adoption = record::adopt(&table, &record, &owner, now)?;
        let adopted = match send_write(repository, caller, adoption).await.map_err(explain_lane_error)? {
            Answer::Done(_) => Ok(adopted(&record, &owner, now)),
            Answer::Denied(None) => return Ok(TakeOver::NotAvailable),
            // No other process has this owner's mark, so an earlier request attempt passed.
            Answer::Denied(Some(found)) if found.get(lane::OWNER).and_then(|mark| mark.as_s().ok()) == Some(&owner) => {
                TransactionRecord::read(&found)
            }
            Answer::Denied(Some(found)) => {
                item = found;
                continue;
            }
        };
        trace_events::taken_over(name, record.committed.number);
        return Ok(adopted.map_or_else(TakeOver::Unfinished, TakeOver::Owned));
    }
    Ok(TakeOver::NotAvailable)
}
