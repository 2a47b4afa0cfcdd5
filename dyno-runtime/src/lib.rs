//! Annotate a struct, and get typed DynamoDB commands whose conditions stay right under retries, reordering and concurrency.
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
//! // An older write that arrives late is refused, and the refusal has the newer item.
//! let outcome = rating(3, at(0)).put().send(&repository).await?;
//! let refusal = outcome.refusal().expect("it is stale");
//! assert!(refusal.is_stale());
//! assert_eq!(refusal.live()?, Some(newer));
//!
//! // A delete leaves a tombstone, which refuses older writes in the same way. A consumer of
//! // events accepts such a refusal.
//! Rating::delete(("1", "A"), at(20)).send(&repository).await?.applied()?;
//! rating(4, at(15)).put().send(&repository).await?.accept_stale()?;
//! assert_eq!(Rating::get(("1", "A")).consistent().send(&repository).await?, None);
//! # Ok(()) }
//! ```
//!
//! # The guide
//!
//! | Start here | |
//! |---|---|
//! | [Tutorial](guide::tutorial) | from an empty folder to a tested shop, in half an hour |
//! | [Commands and fields](guide::commands) | the functions that the derive generates, and the types that a field can have |
//! | [Guarantees](guide::guarantees) | what you can rely on after each fault, and what you cannot |
//!
//! | By task | |
//! |---|---|
//! | [Events that arrive late](guide::events) | `#[ratchet]`, `#[tombstone]`, `#[ttl]` |
//! | [Load, change, write back](guide::versions) | `#[version]`, `#[history_table]` |
//! | [Count each event once](guide::idempotency) | `#[idempotency]`, and changes that count |
//! | [Unique values](guide::unique_values) | `#[unique]`: no two items with the same value |
//! | [Locks](guide::locks) | `dyno::lock`, `#[fence]` |
//! | [Transactions](guide::transactions) | [`Transaction`], [`TransactGet`], and closures that read, decide and write |
//! | [Client-side transactions](guide::client_side_transactions) | more than 100 items, all or nothing; [`Sweep`] |
//! | [Many items at once](guide::batches) | [`BatchGet`], [`BatchWrite`], [`SendMany`]; a table as a file, and back |
//! | [Several entities in one table](guide::single_table) | key templates, `#[index]`, [`Entities`], [`Aggregate`], [`Projection`] |
//! | [Vector indexes](guide::vector_indexes) | `#[index(vector = …)]`: search by similarity, with embeddings that fit their texts |
//! | [Read a table's stream](guide::streams) | [`stream::Record`] |
//! | [Recipes](guide::recipes) | webhook, outbox, cron job, pages over HTTP, Lambda, hot rows, large values |
//!
//! | Test | |
//! |---|---|
//! | [Testing](guide::testing) | the embedded engine, time, faults |
//! | [Explore](guide::explore) | every order of your handlers' requests, and every fault, in a test |
//!
//! | Tables that change, and other programs | |
//! |---|---|
//! | [Change the shape of rows](guide::evolution) | `alias`, `schema_version`, `modify_each`, and the order of a rollout |
//! | [Adopt dyno on a table that has rows](guide::adoption) | the steps, `inspect_table`, rows without a version |
//! | [Beside other writers](guide::beside_other_writers) | what other programs see, and which attributes they must not change |
//! | [What dyno stores](guide::stored_forms) | each attribute and row, and what later versions read |
//!
//! | In production | |
//! |---|---|
//! | [Production](guide::production) | client, tables, retries and their limits, logs, traces and metrics |
//! | [Hedge slow requests](guide::hedging) | `.hedge(delay)`, [`Hedge`] |
//! | [Costs](guide::costs) | requests and units of each command, CPU time beside the SDK alone, build time |
//! | [Permissions](guide::permissions) | the actions of IAM that each command needs |
//! | [Cancel safety](guide::cancel_safety) | what each command leaves if its future is dropped |
//! | [What combines](guide::combinations) | each attribute with each other one, and with each command |
//!
//! The derives have the attributes: [`Entity`](derive@Entity), [`Document`](derive@Document).
//!
//! # The parts
//!
//! - Commands: [`Get`](command::Get), [`Put`](command::Put), [`Create`](command::Create), [`Replace`](command::Replace), [`Update`](command::Update), [`Delete`](command::Delete), [`Undelete`](command::Undelete), [`Purge`](command::Purge), [`Check`](command::Check), [`Query`](command::Query),
//!   [`Scan`](command::Scan), [`BatchGet`], [`BatchWrite`], [`Modify`](command::Modify), [`ModifyEach`](command::ModifyEach), [`Revisions`](command::Revisions), [`GetRevision`](command::GetRevision), [`Rollback`](command::Rollback), [`Repair`](command::Repair), [`Sweep`].
//!   They are values: the functions that the derive generates create them, `request` shows the request, and `send` sends it.
//! - Handles: the generated `fields()` returns a [`Field`] for each attribute. You make [`Condition`]s, filters and [`Change`]s
//!   from it: `fields.rating.ge(3) & !fields.note.exists()`, `fields.note.set("seen")`.
//! - [`Outcome`]: the result of a write that can be refused. A [`Refusal`] has the reasons and the item that was stored. An
//!   [`Error`] means that something failed.
//! - [`Repository`]: the SDK's client, the tables' names, the clock, and the usage counts. With the feature `tables`, it creates
//!   tables, and lists each [`Difference`](table::Difference) between an existing table and its entities.
//! - [`Value`] and [`Attribute`]: the types that can be stored, and their stored forms. [`capacity`]: the load that one item
//!   can carry.
//!
//! # One request, one meaning
//!
//! Every write is one request, whose condition is composed of all the rules of its entity. A command that takes more requests
//! (with a history, or a create that continues the numbers of a tombstone) says so. A write's token and time are fixed before
//! the first attempt, so the SDK's retries send the same request. The documentation of each command says what a lost answer and
//! a retry mean for it.
//!
//! # When no answer comes
//!
//! A write whose answer was lost may have been applied, and the answer to a later attempt (`AccessDenied`, throttling, a
//! conflict) does not change that. [`Error::may_be_applied`] reports it, whatever the kind of the error. A write was certainly
//! not applied only if DynamoDB itself refused each attempt with status 4xx, or the connection was refused. A page from a proxy
//! or an answer that cannot be read proves nothing. dyno watches all attempts of every write, including the SDK's retries.
//!
//! # Features
//!
//! No feature is on by default. Without any, you have entities with all rules but `#[transactional]`, their commands and reads,
//! histories, unique values, and native transactions.
//!
//! | Feature | |
//! |---|---|
//! | `transactions` | `#[transactional]`: [`Transaction::interactive`], client-side transactions, [`Sweep`], and the lane table |
//! | `locks` | [`lock`]: leases with fences |
//! | `tables` | [`Repository::create_table`](Repository#method.create_table), [`Repository::verify_table`](Repository#method.verify_table), and [`TableOptions`]; most features turn it on |
//! | `bulk` | many items, each under its rules: `modify_each`, `delete_each`, [`SendMany`], [`SweepGuards`](command::SweepGuards) |
//! | `vectors` | `#[index(vector = …)]`: [`Search`](command::Search) |
//! | `inspection` | [`Repository::inspect_table`](Repository#method.inspect_table): rows that no entity can read or write |
//! | `json-lines` | tables as files of DynamoDB's JSON, and back: [`json_lines`] |
//! | `streams` | the records of a table's stream as changes of entities: [`stream`] |
//! | `dynamodbstreams` | [`stream::Record`]s from the types of `aws-sdk-dynamodbstreams` 1 |
//! | `lambda` | [`stream::Record`]s from the types of `aws_lambda_events` 1 |
//! | `local` | for tests and development: the embedded engine, [`Repository::local`](Repository#method.local), and [`local::Faults`] |
//! | `model` | your tables and permissions as files for CloudFormation, Terraform and IAM, and as a page for people; what commands cost: [`model`] |
//! | `metrics` | durations, capacity units, refusals and more, by the crate `metrics` 0.24: see [What you see](guide::production#what-you-see) |
//! | `sealed-cursors` | [`Repository::with_sealed_cursors`](Repository#method.with_sealed_cursors): cursors that nobody else can read or change |
//! | `serde` | `#[attribute(serde)]`: fields of any serde type |
//! | `chrono` | types of `chrono` 0.4 as fields; `dyno::chrono` is the crate |
//! | `jiff` | types of `jiff` 0.2 as fields; `dyno::jiff` is the crate |
//! | `rust_decimal` | `Decimal` of `rust_decimal` 1 as a field; `dyno::rust_decimal` is the crate |
//! | `time` | types of `time` 0.3 as fields; `dyno::time` is the crate |
//! | `ulid` | `Ulid` of `ulid` 3 as a field; `dyno::ulid` is the crate |
//! | `url` | `Url` of `url` 2 as a field; `dyno::url` is the crate |
//! | `uuid` | `Uuid` of `uuid` 1 as a field; `dyno::uuid` is the crate |
//! | `behavior-version-latest`, `default-https-client`, `rt-tokio` | the features of `aws-sdk-dynamodb` with these names; none of them is on by default |
//!
//! # Compatibility
//!
//! `aws_sdk_dynamodb` and the crates whose types can be fields are re-exported, because their types are part of this crate's
//! interface. A type from another major version of such a crate, such as `Ulid` of `ulid` 1, is a different type and cannot be
//! a field.

// docs.rs, which uses a nightly compiler, shows which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(feature = "locks", feature = "transactions"))]
extern crate self as dyno; // so that code derived within this crate finds it by the name that users have

mod attribute;
pub mod capacity;
pub mod command;
#[cfg(feature = "model")]
mod cost;
mod entity;
mod error;
mod exchange;
mod expression;
pub mod field;
#[cfg(all(doc, not(doctest)))] // its code is compiled with the tests
pub mod guide;
#[cfg(feature = "json-lines")]
pub mod json_lines;
mod key;
#[cfg(feature = "local")]
pub mod local;
#[cfg(feature = "locks")]
pub mod lock;
#[cfg(feature = "model")]
pub mod model;
mod read;
mod rule;
mod schema;
mod sorted;
#[cfg(feature = "streams")]
pub mod stream;
#[cfg(feature = "tables")]
pub mod table;
mod transaction;
mod write;

/// The components of the types of index queries: the attributes that an index holds, and the conditions that its sort key still
/// allows. They appear in types that the compiler shows. You need not name them.
pub mod index {
    pub use crate::command::{Asked, Held, Open, Partial, Parts, Ranged, ScannedIndex, Whole};
    pub use crate::entity::{
        AnyIndex, ConsistentIndex, FitsIndex, Index, OrderedIndex, SomeAttributes, VectorIndex, WholeItems,
    };
}

/// Traits that attributes give to an entity or withhold from it: bounds for generic code, by the names in compiler messages.
pub mod bound {
    pub use crate::entity::{
        Answer, Batchable, Counted, Deletable, Fenced, Hedgeable, HedgeableUpdate, Idempotent, MayExpire, Purgeable,
        Replaceable, Returned, Row, SortOrdered, Sorted, Tombstoned, Transactional, Updatable, Versioned, WithHistory,
        WithUniqueValues, WithoutHistory,
    };
}

/// Traits of field types and their uses: keys, tokens, versions, sets, lists and maps.
pub mod value {
    pub use crate::attribute::{
        AttributeKind, Container, Element, Expiry, FenceNumber, Form, IntoField, IntoVector, KeyPart, KeyParts, ListOf,
        MapOf, RatchetToken, RawValue, Rfc3339, SetOf, Tiebreak, TimeToken, Vector, VersionNumber, WriteTime, form,
        kind,
    };
    pub use crate::error::Step;
    pub use crate::rule::{IntoFence, Tokens};
}

#[doc(hidden)]
pub mod __private;

/// Bounds of methods that do not exist, with which the compiler says what to use instead.
#[doc(hidden)]
pub mod absent {
    pub use crate::command::absent::absent_commands::*;
    pub use crate::field::absent_fields::*;
}

// The traits of the derives.
pub use crate::entity::{Aggregate, Entities, Entity, Projection};
pub use crate::field::Document;

// The connection to DynamoDB.
#[cfg(feature = "metrics")]
pub use crate::exchange::watch::metrics::describe_metrics;
pub use crate::exchange::{Clock, Hedge, ManualClock, Pace, Repository, Request, SystemClock, Usage};
#[cfg(feature = "tables")]
pub use crate::table::TableOptions;

// Results.
pub use crate::command::{Page, Revision};
pub use crate::entity::{
    ActionRefusal, Committed, Found, Loaded, New, Old, Outcome, Refusal, Tombstone, TransactionOutcome,
    TransactionRefusal,
};
pub use crate::error::{DecodeError, EncodeError, Error, ErrorKind};
pub use crate::rule::{HolderKey, Reason};

// Commands on several items.
#[cfg(feature = "transactions")]
pub use crate::command::Sweep;
pub use crate::command::{BatchGet, BatchWrite, TransactGet, Transaction, batch_get};
#[cfg(feature = "bulk")]
pub use crate::command::{InputCheckpoint, SendMany};
pub use crate::read::Cursor;
#[cfg(feature = "bulk")]
pub use crate::write::{Checkpoint, Progress};

// Fields, with their conditions and changes.
pub use crate::attribute::time::{EpochMillis, EpochSeconds};
pub use crate::attribute::{Attribute, Item, TextTime, Value};
pub use crate::field::{Change, Condition, Field};
pub use crate::schema::Schema;
pub use aws_sdk_dynamodb;
// The crates whose types can be fields, so that a program can use exactly this version.
#[cfg(feature = "chrono")]
pub use ::chrono;
#[cfg(feature = "jiff")]
pub use ::jiff;
#[cfg(feature = "rust_decimal")]
pub use ::rust_decimal;
#[cfg(feature = "time")]
pub use ::time;
#[cfg(feature = "ulid")]
pub use ::ulid;
#[cfg(feature = "url")]
pub use ::url;
#[cfg(feature = "uuid")]
pub use ::uuid;
#[doc = include_str!("links.md")]
pub use dyno_derive::Entity;
pub use dyno_derive::{Aggregate, Document, Entities, Projection};
