//! The commands that remove an item: `delete`, which leaves a tombstone where the entity has one, and `purge`,
//! which removes the tombstone.

use super::returned::{answer, request, send};
use crate::attribute::Item;
use crate::entity::{
    Answer, Counted as _, Deletable, Entity, Fenced, Hedgeable, Loaded, Old, Outcome, Purgeable, Returned as _,
    ReturnsNoItem, Tombstone, Versioned, WithoutHistory,
};
use crate::error::{EncodeError, Error};
use crate::exchange::{Repository, Request};
use crate::field::Condition;
use crate::key::{build_key, key_of};
use crate::rule::{Expected, IntoFence, Tokens, Verb};
use crate::schema::{Schema, Token};
use crate::write::WriteCommand;
use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

/// Deletes the item at a key. Where the entity has a tombstone, a `PutItem` of it; else a `DeleteItem`.
///
/// Deleting what is not there is no error: a tombstone is written all the same, since the put that it belongs to may
/// still be under way. With a version it is refused: there is no item of that version. Where numbers begin again behind a
/// deletion, another item can have that version, and [`over`](Self::over) tells.
#[must_use = "a command does nothing until it is sent"]
pub struct Delete<E: Entity, O = <E as Entity>::DeleteOutput> {
    pub(super) command: Box<WriteCommand>,
    types: PhantomData<fn() -> (E, O)>,
}

fn delete_of(
    schema: &'static Schema,
    key: Result<Item, EncodeError>,
    tokens: Result<Vec<Option<Token>>, EncodeError>,
    version: u64,
) -> Box<WriteCommand> {
    let mut command = Box::new(WriteCommand { tokens, ..WriteCommand::new(schema, Verb::Delete, key) });
    command.expecting(Expected::Loaded(version));
    command
}

impl<E: Entity + Deletable> Delete<E> {
    /// The command for this key, with the tokens of the entity's ratchets, and the version that is to be deleted.
    pub fn new(key: E::Key, tokens: E::Tokens, version: E::Version) -> Self {
        let key = build_key(E::SCHEMA, &key);
        Self::typed(delete_of(E::SCHEMA, key, tokens.tokens(), version.__number()))
    }
}

impl<E: Entity, O: Answer<E>> Delete<E, O> {
    fn typed(command: Box<WriteCommand>) -> Self {
        Self { command, types: PhantomData }
    }

    /// Deletes only if this condition holds, too. Several conditions are joined by AND.
    pub fn condition(mut self, condition: Condition<E>) -> Delete<E, Outcome<E, O::Returned>> {
        self.command.and(condition.into_node());
        Delete::typed(self.command)
    }

    /// Fixes the fence of the delete to that of a lock that is held, or to a number of another system's: it is refused with
    /// [`Reason::Fenced`](crate::Reason::Fenced) where one of a greater number has written. The tombstone keeps it. Without it,
    /// the delete has the fence 0, and passes only where no holder of a lock has written.
    pub fn fenced(mut self, fence: impl IntoFence) -> Self
    where
        E: Fenced,
    {
        self.command.fenced(fence.into_fence());
        self
    }

    /// Returns what was at the key before. Costs nothing.
    pub fn return_old(self) -> Delete<E, O::Returning<Old<E>>>
    where
        E: WithoutHistory,
    {
        Delete::typed(self.command)
    }

    /// Sends a second, equal request when the first has not answered after this time, and takes the first answer that counts:
    /// see [`Repository::hedged`].
    pub fn hedge(mut self, after: Duration) -> Self
    where
        E: Hedgeable,
        O: Answer<E, Returned: ReturnsNoItem>,
    {
        self.command.hedge = Some(after);
        self
    }

    /// The item that the write supersedes, as it was loaded.
    ///
    /// Without a history, the delete then expects this very item, by its write id.
    /// Where numbers have begun again behind a deletion, another item of its version refuses it with
    /// [`Reason::Changed`](crate::Reason::Changed). It costs nothing. (An entity without write ids has only the version.)
    ///
    /// An item that no write of dyno's has counted has no version, or no write id. Then the delete expects every attribute as it
    /// was loaded, also with a history.
    ///
    /// An ordered history keeps the item, and otherwise has to read it: one request less. With a history, it changes
    /// nothing about what the write expects: a number is given once.
    pub fn over(mut self, loaded: &Loaded<E>) -> Self
    where
        E: Versioned,
    {
        self.command.supersedes(&loaded.item);
        self
    }

    /// The request that `send` would send, without sending it. With an atomic history, that is the transaction of the
    /// revision and the item. With an ordered one, it is that of the item alone: sent by hand, it leaves no revision.
    ///
    /// # Errors
    /// Those of `send` before its request: [`Error::is_invalid_input`]; and that the item is a new one of an entity with an
    /// atomic history, whose number `send` learns first.
    pub fn request(&self, repository: &Repository) -> Result<Request, Error> {
        request::<E, O>(&self.command, repository)
    }

    /// Sends the command: one request; with a history, as the entity's function says.
    ///
    /// # Errors
    /// The key is impossible, or DynamoDB could not be reached or answered with an error. A refusal is not an error
    /// but an [`Outcome`].
    pub async fn send(self, repository: &Repository) -> Result<O, Error> {
        answer::<E, O>(send(self.command, repository, TypeId::of::<E>(), O::Returned::VALUE).await)
    }
}

impl<E: Entity, O> Delete<E, O> {
    pub(super) fn into_command(self) -> WriteCommand {
        *self.command
    }
}

impl<E: Entity, O> Clone for Delete<E, O> {
    fn clone(&self) -> Self {
        Self { command: self.command.clone(), types: PhantomData }
    }
}

impl<E: Entity, O> fmt::Debug for Delete<E, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Delete").field(&self.command).finish()
    }
}

/// Removes a tombstone for good, if it is still the one that was read. One `DeleteItem`; purging what is gone
/// already is no error.
///
/// From then on, an older write that arrives late brings the item back: leave tombstones to their TTL unless you
/// know that none is under way.
#[must_use = "a command does nothing until it is sent"]
pub struct Purge<E> {
    pub(super) command: Box<WriteCommand>,
    entity: PhantomData<fn() -> E>,
}

impl<E: Purgeable> Purge<E> {
    /// The command for this tombstone.
    pub fn new(tombstone: &Tombstone<E>) -> Self {
        let item = tombstone.item();
        let mut command = Box::new(WriteCommand::new(E::SCHEMA, Verb::Purge, Ok(key_of(E::SCHEMA, item))));
        command.tombstone = Some(item.clone());
        Self { command, entity: PhantomData }
    }

    /// The request that `send` would send, without sending it.
    ///
    /// # Errors
    /// The repository knows no table for the entity.
    pub fn request(&self, repository: &Repository) -> Result<Request, Error> {
        request::<E, Outcome<E>>(&self.command, repository)
    }

    /// Sends the command: one `DeleteItem`.
    ///
    /// # Errors
    /// DynamoDB could not be reached or answered with an error.
    pub async fn send(self, repository: &Repository) -> Result<Outcome<E>, Error> {
        answer::<E, _>(send(self.command, repository, TypeId::of::<E>(), None).await)
    }
}

impl<E> Clone for Purge<E> {
    fn clone(&self) -> Self {
        Self { command: self.command.clone(), entity: PhantomData }
    }
}

impl<E> fmt::Debug for Purge<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Purge").field(&self.command).finish()
    }
}
