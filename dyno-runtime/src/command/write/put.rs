//! The commands that write a whole item: `put`, `create`, `replace`, `undelete`.

use crate::attribute::with_stand_ins;
use crate::command::answer_types::{answer, request, send};
use crate::entity::{
    Answer, Entity, Fenced, Hedgeable, Loaded, Old, Outcome, Replaceable, Returned as _, ReturnsNoItem, Tombstoned,
    Versioned, WithoutHistory, clone_and_debug, reread,
};
use crate::error::Error;
use crate::exchange::{Repository, Request};
use crate::field::Condition;
use crate::key::build_key;
use crate::rule::{IntoFence, Verb};
use crate::write::WriteCommand;
use std::any::TypeId;
use std::marker::PhantomData;
use std::time::Duration;

/// Encodes the entity for a write. If it cannot be encoded, the command still has the key, which the error reports.
fn write_of<E: Entity>(entity: &E, verb: Verb) -> Box<WriteCommand> {
    let mut command = Box::new(WriteCommand::new(E::SCHEMA, verb, entity.__encode()));
    if command.item.is_err() {
        command.key = build_key(E::SCHEMA, &entity.key()).ok();
        let encoded = with_stand_ins(|| entity.__encode()).ok();
        command.not_encoded(encoded, |stored| {
            reread::<E>(stored).map(|(stored, _, encoded)| (stored.into_owned(), encoded.item))
        });
    }
    command
}

/// Declares one of the four commands. They differ in their verb and in the default type of their result.
macro_rules! put_command {
    ($(#[$doc:meta])* $name:ident<E: $bound:ident, $output:ty> $(where E: $overwritable:ident)?) => {
        $(#[$doc])*
        ///
        /// The entity is encoded when the command is made; `send` reports an error of encoding.
        #[must_use = "a command does nothing until it is sent"]
        pub struct $name<E, O = $output>
        where
            E: $bound,
        {
            pub(in crate::command) command: Box<WriteCommand>,
            types: PhantomData<fn() -> (E, O)>,
        }

        impl<E: $bound> $name<E> {
            /// Makes the command for this entity.
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

            /// Writes only if this condition also holds. Several conditions are joined by AND.
            pub fn condition(mut self, condition: Condition<E>) -> $name<E, Outcome<E, O::Returned>> {
                self.command.and(condition.into_node());
                $name::typed(self.command)
            }

            /// Fences the write with a lock that you hold, or with another system's fencing token: it is refused with
            /// [`Reason::Fenced`](crate::Reason::Fenced) if a write with a greater number has been applied. The number is stored
            /// in the fence's field, instead of the entity's own value.
            pub fn fenced(mut self, fence: impl IntoFence) -> Self
            where
                E: Fenced,
            {
                self.command.fenced(fence.into_fence());
                self
            }

            /// Returns the item that was at the key before. Costs nothing.
            pub fn return_old(self) -> $name<E, O::Returning<Old<E>>>
            where
                E: WithoutHistory,
            {
                $name::typed(self.command)
            }

            /// Sends a second, equal request if the first has not been answered after this time, and takes the first answer that
            /// counts: see [`Repository::hedged`].
            pub fn hedge(mut self, after: Duration) -> Self
            where
                E: Hedgeable,
                O: Answer<E, Returned: ReturnsNoItem>,
            {
                self.command.hedge = Some(after);
                self
            }

            /// Returns the request that `send` would send, without sending it. With an atomic history, this is the transaction of
            /// the revision and the item. With an ordered history, it is the write of the item alone: if you send it yourself, it
            /// leaves no revision.
            ///
            /// # Errors
            /// Those of `send` before its request: [`Error::is_invalid_input`]. Also if the item is a new one of an entity with
            /// an atomic history, because `send` must read its number first.
            pub fn request(&self, repository: &Repository) -> Result<Request, Error> {
                request::<E, O>(&self.command, repository)
            }

            /// Sends the write: one `PutItem`, and with a history or unique values the requests in the documentation of the
            /// entity's function, which also has the condition, the reasons of a refusal and the cost.
            ///
            /// If you drop the future, the write may be applied or not: see [Cancel safety](crate::guide::cancel_safety).
            ///
            /// # Errors
            /// DynamoDB cannot store the entity ([`Error::is_invalid_input`]), could not be reached, or answered with an error. If
            /// [`Error::may_be_applied`] is true, an answer was lost: you can send a clone, which is the same write. A refusal
            /// is not an error but an [`Outcome`].
            pub async fn send(self, repository: &Repository) -> Result<O, Error> {
                answer::<E, O>(send(self.command, repository, TypeId::of::<E>(), O::Returned::VALUE).await)
            }
        }

        clone_and_debug!([E: $bound, O] $name<E, O>: command; types);

    };
}

put_command! {
    /// Writes the whole item, and replaces a stored one. A ratchet refuses it if the stored item is newer, and a version if another
    /// writer has changed the stored item since it was loaded.
    ///
    /// The put removes everything in the stored item that the entity does not hold: attributes of other programs, and members
    /// that a document does not declare. [`Modify`](crate::command::Modify) keeps them, and an entity with `#[attribute(rest)]`
    /// holds them itself.
    Put<E: Entity, <E as Entity>::PutOutput> where E: Replaceable
}

put_command! {
    /// Writes the whole item if no live item is at its key: there is none, a tombstone, or an item that has expired.
    Create<E: Entity, Outcome<E, <E as Entity>::Version>>
}

put_command! {
    /// Writes the whole item over a live one. It removes everything in the stored item that the entity does not hold, as a
    /// [`Put`] does.
    ///
    /// Over an item whose version is absent or 0, it notices only writers that count versions; [`Modify`](crate::command::Modify)
    /// notices all writers.
    Replace<E: Entity, Outcome<E, <E as Entity>::Version>> where E: Replaceable
}

put_command! {
    /// Writes the whole item over a tombstone that is older than it.
    Undelete<E: Tombstoned, Outcome<E, <E as Entity>::Version>>
}

/// Methods of the two commands that write over a live item.
macro_rules! over_a_live_item {
    ($($name:ident)*) => {$(
        impl<E: Entity, O: Answer<E>> $name<E, O> {
            /// Passes the item that the write supersedes, as it was loaded.
            ///
            /// The write then expects this very item: its version, its write id, and every attribute as it was loaded, because programs
            /// without dyno need not change the version. Otherwise it is refused, with [`Reason::Changed`](crate::Reason::Changed). It
            /// costs no request. (If an item with a version and a write id has more than 75 attributes,
            /// the write expects only these two. So it does in a client-side transaction.)
            ///
            /// A `put` of version 0 over an item that has no version yet replaces it. An attribute that another program adds in the
            /// meantime cannot be expected, and a put loses it unless the entity declares it: a `modify` keeps it.
            ///
            /// If the entity cannot be encoded because the item has a value that is read and cannot be written, such as a time that is
            /// finer than its `format`, the write keeps this value as it is stored, unless you have changed it.
            ///
            /// An ordered history stores the superseded item, which it otherwise has to read: `over` saves this request.
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
