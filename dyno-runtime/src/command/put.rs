//! The commands that write a whole item: `put`, `create`, `replace`, `undelete`.

use super::returned::{answer, request, send};
use crate::entity::{
    Answer, Entity, Fenced, Hedgeable, Loaded, Old, Outcome, Replaceable, Returned as _, ReturnsNoItem, Tombstoned,
    Versioned, WithoutHistory,
};
use crate::error::Error;
use crate::exchange::{Repository, Request};
use crate::field::Condition;
use crate::key::build_key;
use crate::rule::{IntoFence, Verb};
use crate::write::WriteCommand;
use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

/// The write of this entity. Of one that cannot be encoded, it has the key, for the error.
fn write_of<E: Entity>(entity: &E, verb: Verb) -> Box<WriteCommand> {
    let item = entity.__encode();
    let key = if item.is_err() { build_key(E::SCHEMA, &entity.key()).ok() } else { None };
    let mut command = Box::new(WriteCommand::new(E::SCHEMA, verb, item));
    command.key = key;
    command
}

/// One of the four: they differ in their verb, and in what they end in unless asked otherwise.
macro_rules! put_command {
    ($(#[$doc:meta])* $name:ident<E: $bound:ident, $output:ty> $(where E: $overwritable:ident)?) => {
        $(#[$doc])*
        ///
        /// The entity is encoded when the command is made; an error of encoding is reported by `send`.
        #[must_use = "a command does nothing until it is sent"]
        pub struct $name<E, O = $output>
        where
            E: $bound,
        {
            pub(super) command: Box<WriteCommand>,
            types: PhantomData<fn() -> (E, O)>,
        }

        impl<E: $bound> $name<E> {
            /// The command for this entity.
            pub fn new(entity: &E) -> Self
            where
                $(E: $overwritable,)?
            {
                Self::typed(write_of(entity, Verb::$name))
            }
        }

        impl<E: $bound, O: Answer<E>> $name<E, O> {
            fn typed(command: Box<WriteCommand>) -> Self {
                Self {
                    command,
                    types: PhantomData,
                }
            }

            /// Writes only if this condition holds, too. Several conditions are joined by AND.
            pub fn condition(mut self, condition: Condition<E>) -> $name<E, Outcome<E, O::Returned>> {
                self.command.and(condition.into_node());
                $name::typed(self.command)
            }

            /// Fixes the fence of the write to that of a lock that is held, or to a number of another system's: it is refused
            /// with [`Reason::Fenced`](crate::Reason::Fenced) where one of a greater number has written. The number is stored
            /// in the fence's field, in the place of the entity's own.
            pub fn fenced(mut self, fence: impl IntoFence) -> Self
            where
                E: Fenced,
            {
                self.command.fenced(fence.into_fence());
                self
            }

            /// Returns what was at the key before. Costs nothing.
            pub fn return_old(self) -> $name<E, O::Returning<Old<E>>>
            where
                E: WithoutHistory,
            {
                $name::typed(self.command)
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

            /// The request that `send` would send, without sending it. With an atomic history, that is the transaction of the
            /// revision and the item. With an ordered one, it is that of the item alone: sent by hand, it leaves no revision.
            ///
            /// # Errors
            /// Those of `send` before its request: [`Error::is_invalid_input`]; and that the item is a new one of an entity with an
            /// atomic history, whose number `send` learns first.
            pub fn request(&self, repository: &Repository) -> Result<Request, Error> {
                request::<E, O>(&self.command, repository)
            }

            /// Sends the command: one `PutItem`; with a history, as the entity's functions say.
            ///
            /// # Errors
            /// The entity cannot be stored, or DynamoDB could not be reached or answered with an error. A refusal
            /// is not an error but an [`Outcome`].
            pub async fn send(self, repository: &Repository) -> Result<O, Error> {
                answer::<E, O>(send(self.command, repository, TypeId::of::<E>(), O::Returned::VALUE).await)
            }
        }

        impl<E: $bound, O> Clone for $name<E, O> {
            fn clone(&self) -> Self {
                Self {
                    command: self.command.clone(),
                    types: PhantomData,
                }
            }
        }

        impl<E: $bound, O> fmt::Debug for $name<E, O> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.command).finish()
            }
        }
    };
}

impl<E: Entity, O> Put<E, O> {
    pub(super) fn into_command(self) -> WriteCommand {
        *self.command
    }
}

put_command! {
    /// Writes the whole item, whatever is at its key; a ratchet lets it pass only if it is not older.
    ///
    /// What the item there holds and the entity does not, is gone: attributes of other programs, members that a document does
    /// not declare. [`Modify`](crate::command::Modify) keeps them, and `#[attribute(rest)]` has them in hand.
    Put<E: Entity, <E as Entity>::PutOutput> where E: Replaceable
}

put_command! {
    /// Writes the whole item where no live item is: nothing, a tombstone, or an item that has expired.
    Create<E: Entity, Outcome<E, <E as Entity>::Version>>
}

put_command! {
    /// Writes the whole item over a live one. What that holds and the entity does not, is gone, as after a [`Put`].
    ///
    /// Over an item whose version is absent or 0, it notices only writers that count versions;
    /// [`Modify`](crate::command::Modify) notices all.
    Replace<E: Entity, Outcome<E, <E as Entity>::Version>> where E: Replaceable
}

put_command! {
    /// Writes the whole item over a tombstone that is older than it.
    Undelete<E: Tombstoned, Outcome<E, <E as Entity>::Version>>
}

/// Of the two that write over a live item.
macro_rules! over_a_live_item {
    ($($name:ident)*) => {$(
        impl<E: Entity, O: Answer<E>> $name<E, O> {
            /// The item that the write supersedes, as it was loaded.
            ///
            /// Without a history, a `put` or `replace` that expects a version then expects this very item, by its write id.
            /// Where numbers have begun again behind a deletion, another item of its version refuses it with
            /// [`Reason::Changed`](crate::Reason::Changed). It costs nothing. (An entity without write ids has only the version.)
            ///
            /// An item that no write of dyno's has counted has no version, or no write id. Then the write expects every attribute as it
            /// was loaded, also with a history. A `put` of version 0 over such an item replaces it.
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
        }
    )*};
}

over_a_live_item!(Put Replace);
