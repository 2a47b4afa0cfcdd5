//! Rows that the library itself reads and writes, whatever entity they are of, and transactions of them.

pub(super) mod kept_row;
pub(super) mod row_read;
pub(super) mod row_scan;
pub(super) mod row_write;
pub(crate) mod transact;
