//! Items that come in: what a read asks, how it is read on, and what of an item is seen.

mod asked;
mod batch;
mod cursor;
mod get;
mod history;
mod level;
mod pages;
mod query;
mod reader;
mod revisions;
mod snapshot;
mod upgrade;
mod view;

pub(crate) use batch::{BatchGetCommand, InTable, Read, batch_get, batch_get_each};
pub use cursor::{Cursor, InvalidCursor};
pub(crate) use cursor::{Place, from_text, to_text};
pub(crate) use get::{GetCommand, wanted};
pub(crate) use history::Table;
pub(crate) use level::{Level, is_held, refuse_uncommitted};
pub(crate) use pages::{Paged, Pages, RawPage, rows, up_to};
pub(crate) use query::{ReadCommand, Returns, SEGMENTS, Shared, Source, check_segment};
pub(crate) use revisions::RevisionsCommand;
pub(crate) use snapshot::{Moment, TransactGetCommand, named};
pub(crate) use upgrade::{check_part, resolve, upgrade};
pub(crate) use view::{Seen, Shape, Whose, attributes_of_readers, see};
