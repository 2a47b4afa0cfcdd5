//! Items that come in: what a read asks, how it is read on, and what of an item is seen.

mod cursor;
mod cursor_scope;
mod get_item;
mod history_table;
mod query;
mod query_pages;
mod read_batch;
mod read_level;
mod read_revisions;
mod reader;
mod transact_get_items;
mod upgrade;
mod view;

pub use cursor::{Cursor, InvalidCursor};
pub(crate) use cursor::{Place, from_text, to_text};
pub(crate) use get_item::{GetCommand, wanted};
pub(crate) use history_table::Table;
pub(crate) use query::{ReadCommand, ReadOptions, Returns, SEGMENTS, Shared, Source, check_segment};
pub(crate) use query_pages::{Paged, Pages, RawPage, rows, up_to};
pub(crate) use read_batch::{BatchGetCommand, InTable, Read, batch_get, batch_get_each};
pub(crate) use read_level::{Level, is_held, refuse_uncommitted};
pub(crate) use read_revisions::RevisionsCommand;
pub(crate) use transact_get_items::{Moment, TransactGetCommand, named};
pub(crate) use upgrade::{check_part, resolve, upgrade};
pub(crate) use view::{Seen, Shape, Whose, attributes_of_readers, see};
