//! The typed commands: values that the derive's functions return, each with one `send`.
//!
//! They only give types to `read` and `write`: the options that a command has, and the result that its `send` returns.

pub(crate) mod absent_commands;
#[cfg(not(all(feature = "inspection", feature = "transactions")))]
mod absent_features;
mod actions;
mod answer_types;
mod batch_get;
mod batch_write;
mod check;
mod delete;
mod get;
mod get_by_unique;
mod in_doubt;
mod index;
mod index_scan;
mod index_sort;
#[cfg(feature = "transactions")]
mod interactive;
mod items;
mod modify;
mod modify_each_command;
mod pages;
mod put;
mod read;
mod repair;
mod revisions;
mod search;
mod shared;
mod sort;
#[cfg(feature = "transactions")]
mod sweep;
mod sweep_guards;
mod transact_get;
mod transaction;
mod update;

pub use crate::entity::{ReturnsNoItem, ReturnsNothing};
pub use crate::exchange::Sending;
#[cfg(feature = "transactions")]
pub use crate::transaction::lanes::{SweepReport, Unresolved};
#[cfg(feature = "transactions")]
pub use crate::transaction::resolve::Overwritten;
pub use crate::write::{Failure, SweptGuards};
pub use actions::{CheckActions, Count, DeleteActions, Enlist, PutActions, UpTo100, UpdateActions};
pub use batch_get::{BatchGet, BatchGets, JointBatchGet, batch_get};
pub use batch_write::{BatchAction, BatchFailure, BatchWrite, BatchWritten, Unconditional};
pub use check::Check;
pub use delete::{Delete, Purge};
pub use get::Get;
pub use get_by_unique::GetByUnique;
pub use index::{Asked, IndexQuery, Open, Partial, Parts, Ranged, Whole};
pub use index_scan::{Held, IndexScan, ScannedIndex};
#[cfg(feature = "transactions")]
pub(crate) use interactive::RequestId;
#[cfg(feature = "transactions")]
pub use interactive::{
    AnyError, ClosureError, Interactive, OwnError, Reading, Stored, Tx, TxBatchGet, TxChecks, TxDeletes, TxGet, TxPuts,
    TxQuery, TxUpdates,
};
pub use items::Items;
pub use modify::{EditResult, Modify, Rollback};
pub use modify_each_command::ModifyEach;
pub use pages::IntoPlace;
pub use put::{Create, Put, Replace, Undelete};
pub use read::{Page, ParallelScan, Query, Scan};
pub use repair::Repair;
pub use revisions::{GetRevision, Revision, RevisionStream, Revisions};
pub use search::{IntoSearchFilter, Match, Matches, Search, SearchFilter};
pub use shared::{AggregateQuery, EntitiesQuery};
pub use sort::{AnySort, SortBound, SortPrefix};
#[cfg(feature = "transactions")]
pub use sweep::Sweep;
pub use sweep_guards::SweepGuards;
pub use transact_get::{Gets, TransactGet};
pub use transaction::Transaction;
pub use update::{ChecksVersion, Update, VersionedUpdate};
