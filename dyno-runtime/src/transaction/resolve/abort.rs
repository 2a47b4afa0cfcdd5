//! Aborts a transaction attempt. That is always safe (M16): the first of the commit and the abort makes the condition of the other
//! false (`record::lane_requests`). How long a process waits before it aborts the attempt of another process is policy.

use super::single_row::send_write;
use super::trace_events as event;
use crate::error::Error;
use crate::exchange::{Answer, Caller, Repository};
use crate::transaction::record::explain_lane_error;
use crate::transaction::record::{self, TransactionId, TransactionRecord, lane_missing};

/// Aborts an attempt of this process, unless it is committed or aborted already. Returns the transaction record after that.
pub(crate) async fn abort_own(
    repository: &Repository,
    caller: Caller<'_>,
    before: TransactionRecord,
    transaction_id: &TransactionId,
) -> Result<TransactionRecord, Error> {
    abort(repository, caller, before, transaction_id).await.map(|(after, _)| after)
}

/// Aborts an attempt, unless it is committed or aborted already. Returns the transaction record after that, and whether this
/// request aborted the attempt.
pub(crate) async fn abort(
    repository: &Repository,
    caller: Caller<'_>,
    before: TransactionRecord,
    transaction_id: &TransactionId,
) -> Result<(TransactionRecord, bool), Error> {
    let table = repository.lane_table()?;
    match send_write(repository, caller, record::abort(&table, transaction_id)?).await.map_err(explain_lane_error)? {
        Answer::Done(_) => {
            event::aborted(caller, transaction_id);
            Ok((TransactionRecord { void: transaction_id.number, ..before }, true))
        }
        Answer::Denied(Some(item)) => Ok((TransactionRecord::read(&item)?, false)),
        Answer::Denied(None) => Err(lane_missing(transaction_id)),
    }
}
