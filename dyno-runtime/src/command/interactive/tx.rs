//! What the closure of an interactive transaction is given: it reads at once, and holds writes back.

use super::stored_handle::Stored;
use crate::attribute::Item;
use crate::command::{BatchGet, CheckActions, DeleteActions, Enlist, Get, PutActions, Query, UpdateActions};
use crate::entity::{Entity, Row, TransactionRefusal, Transactional, found};
use crate::error::Error;
use crate::exchange::Repository;
use crate::transaction::closure::{EntityRef, Session, Shown};
use crate::transaction::native::Action;
use std::any::TypeId;
use std::fmt;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;

/// What a read of a transaction will return.
pub type Reading<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// The handle by which the closure of [`Transaction::interactive`](crate::Transaction::interactive) reads and writes. Clones
/// are the same handle.
///
/// Reads are sent at once, and are consistent; an item that is read again is what it was, or what the writes until then make
/// of it. Writes are held back until the closure has returned.
#[derive(Clone)]
pub struct Tx {
    session: Arc<Session>,
}

impl Tx {
    pub(super) fn new(session: &Arc<Session>) -> Self {
        Self { session: Arc::clone(session) }
    }

    /// Holds any action back.
    pub(in crate::command) fn enlist(&self, action: Action) {
        self.session.enlist(action);
    }

    /// Reads the item at a key, whole: one consistent `GetItem`, unless the transaction knows it already. Afterwards, nobody
    /// else can have changed it when the transaction is applied.
    ///
    /// An item that another client-side transaction holds is settled first: what is committed is applied, and what is not
    /// decided is waited for, with pauses of random length.
    ///
    /// # Errors
    /// As for [`Get::send`]. One of the writes until then is refused by what is there ([`ErrorKind::Refused`]): pass it on with
    /// `?`, and the transaction ends in that refusal. The closure has returned already ([`ErrorKind::InvalidInput`]).
    ///
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    /// [`ErrorKind::InvalidInput`]: crate::ErrorKind::InvalidInput
    #[must_use = "a read is sent when it is awaited"]
    pub fn get<'a, E: Transactional, T: Row<E> + 'a>(&'a self, get: Get<E, T>) -> Reading<'a, Option<T>> {
        Box::pin(async move {
            let shown = self.session.get(of::<E>(), get.command).await?;
            self.read::<E, T>(shown)
        })
    }

    /// Reads the items at many keys, whole: one consistent `BatchGetItem` for every 100 of those that the transaction does not
    /// know yet. In the order of the keys, `None` where there is none. What another transaction holds is settled first, as in
    /// [`get`](Self::get).
    ///
    /// # Errors
    /// As for [`get`](Self::get).
    #[must_use = "a read is sent when it is awaited"]
    pub fn batch_get<'a, E: Transactional, T: Row<E> + 'a>(
        &'a self,
        batch: BatchGet<E, T>,
    ) -> Reading<'a, Vec<Option<T>>> {
        Box::pin(async move {
            let shown = self.session.batch_get(of::<E>(), batch.command, batch.concurrency).await?;
            shown.into_iter().map(|shown| self.read::<E, T>(shown)).collect()
        })
    }

    /// Reads the items of a partition, whole, in the order of their sort keys: as many consistent `Query` requests as it takes,
    /// up to the query's limit, of all that is within its conditions. The filter is decided here, by what the writes until then
    /// make of each item: what they have created is there, too.
    ///
    /// Nobody else has changed, created or deleted an item there before this transaction, in the order of all: it is queried
    /// once more before it is applied. So a transaction that queries and writes goes by intents, whatever its size, and needs a
    /// [lane table](Repository::create_lane_table). What another transaction holds is settled first, as in [`get`](Self::get).
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
            let shown = self.session.query(of::<E>(), command).await?;
            shown.into_iter().filter_map(|shown| self.read::<E, T>(shown).transpose()).collect()
        })
    }

    /// Holds back `put`, `create`, `replace` or `undelete` of an entity; or an array or a `Vec` of one of them.
    pub fn put(&self, puts: impl TxPuts) {
        self.hold(puts);
    }

    /// The same, and returns where the version will be found that is stored: see [`Stored`].
    pub fn put_returning<A: TxPuts>(&self, puts: A) -> Stored<A::Of> {
        Stored::new(self.session.stored(), self.hold(puts))
    }

    /// Holds back `update` of an entity, also of a group of fields; or an array or a `Vec` of it.
    pub fn update(&self, updates: impl TxUpdates) {
        self.hold(updates);
    }

    /// The same, and returns where the version will be found that is stored: see [`Stored`].
    pub fn update_returning<A: TxUpdates>(&self, updates: A) -> Stored<A::Of> {
        Stored::new(self.session.stored(), self.hold(updates))
    }

    /// Holds back `delete` of an entity; or an array or a `Vec` of it.
    pub fn delete(&self, deletes: impl TxDeletes) {
        self.hold(deletes);
    }

    /// Demands something of an item, without a read: `check` of an entity, or an array or a `Vec` of it.
    pub fn check(&self, checks: impl TxChecks) {
        checks.__enlist(&mut |action| self.enlist(action));
    }

    /// Holds actions back; their numbers.
    fn hold(&self, actions: impl Enlist) -> Range<usize> {
        let (mut first, mut count) = (0, 0);
        actions.__enlist(&mut |action| {
            let index = self.session.enlist(action);
            (first, count) = (if count == 0 { index } else { first }, count + 1);
        });
        first..first + count
    }

    fn read<E: Entity, T: Row<E>>(&self, shown: Shown) -> Result<Option<T>, Error> {
        let item: Option<Item> = match shown {
            Shown::Item(item) => item,
            Shown::Refused(refused) => return Err(TransactionRefusal::new(*refused).into()),
        };
        found::<E, T>(item, self.session.now())
    }
}

/// What [`Tx::query`] takes: a query of a partition of a table.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be queried in a transaction",
    label = "expected `query` of an entity",
    note = "DynamoDB updates a global index after the item, and a local index lacks pending changes, so a transaction cannot rely on either: query a partition of the table; or query the index before the transaction, and `get` by it the items that were found",
    note = "a scan of a whole table would keep every other writer out"
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

/// What the methods of [`Tx`] take that hold writes back. Each is one bound, so that a compiler reports one error.
macro_rules! of_transactional_entities {
    ($($name:ident: $actions:ident, $method:literal, $message:literal, $label:literal;)*) => {$(
        #[doc = concat!("What [`Tx::", $method, "`] takes: [`", stringify!($actions), "`] of `#[transactional]` entities.")]
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

fn of<E: Entity>() -> EntityRef {
    EntityRef { schema: E::SCHEMA, entity: TypeId::of::<E>(), tables: Repository::tables::<E> }
}
