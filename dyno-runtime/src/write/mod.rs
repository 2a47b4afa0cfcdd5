//! Items that go out: a command becomes the write of a row, alone, with what belongs to it, or together with others.
//!
//! `command` is what is asked, `meaning` what it does under the rules (`update` has the changes), `row` what DynamoDB is told. A
//! write is taken by steps, which are data (`step`): `compose` says what is to be sent, given what is known, and what must be
//! read or put before that; `verdict` what a refusal means. Neither sends anything. `drive` is the one loop that takes the
//! steps, for one write by itself (`alone`, sent by `transmit`) and for many in a transaction (`transact`); `patience` says how
//! often. `history` puts rows of histories. `foretold` says what would come of a write, and sends nothing: `interactive` asks it,
//! for transactions that read, decide and write in a closure.
//!
//! `batch` sends many at once. `modify` loads, changes and writes, and again where another writer was faster; `merge` keeps
//! what nobody changes. `rollback` does so with what an earlier revision was, and `modify_each` item after item of a scan, up
//! to a checkpoint. `repair` gives an item another number.

pub(crate) mod alone;
mod batch;
mod command;
pub(crate) mod compose;
pub(crate) mod drive;
mod history;
mod key_list_phases;
mod key_row;
pub(crate) mod meaning;
mod merge;
pub(crate) mod modify;
mod modify_each;
pub(crate) mod patience;
mod repair;
mod rollback;
pub(crate) mod row;
pub(crate) mod step;
#[cfg(test)]
mod tables;
mod transmit;
mod twice;
mod update;
pub(crate) mod verdict;

pub(crate) use batch::{BatchFailure, BatchedWrite, batch_write};
pub(crate) use command::{Applied, WriteCommand, Written};
pub(crate) use key_list_phases::Phases;
pub(crate) use merge::merge;
pub(crate) use modify::{RedoCommand, Redone, check_attempts};
pub use modify_each::{Checkpoint, Failure, InvalidCheckpoint, Progress};
pub(crate) use modify_each::{Each, EachCommand};
pub(crate) use repair::RepairCommand;
pub(crate) use rollback::roll_back;
