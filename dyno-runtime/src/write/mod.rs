//! Items that go out: a command becomes the write of a row, as a single write or together with others in a transaction.
//!
//! `write_command` is what the user asked for; `write_meaning` is what it does under the rules (`update_changes` has the changes);
//! `rows_to_send` is what DynamoDB is sent. A write is taken by steps, which are data (`write_steps`): `compose` returns what to send, or
//! what to read or put before that; `verdict` judges a refusal. Neither sends anything. `drive_writes` is the one loop that takes the
//! steps, for a single write (`single_write`, sent by `transmit`) and for the writes of a transaction (`transaction::native`);
//! `retry_limits` bounds it. `put_history_row` puts rows of histories.
//!
//! `write_batch` sends many writes at once. `modify_loop` loads, changes and writes, and starts again if another writer was faster;
//! `merge` keeps what the change did not touch. `rollback` does the same with an earlier revision, and `modify_each` with each item of
//! a scan, up to a checkpoint. `repair_history` gives an item another number.

pub(crate) mod compose;
pub(crate) mod drive_writes;
mod key_list_phases;
mod late_arrival;
mod merge;
mod modify_each;
pub(crate) mod modify_loop;
mod put_history_row;
mod read_key_row;
mod repair_history;
pub(crate) mod retry_limits;
mod rollback;
pub(crate) mod rows_to_send;
pub(crate) mod single_write;
#[cfg(test)]
mod tables;
mod transmit;
mod update_changes;
pub(crate) mod verdict;
mod write_batch;
mod write_command;
pub(crate) mod write_meaning;
pub(crate) mod write_steps;

pub(crate) use merge::merge;
pub use modify_each::{Checkpoint, Failure, InvalidCheckpoint, Progress};
pub(crate) use modify_each::{Each, EachCommand};
pub(crate) use modify_loop::{ModifyCommand, ModifyKind, ModifyOutcome, check_attempts};
pub(crate) use repair_history::RepairCommand;
pub(crate) use rollback::roll_back;
pub(crate) use write_batch::{BatchFailure, BatchedWrite, batch_write};
pub(crate) use write_command::{Applied, WriteCommand, Written};
