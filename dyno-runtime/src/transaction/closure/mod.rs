//! A transaction that reads, decides and writes in a closure of the caller's: one run of the closure, and how its writes reach DynamoDB.
//!
//! While the closure runs, `session` reads rows for it and holds back its writes; `read_write_set` has both, row by row. When the closure
//! has returned, `prepare_attempt` makes one attempt of them, native or client-side (`strategy`): `fold_writes` joins the writes of a
//! row, `predict_write` says without a request what a write would make of an item, and `row_identity` recognises a row that was read.
//! `transaction_attempt` is sent, again where its answer was lost. `validate_reads` reads once more what was only read. The loop is
//! `command::interactive`'s, since only the typed command can run the closure again.

mod fold_writes;
mod predict_write;
mod prepare_attempt;
mod read_ranges;
mod read_write_set;
mod row_identity;
mod session;
mod stored_versions;
mod strategy;
mod transaction_attempt;
mod validate_reads;

pub(crate) use fold_writes::{Folded, Shown, fold};
pub(crate) use predict_write::{Outcome, Predicted, Prediction, predict};
pub(crate) use prepare_attempt::Planned;
pub(crate) use read_ranges::Range;
pub(crate) use read_write_set::{EntityRef, Row};
pub(crate) use row_identity::is_same;
pub(crate) use session::{Run, Session};
pub(crate) use stored_versions::{StoredVersions, by_action};
pub(crate) use strategy::{Strategy, rows_beside};
pub(crate) use transaction_attempt::{Attempt, AttemptResult, Report};
pub(crate) use validate_reads::{are_free, hold};
