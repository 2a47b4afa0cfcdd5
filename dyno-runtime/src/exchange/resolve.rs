//! The hook for items that a client-side transaction holds. Reads and writes find the attribute `_x` in an item, know nothing
//! of the commit protocol, and ask the repository's [`Resolve`], which `transaction::resolve` implements.

#![cfg_attr(
    not(feature = "transactions"),
    allow(dead_code, reason = "the resolver of the feature uses the whole hook")
)]

use super::{About, Repository};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Error, ErrorKind};
use futures_util::future::BoxFuture;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Resolves intents for rooms that do not know the commit protocol.
pub(crate) trait Resolve: fmt::Debug + Send + Sync {
    /// Returns the version of an item with an intent that a read shows, or asks for another read of the item.
    fn read<'a>(
        &'a self,
        repository: &'a Repository,
        caller: Caller<'a>,
        at: &'a ItemRef,
        item: Item,
        view: View,
    ) -> BoxFuture<'a, Result<ReadThrough, Error>>;

    /// Waits until no transaction holds the item, so that a write of it may pass.
    fn wait<'a>(
        &'a self,
        repository: &'a Repository,
        caller: Caller<'a>,
        at: &'a ItemRef,
        item: &'a Item,
        waits: &'a Waits,
    ) -> BoxFuture<'a, Result<(), Error>>;
}

/// The version of an item that a read shows while a transaction holds the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// The last committed version.
    Committed {
        /// Whether the read returned all attributes. If so, the resolver also rolls the item forward or back, for the next
        /// reader.
        is_whole: bool,
    },
    /// The version that the transaction is about to commit, even if it aborts later.
    Uncommitted,
}

/// The answer of [`Resolve::read`].
pub(crate) enum ReadThrough {
    /// The item changed meanwhile, so it must be read again.
    Again,
    /// The version that the read shows.
    Item(Option<Item>),
}

/// An item: its table and its key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ItemRef {
    pub(crate) table: String,
    pub(crate) key: Item,
}

/// The command that finds an intent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller<'a> {
    /// The command, as users call it.
    pub(crate) operation: &'static str,
    pub(crate) entity: &'static str,
    /// The priority, if the command is a transaction.
    pub(crate) priority: Option<&'a Priority>,
}

impl<'a> Caller<'a> {
    /// Returns the subject of a request to this table.
    pub(crate) fn about(self, table: &'a str) -> About<'a> {
        About::new(self.operation, self.entity, table)
    }
}

/// The priority of a transaction: of two that want one item, the one that began earlier goes first (wound-wait).
#[derive(Clone, Debug)]
pub(crate) struct Priority {
    /// The time at which the transaction began.
    pub(crate) since: EpochMillis,
    pub(crate) name: String,
    /// The pauses of the transaction so far.
    pub(crate) waits: Waits,
}

impl Priority {
    /// Returns `true` if this transaction goes before the transaction with this name, which began at `since`.
    pub(crate) fn is_before(&self, since: EpochMillis, name: &str) -> bool {
        (self.since, &*self.name) < (since, name)
    }
}

/// The pauses and the items that a command has waited for so far. Clones belong to the same command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waits(Arc<Mutex<Waited>>);

#[derive(Debug, Default)]
struct Waited {
    pauses: u32,
    items: Vec<ItemRef>,
}

impl Waits {
    fn waited(&self) -> MutexGuard<'_, Waited> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of pauses so far. A command that waits for several items at once counts the most for any of them.
    pub(crate) fn pauses(&self) -> u32 {
        self.waited().pauses
    }

    /// Returns `true` if the command has waited for this item.
    pub(crate) fn has(&self, at: &ItemRef) -> bool {
        self.waited().items.contains(at)
    }

    /// Notes that the command has paused so often for this item.
    pub(crate) fn note(&self, at: &ItemRef, pauses: u32) {
        let mut waited = self.waited();
        waited.pauses = waited.pauses.max(pauses);
        if !waited.items.contains(at) {
            waited.items.push(at.clone());
        }
    }
}

/// The number of other transactions' intents that one command resolves, one after the other, before it returns an error. Each of
/// these transactions has ended, or the command aborted it. So the command finds another intent only if other transactions place
/// theirs faster than the command is sent again. After this many, it stops waiting for the item.
pub(crate) const MOST_INTENTS: u32 = 1000;

/// The error of a command that found an intent of another transaction each time it read the item.
pub(crate) fn never_free() -> Error {
    let message = "a client-side transaction holds the item, by its attribute `_x`, and another one each time that it was let go of: send it again later";
    Error::new(ErrorKind::Contended, message)
}
