//! Writes: from a typed command to the requests that apply it, as a single write or as an action of a native transaction.
//!
//! `write_command` holds what the caller asked for. `rule_input` makes of it what the rules of the entity judge, and
//! `write_meaning` its request, with the changes of `update_changes`. A write takes steps, which are data (`write_steps`).
//! `compose` computes the next request, or the read or put that must come before it; `verdict` evaluates a denial. Neither sends
//! anything. `drive_writes` is the one loop that carries out the steps, for a single write (`single_write`, sent by `transmit`)
//! and for the writes of a native transaction (`transaction::native`). `retry_limits` limits the loop, `rows_to_send` keeps a
//! request for retries, and `put_history_row` puts rows of histories. `unique_values` has the rows by which a write claims its
//! unique values.
//!
//! `write_batch` sends many unconditional writes in one request. `modify_loop` loads an item, changes it and writes it back, and
//! begins again if another writer was faster; `merge` keeps what the change did not touch, and `kept_attributes` what it may not
//! touch. `doubtful_change` says what became of a change without an answer. `rollback` does the same with an earlier revision, and `modify_each` with every item of a scan, and has checkpoints.
//! `repair_history` gives an item a new number after its history. `sweep_guards` removes the guards of unique values that no item
//! has any more. `accept_equal` sends a create that is also done if an equal item is stored.
//! `for_cost` has what the cost of commands needs of those that are more than one write.

mod accept_equal;
pub(crate) mod compose;
mod doubtful_change;
pub(crate) mod drive_writes;
#[cfg(feature = "model")]
pub(crate) mod for_cost;
mod kept_attributes;
mod key_list_phases;
mod late_arrival;
mod merge;
#[cfg(feature = "bulk")]
mod modify_each;
pub(crate) mod modify_loop;
mod put_history_row;
mod repair_history;
pub(crate) mod retry_limits;
pub(crate) mod rewrite;
mod rollback;
pub(crate) mod rows_to_send;
mod rule_input;
mod shape_lock;
pub(crate) mod single_write;
#[cfg(feature = "bulk")]
mod sweep_guards;
#[cfg(test)]
mod tables;
mod transmit;
pub(crate) mod unique_values;
mod update_changes;
pub(crate) mod verdict;
mod write_batch;
mod write_command;
pub(crate) mod write_meaning;
pub(crate) mod write_steps;

pub(crate) use accept_equal::accept_equal;
pub(crate) use merge::merge;
#[cfg(feature = "bulk")]
pub use modify_each::{Checkpoint, Failure, Progress};
#[cfg(feature = "bulk")]
pub(crate) use modify_each::{ModifyEachCallbacks, ModifyEachCommand};
#[cfg(feature = "transactions")]
pub(crate) use modify_loop::check_attempts;
pub(crate) use modify_loop::{ModifyCommand, ModifyKind, ModifyOutcome};
pub(crate) use repair_history::RepairCommand;
pub(crate) use rollback::{restore, roll_back};
#[cfg(feature = "bulk")]
pub use sweep_guards::SweptGuards;
#[cfg(feature = "bulk")]
pub(crate) use sweep_guards::sweep_guards;
pub(crate) use write_batch::{BatchFailure, BatchedWrite, batch_write};
pub(crate) use write_command::{Applied, WriteCommand, Written};
