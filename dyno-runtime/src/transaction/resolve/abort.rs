//! Aborts a transaction attempt. To abort is always safe (M16): the lane row decides between abort and commit. How long a process waits
//! before it aborts another one's attempt is policy.

use super::lane_errors::of_lanes;
use super::single_row::send;
use super::trace_events as event;
use crate::error::Error;
use crate::exchange::{Answer, Caller, Repository};
use crate::transaction::record::{TransactionId, TransactionRecord, missing, void};

/// Aborts an attempt of this process, unless it is decided, and returns the transaction record after that.
pub(crate) async fn abort_own(
    repository: &Repository,
    caller: Caller<'_>,
    record: TransactionRecord,
    transaction_id: &TransactionId,
) -> Result<TransactionRecord, Error> {
    abort(repository, caller, record, transaction_id).await.map(|(record, _)| record)
}

/// Aborts an attempt. Returns the transaction record after that, and whether this request aborted it.
pub(crate) async fn abort(
    repository: &Repository,
    caller: Caller<'_>,
    record: TransactionRecord,
    transaction_id: &TransactionId,
) -> Result<(TransactionRecord, bool), Error> {
    let table = repository.lane_table()?;
    match send(repository, caller, void(&table, transaction_id)?).await.map_err(of_lanes)? {
        Answer::Done(_) => {
            event::aborted(caller, transaction_id);
            Ok((TransactionRecord { void: transaction_id.number, ..record }, true))
        }
        Answer::Denied(Some(item)) => Ok((TransactionRecord::read(&item)?, false)),
        Answer::Denied(None) => Err(missing(transaction_id)),
    }
}
