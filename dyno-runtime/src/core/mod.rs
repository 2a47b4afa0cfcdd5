//! The part that is not generic: a schema and items in, requests of the SDK and outcomes out.
//!
//! Typed commands (`command`) are thin shells around it, so that each entity adds little to what has to be
//! compiled. `write` and `read` make requests (`update` their expressions), `transmit` sends one, `pages` reads on until a limit
//! is met, from a `cursor`. `versioned` sends writes that
//! change a version and `echo` reads their refusals, with `history` and `transact` for what else they write; `attempts` is
//! what is remembered of them. `keyed` sends updates with idempotency keys, `locate` finds elements of lists. `transaction`
//! puts many writes into one, `transact_get` many gets; `batch` sends many at once. `redo` loads,
//! changes and writes, and again where another writer was faster; `merge` keeps what nobody changes. `each` does so item after
//! item of a scan, up to a `checkpoint`.

mod batch;
mod checkpoint;
mod cursor;
mod each;
mod echo;
mod history;
mod keyed;
mod locate;
mod merge;
mod pages;
mod progress;
mod read;
mod redo;
mod repair;
mod request;
mod revisions;
mod row;
mod transact;
mod transact_get;
mod transaction;
mod transmit;
mod update;
mod upgrade;
mod versioned;
mod write;

pub(crate) use batch::BatchedWrite;
pub(crate) use batch::{
    BatchFailure, BatchGetCommand, CONCURRENCY, InTable, Read, batch_get, batch_get_each, batch_write,
};
pub use checkpoint::{Checkpoint, InvalidCheckpoint};
pub(crate) use cursor::Place;
pub use cursor::{Cursor, InvalidCursor};
pub(crate) use each::{Each, EachCommand};
pub(crate) use merge::merge;
pub(crate) use pages::{Pages, RawPage, ReadCommand, SEGMENTS, Shared, Source, owner, rows};
pub use progress::{Failure, Progress};
pub(crate) use read::GetCommand;
pub(crate) use redo::{RedoCommand, Redone, restored};
pub(crate) use repair::RepairCommand;
pub use request::Request;
pub(crate) use revisions::RevisionsCommand;
pub(crate) use transact_get::TransactGetCommand;
pub(crate) use transaction::Action;
pub(crate) use transaction::{Concluded, RefusedAction, RefusedTransaction, TransactionCommand};
pub(crate) use upgrade::{check_part, outdated, resolve, upgrade};
pub(crate) use write::{Applied, WriteCommand, Written};
