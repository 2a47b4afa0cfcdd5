//! The command that reads one item: `get`.

use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::entity::{Entity, Found, Loaded, MayExpire, Projection, Row, Transactional, Versioned};
use crate::error::Error;
use crate::exchange::{Repository, Request};
use crate::key::build_key;
use crate::read::{GetCommand, Level, wanted};
use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

/// Reads the item at a key: one `GetItem`. Tombstones and expired items count as absent.
#[must_use = "a command does nothing until it is sent"]
pub struct Get<E, T = E> {
    pub(super) command: GetCommand,
    types: PhantomData<fn() -> (E, T)>,
}

impl<E: Entity> Get<E> {
    /// The command for this key.
    pub fn new(key: E::Key) -> Self {
        Self {
            command: GetCommand {
                schema: E::SCHEMA,
                key: build_key(E::SCHEMA, &key),
                consistent: false,
                level: Level::Committed,
                projection: None,
                hedge: None,
            },
            types: PhantomData,
        }
    }
}

impl<E: Entity, T: Row<E>> Get<E, T> {
    /// Reads what every acknowledged write has left, for twice the price.
    ///
    /// Where a transaction of many requests holds an item, its lane is read as well; what is committed is shown, and applied
    /// to the item if that was still to be done. What is not committed yet is not waited for.
    pub fn consistent(mut self) -> Self {
        self.command.consistent = true;
        self.command.level = self.command.level.consistent();
        self
    }

    /// Shows an item that a transaction of many requests holds as that transaction is about to make it, whether it will be
    /// committed or not: what is to be created is there, and what is to be deleted is not. It costs nothing more.
    ///
    /// It is for who looks at what is under way. What it shows may never have been, and may fit to nothing else that is read.
    pub fn uncommitted(mut self) -> Self
    where
        E: Transactional,
    {
        self.command.level = Level::Uncommitted;
        self
    }

    /// Returns what is there, dead or alive: tombstones and expired items, too.
    pub fn include_deleted(mut self) -> Get<E, Found<E>>
    where
        E: MayExpire,
    {
        self.command.projection = None;
        Get { command: self.command, types: PhantomData }
    }

    /// Reads only the fields that `P` names. What is read is paid for by the size of the whole item all the same.
    pub fn project<P: Projection<Entity = E>>(mut self) -> Get<E, P> {
        self.command.projection = Some(P::ATTRIBUTES);
        Get { command: self.command, types: PhantomData }
    }

    /// Returns the entity with the item that it was read from: see [`Loaded`].
    pub fn loaded(mut self) -> Get<E, Loaded<E>>
    where
        E: Versioned,
    {
        self.command.projection = None;
        Get { command: self.command, types: PhantomData }
    }

    /// Sends a second, equal request when the first has not answered after this time, and takes the first answer: see
    /// [`Repository::hedged`].
    pub fn hedge(mut self, after: Duration) -> Self {
        self.command.hedge = Some(after);
        self
    }

    /// The request that `send` would send, without sending it.
    ///
    /// # Errors
    /// Those of `send` before its request: [`Error::is_invalid_input`].
    pub fn request(&self, repository: &Repository) -> Result<Request, Error> {
        self.command.request(repository, repository.table_name::<E>()?)
    }

    /// Sends the command: one `GetItem`.
    ///
    /// # Errors
    /// The key is impossible, the item is not of the entity's shape, or DynamoDB could not be reached or
    /// answered with an error.
    pub async fn send(self, repository: &Repository) -> Result<Option<T>, Error> {
        match find(self.command, repository, TypeId::of::<E>(), T::DEAD).await? {
            Some((item, now)) => T::read(item, now).map(Some),
            None => Ok(None),
        }
    }
}

/// The item of an entity with this id, with the time at which it was live, or whatever it is if the dead are wanted, too.
/// Not generic: it is compiled once, and not for each entity.
async fn find(
    command: GetCommand,
    repository: &Repository,
    entity: TypeId,
    dead: bool,
) -> Result<Option<(Item, EpochMillis)>, Error> {
    let schema = command.schema;
    let table = repository.table_name_of(entity, schema)?;
    let found = command.send(repository, table).await?;
    let now = repository.now();
    Ok(wanted(found, schema, now, dead).map(|item| (item, now)))
}

impl<E, T> Clone for Get<E, T> {
    fn clone(&self) -> Self {
        Self { command: self.command.clone(), types: PhantomData }
    }
}

impl<E, T> fmt::Debug for Get<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Get").field(&self.command).finish()
    }
}
