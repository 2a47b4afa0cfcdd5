//! Rows of any entity that the library itself reads and writes, and transactions of them.

pub(super) mod kept_row;
#[cfg(any(feature = "bulk", feature = "transactions"))]
pub(super) mod many_rows;
pub(super) mod row_read;
#[cfg(any(feature = "bulk", feature = "inspection", feature = "json-lines", feature = "transactions"))]
pub(super) mod row_scan;
pub(super) mod row_write;
pub(crate) mod transact;
