//! The commands that read many items by their keys: `batch_get` of one entity, and of several entities at once.

use crate::attribute::time::EpochMillis;
use crate::entity::{
    Entity, Found, Loaded, MayExpire, Projection, Row, Transactional, Versioned, clone_and_debug, found,
};
use crate::error::Error;
use crate::exchange::{CONCURRENCY, Repository};
use crate::key::build_key;
use crate::read;
use crate::read::{BatchGetCommand, InTable, Level, Read};
use std::marker::PhantomData;
use std::time::Duration;

/// Reads the items at these keys: one `BatchGetItem` for every 100 of them, four at a time. Tombstones and expired items
/// count as absent.
///
/// The results are in the order of the keys. A key that is given twice is read once, and has its item twice.
///
/// Keys that DynamoDB leaves unprocessed are requested again, all together, after a pause that grows and is of random length;
/// there is no pause after an answer of 16 MB, the most that an answer can have. When DynamoDB has processed nothing after each
/// of eight pauses in a row, which takes some seconds, the command ends in the error
/// [`ErrorKind::Throttled`](crate::ErrorKind::Throttled).
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
    pub(in crate::command) command: BatchGetCommand,
    pub(in crate::command) concurrency: usize,
    types: PhantomData<fn() -> (E, T)>,
}

impl<E: Entity> BatchGet<E> {
    /// Makes the command for these keys.
    pub fn new(keys: impl IntoIterator<Item = E::Key>) -> Self {
        let keys = keys.into_iter().map(|key| build_key(E::SCHEMA, &key));
        let command = BatchGetCommand::new(E::SCHEMA, keys.collect(), Level::Eventual);
        Self { command, concurrency: CONCURRENCY, types: PhantomData }
    }
}

impl<E: Entity, T: Row<E>> BatchGet<E, T> {
    fn typed<U>(self) -> BatchGet<E, U> {
        BatchGet { command: self.command, concurrency: self.concurrency, types: PhantomData }
    }

    /// Reads with strong consistency, for twice the price: the result includes every write that was acknowledged before.
    ///
    /// For each item that a client-side transaction holds, the lane row (the transaction record) is read, too. A committed change
    /// is shown, and rolled forward into the item if no process has done so yet. An undecided transaction is not waited for.
    /// Consistency is per item: to read all items as of one moment, use [`TransactGet`](crate::command::TransactGet).
    ///
    /// One request reads all its keys of a table in the same way. If another command that you send with this one reads further
    /// keys of the table in the other way, these keys take requests of their own. A key that is read in both ways is read
    /// consistently.
    pub fn consistent(mut self) -> Self {
        self.command.level = self.command.level.consistent();
        self
    }

    /// Shows items that client-side transactions hold as these would leave them: see [`get`](crate::command::Get::uncommitted).
    pub fn uncommitted(mut self) -> Self
    where
        E: Transactional,
    {
        self.command.level = self.command.level.uncommitted();
        self
    }

    /// Returns the rows at the keys in any state: live items, expired ones, and tombstones. See [`Found`].
    pub fn include_deleted(mut self) -> BatchGet<E, Found<E>>
    where
        E: MayExpire,
    {
        self.command.projection = None;
        self.typed()
    }

    /// Reads only the fields that `P` names. The read still costs the size of the whole items.
    ///
    /// Commands that you send together share requests: each item of a table is read with all attributes that any of them names.
    pub fn project<P: Projection<Entity = E>>(mut self) -> BatchGet<E, P> {
        self.command.projection = Some(P::ATTRIBUTES);
        self.typed()
    }

    /// Returns the entities together with the items that they were read from: see [`Loaded`].
    pub fn loaded(mut self) -> BatchGet<E, Loaded<E>>
    where
        E: Versioned,
    {
        self.command.projection = None;
        self.typed()
    }

    /// Sends a second, equal request if a request has not been answered after this time, and takes the first answer: see
    /// [`Repository::hedged`]. If commands are sent together, the shortest time applies to all.
    pub fn hedge(mut self, after: Duration) -> Self {
        self.command.hedge = Some(after);
        self
    }

    /// Sets how many requests may be in flight at once: at least one, four by default.
    pub fn concurrency(mut self, requests: usize) -> Self {
        self.concurrency = requests;
        self
    }

    /// Reads the items, in the order of the keys, with `None` for a key that has no live item. Without keys, it sends no request.
    ///
    /// If you drop the future, nothing is lost: the command writes nothing of its own.
    ///
    /// # Errors
    /// The first error that [`send_each`](Self::send_each) would return; everything else that was read is lost. A key that
    /// DynamoDB cannot store is reported before any request.
    pub async fn send(self, repository: &Repository) -> Result<Vec<Option<T>>, Error> {
        let (rows,) = batch_get((self,)).send(repository).await?;
        Ok(rows)
    }

    /// As [`send`](Self::send), but returns an error for each key that failed, in its place.
    ///
    /// The error says which key it belongs to: DynamoDB cannot store the key, the item is not of the entity's shape, the
    /// key's request failed, or DynamoDB kept leaving the key unprocessed.
    ///
    /// If you drop the future, nothing is lost: the command writes nothing of its own.
    pub async fn send_each(self, repository: &Repository) -> Vec<Result<Option<T>, Error>> {
        let (rows,) = batch_get((self,)).send_each(repository).await;
        rows
    }
}

clone_and_debug!([E, T] BatchGet<E, T>: command, concurrency; types);

/// Sends several [`BatchGet`]s as one: a tuple of them, whose keys fill requests of 100 together. The results are a tuple, too.
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
    /// Sets how many requests may be in flight at once; the default is the largest number that one of the commands asks for.
    pub fn concurrency(mut self, requests: usize) -> Self {
        self.concurrency = Some(requests);
        self
    }

    /// Sends the commands together. Returns the items of each, in the order of its keys.
    ///
    /// If you drop the future, nothing is lost: the command writes nothing of its own.
    ///
    /// # Errors
    /// As for [`BatchGet::send`].
    pub async fn send(self, repository: &Repository) -> Result<C::Rows, Error> {
        let UntypedCommands { commands, concurrency } = self.commands.__parts(repository);
        let reads = read::batch_get(repository, commands, self.concurrency.unwrap_or(concurrency)).await;
        C::__rows(reads?, repository.now())
    }

    /// Sends the commands. Returns for each key of each command the item, `None` if there is no item, or the error.
    ///
    /// If you drop the future, nothing is lost: the command writes nothing of its own.
    pub async fn send_each(self, repository: &Repository) -> C::Each {
        let UntypedCommands { commands, concurrency } = self.commands.__parts(repository);
        let reads = read::batch_get_each(repository, commands, self.concurrency.unwrap_or(concurrency)).await;
        C::__each(reads, repository.now())
    }
}

/// Several commands, without their types.
pub struct UntypedCommands {
    commands: Vec<InTable>,
    concurrency: usize,
}

mod sealed {
    pub trait Sealed {}
}

/// Tuples of up to eight [`BatchGet`]s.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of `batch_get` commands",
    label = "expected `(A::batch_get(…), B::batch_get(…))`, of up to eight"
)]
pub trait BatchGets: sealed::Sealed + Sized {
    /// The results of the commands: a `Vec<Option<…>>` for each.
    type Rows;
    /// The result or error of each key.
    type Each;

    #[doc(hidden)]
    fn __parts(self, repository: &Repository) -> UntypedCommands;
    #[doc(hidden)]
    fn __rows(reads: Vec<Vec<Read>>, now: EpochMillis) -> Result<Self::Rows, Error>;
    #[doc(hidden)]
    fn __each(reads: Vec<Vec<Read>>, now: EpochMillis) -> Self::Each;
}

/// Decodes the items of one command.
fn rows<E: Entity, T: Row<E>>(
    reads: Option<Vec<Read>>,
    now: EpochMillis,
) -> impl Iterator<Item = Result<Option<T>, Error>> {
    reads.unwrap_or_default().into_iter().map(move |read| found::<E, T>(read?, now))
}

macro_rules! tuples {
    ($($($entity:ident $row:ident $index:tt)+;)*) => {$(
        impl<$($entity: Entity, $row: Row<$entity>),+> sealed::Sealed for ($(BatchGet<$entity, $row>,)+) {}

        impl<$($entity: Entity, $row: Row<$entity>),+> BatchGets for ($(BatchGet<$entity, $row>,)+) {
            type Rows = ($(Vec<Option<$row>>,)+);
            type Each = ($(Vec<Result<Option<$row>, Error>>,)+);

            fn __parts(self, repository: &Repository) -> UntypedCommands {
                let concurrency = [$(self.$index.concurrency),+].into_iter().fold(1, usize::max);
                let commands = vec![$((self.$index.command, repository.table_name::<$entity>())),+];
                UntypedCommands { commands, concurrency }
            }

            fn __rows(reads: Vec<Vec<Read>>, now: EpochMillis) -> Result<Self::Rows, Error> {
                let mut reads = reads.into_iter();
                Ok(($(rows::<$entity, $row>(reads.next(), now).collect::<Result<_, _>>()?,)+))
            }

            fn __each(reads: Vec<Vec<Read>>, now: EpochMillis) -> Self::Each {
                let mut reads = reads.into_iter();
                ($(rows::<$entity, $row>(reads.next(), now).collect(),)+)
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
