//! Items that go out: a command becomes the write of a row, alone, with what belongs to it, or together with others.
//!
//! `command` is what is asked, `send` how it is sent, `row` what DynamoDB is told (`update` makes its expressions),
//! `transmit` sends one and `pair` two. `versioned` sends writes that change a version and `echo` reads their refusals,
//! with `history` for what else they write. `keys` sends updates with idempotency keys, `elements` finds elements of
//! lists. `transact` puts many writes into one, `batch` sends many at once. `modify` loads, changes and writes, and again
//! where another writer was faster; `merge` keeps what nobody changes. `modify_each` does so item after item of a scan,
//! up to a checkpoint.

mod batch;
mod command;
mod echo;
mod elements;
mod history;
mod keys;
mod merge;
mod modify;
mod modify_each;
mod pair;
mod repair;
mod row;
mod send;
mod transact;
mod transmit;
mod update;
mod versioned;

pub(crate) use batch::{BatchFailure, BatchedWrite, batch_write};
pub(crate) use command::{Applied, WriteCommand, Written};
pub(crate) use merge::merge;
pub(crate) use modify::{RedoCommand, Redone, restored};
pub use modify_each::{Checkpoint, Failure, InvalidCheckpoint, Progress};
pub(crate) use modify_each::{Each, EachCommand};
pub(crate) use repair::RepairCommand;
pub(crate) use transact::{Action, Concluded, RefusedAction, RefusedTransaction, TransactionCommand};
