//! The reads and writes of one run of a closure, and the attempt made of them: everything that `client_side` and `closure` share.
//!
//! A `run` has its reads and writes in `read_write_set`, row by row, and `validate_ranges` has the queries. `fold_writes` joins the
//! writes of a row, `predict_write` computes without a request which item a write would make, and `row_identity` recognises a row
//! that was read. `validate_reads` reads again what was only read. A `result` is what the attempt ends with.

mod fold_writes;
mod predict_write;
mod read_write_set;
mod result;
mod row_identity;
mod run;
mod stored_versions;
mod validate_ranges;
mod validate_reads;

pub(crate) use fold_writes::{AfterWrites, Folded, after_writes, fold};
pub(crate) use predict_write::{Outcome, Predicted, Prediction, predict};
pub(crate) use read_write_set::{EntityRef, ReadWriteSet, Row};
pub(crate) use result::{AttemptResult, Report};
pub(crate) use row_identity::{image, image_beside_version, image_of_whole_row, is_same};
pub(crate) use run::Run;
pub(crate) use stored_versions::{StoredVersions, by_action};
pub(crate) use validate_ranges::Range;
pub(crate) use validate_reads::{ReadRow, are_free, are_of_one_moment, are_unchanged, changed_rows, hold};
