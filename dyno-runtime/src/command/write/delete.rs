//! The commands that remove an item: `delete`, which leaves a tombstone if the entity has one, and `purge`, which removes the
//! tombstone.

use crate::attribute::Item;
use crate::command::answer_types::{answer, request, send};
use crate::entity::{
    Answer, Counted as _, Deletable, Entity, Fenced, Hedgeable, Loaded, Old, Outcome, Purgeable, Returned as _,
    ReturnsNoItem, Tombstone, Versioned, WithoutHistory, clone_and_debug,
};
use crate::error::{EncodeError, Error};
use crate::exchange::{Repository, Request};
use crate::field::Condition;
use crate::key::build_key;
use crate::rule::{Expected, IntoFence, Tokens, Verb};
use crate::schema::{Schema, Token};
use crate::write::WriteCommand;
use std::any::TypeId;
use std::marker::PhantomData;
use std::time::Duration;

/// Deletes the item at a key. If the entity has a tombstone, this is a `PutItem` of the tombstone, otherwise a `DeleteItem`.
///
/// Deleting an item that does not exist is no error: the tombstone is still written, because the put of that item may be on its
/// way. An entity with a version refuses the delete, because there is no item of that version. If version numbers began again
/// after a deletion, another item can have the version: [`over`](Self::over) tells them apart.
#[must_use = "a command does nothing until it is sent"]
pub struct Delete<E: Entity, O = <E as Entity>::DeleteOutput> {
    pub(in crate::command) command: Box<WriteCommand>,
    types: PhantomData<fn() -> (E, O)>,
}

fn delete_of(
    schema: &'static Schema,
    key: Result<Item, EncodeError>,
    tokens: Result<Vec<Option<Token>>, EncodeError>,
    version: u64,
) -> Box<WriteCommand> {
    let mut command = Box::new(WriteCommand::new(schema, Verb::Delete, key));
    command.tokens = tokens;
    command.expecting(Expected::Loaded(version));
    command
}

impl<E: Entity + Deletable> Delete<E> {
    /// Makes the command for this key, with the tokens of the entity's ratchets, and the version to delete.
    pub fn new(key: E::Key, tokens: E::Tokens, version: E::Version) -> Self {
        let key = build_key(E::SCHEMA, &key);
        Self::typed(delete_of(E::SCHEMA, key, tokens.tokens(), version.__number()))
    }
}

impl<E: Entity, O: Answer<E>> Delete<E, O> {
    fn typed(command: Box<WriteCommand>) -> Self {
        Self { command, types: PhantomData }
    }

    /// Deletes only if this condition also holds. Several conditions are joined by AND.
    pub fn condition(mut self, condition: Condition<E>) -> Delete<E, Outcome<E, O::Returned>> {
        self.command.and(condition.into_node());
        Delete::typed(self.command)
    }

    /// Fences the delete with a lock that you hold, or with another system's fencing token: it is refused with
    /// [`Reason::Fenced`](crate::Reason::Fenced) if a write with a greater number has been applied. The tombstone keeps the
    /// number. Without it, the delete has the fence 0, and passes only if no lock holder has written the item.
    pub fn fenced(mut self, fence: impl IntoFence) -> Self
    where
        E: Fenced,
    {
        self.command.fenced(fence.into_fence());
        self
    }

    /// Returns the item that was at the key before. Costs nothing.
    pub fn return_old(self) -> Delete<E, O::Returning<Old<E>>>
    where
        E: WithoutHistory,
    {
        Delete::typed(self.command)
    }

    /// Sends a second, equal request if the first has not been answered after this time, and takes the first answer that counts:
    /// see [`Repository::hedged`].
    pub fn hedge(mut self, after: Duration) -> Self
    where
        E: Hedgeable,
        O: Answer<E, Returned: ReturnsNoItem>,
    {
        self.command.hedge = Some(after);
        self
    }

    /// Passes the item that the delete supersedes, as it was loaded.
    ///
    /// The delete then expects this very item: its version, its write id, and every attribute as it was loaded, because programs
    /// without dyno need not change the version. Otherwise it is refused, with [`Reason::Changed`](crate::Reason::Changed). It
    /// costs no request. (If an item with a version and a write id has more than 75 attributes, the
    /// delete expects only these two. So it does in a client-side transaction.)
    ///
    /// An ordered history stores the superseded item, which it otherwise has to read: `over` saves this request.
    pub fn over(mut self, loaded: &Loaded<E>) -> Self
    where
        E: Versioned,
    {
        self.command.supersedes(&loaded.item);
        self
    }

    /// Returns the request that `send` would send, without sending it. With an atomic history, this is the transaction of the
    /// revision and the item. With an ordered history, it is the write of the item alone: if you send it yourself, it leaves no
    /// revision.
    ///
    /// # Errors
    /// Those of `send` before its request: [`Error::is_invalid_input`]. Also if the item is a new one of an entity with an atomic
    /// history, because `send` must read its number first.
    pub fn request(&self, repository: &Repository) -> Result<Request, Error> {
        request::<E, O>(&self.command, repository)
    }

    /// Sends the delete: one `DeleteItem`, or the `PutItem` of a tombstone. With a history, it sends the requests in the
    /// documentation of the entity's `delete`.
    ///
    /// If you drop the future, the write may be applied or not: see [Cancel safety](crate::guide::cancel_safety).
    ///
    /// # Errors
    /// DynamoDB cannot store the key ([`Error::is_invalid_input`]), could not be reached, or answered with an error. If
    /// [`Error::may_be_applied`] is true, an answer was lost: you can send a clone, which is the same write. A refusal is not
    /// an error but an [`Outcome`].
    pub async fn send(self, repository: &Repository) -> Result<O, Error> {
        answer::<E, O>(send(self.command, repository, TypeId::of::<E>(), O::Returned::VALUE).await)
    }
}

clone_and_debug! {
    [E: Entity, O] Delete<E, O>: command; types
    [E] Purge<E>: command; entity
}

/// Removes a tombstone for good, if it is still the one that was read. One `DeleteItem`. Purging a tombstone that no longer
/// exists is no error.
///
/// Afterwards, an older write that arrives late brings the item back. Leave tombstones to their TTL unless you know that no such
/// write is on its way.
#[must_use = "a command does nothing until it is sent"]
pub struct Purge<E> {
    pub(in crate::command) command: Box<WriteCommand>,
    entity: PhantomData<fn() -> E>,
}

impl<E: Purgeable> Purge<E> {
    /// Makes the command for this tombstone.
    pub fn new(tombstone: &Tombstone<E>) -> Self {
        let command = Box::new(WriteCommand::new(E::SCHEMA, Verb::Purge, Ok(tombstone.item().clone())));
        Self { command, entity: PhantomData }
    }

    /// Returns the request that `send` would send, without sending it.
    ///
    /// # Errors
    /// The repository knows no table for the entity.
    pub fn request(&self, repository: &Repository) -> Result<Request, Error> {
        request::<E, Outcome<E>>(&self.command, repository)
    }

    /// Sends the purge: one `DeleteItem`. It is refused with [`Reason::Changed`](crate::Reason::Changed) if another row is stored.
    ///
    /// If you drop the future, the write may be applied or not: see [Cancel safety](crate::guide::cancel_safety).
    ///
    /// # Errors
    /// DynamoDB could not be reached or answered with an error.
    pub async fn send(self, repository: &Repository) -> Result<Outcome<E>, Error> {
        answer::<E, _>(send(self.command, repository, TypeId::of::<E>(), None).await)
    }
}
