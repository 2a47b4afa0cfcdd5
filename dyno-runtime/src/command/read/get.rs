//! The command that reads one item: `get`.

use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::entity::{Entity, Found, Loaded, MayExpire, Projection, Row, Transactional, Versioned, clone_and_debug};
use crate::error::Error;
use crate::exchange::{Repository, Request};
use crate::key::build_key;
use crate::read::{GetCommand, Level, present};
use std::any::TypeId;
use std::marker::PhantomData;
use std::time::Duration;

/// Reads the item at a key: one `GetItem`. Tombstones and expired items count as absent.
#[must_use = "a command does nothing until it is sent"]
pub struct Get<E, T = E> {
    pub(in crate::command) command: GetCommand,
    types: PhantomData<fn() -> (E, T)>,
}

impl<E: Entity> Get<E> {
    /// Makes the command for this key.
    pub fn new(key: E::Key) -> Self {
        Self {
            command: GetCommand {
                schema: E::SCHEMA,
                key: build_key(E::SCHEMA, &key),
                level: Level::Eventual,
                projection: None,
                hedge: None,
            },
            types: PhantomData,
        }
    }
}

impl<E: Entity, T: Row<E>> Get<E, T> {
    /// Reads with strong consistency, for twice the price: the result includes every write that was acknowledged before.
    ///
    /// If a client-side transaction holds the item, its lane row (the transaction record) is read, too. A committed change is
    /// shown, and rolled forward into the item if no process has done so yet. An undecided transaction is not waited for: the
    /// read returns the item as it was before.
    pub fn consistent(mut self) -> Self {
        self.command.level = self.command.level.consistent();
        self
    }

    /// If a client-side transaction holds the item, shows it as the transaction would leave it, whether it commits or not: an
    /// item to be created exists, and an item to be deleted does not. It costs nothing more.
    ///
    /// Use it to look at transactions in progress. The result may never become real, and may be inconsistent with everything else
    /// that you read.
    pub fn uncommitted(mut self) -> Self
    where
        E: Transactional,
    {
        self.command.level = self.command.level.uncommitted();
        self
    }

    /// Returns the row at the key in any state: a live item, an expired one, or a tombstone. See [`Found`].
    pub fn include_deleted(mut self) -> Get<E, Found<E>>
    where
        E: MayExpire,
    {
        self.command.projection = None;
        Get { command: self.command, types: PhantomData }
    }

    /// Reads only the fields that `P` names. The read still costs the size of the whole item.
    pub fn project<P: Projection<Entity = E>>(mut self) -> Get<E, P> {
        self.command.projection = Some(P::ATTRIBUTES);
        Get { command: self.command, types: PhantomData }
    }

    /// Returns the entity together with the item that it was read from: see [`Loaded`].
    pub fn loaded(mut self) -> Get<E, Loaded<E>>
    where
        E: Versioned,
    {
        self.command.projection = None;
        Get { command: self.command, types: PhantomData }
    }

    /// Sends a second, equal request if the first has not been answered after this time, and takes the first answer: see
    /// [`Repository::hedged`].
    pub fn hedge(mut self, after: Duration) -> Self {
        self.command.hedge = Some(after);
        self
    }

    /// Returns the request that `send` would send, without sending it.
    ///
    /// # Errors
    /// Those of `send` before its request: [`Error::is_invalid_input`].
    pub fn request(&self, repository: &Repository) -> Result<Request, Error> {
        self.command.request(repository, repository.table_name::<E>()?)
    }

    /// Reads the item, with one `GetItem`. Returns `None` if there is no live item.
    ///
    /// If you drop the future, nothing is lost: the command writes nothing of its own.
    ///
    /// # Errors
    /// DynamoDB cannot store the key ([`Error::is_invalid_input`]), could not be reached, or answered with an error; or the item is
    /// not of the entity's shape.
    pub async fn send(self, repository: &Repository) -> Result<Option<T>, Error> {
        match find(self.command, repository, TypeId::of::<E>(), T::DEAD).await? {
            Some((item, now)) => T::read(item.into(), now).map(Some),
            None => Ok(None),
        }
    }
}

/// Reads the item of the entity with this id, and the time at which it was live. With `dead`, returns dead items, too. Not
/// generic, so that it is compiled once and not for each entity.
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
    Ok(present(found, schema, now, dead).map(|item| (item, now)))
}

clone_and_debug!([E, T] Get<E, T>: command; types);
