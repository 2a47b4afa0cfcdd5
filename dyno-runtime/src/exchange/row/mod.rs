//! Rows of any entity that the library itself reads and writes, and transactions of them.

pub(super) mod kept_row;
pub(super) mod row_read;
pub(super) mod row_scan;
pub(super) mod row_write;
pub(crate) mod transact;
