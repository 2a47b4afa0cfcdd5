//! What the closure of an interactive transaction is given: it reads at once, and holds writes back.

use crate::attribute::Item;
use crate::command::{BatchGet, CheckActions, DeleteActions, Get, PutActions, UpdateActions};
use crate::entity::{Row, TransactionRefusal, Transactional, found};
use crate::error::Error;
use crate::exchange::Repository;
use crate::write::{Of, Session, Shown};
use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

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

    /// Reads the item at a key, whole: one consistent `GetItem`, unless the transaction knows it already. Afterwards, nobody
    /// else can have changed it when the transaction is applied.
    ///
    /// While another transaction has the item under way, it is read again after pauses of random length.
    ///
    /// # Errors
    /// As for [`Get::send`]. One of the writes until then is refused by what is there ([`ErrorKind::Refused`]): pass it on with
    /// `?`, and the transaction ends in that refusal. The closure has returned already ([`ErrorKind::InvalidInput`]).
    ///
    /// [`ErrorKind::Refused`]: crate::ErrorKind::Refused
    /// [`ErrorKind::InvalidInput`]: crate::ErrorKind::InvalidInput
    pub async fn get<E: Transactional, T: Row<E>>(&self, get: Get<E, T>) -> Result<Option<T>, Error> {
        let shown = self.session.get(of::<E>(), get.command).await?;
        self.read::<E, T>(shown)
    }

    /// Reads the items at many keys, whole: one consistent `BatchGetItem` for every 100 of those that the transaction does not
    /// know yet. In the order of the keys, `None` where there is none.
    ///
    /// # Errors
    /// As for [`get`](Self::get).
    pub async fn batch_get<E: Transactional, T: Row<E>>(&self, batch: BatchGet<E, T>) -> Result<Vec<Option<T>>, Error> {
        let (keys, concurrency) = batch.into_keys();
        let shown = self.session.batch_get(of::<E>(), keys, concurrency).await?;
        shown.into_iter().map(|shown| self.read::<E, T>(shown)).collect()
    }

    /// Holds back `put`, `create`, `replace` or `undelete` of an entity; or an array or a `Vec` of one of them.
    pub fn put(&self, puts: impl PutActions + InTransaction) {
        puts.__enlist(&mut |action| self.session.enlist(action));
    }

    /// Holds back `update` of an entity, also of a group of fields; or an array or a `Vec` of it.
    pub fn update(&self, updates: impl UpdateActions + InTransaction) {
        updates.__enlist(&mut |action| self.session.enlist(action));
    }

    /// Holds back `delete` of an entity; or an array or a `Vec` of it.
    pub fn delete(&self, deletes: impl DeleteActions + InTransaction) {
        deletes.__enlist(&mut |action| self.session.enlist(action));
    }

    /// Demands something of an item, without a read: `check` of an entity, or an array or a `Vec` of it.
    pub fn check(&self, checks: impl CheckActions + InTransaction) {
        checks.__enlist(&mut |action| self.session.enlist(action));
    }

    fn read<E: Transactional, T: Row<E>>(&self, shown: Shown) -> Result<Option<T>, Error> {
        let item: Option<Item> = match shown {
            Shown::Item(item) => item,
            Shown::Refused(refused) => return Err(TransactionRefusal::new(*refused).into()),
        };
        found::<E, T>(item, self.session.now())
    }
}

impl fmt::Debug for Tx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tx").finish_non_exhaustive()
    }
}

fn of<E: Transactional>() -> Of {
    Of { schema: E::SCHEMA, entity: TypeId::of::<E>(), tables: Repository::tables::<E> }
}

/// What an interactive transaction takes: writes and checks of [`Transactional`](crate::bound::Transactional) entities.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not go into an interactive transaction",
    label = "expected writes or checks of a `#[transactional]` entity",
    note = "what reads or tries again by itself, as `modify`, goes into none: `get` the entity, change it, and `put` it"
)]
pub trait InTransaction {}

impl<T: InTransaction, const N: usize> InTransaction for [T; N] {}
impl<T: InTransaction> InTransaction for Vec<T> {}
