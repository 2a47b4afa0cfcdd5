//! The command that changes single attributes: `update`.

use crate::attribute::{IntoField, Item};
use crate::command::answer_types::{answer, request, send};
use crate::entity::{
    Answer, Counted as _, Entity, Fenced, HedgeableUpdate, Idempotent, Loaded, New, Old, Outcome, Returned as _,
    ReturnsNoItem, Updatable, Versioned, WithoutHistory, absent, clone_and_debug,
};
use crate::error::{EncodeError, Error};
use crate::exchange::{Repository, Request};
use crate::expression::RawChange;
use crate::field::{Condition, IntoChanges, RawChanges};
use crate::key::{build_key, key_copies};
use crate::rule::{Expected, GroupToken, IntoFence, Verb};
use crate::schema::{Schema, Token};
use crate::write::WriteCommand;
use std::any::TypeId;
use std::marker::PhantomData;
use std::time::Duration;

/// Changes attributes of the live item at a key, and leaves the others as they are. Sends one `UpdateItem`, which is refused if
/// no live item exists.
#[must_use = "a command does nothing until it is sent"]
pub struct Update<E: Entity, O = Outcome<E, <E as Entity>::Version>> {
    pub(in crate::command) command: Box<WriteCommand>,
    types: PhantomData<fn() -> (E, O)>,
}

fn update_of(schema: &'static Schema, key: Result<Item, EncodeError>, copies: Vec<RawChange>) -> Box<WriteCommand> {
    let mut command = Box::new(WriteCommand::new(schema, Verb::Update { upsert: false }, key));
    command.update.key_copies = copies;
    command
}

impl<E: Entity + Updatable + WithoutHistory> Update<E> {
    /// Makes the command for this key, without changes yet.
    pub fn new(key: E::Key) -> Self {
        Self::typed(update_of(E::SCHEMA, build_key(E::SCHEMA, &key), key_copies(E::SCHEMA, &key)))
    }

    /// Makes the command that sets a ratchet's group. The generated methods of a grouped entity call it.
    #[doc(hidden)]
    pub fn __group(mut self, ratchet: usize, token: &impl GroupToken, changes: impl IntoChanges<E>) -> Self {
        set_group(&mut self.command, ratchet, token.token(), RawChanges::of(changes));
        self
    }
}

fn set_group(command: &mut WriteCommand, ratchet: usize, token: Result<Token, EncodeError>, changes: RawChanges) {
    command.renew();
    command.tokens = token.map(|token| {
        let mut tokens = vec![None; command.schema.ratchets.len()];
        tokens[ratchet] = Some(token);
        tokens
    });
    command.update.changes = changes.into_inner();
}

fn add_changes(command: &mut WriteCommand, changes: RawChanges) {
    command.renew();
    command.update.changes.extend(changes.into_inner());
}

impl<E: Entity, O: Answer<E>> Update<E, O> {
    fn typed(command: Box<WriteCommand>) -> Self {
        Self { command, types: PhantomData }
    }

    /// Adds changes: a [`Change`](crate::Change), or an `Option`, an array or a `Vec` of them.
    pub fn with(mut self, changes: impl IntoChanges<E>) -> Self {
        add_changes(&mut self.command, RawChanges::of(changes));
        self
    }

    /// Creates the item if there is none. The changes must then set every required attribute, so that the item can be read.
    ///
    /// A tombstone, or an item that has expired, refuses an upsert as it refuses any update: use `put` or `create` instead.
    pub fn upsert(mut self) -> Self {
        self.command.renew();
        self.command.verb = Verb::Update { upsert: true };
        self
    }

    /// Updates only if this condition also holds. Several conditions are joined by AND.
    pub fn condition(mut self, condition: Condition<E>) -> Self {
        self.command.and(condition.into_node());
        self
    }

    /// Fences the update with a lock that you hold, or with another system's fencing token: it is refused with
    /// [`Reason::Fenced`](crate::Reason::Fenced) if a write with a greater number has been applied, and otherwise stores the
    /// number. An update without a fence neither checks the stored one nor changes it.
    pub fn fenced(mut self, fence: impl IntoFence) -> Self
    where
        E: Fenced,
    {
        self.command.fenced(fence.into_fence());
        self
    }

    /// Makes the changes only if no update with this key has changed the item yet. Otherwise the update is refused with
    /// [`Reason::Duplicate`](crate::Reason::Duplicate), which [`accept_duplicate`](Outcome::accept_duplicate) accepts as done.
    /// The entity's `#[idempotency]` sets how long a key is remembered, and what is stored of it.
    ///
    /// Use the id of the event that causes the update, such as a message's id: the same each time the event is delivered, and a
    /// different one for each event. With a key the update is safe to send again. After a lost answer it can find its own first
    /// attempt. That is a duplicate like any other: the update has been made, once.
    ///
    /// Keys in the item belong to this item: if it is deleted, a new item with the same primary key begins without them.
    ///
    /// Keys in the item cost no further request, but write units for the size of the whole item: see
    /// [`capacity`](crate::capacity). (After an idle time, or if the list has become full since, there is a second request.) A
    /// key in a row of its own turns the update into one `TransactWriteItems`, which returns nothing; after a duplicate, a
    /// `GetItem` follows.
    pub fn idempotency_key(mut self, key: impl AsRef<[u8]>) -> Self
    where
        E: Idempotent,
    {
        let kept = E::SCHEMA.idempotency.as_ref().map(|idempotency| idempotency.keys.of(key.as_ref()));
        self.command.renew();
        self.command.update.dedup_key = kept;
        self
    }

    /// Sends a second, equal request if the first has not been answered after this time, and takes the first answer that counts:
    /// see [`Repository::hedged`]. The update must have an idempotency key, expect a version, or set a group by its token;
    /// otherwise `send` returns an error.
    pub fn hedge(mut self, after: Duration) -> Self
    where
        E: HedgeableUpdate,
        O: Answer<E, Returned: ReturnsNoItem>,
    {
        self.command.hedge = Some(after);
        self
    }

    /// Returns the item as it was before the update. Costs nothing.
    pub fn return_old(self) -> Update<E, O::Returning<Old<E>>> {
        Update::typed(self.command)
    }

    /// Returns the item as it is after the update. Costs nothing.
    pub fn return_new(self) -> Update<E, O::Returning<New<E>>> {
        Update::typed(self.command)
    }

    /// Returns the request that `send` would send, without sending it.
    ///
    /// # Errors
    /// Those of `send` before its request: [`Error::is_invalid_input`]. Also [`remove_value`](crate::Field::remove_value),
    /// because the index of the value must be read first.
    pub fn request(&self, repository: &Repository) -> Result<Request, Error> {
        request::<E, O>(&self.command, repository)
    }

    /// Sends the update: one `UpdateItem`. With [`remove_value`](crate::Field::remove_value), a `GetItem` precedes it, and one
    /// more for each time that the element shifts.
    ///
    /// If you drop the future, the write may be applied or not: see [Cancel safety](crate::guide::cancel_safety).
    ///
    /// # Errors
    /// A value cannot be stored, an attribute is changed twice, or there is no change ([`Error::is_invalid_input`]); or DynamoDB
    /// could not be reached or answered with an error. If [`Error::may_be_applied`] is true, an answer was lost. If you
    /// then send a clone, an update that counts (`add`) is applied twice, unless it has an idempotency key or expects a version. A
    /// refusal is not an error but an [`Outcome`].
    pub async fn send(self, repository: &Repository) -> Result<O, Error> {
        answer::<E, O>(send(self.command, repository, TypeId::of::<E>(), O::Returned::VALUE).await)
    }
}

/// An update of a versioned entity before you say which version it changes.
#[must_use = "say which version the update changes: `.version(loaded.version)`, or any: `.unchecked()`"]
pub struct VersionedUpdate<E: Entity> {
    update: Update<E>,
}

impl<E: Entity> VersionedUpdate<E> {
    /// Wraps the update, still without a version.
    #[doc(hidden)]
    pub fn __of(update: Update<E>) -> Self {
        Self { update }
    }

    /// Updates the item only if it still has this version, which you loaded. Otherwise the update is refused with
    /// [`Reason::Conflict`](crate::Reason::Conflict), and the refusal has the current item.
    /// If version numbers began again after a deletion, another item can have this version: [`over`](Self::over) tells them
    /// apart.
    pub fn version(self, version: impl IntoField<E::Version>) -> Update<E> {
        let Self { mut update } = self;
        update.command.expecting(Expected::Loaded(version.into_field().__number()));
        update
    }

    /// Updates the item only if it is still as you loaded it. The update expects its version, its write id, and each attribute of the entity as it was
    /// loaded, because programs without dyno need not change the version. Otherwise the update is refused, with
    /// [`Reason::Changed`](crate::Reason::Changed). It costs no request. (If an item with a version and a write id has more
    /// than 75 attributes, the update expects only these two. So it does in a client-side transaction.)
    pub fn over(self, loaded: &Loaded<E>) -> Update<E>
    where
        E: Versioned,
    {
        let Self { mut update } = self;
        let version = E::SCHEMA.version.as_ref().and_then(|version| version.of(&loaded.item));
        update.command.expecting(Expected::Loaded(version.unwrap_or_default()));
        update.command.supersedes(&loaded.item);
        update
    }

    /// Fences the update: see [`Update::fenced`].
    pub fn fenced(self, fence: impl IntoFence) -> Self
    where
        E: Fenced,
    {
        Self { update: self.update.fenced(fence) }
    }

    /// Updates the item without comparing its version, and still raises the version, so that checked writers notice.
    ///
    /// The last such update wins. If an answer is lost and the SDK sends the update again, it is applied again: over the changes
    /// that other writers made in between, and the version is raised twice.
    pub fn unchecked(self) -> Update<E> {
        let Self { mut update } = self;
        update.command.expecting(Expected::Unchecked);
        update
    }
}

// Methods that exist only on [`Update`], which says the version that it changes.
absent! {
    ChecksVersion: "this update does not say which version it changes",
        "first `.version(loaded.version)`, or `.unchecked()` for any",
        "the version keeps an update from undoing what others have written since the item was loaded";
}

clone_and_debug! {
    [E: Entity] VersionedUpdate<E>: update;
    [E: Entity, O] Update<E, O>: command; types
}
