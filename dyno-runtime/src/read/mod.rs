//! Reads: gets, batches, queries, scans and histories, and how an item that was read is evaluated.

mod cursor;
mod cursor_scope;
mod decode_error;
mod entity_set;
mod find_unique;
mod get_item;
mod history_table;
mod hydrate;
mod query;
mod query_pages;
mod question;
mod read_batch;
mod read_level;
mod read_revisions;
mod reader;
#[cfg(feature = "vectors")]
mod search_vectors;
mod transact_get_items;
mod upgrade;
mod view;

pub use cursor::Cursor;
pub(crate) use cursor::Place;
#[cfg(feature = "bulk")]
pub(crate) use cursor::{from_text, to_text};
pub(crate) use decode_error::decode_error;
pub(crate) use entity_set::EntitySet;
pub(crate) use find_unique::FindUniqueCommand;
pub(crate) use get_item::{GetCommand, present};
pub(crate) use history_table::HistoryTable;
pub(crate) use hydrate::HydratedPages;
#[cfg(feature = "transactions")]
pub(crate) use query::ReadOptions;
#[cfg(feature = "bulk")]
pub(crate) use query::check_segment;
pub(crate) use query::{ReadCommand, Returns, SEGMENTS, Source};
pub(crate) use query_pages::{Paged, Pages, RawPage, rows, up_to};
pub(crate) use question::Question;
pub(crate) use read_batch::{BatchGetCommand, InTable, Read, batch_get, batch_get_each};
#[cfg(feature = "transactions")]
pub(crate) use read_level::refuse_uncommitted;
pub(crate) use read_level::{Level, is_held};
pub(crate) use read_revisions::{RevisionPage, RevisionsCommand, Timeline};
#[cfg(feature = "vectors")]
pub(crate) use search_vectors::{Closest, SearchCommand};
#[cfg(feature = "transactions")]
pub(crate) use transact_get_items::Snapshot;
pub(crate) use transact_get_items::TransactGetCommand;
#[cfg(feature = "transactions")]
pub(crate) use transact_get_items::error_of_get;
#[cfg(feature = "bulk")]
pub(crate) use upgrade::normalize;
pub(crate) use upgrade::{check_part, normalized, outdated, upgrade};
#[cfg(feature = "streams")]
pub(crate) use view::ItemView;
#[cfg(any(feature = "inspection", feature = "streams"))]
pub(crate) use view::Shape;
#[cfg(feature = "tables")]
pub(crate) use view::attributes_of_readers;
pub(crate) use view::{Owner, see};
