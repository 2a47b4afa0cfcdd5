//! The methods whose features are off: see `entity::absent_hints`.

#[cfg(not(feature = "bulk"))]
use crate::command::read::index::IndexQuery;
#[cfg(not(feature = "bulk"))]
use crate::command::read::index_scan::{IndexScan, ScannedIndex};
#[cfg(not(feature = "bulk"))]
use crate::command::read::query_and_scan::{ParallelScan, Query, Scan};
#[cfg(not(feature = "transactions"))]
use crate::command::transaction::Transaction;
#[cfg(not(feature = "bulk"))]
use crate::entity::Entity;
use crate::entity::absent;
#[cfg(not(all(feature = "inspection", feature = "transactions")))]
use crate::exchange::Repository;
#[cfg(not(feature = "inspection"))]
use crate::exchange::Sending;

#[cfg(not(feature = "transactions"))]
absent! {
    NeedsTransactions: "this method needs the feature `transactions` of dyno-runtime", "the feature is off",
        "help: in Cargo.toml, add `transactions` to the features of `dyno-runtime`";
}

#[cfg(not(feature = "transactions"))]
absent! {
    [] Transaction { NeedsTransactions: client_side(); }
    [] Repository {
        NeedsTransactions: create_lane_table() create_lane_table_with(X) verify_lane_table() verify_lane_table_with(X)
            create_request_table() create_request_table_with(X) verify_request_table() with_lane_table(X) with_lanes(X)
            with_lock_timeout(X);
    }
}

#[cfg(not(feature = "transactions"))]
#[doc(hidden)]
#[allow(missing_docs, clippy::must_use_candidate, reason = "the functions do not exist")]
impl Transaction {
    pub fn interactive<X, R>(_: X) -> R
    where
        for<'__absent> Self: NeedsTransactions,
    {
        <Self as NeedsTransactions>::none()
    }

    pub fn try_interactive<X, R>(_: X) -> R
    where
        for<'__absent> Self: NeedsTransactions,
    {
        <Self as NeedsTransactions>::none()
    }
}

#[cfg(not(feature = "inspection"))]
absent! {
    NeedsInspection: "`inspect_table` needs the feature `inspection` of dyno-runtime", "the feature is off",
        "help: in Cargo.toml, add `inspection` to the features of `dyno-runtime`";
}

#[cfg(not(feature = "bulk"))]
absent! {
    NeedsBulk: "this method needs the feature `bulk` of dyno-runtime", "the feature is off",
        "help: in Cargo.toml, add `bulk` to the features of `dyno-runtime`";
}

#[cfg(not(feature = "bulk"))]
absent! {
    [E: Entity] Query<E> { NeedsBulk: modify_each(X) delete_each() delete_each_at(X); }
    [E: Entity] Scan<E> { NeedsBulk: modify_each(X) delete_each() delete_each_at(X); }
    [E: Entity] ParallelScan<E> { NeedsBulk: modify_each(X) delete_each() delete_each_at(X); }
    [I: ScannedIndex, S] IndexQuery<I, I::Read, S> { NeedsBulk: modify_each(X) delete_each() delete_each_at(X); }
    [I: ScannedIndex] IndexScan<I, I::Read> { NeedsBulk: modify_each(X) delete_each() delete_each_at(X); }
}

#[cfg(not(feature = "tables"))]
absent! {
    NeedsTables: "this method needs the feature `tables` of dyno-runtime", "the feature is off",
        "help: in Cargo.toml, add `tables` to the features of `dyno-runtime`";
}

/// Methods whose callers write out the entity, and do something with the result.
#[cfg(not(feature = "inspection"))]
macro_rules! absent_of_entities {
    ($($name:ident: $method:ident($($argument:ident)?) -> $output:ty;)*) => {
        #[doc(hidden)]
        #[allow(missing_docs, clippy::must_use_candidate, reason = "the functions do not exist")]
        impl Repository {$(
            pub fn $method<E>(&self $(, $argument: impl Sized)?) -> Sending<'_, $output>
            where
                for<'__absent> Self: $name,
            {
                <Self as $name>::none()
            }
        )*}
    };
}

#[cfg(not(feature = "inspection"))]
absent_of_entities!(NeedsInspection: inspect_table(_limit) -> String;);

#[cfg(not(feature = "tables"))]
absent_of_entities! {
    NeedsTables: create_table() -> ();
    NeedsTables: create_table_with(_options) -> ();
    NeedsTables: create_shared_table() -> ();
    NeedsTables: create_shared_table_with(_options) -> ();
    NeedsTables: verify_table() -> Vec<String>;
    NeedsTables: verify_table_with(_options) -> Vec<String>;
    NeedsTables: verify_shared_table() -> Vec<String>;
    NeedsTables: verify_shared_table_with(_options) -> Vec<String>;
}
