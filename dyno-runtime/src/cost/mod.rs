//! The cost of a command before it is sent: requests and capacity units, at least and at most.
//!
//! `bounds` has the public types. `row` computes the units of one row, and `index` those of the indexes. `write` takes the rows
//! of a write from the one composer, and adds what comes before the request and what follows a denial; `history` does so for
//! entities with an ordered history. `native` adds up the actions of a native transaction, `batch` the items of batches, and
//! `read` computes reads. Nothing is sent.

mod batch;
mod bounds;
mod history;
mod index;
mod native;
mod read;
mod row;
mod write;

pub(crate) use batch::{of_batch_get, of_batch_write};
pub use bounds::{Bounds, Cost};
pub(crate) use native::of_transaction;
pub(crate) use read::of_read;
pub(crate) use write::{of_modify, of_write};

use crate::error::Error;
use crate::key::check_bytes;

/// Refuses a size that no item has.
fn check_stored(bytes: usize) -> Result<(), Error> {
    check_bytes(bytes).map_err(|error| error.of("the size that was passed to `cost`"))
}
