//! Reads and conditional writes of single rows: items with intents, and lane rows.

use super::lane_errors::of_lanes;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Ask, Caller, ItemRef, Repository, RowAnswer, RowWrite, read_row, write_row};
use crate::transaction::record::{TransactionId, TransactionRecord, missing, record_key};

/// Reads the transaction record of an attempt. A missing row says nothing about the attempt (M3).
pub(crate) async fn read_transaction_record(
    repository: &Repository,
    caller: Caller<'_>,
    transaction_id: &TransactionId,
) -> Result<TransactionRecord, Error> {
    let at = ItemRef { table: repository.lane_table()?, key: record_key(&transaction_id.lane) };
    let item = row(repository, caller, &at).await.map_err(of_lanes)?;
    item.map_or_else(|| Err(missing(transaction_id)), |item| TransactionRecord::read(&item))
}

/// Reads a row, consistently.
pub(crate) async fn row(repository: &Repository, caller: Caller<'_>, at: &ItemRef) -> Result<Option<Item>, Error> {
    read_row(repository, (caller.operation, caller.entity), &at.table, at.key.clone()).await
}

/// Sends a write whose condition lets it pass once.
pub(crate) async fn send(repository: &Repository, caller: Caller<'_>, row: RowWrite) -> Result<RowAnswer, Error> {
    let table = row.table.clone();
    write_row(repository, Ask::new(caller.about(&table)), row).await
}
