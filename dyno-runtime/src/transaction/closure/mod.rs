//! A transaction that reads, decides and writes in a closure of the caller: one run of the closure, and how its writes reach
//! DynamoDB.
//!
//! While the closure runs, `session` reads rows for it and holds back its writes. `read_write_set` keeps both, row by row. When
//! the closure has returned, `prepare_attempt` makes one attempt of them: `fold_writes` joins the writes of a row,
//! `predict_write` computes without a request which item a write would make, and `row_identity` recognises a row that was read.
//! `native_size` tells whether the attempt fits a native transaction. `transaction_attempt` sends the attempt, and sends it again
//! if its answer was lost. `validate_reads` reads again what was only read. The loop that runs the closure again is in
//! `command::interactive`, because only the typed command has the closure.

mod choose_client_side;
mod fold_writes;
mod native_size;
mod predict_write;
mod prepare_attempt;
mod read_ranges;
mod read_write_set;
mod row_identity;
mod session;
mod stored_versions;
mod transaction_attempt;
mod validate_reads;

pub(crate) use fold_writes::{AfterWrites, Folded, fold};
pub(crate) use predict_write::{Outcome, Predicted, Prediction, predict};
pub(crate) use prepare_attempt::Prepared;
pub(crate) use read_ranges::Range;
pub(crate) use read_write_set::{EntityRef, Row};
pub(crate) use row_identity::is_same;
pub(crate) use session::{Run, Session};
pub(crate) use stored_versions::{StoredVersions, by_action};
pub(crate) use transaction_attempt::{Attempt, AttemptResult, Report};
pub(crate) use validate_reads::{are_free, hold};
