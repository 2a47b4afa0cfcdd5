//! The typed commands: values that the derive's functions return, each with one `send`.
//!
//! They only give types to `read` and `write`: the options that a command has, and the result that its `send` returns.

pub(crate) mod absent;
mod answer_types;
#[cfg(feature = "model")]
mod command_costs;
mod many;
mod read;
mod shared;
mod transaction;
mod write;

pub use crate::entity::{ReturnsNoItem, ReturnsNothing};
pub use crate::exchange::Sending;
pub use crate::rule::{IntoTokens, NoTokens};
#[cfg(feature = "transactions")]
pub use crate::transaction::lanes::{SweepReport, Unresolved};
#[cfg(feature = "transactions")]
pub use crate::transaction::resolve::Overwritten;
#[cfg(feature = "bulk")]
pub use crate::write::{Failure, SweptGuards};
#[cfg(not(feature = "vectors"))]
#[doc(hidden)]
pub use absent::absent_search::{Search, SearchFilter};
pub use many::batch_get::{BatchGet, BatchGets, JointBatchGet, batch_get};
pub use many::batch_write::{BatchAction, BatchFailure, BatchWrite, BatchWritten, Unconditional};
#[cfg(feature = "bulk")]
pub use many::each_commands::{DeleteEach, ModifyEach};
#[cfg(feature = "bulk")]
pub use many::send_many::{Input, Outcomes, SendMany, SentOne};
#[cfg(feature = "json-lines")]
pub(crate) use many::send_many::{Prepared, sealed};
#[cfg(feature = "bulk")]
pub use many::send_many_checkpoint::InputCheckpoint;
#[cfg(feature = "bulk")]
pub use many::sweep_guards::SweepGuards;
pub use read::get::Get;
pub use read::get_by_unique::GetByUnique;
pub use read::hydrate::Hydrate;
pub use read::index::{Asked, IndexQuery, Open, Partial, Parts, Ranged, Whole};
pub use read::index_scan::{Held, IndexScan, ScannedIndex};
pub use read::items::Items;
pub use read::pages::IntoPlace;
pub use read::query_and_scan::{Page, ParallelScan, Query, Scan};
pub use read::revisions::{GetRevision, Revision, RevisionStream, Revisions};
#[cfg(feature = "vectors")]
pub use read::search::{IntoSearchFilter, Match, Matches, Search, SearchFilter};
pub use read::sort::{AnySort, SortBound, SortPrefix};
pub use shared::{AggregateQuery, EntitiesQuery};
pub use transaction::Transaction;
pub use transaction::actions::{CheckActions, Count, DeleteActions, Enlist, PutActions, UpTo100, UpdateActions};
pub use transaction::check::Check;
#[cfg(feature = "transactions")]
pub(crate) use transaction::interactive::RequestId;
#[cfg(feature = "transactions")]
pub use transaction::interactive::{
    AnyError, ClosureError, Interactive, OwnError, Reading, Stored, Tx, TxBatchGet, TxChecks, TxDeletes, TxGet, TxPuts,
    TxQuery, TxUpdates,
};
#[cfg(feature = "transactions")]
pub use transaction::sweep::Sweep;
pub use transaction::transact_get::{Gets, TransactGet};
pub use write::accept_equal::AcceptEqual;
pub use write::delete::{Delete, Purge};
pub use write::modify::{EditResult, Modify, Rollback};
pub use write::put::{Create, Put, Replace, Undelete};
pub use write::repair::Repair;
pub use write::restore::Restore;
pub use write::update::{ChecksVersion, Update, VersionedUpdate};
