//! The command that reads the item which has a unique value: `get_by_…`.

use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, KeyPart, KeyParts};
use crate::entity::{Entity, Found, Loaded, MayExpire, Row, Versioned, WithUniqueValues, clone_and_debug};
use crate::error::Error;
use crate::exchange::Repository;
use crate::read::{FindUniqueCommand, present};
use std::any::TypeId;
use std::marker::PhantomData;

/// Reads the item that has a unique value: a consistent `GetItem` of the value's guard, and one of the item that holds it.
/// Tombstones and expired items count as absent.
///
/// If the holder does not have the value, both are read once more, at one point in time: one `TransactGetItems`.
#[must_use = "a command does nothing until it is sent"]
pub struct GetByUnique<E, T = E> {
    command: FindUniqueCommand,
    types: PhantomData<fn() -> (E, T)>,
}

impl<E: WithUniqueValues> GetByUnique<E> {
    /// Makes the command for the value of the entity's unique values at this position.
    #[doc(hidden)]
    pub fn __new(position: usize, values: &impl KeyParts) -> Self {
        let unique = &E::SCHEMA.unique[position];
        let values = values.parts().into_iter().zip(unique.attributes);
        let values = values.map(|(value, name)| KeyPart::value(value).map_err(|error| error.at_name(*name)));
        Self::typed(FindUniqueCommand { schema: E::SCHEMA, unique, values: values.collect() })
    }

    /// Returns the item together with its version, for a later write that expects it: [`Loaded`].
    pub fn loaded(self) -> GetByUnique<E, Loaded<E>>
    where
        E: Versioned,
    {
        GetByUnique::typed(self.command)
    }

    /// Also returns an item that has expired: [`Found`]. (A tombstone has no value.)
    pub fn include_deleted(self) -> GetByUnique<E, Found<E>>
    where
        E: MayExpire,
    {
        GetByUnique::typed(self.command)
    }
}

impl<E: Entity, T: Row<E>> GetByUnique<E, T> {
    fn typed(command: FindUniqueCommand) -> Self {
        Self { command, types: PhantomData }
    }

    /// Reads the value's guard row, and then the item, with two consistent `GetItem`. Returns `None` if no live item has the value.
    ///
    /// If you drop the future, nothing is lost: the command writes nothing.
    ///
    /// # Errors
    /// DynamoDB cannot store the value ([`Error::is_invalid_input`]); the value moved from one item to another at each look
    /// ([`ErrorKind::Contended`](crate::ErrorKind::Contended)); the item is not of the entity's shape; or DynamoDB could not be
    /// reached or answered with an error.
    pub async fn send(self, repository: &Repository) -> Result<Option<T>, Error> {
        match find(self.command, repository, TypeId::of::<E>(), T::DEAD).await? {
            Some((item, now)) => T::read(item.into(), now).map(Some),
            None => Ok(None),
        }
    }
}

/// Reads the item of the entity with this id, and the time at which it was live. Not generic, so that it is compiled once and not
/// for each entity.
async fn find(
    command: FindUniqueCommand,
    repository: &Repository,
    entity: TypeId,
    dead: bool,
) -> Result<Option<(Item, EpochMillis)>, Error> {
    let schema = command.schema;
    let tables = repository.tables_of(entity, schema)?;
    let found = command.send(repository, &tables).await?;
    let now = repository.now();
    Ok(present(found, schema, now, dead).map(|item| (item, now)))
}

clone_and_debug!([E, T] GetByUnique<E, T>: command; types);
