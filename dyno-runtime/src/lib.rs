//! Annotate a struct, get typed DynamoDB commands whose conditions are right under retries, reordering and
//! concurrency.
//!
//! ```
//! use dyno::{Entity, EpochMillis, Repository};
//!
//! #[derive(Entity, Clone, Debug, PartialEq)]
//! #[entity(table = "ratings", rename_all = "PascalCase")]
//! #[partition_key(name = "PK", template = "User#{user_id}")]
//! #[sort_key(name = "SK", template = "Movie#{movie_id}")]
//! #[tombstone(ttl_days = 7, deleted = "Deleted", ttl = "TTL")]
//! struct Rating {
//!     user_id: String,
//!     movie_id: String,
//!     rating: u8,
//!     #[ratchet]
//!     timestamp: EpochMillis,
//! }
//!
//! # #[cfg(not(feature = "local"))] fn main() {}
//! # #[cfg(feature = "local")] #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), dyno::Error> {
//! // The embedded engine. In production, it is `Repository::new(client)`.
//! let repository = Repository::local().await?;
//! repository.create_table::<Rating>().await?;
//!
//! let at = |millis: i64| EpochMillis::new(1_721_757_900_000 + millis);
//! let rating = |rating, timestamp| {
//!     Rating { user_id: "1".into(), movie_id: "A".into(), rating, timestamp }
//! };
//! let newer = rating(5, at(10));
//! newer.put().send(&repository).await?.applied()?;
//!
//! // An older write that comes late is refused, and says by what.
//! let outcome = rating(3, at(0)).put().send(&repository).await?;
//! let refusal = outcome.refusal().expect("it is stale");
//! assert!(refusal.is_stale());
//! assert_eq!(refusal.current()?.and_then(dyno::Found::live), Some(newer));
//!
//! // A delete leaves a tombstone, which refuses older writes just so. A consumer of a stream
//! // accepts that.
//! Rating::delete(("1", "A"), at(20)).send(&repository).await?.applied()?;
//! rating(4, at(15)).put().send(&repository).await?.accept_stale()?;
//! assert_eq!(Rating::get(("1", "A")).consistent().send(&repository).await?, None);
//! # Ok(()) }
//! ```
//!
//! The [`guide`] has a page for each subject, from events that arrive late to many items at once.
//!
//! # The parts
//!
//! - The derives [`Entity`](derive@Entity) and [`Document`](derive@Document): what can be said of a struct.
//! - Versions: with `#[version]`, writes expect the version that was loaded and return the one they stored; [`Modify`]
//!   loads, changes and writes until nobody was faster. With `#[history_table]`, [`Revisions`], [`GetRevision`] and
//!   [`Rollback`] go back, and [`Repair`] brings the two together again where they are not.
//! - Changes: [`Field`] has what each type can do, from [`add`](Field::add) to [`remove_value`](Field::remove_value). With
//!   `#[idempotency]`, [`Update::idempotency_key`] makes an update once, and [`capacity`] is the arithmetic of it.
//! - Commands: [`Get`], [`Put`], [`Create`], [`Replace`], [`Update`], [`Delete`], [`Undelete`], [`Purge`], [`Query`],
//!   [`Scan`], [`BatchGet`], [`BatchWrite`]. They are values: made by the functions that the derive generates, shown by
//!   `request`, sent by `send`.
//! - [`Transaction`] puts up to 100 writes and [`Check`]s into one, all applied or none; [`TransactGet`] reads as of one
//!   moment. [`TransactionOutcome`] says of each action why it refused.
//! - Older rows: aliases and schema versions are read as they are ([`Entity`](derive@Entity)); [`ModifyEach`] brings a whole
//!   table up to date while others go on writing, and goes on from its [`Checkpoint`] after a break.
//! - [`Condition`]s, filters and [`Change`]s are made of the handles that the generated `fields()` returns ([`Field`]):
//!   `fields.rating.ge(3) & !fields.note.exists()`, `fields.note.set("seen")`.
//! - [`Outcome`]: a write that a rule may refuse ends in one. A [`Refusal`] names its reasons and has the item that
//!   was there: DynamoDB returns it with the refusal, so no read is needed. [`Error`] is for what went wrong.
//! - Tables: [`Repository::create_table`] makes what is missing, [`Repository::verify_table`] lists every [`Difference`].
//! - [`Repository`]: the SDK's client, the tables' names, the clock, and what was used.
//! - [`stream`]: what a table's stream tells, as changes of entities.
//! - [`Value`] and [`Attribute`]: what can be stored, and as what.
//!
//! # One request, one meaning
//!
//! Every write is one request, whose condition is composed of all the rules of its entity; what takes more (a history, a
//! create that goes on with a tombstone's numbers) says so. A write's token and time are fixed before the first attempt, so
//! that the SDK's retries send the same. What a lost answer and a retry mean for each command is said in its documentation.
//!
//! # When no answer comes
//!
//! A write whose answer was lost may have been applied, and what its later attempts are answered (`AccessDenied`, throttling,
//! a conflict) does not change that. [`Error::may_be_applied`] says it, whatever the kind of the error: that it was not is
//! certain of an attempt which DynamoDB itself refused with status 4xx, and of a connection that was refused; not of a page
//! that a proxy answers, nor of an answer that cannot be read. The attempts of every write are watched, those of the SDK
//! included.
//!
//! # Batches
//!
//! [`BatchGet`] reads any number of keys, of several entities with [`batch_get`]; [`BatchWrite`] writes entities that have
//! no rules. Requests are full, few at a time, and what DynamoDB leaves unprocessed goes out again until it is done:
//!
//! | | a request | what is left after nine times without progress |
//! |---|---|---|
//! | [`BatchGet::send`] | 100 keys | one error; [`send_each`](BatchGet::send_each) has one for each key, beside the items |
//! | [`BatchWrite::send`] | 25 writes, or 16 MB | [`failures`](BatchWritten::failures): which write, and why; [`into_retry`](BatchWritten::into_retry) |
//!
//! # What is made once
//!
//! An update that counts (`add`, `push`, a removal by index) would count twice if it were sent twice, and the SDK sends again
//! what was not answered. So such an update is sent again only if it was certainly not applied, as when DynamoDB is
//! throttling; otherwise it ends in [`ErrorKind::OutcomeUnknown`]. An idempotency key, or the version it expects, makes it
//! safe to send again:
//!
//! | Keys | requests | remembered | write units |
//! |---|---|---|---|
//! | by time (default) | 1; 2 where a set comes into use again after an idle time | for at least the window, at any rate | those of the item, keys included |
//! | by count | 1; 2 where the list was taken to have room, or to be full, and is not | the last so many | those of the item, keys included |
//! | in rows | one transaction | until DynamoDB removes the row, after the window | twice those of the item, and 2 |
//!
//! A [`Transaction`] is made once by itself: DynamoDB knows its token for ten minutes, and longer it is not sent.
//!
//! # What a version promises
//!
//! Of two writes that expect one version, one at most is applied, and the version is the number of writes that were. A
//! conflict ([`Reason::Conflict`]) brings what is there. Each checked write leaves a random name in the item (`_w`, 17
//! bytes), so that its retry after a lost answer is told from another's write, and clones of a command are one write.
//! If others have written in between, that name is gone: the history is asked, which still has it; without a history
//! the write ends in [`ErrorKind::OutcomeUnknown`], and so it does without a write id. Numbers go on over tombstones,
//! and over deletions that the history knows of.
//!
//! Where there is neither tombstone nor history, or a `#[ttl]` removes items, numbers begin again at 1 behind a deletion. Then
//! an item of the right number may be another one: [the guide](guide::versions#where-versions-begin-again) has the cases.
//! [`Modify`], [`ModifyEach`] and writes with `over` ([`Put::over`], [`VersionedUpdate::over`], [`Delete::over`]) demand the
//! write id of what was loaded, and change no other item.
//!
//! | History | requests of a put | write units, up to 1 KB | a crash in between leaves |
//! |---|---|---|---|
//! | none | `PutItem` | 1 | |
//! | `atomic` | `TransactWriteItems` | 4 | nothing |
//! | `ordered` | `GetItem` (not with [`over`](Put::over), nor in [`Modify`]), `PutItem`, `PutItem`; of a new item, `TransactWriteItems` | 2; 4 | a copy of the version that still is |
//!
//! A put that makes a new item asks the history first, with a `Query`, whether there has been one before, and takes a
//! second write over a tombstone. After a write that may have been applied without an answer, a clone of the command tells:
//! it is the same write.
//!
//! What another program has put where the history knows of later numbers (it has no write id) is numbered on from there by the
//! next write, and kept under a number of its own in an ordered history. Where an item of ours is behind its history, as after a
//! restore of the table alone, writes are refused ([`Reason::Recorded`]), at the second one in an ordered history, until both
//! are restored or the item is given a number behind the newest revision: [`Repair`]. A write of an ordered history that ends
//! between its two requests, or that another writer forestalls there, leaves a copy of the version that still is. If a program
//! without write ids changes the item after that, the next write puts what it supersedes in the copy's place, in one transaction.
//!
//! These promises hold in one region: a global table lets the last writer win.
//!
//! # Features
//!
//! | Feature | |
//! |---|---|
//! | `derive` (default) | `#[derive(Entity)]`, `#[derive(Document)]` |
//! | `dynamodbstreams`, `lambda` | [`stream::Record`]s from the types of `aws-sdk-dynamodbstreams`, of `aws_lambda_events` |
//! | `local` | the embedded engine: [`Repository::local`](Repository#method.local), for tests and development |
//! | `sealed-cursors` | [`Repository::with_sealed_cursors`](Repository#method.with_sealed_cursors): nobody reads or changes the keys in cursors |
//! | `serde` | `#[attribute(serde)]`: fields of any serde type |
//! | `chrono`, `jiff`, `rust_decimal`, `time`, `ulid`, `url`, `uuid` | types of these crates as fields |
//! | `behavior-version-latest`, `default-https-client`, `rt-tokio` | those of `aws-sdk-dynamodb`, none of which is on by default |
//!
//! # Compatibility
//!
//! `aws_sdk_dynamodb` is re-exported: its types are part of this crate's interface.

mod attribute;
pub mod capacity;
mod command;
mod entity;
mod error;
mod exchange;
mod expression;
mod field;
#[cfg(all(doc, not(doctest)))] // its code is compiled with the tests
pub mod guide;
mod key;
#[cfg(feature = "local")]
pub mod local;
mod read;
mod rule;
mod schema;
pub mod stream;
mod table;
mod write;

/// What the types of queries of secondary indexes are made of: what an index holds, and what can still be asked of its sort
/// key. They stand in types that the compiler shows, and need not be named.
pub mod index {
    pub use crate::command::{Asked, Held, Open, Partial, Parts, Ranged, ScannedIndex, Whole};
    pub use crate::entity::{FitsIndex, SomeAttributes, WholeItems};
}

#[doc(hidden)]
pub mod __private;

pub use crate::attribute::time::{EpochMillis, EpochSeconds};
pub use crate::attribute::{
    Attribute, Container, Element, Expiry, Form, IntoField, Item, KeyPart, KeyParts, ListOf, MapOf, RatchetToken,
    Rfc3339, SetOf, TextTime, Tiebreak, TimeToken, Value, VersionNumber, form, kind,
};
pub use crate::command::{
    AggregateQuery, BatchAction, BatchFailure, BatchGet, BatchGets, BatchWrite, BatchWritten, Check, CheckActions,
    Count, Create, Delete, DeleteActions, Edited, Enlist, EntitiesQuery, Get, GetRevision, Gets, IndexQuery, IndexScan,
    Items, JointBatchGet, Modify, ModifyEach, Page, ParallelScan, Purge, Put, PutActions, Query, Repair, Replace,
    Revision, RevisionStream, Revisions, Rollback, SaysVersion, Scan, Silent, SortBound, SortPrefix, TransactGet,
    Transaction, Unconditional, Undelete, UpTo100, Update, UpdateActions, VersionedUpdate, batch_get,
};
pub use crate::entity::{
    ActionRefusal, Aggregate, Answer, Batchable, Committed, ConsistentIndex, Counted, Deletable, Entities, Entity,
    Found, Idempotent, Index, Loaded, New, Old, OrderedIndex, Outcome, Overwritable, Perishable, Projection, Recorded,
    Refusal, Returned, Row, SortOrdered, Sorted, Tombstone, Tombstoned, TransactionOutcome, TransactionRefusal,
    Unrecorded, Updatable, Versioned,
};
pub use crate::error::{DecodeError, EncodeError, Error, ErrorKind, Step};
pub use crate::exchange::{Clock, ManualClock, Repository, Request, SystemClock, Usage};
pub use crate::field::{
    Change, Condition, Countable, Document, Field, IntoChanges, IntoFields, Joint, KeyField, Nested, Optional, Place,
    Settable, Size, Top, TopLevel, Typed, access,
};
pub use crate::read::{Cursor, InvalidCursor};
pub use crate::rule::{Reason, Tokens};
pub use crate::schema::Schema;
pub use crate::table::{Difference, Mismatch, TableOptions};
pub use crate::write::{Checkpoint, Failure, InvalidCheckpoint, Progress};
pub use aws_sdk_dynamodb;
#[cfg(feature = "derive")]
#[doc = include_str!("links.md")]
pub use dyno_derive::Entity;
#[cfg(feature = "derive")]
pub use dyno_derive::{Aggregate, Document, Entities, Projection};
