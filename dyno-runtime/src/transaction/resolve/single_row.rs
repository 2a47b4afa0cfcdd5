//! Reads and conditional writes of single rows: items with intents, and lane rows.

use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Ask, Caller, ItemRef, Repository, RowAnswer, RowWrite, read_row, write_row};
use crate::transaction::record::explain_lane_error;
use crate::transaction::record::{TransactionId, TransactionRecord, lane_missing, record_key};

/// Reads the transaction record of an attempt. A missing lane row is an error, because it decides nothing (M3).
pub(crate) async fn read_transaction_record(
    repository: &Repository,
    caller: Caller<'_>,
    transaction_id: &TransactionId,
) -> Result<TransactionRecord, Error> {
    let at = ItemRef { table: repository.lane_table()?, key: record_key(&transaction_id.lane) };
    let item = read_item(repository, caller, &at).await.map_err(explain_lane_error)?;
    item.map_or_else(|| Err(lane_missing(transaction_id)), |item| TransactionRecord::read(&item))
}

/// Reads an item or a lane row with strong consistency.
pub(crate) async fn read_item(
    repository: &Repository,
    caller: Caller<'_>,
    at: &ItemRef,
) -> Result<Option<Item>, Error> {
    read_row(repository, (caller.operation, caller.entity), &at.table, at.key.clone()).await
}

/// Sends a write that may freely be sent again: its condition refuses a second copy, or a second copy changes nothing.
pub(crate) async fn send_write(repository: &Repository, caller: Caller<'_>, row: RowWrite) -> Result<RowAnswer, Error> {
    let table = row.table.clone();
    write_row(repository, Ask::new(caller.about(&table)), row).await
}
