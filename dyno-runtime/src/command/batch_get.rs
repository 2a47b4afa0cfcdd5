//! The commands that read many items by their keys: `batch_get` of one entity, and of several at once.

use crate::attribute::time::EpochMillis;
use crate::entity::{Entity, Found, Loaded, MayExpire, Projection, Row, Transactional, Versioned, found};
use crate::error::Error;
use crate::exchange::{CONCURRENCY, Repository};
use crate::key::build_key;
use crate::read;
use crate::read::{BatchGetCommand, InTable, Level, Read};
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

/// Reads the items at these keys: one `BatchGetItem` for every 100 of them, four at a time. Tombstones and expired items
/// count as absent.
///
/// The results are in the order of the keys. A key that is given twice is read once, and has its item twice.
///
/// What DynamoDB leaves unprocessed is asked for again, together with all else that was left, after a pause that grows and
/// is of random length; where an answer has the 16 MB that it can have, without one. When it has processed nothing nine
/// times in a row, for which it takes some seconds, that is an error, [`ErrorKind::Throttled`](crate::ErrorKind::Throttled).
///
/// ```no_run
/// # use dyno::{Entity, Repository};
/// # #[derive(Entity)] #[entity(table = "users")] struct User { #[partition_key] id: u64 }
/// # #[derive(Entity)] #[entity(table = "orders")] struct Order { #[partition_key] id: String }
/// # async fn example(repository: Repository) -> Result<(), dyno::Error> {
/// let users: Vec<Option<User>> = User::batch_get(1..=1000).send(&repository).await?;
/// // Of several entities: their keys share the requests.
/// let both = dyno::batch_get((User::batch_get([1, 2]), Order::batch_get(["a"]).consistent()));
/// let (users, orders) = both.send(&repository).await?;
/// # Ok(()) }
/// ```
#[must_use = "a command does nothing until it is sent"]
pub struct BatchGet<E, T = E> {
    command: BatchGetCommand,
    concurrency: usize,
    types: PhantomData<fn() -> (E, T)>,
}

impl<E: Entity> BatchGet<E> {
    /// The command for these keys.
    pub fn new(keys: impl IntoIterator<Item = E::Key>) -> Self {
        let keys = keys.into_iter().map(|key| build_key(E::SCHEMA, &key));
        let command = BatchGetCommand { consistent: false, ..BatchGetCommand::as_it_stands(E::SCHEMA, keys.collect()) };
        Self { command, concurrency: CONCURRENCY, types: PhantomData }
    }
}

impl<E: Entity, T: Row<E>> BatchGet<E, T> {
    /// The command without its types, and how many requests may be under way at once.
    pub(super) fn into_command(self) -> (BatchGetCommand, usize) {
        (self.command, self.concurrency)
    }

    fn typed<U>(self) -> BatchGet<E, U> {
        BatchGet { command: self.command, concurrency: self.concurrency, types: PhantomData }
    }

    /// Reads what every acknowledged write has left, for twice the price.
    ///
    /// Of each item that a transaction of many requests holds, the lane is read as well; what is committed is shown, and applied
    /// to the item if that was still to be done. What is not committed yet is not waited for. The items are of one moment each:
    /// for one moment of all, see [`TransactGet`](super::TransactGet).
    ///
    /// A table is read in one way in one request. If other keys of it are read in the other way, by another command sent
    /// with this one, they take requests of their own; a key that is read in both ways is read consistently.
    pub fn consistent(mut self) -> Self {
        self.command.consistent = true;
        self.command.level = self.command.level.consistent();
        self
    }

    /// Shows items that transactions of many requests hold as those are about to make them: see
    /// [`get`](super::Get::uncommitted).
    pub fn uncommitted(mut self) -> Self
    where
        E: Transactional,
    {
        self.command.level = Level::Uncommitted;
        self
    }

    /// Returns what is there, dead or alive: tombstones and expired items, too.
    pub fn include_deleted(mut self) -> BatchGet<E, Found<E>>
    where
        E: MayExpire,
    {
        self.command.projection = None;
        self.typed()
    }

    /// Reads only the fields that `P` names. What is read is paid for by the size of the whole items all the same.
    ///
    /// Other commands sent with this one share its requests: of one table, all that any of them names comes with each item.
    pub fn project<P: Projection<Entity = E>>(mut self) -> BatchGet<E, P> {
        self.command.projection = Some(P::ATTRIBUTES);
        self.typed()
    }

    /// Returns the entities with the items that they were read from: see [`Loaded`].
    pub fn loaded(mut self) -> BatchGet<E, Loaded<E>>
    where
        E: Versioned,
    {
        self.command.projection = None;
        self.typed()
    }

    /// Sends a second, equal request when one has not answered after this time, and takes the first answer: see
    /// [`Repository::hedged`]. Of commands sent together, the shortest time holds for all.
    pub fn hedge(mut self, after: Duration) -> Self {
        self.command.hedge = Some(after);
        self
    }

    /// The most requests that are under way at once: at least one, and four unless this says otherwise.
    pub fn concurrency(mut self, requests: usize) -> Self {
        self.concurrency = requests;
        self
    }

    /// Sends the command: the items in the order of the keys, `None` where there is none. No keys, no request.
    ///
    /// # Errors
    /// The first of those that [`send_each`](Self::send_each) would return: what was read besides is lost. A key that is
    /// impossible is reported before any request.
    pub async fn send(self, repository: &Repository) -> Result<Vec<Option<T>>, Error> {
        let (rows,) = batch_get((self,)).send(repository).await?;
        Ok(rows)
    }

    /// Sends the command: for each key, in their order, the item, `None` if there is none, or the error.
    ///
    /// An error is that of a key that is impossible, of an item that is not of the entity's shape, of the request that had
    /// the key, or that DynamoDB kept leaving the key unprocessed. It says which key.
    pub async fn send_each(self, repository: &Repository) -> Vec<Result<Option<T>, Error>> {
        let (rows,) = batch_get((self,)).send_each(repository).await;
        rows
    }
}

impl<E, T> Clone for BatchGet<E, T> {
    fn clone(&self) -> Self {
        Self { command: self.command.clone(), concurrency: self.concurrency, types: PhantomData }
    }
}

impl<E, T> fmt::Debug for BatchGet<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BatchGet").field(&self.command).finish()
    }
}

/// Sends several [`BatchGet`]s as one: a tuple of them, whose keys fill requests of 100 together. The results are a tuple,
/// too.
pub fn batch_get<C: BatchGets>(commands: C) -> JointBatchGet<C> {
    JointBatchGet { commands, concurrency: None }
}

/// Several [`BatchGet`]s in one: see [`batch_get`].
#[derive(Clone, Debug)]
#[must_use = "a command does nothing until it is sent"]
pub struct JointBatchGet<C> {
    commands: C,
    concurrency: Option<usize>,
}

impl<C: BatchGets> JointBatchGet<C> {
    /// The most requests that are under way at once; else the most that one of the commands asks for.
    pub fn concurrency(mut self, requests: usize) -> Self {
        self.concurrency = Some(requests);
        self
    }

    /// Sends the commands: the items of each, in the order of its keys.
    ///
    /// # Errors
    /// As for [`BatchGet::send`].
    pub async fn send(self, repository: &Repository) -> Result<C::Rows, Error> {
        let Parts { commands, concurrency } = self.commands.__parts(repository);
        let reads = read::batch_get(repository, commands, self.concurrency.unwrap_or(concurrency)).await;
        C::__rows(reads?, repository.now())
    }

    /// Sends the commands: for each key of each, the item, `None` if there is none, or the error.
    pub async fn send_each(self, repository: &Repository) -> C::Each {
        let Parts { commands, concurrency } = self.commands.__parts(repository);
        let reads = read::batch_get_each(repository, commands, self.concurrency.unwrap_or(concurrency)).await;
        C::__each(reads, repository.now())
    }
}

/// What the commands are made of, without their types.
pub struct Parts {
    commands: Vec<InTable>,
    concurrency: usize,
}

mod sealed {
    pub trait Sealed {}
}

/// Tuples of [`BatchGet`]s, of up to eight.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of `batch_get` commands",
    label = "expected `(A::batch_get(…), B::batch_get(…))`, of up to eight"
)]
pub trait BatchGets: sealed::Sealed + Sized {
    /// Their results: a `Vec<Option<…>>` for each.
    type Rows;
    /// Their results, or errors, for each key.
    type Each;

    #[doc(hidden)]
    fn __parts(self, repository: &Repository) -> Parts;
    #[doc(hidden)]
    fn __rows(reads: Vec<Vec<Read>>, now: EpochMillis) -> Result<Self::Rows, Error>;
    #[doc(hidden)]
    fn __each(reads: Vec<Vec<Read>>, now: EpochMillis) -> Self::Each;
}

macro_rules! tuples {
    ($($($entity:ident $row:ident $index:tt)+;)*) => {$(
        impl<$($entity: Entity, $row: Row<$entity>),+> sealed::Sealed for ($(BatchGet<$entity, $row>,)+) {}

        impl<$($entity: Entity, $row: Row<$entity>),+> BatchGets for ($(BatchGet<$entity, $row>,)+) {
            type Rows = ($(Vec<Option<$row>>,)+);
            type Each = ($(Vec<Result<Option<$row>, Error>>,)+);

            fn __parts(self, repository: &Repository) -> Parts {
                let concurrency = [$(self.$index.concurrency),+].into_iter().fold(1, usize::max);
                let commands = vec![$((self.$index.command, repository.table_name::<$entity>())),+];
                Parts { commands, concurrency }
            }

            fn __rows(reads: Vec<Vec<Read>>, now: EpochMillis) -> Result<Self::Rows, Error> {
                let mut reads = reads.into_iter();
                Ok(($(
                    reads
                        .next()
                        .unwrap_or_default()
                        .into_iter()
                        .map(|read| found::<$entity, $row>(read?, now))
                        .collect::<Result<_, _>>()?,
                )+))
            }

            fn __each(reads: Vec<Vec<Read>>, now: EpochMillis) -> Self::Each {
                let mut reads = reads.into_iter();
                ($(
                    reads
                        .next()
                        .unwrap_or_default()
                        .into_iter()
                        .map(|read| found::<$entity, $row>(read?, now))
                        .collect(),
                )+)
            }
        }
    )*};
}

tuples! {
    A R0 0;
    A R0 0 B R1 1;
    A R0 0 B R1 1 C R2 2;
    A R0 0 B R1 1 C R2 2 D R3 3;
    A R0 0 B R1 1 C R2 2 D R3 3 E R4 4;
    A R0 0 B R1 1 C R2 2 D R3 3 E R4 4 F R5 5;
    A R0 0 B R1 1 C R2 2 D R3 3 E R4 4 F R5 5 G R6 6;
    A R0 0 B R1 1 C R2 2 D R3 3 E R4 4 F R5 5 G R6 6 H R7 7;
}
