//! The handle of an interactive transaction's closure: it reads at once, and holds writes back.

use super::stored_handle::Stored;
use crate::attribute::RawItem;
use crate::command::{BatchGet, CheckActions, DeleteActions, Enlist, Get, PutActions, Query, UpdateActions};
use crate::entity::{Entity, Row, TransactionRefusal, Transactional, found};
use crate::error::Error;
use crate::exchange::Repository;
use crate::transaction::attempt::{AfterWrites, EntityRef};
use crate::transaction::closure::Session;
use crate::transaction::native::Action;
use std::any::TypeId;
use std::fmt;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;

/// The future of a read in a transaction.
pub type Reading<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// The handle by which the closure of [`Transaction::interactive`](crate::Transaction::interactive) reads and writes. Clones
/// are the same handle.
///
/// Reads are sent at once, and are strongly consistent. If the closure reads an item again, it gets the item as it was first
/// read, with the closure's own writes so far. Writes are held back until the closure has returned.
#[derive(Clone)]
pub struct Tx {
    session: Arc<Session>,
}

impl Tx {
    pub(super) fn new(session: &Arc<Session>) -> Self {
        Self { session: Arc::clone(session) }
    }

    /// Holds an action of any kind back.
    pub(in crate::command) fn enlist(&self, action: Action) {
        self.session.enlist(action);
    }

    /// Reads the whole item at a key: one consistent `GetItem`, unless the transaction has read it already. The transaction is
    /// applied only if no other writer has changed the item since.
    ///
    /// If another client-side transaction holds the item, this resolves it first: it rolls a committed change forward, and waits
    /// for an undecided transaction, with pauses of random length.
    ///
    /// # Errors
    /// As for [`Get::send`]. The stored item refuses one of the closure's writes so far ([`ErrorKind::Refused`]): pass the error
    /// on with `?`, and the transaction ends in that refusal. The closure has returned already ([`ErrorKind::InvalidInput`]).
    ///
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    /// [`ErrorKind::InvalidInput`]: crate::ErrorKind::InvalidInput
    #[must_use = "a read is sent when it is awaited"]
    pub fn get<'a, E: Entity, T: Row<E> + 'a>(&'a self, get: impl TxGet<E, T>) -> Reading<'a, Option<T>> {
        let command = get.__get().command;
        Box::pin(async move {
            let result = self.session.get(entity_ref::<E>(), command).await?;
            self.decode::<E, T>(result)
        })
    }

    /// Reads the whole items at many keys: one consistent `BatchGetItem` for every 100 of those that the transaction has not read
    /// yet. Returns the items in the order of the keys, `None` where there is no item. Items that another transaction holds are
    /// resolved first, as by [`get`](Self::get).
    ///
    /// # Errors
    /// As for [`get`](Self::get).
    #[must_use = "a read is sent when it is awaited"]
    pub fn batch_get<'a, E: Entity, T: Row<E> + 'a>(
        &'a self,
        batch: impl TxBatchGet<E, T>,
    ) -> Reading<'a, Vec<Option<T>>> {
        let batch = batch.__batch_get();
        Box::pin(async move {
            let results = self.session.batch_get(entity_ref::<E>(), batch.command, batch.concurrency).await?;
            results.into_iter().map(|result| self.decode::<E, T>(result)).collect()
        })
    }

    /// Reads the whole items of a partition, in the order of their sort keys, with as many consistent `Query` requests as
    /// necessary. The limit applies to the items that the query returns. dyno itself applies the filter, to each item as the
    /// closure's writes so far leave it; items that these writes create are included.
    ///
    /// The transaction is applied only if no other writer has changed, created or deleted an item in the queried range since:
    /// dyno queries the range again before the commit. So a transaction that queries and writes is client-side, whatever its
    /// size, and needs a [lane table](Repository::create_lane_table). Items that another transaction holds are resolved first, as
    /// by [`get`](Self::get).
    ///
    /// An index cannot be queried. DynamoDB updates a global index after the item, and a local index lacks the pending changes of
    /// other transactions, so a repeated query of an index would not show that nothing has changed:
    ///
    /// ```compile_fail,E0277
    /// # use dyno::{Entity, Transaction};
    /// # #[derive(Entity)] #[entity(table = "orders")] #[tombstone(ttl_days = 7)] #[transactional]
    /// # #[index(name = "by_state", partition = state)]
    /// # struct Order { #[partition_key] id: u64, state: String, #[version] version: u64 }
    /// let transaction = Transaction::interactive(|tx| async move {
    ///     Ok(tx.query(Order::by_state("open")).await?)
    /// });
    /// ```
    ///
    /// # Errors
    /// As for [`get`](Self::get); and those of [`Query::send`].
    #[must_use = "a read is sent when it is awaited"]
    pub fn query<'a, E: Entity, T: Row<E> + 'a>(&'a self, query: impl TxQuery<E, T>) -> Reading<'a, Vec<T>> {
        let command = query.__query().command;
        Box::pin(async move {
            let results = self.session.query(entity_ref::<E>(), command).await?;
            results.into_iter().filter_map(|result| self.decode::<E, T>(result).transpose()).collect()
        })
    }

    /// Holds back a `put`, `create`, `replace` or `undelete` of an entity; or an array or a `Vec` of one of them.
    pub fn put(&self, puts: impl TxPuts) {
        self.hold(puts);
    }

    /// Does the same as [`put`](Self::put), and returns a handle to the versions that are stored: see [`Stored`].
    pub fn put_returning<A: TxPuts>(&self, puts: A) -> Stored<A::Of> {
        Stored::new(self.session.stored(), self.hold(puts))
    }

    /// Holds back an `update` of an entity, also of a group of fields; or an array or a `Vec` of it.
    pub fn update(&self, updates: impl TxUpdates) {
        self.hold(updates);
    }

    /// Does the same as [`update`](Self::update), and returns a handle to the versions that are stored: see [`Stored`].
    pub fn update_returning<A: TxUpdates>(&self, updates: A) -> Stored<A::Of> {
        Stored::new(self.session.stored(), self.hold(updates))
    }

    /// Holds back a `delete` of an entity; or an array or a `Vec` of it.
    pub fn delete(&self, deletes: impl TxDeletes) {
        self.hold(deletes);
    }

    /// Holds back a `check` of an entity, which is a requirement on an item without reading it; or an array or a `Vec` of it.
    pub fn check(&self, checks: impl TxChecks) {
        self.hold(checks);
    }

    /// Holds actions back, and returns their numbers.
    fn hold(&self, actions: impl Enlist) -> Range<usize> {
        let (mut first, mut count) = (0, 0);
        actions.__enlist(&mut |action| {
            let index = self.session.enlist(action);
            (first, count) = (if count == 0 { index } else { first }, count + 1);
        });
        first..first + count
    }

    fn decode<E: Entity, T: Row<E>>(&self, result: AfterWrites) -> Result<Option<T>, Error> {
        let item = result.map_err(|refused| TransactionRefusal::new(*refused))?;
        found::<E, T>(item.map(RawItem::from), self.session.now())
    }
}

/// Arguments of [`Tx::get`]: gets by the key of an item.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read in a transaction",
    label = "expected `get` of an entity: `tx.get(Account::get(key))`",
    note = "a unique value is read before the transaction: `get` in it, by its key, the item that was found",
    note = "a write that claims a unique value is refused if another item has it, so it needs no read"
)]
pub trait TxGet<E, T> {
    #[doc(hidden)]
    fn __get(self) -> Get<E, T>;
}

impl<E: Transactional, T> TxGet<E, T> for Get<E, T> {
    fn __get(self) -> Self {
        self
    }
}

/// Arguments of [`Tx::batch_get`]: gets by the keys of many items.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read in a transaction",
    label = "expected `batch_get` of an entity: `tx.batch_get(Account::batch_get(keys))`",
    note = "items of several entities are read by a `batch_get` for each of them"
)]
pub trait TxBatchGet<E, T> {
    #[doc(hidden)]
    fn __batch_get(self) -> BatchGet<E, T>;
}

impl<E: Transactional, T> TxBatchGet<E, T> for BatchGet<E, T> {
    fn __batch_get(self) -> Self {
        self
    }
}

/// Arguments of [`Tx::query`]: queries of a partition of a table.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be queried in a transaction",
    label = "expected `query` of an entity",
    note = "DynamoDB updates a global index after the item, and a local index lacks pending changes, so a transaction cannot rely on either: query a partition of the table; or query the index before the transaction, and `get` by it the items that were found",
    note = "a scan of a whole table would block every other writer"
)]
pub trait TxQuery<E, T> {
    #[doc(hidden)]
    fn __query(self) -> Query<E, T>;
}

impl<E: Transactional, T> TxQuery<E, T> for Query<E, T> {
    fn __query(self) -> Self {
        self
    }
}

/// Declares the arguments of the methods of [`Tx`] that hold actions back. Each is a single bound, so that the compiler reports a
/// single error.
macro_rules! of_transactional_entities {
    ($($name:ident: $actions:ident, $method:literal, $message:literal, $label:literal;)*) => {$(
        #[doc = concat!("Arguments of [`Tx::", $method, "`]: [`", stringify!($actions), "`] of `#[transactional]` entities.")]
        #[diagnostic::on_unimplemented(message = $message, label = $label)]
        pub trait $name: $actions {}

        impl<A: $actions<Of: Transactional>> $name for A {}
    )*};
}

of_transactional_entities! {
    TxPuts: PutActions, "put",
        "`{Self}` is not a put of a transaction",
        "expected `put`, `create`, `replace` or `undelete` of an entity; or an array or a `Vec` of one of them";
    TxUpdates: UpdateActions, "update",
        "`{Self}` is not an update of a transaction",
        "expected `update` of an entity; or an array or a `Vec` of it";
    TxDeletes: DeleteActions, "delete",
        "`{Self}` is not a delete of a transaction",
        "expected `delete` of an entity; or an array or a `Vec` of it";
    TxChecks: CheckActions, "check",
        "`{Self}` is not a check of a transaction",
        "expected `check` of an entity; or an array or a `Vec` of it";
}

impl fmt::Debug for Tx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tx").finish_non_exhaustive()
    }
}

fn entity_ref<E: Entity>() -> EntityRef {
    EntityRef { schema: E::SCHEMA, entity: TypeId::of::<E>(), tables: Repository::tables::<E> }
}
