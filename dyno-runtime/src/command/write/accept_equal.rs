//! The create that accepts an equal item.

use super::put::Create;
use crate::command::answer_types::answer;
use crate::entity::{Entity, Outcome, clone_and_debug, reread};
use crate::error::Error;
use crate::exchange::{Repository, Request};
use crate::write::{WriteCommand, accept_equal};
use std::marker::PhantomData;

impl<E: Entity> Create<E, Outcome<E, E::Version>> {
    /// Accepts an equal item: the create is also done if an equal live item is at the key, whoever has created it. So you can
    /// create the same item again, for example after a crash or when a message comes twice.
    ///
    /// An item is equal if the entity reads it as the value that you create, except for what writes set themselves: its version,
    /// and the fields `#[created]` and `#[updated]`. Its fence must be the same, the one given by [`fenced`](Self::fenced).
    /// Attributes that the entity does not declare are ignored, unless it keeps them by `#[attribute(rest)]`. Any other item at the
    /// key refuses the create as always, with [`Reason::Exists`](crate::Reason::Exists).
    ///
    /// ```
    /// # use dyno::{Entity, Repository};
    /// # #[derive(Entity, Clone)]
    /// # #[entity(table = "orders")]
    /// # struct Order { #[partition_key] id: String, total: u64, #[version] version: u64 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), dyno::Error> {
    /// # let repository = Repository::local().await?;
    /// # repository.create_table::<Order>().await?;
    /// let order = Order { id: "7".into(), total: 20, version: 0 };
    /// order.create().accept_equal().send(&repository).await?.applied()?;
    /// order.create().accept_equal().send(&repository).await?.applied()?; // it is there
    /// let other = Order { total: 30, ..order };
    /// let outcome = other.create().accept_equal().send(&repository).await?;
    /// assert!(outcome.refusal().is_some_and(|refusal| refusal.is_existing()));
    /// # Ok(()) }
    /// ```
    pub fn accept_equal(self) -> AcceptEqual<E> {
        AcceptEqual { command: self.command, entity: PhantomData }
    }
}

/// Writes the whole item if no live item is at its key; an equal one is accepted: see [`Create::accept_equal`].
#[must_use = "a command does nothing until it is sent"]
pub struct AcceptEqual<E> {
    pub(in crate::command) command: Box<WriteCommand>,
    entity: PhantomData<fn() -> E>,
}

impl<E: Entity> AcceptEqual<E> {
    /// Returns the request that `send` would send first, without sending it.
    ///
    /// # Errors
    /// Those of [`Create::request`].
    pub fn request(&self, repository: &Repository) -> Result<Request, Error> {
        self.command.request(repository, repository.tables::<E>()?, None)
    }

    /// Sends the create, with the requests that [`Create::send`] documents. If all answers are lost, one consistent `GetItem`
    /// follows: an equal item that it finds is accepted, too. If the entity has unique values, a transaction claims those of the
    /// equal item, which another program may have stored. In events and metrics, an equal item counts as a refused create.
    ///
    /// `Applied` has the version of the stored item. It says that an equal item was stored at some moment between the call and
    /// its return. It does not say who created it.
    ///
    /// If you drop the future, the write may be applied or not: see [Cancel safety](crate::guide::cancel_safety).
    ///
    /// # Errors
    /// Those of [`Create::send`]. If the error [may be applied](Error::may_be_applied), no equal item was found: send a clone of
    /// the command again.
    pub async fn send(self, repository: &Repository) -> Result<Outcome<E, E::Version>, Error> {
        let tables = repository.tables::<E>()?;
        let reencode = |stored: &_| {
            let (_, _, encoded) = reread::<E>(stored).ok()?;
            (!encoded.has_stand_in).then_some(encoded.item)
        };
        answer::<E, _>(accept_equal(self.command, repository, tables, reencode).await)
    }
}

clone_and_debug!([E] AcceptEqual<E>: command; entity);
