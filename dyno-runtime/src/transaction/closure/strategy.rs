//! The strategy of a transaction: native, which costs least where it fits, or client-side.

use super::read_write_set::Row;
use crate::error::Error;
use crate::exchange::transact::{ACTIONS, BYTES};
use crate::key::item_size;
use crate::schema::{Schema, Store};

/// The strategy that the caller chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Strategy {
    #[default]
    Auto,
    Native,
    ClientSide,
    /// Both, which is a mistake of the caller.
    Both,
}

impl Strategy {
    /// Combines two choices of the caller.
    pub(crate) fn and(self, other: Self) -> Self {
        if self == Self::Auto || self == other { other } else { Self::Both }
    }

    /// Refuses a transaction that is to be both.
    pub(crate) fn check(self) -> Result<(), Error> {
        if self != Self::Both {
            return Ok(());
        }
        Err(Error::invalid("the transaction is to go `native` and `client_side`: leave one of them out"))
    }

    /// Whether these rows are sent client-side.
    pub(crate) fn is_apart(self, rows: &[Row]) -> bool {
        match self {
            Self::Native | Self::Both => false,
            Self::ClientSide => true,
            Self::Auto => {
                let actions: usize = rows.iter().map(actions_of).sum();
                actions > ACTIONS || rows.iter().map(bytes_of).sum::<usize>() > BYTES
            }
        }
    }
}

/// The number of actions that a row takes in a native transaction.
fn actions_of(row: &Row) -> usize {
    if row.actions.is_empty() {
        return row.read.is_some().into();
    }
    let is_written = row.actions.iter().any(|enlisted| enlisted.action.command.is_write());
    let is_keyed = row.actions.iter().any(|enlisted| enlisted.action.command.has_dedup_key());
    1 + rows_beside(row.of.schema, is_written, is_keyed)
}

/// The number of rows of histories and idempotency keys that go with a write.
pub(crate) fn rows_beside(schema: &Schema, is_written: bool, is_keyed: bool) -> usize {
    let has_key_row = is_keyed && matches!(schema.key_store(), Some(Store::Row { .. }));
    usize::from(has_key_row) + usize::from(is_written && schema.history.is_some())
}

/// The bytes that DynamoDB counts for a row, as far as they are known: of a written row, the larger of the item that is there and
/// the item that is put.
fn bytes_of(row: &Row) -> usize {
    let writes = row.actions.iter().filter(|enlisted| enlisted.action.command.is_write());
    let put = writes.filter_map(|enlisted| enlisted.action.command.item.as_ref().ok()).map(item_size).max();
    let there = row.read.as_ref().and_then(Option::as_ref).map_or(0, item_size);
    put.map_or(0, |put| put.max(there))
}
