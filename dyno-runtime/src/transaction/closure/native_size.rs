//! Whether the rows of a run exceed the limits of a native transaction.

use super::choose_client_side::rows_beside;
use crate::exchange::row::transact::{ACTIONS, BYTES};
use crate::key::item_size;
use crate::transaction::attempt::Row;

/// Returns `true` if one `TransactWriteItems` cannot take the writes of these rows and a check of each row that was only read.
pub(crate) fn is_too_large(rows: &[Row]) -> bool {
    rows.iter().map(native_actions).sum::<usize>() > ACTIONS || rows.iter().map(item_bytes).sum::<usize>() > BYTES
}

/// Returns the number of actions that a row takes in a native transaction.
fn native_actions(row: &Row) -> usize {
    if row.actions.is_empty() {
        return row.read.is_some().into();
    }
    let is_written = row.actions.iter().any(|enlisted| enlisted.action.command.is_write());
    let is_keyed = row.actions.iter().any(|enlisted| enlisted.action.command.has_dedup_key());
    1 + rows_beside(row.of.schema, is_written, is_keyed)
}

/// Returns the bytes of a row as far as they are known: DynamoDB counts the larger of the stored item and the item that is put.
fn item_bytes(row: &Row) -> usize {
    let writes = row.actions.iter().filter(|enlisted| enlisted.action.command.is_write());
    let put = writes.filter_map(|enlisted| enlisted.action.command.item.as_ref().ok()).map(item_size).max();
    let stored = row.read.as_ref().and_then(Option::as_ref).map_or(0, item_size);
    put.map_or(0, |put| put.max(stored))
}
