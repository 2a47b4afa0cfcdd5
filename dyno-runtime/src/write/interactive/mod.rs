//! A transaction that reads, decides and writes in a closure of the caller's: what one run of the closure has read and is to
//! write, and how that gets to DynamoDB, all or nothing.
//!
//! While the closure runs, `session` reads rows for it, and holds back its writes: a `book` has both, row by row. When it has
//! returned, `plan` makes one attempt of that, in one request or by intents (`way`, `intents`): `fold` makes one write of the writes of a row, and `known` says of each row that
//! was read that it is to be as it was. An `attempt` is sent, again where its answer was lost, and says what came of it;
//! `validate` reads once more what was read, where nothing is written that would tell. The loop is the typed command's, since
//! only that can run the closure again.

mod attempt;
mod book;
mod fold;
mod intents;
mod known;
mod plan;
mod range;
mod session;
mod stored;
mod validate;
mod way;

pub(crate) use attempt::{Attempt, Came, Report};
pub(crate) use book::Of;
pub(crate) use fold::Shown;
pub(crate) use intents::{Claim, Wanted};
pub(crate) use plan::Planned;
pub(crate) use session::{Run, Session};
pub(crate) use stored::StoredVersions;
pub(crate) use way::{Way, rows_beside};
