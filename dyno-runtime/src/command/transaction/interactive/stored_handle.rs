//! A handle that shows, after the commit, the versions that the writes of a closure stored.

use crate::entity::{Counted as _, Versioned};
use crate::transaction::attempt::StoredVersions;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

/// A handle to the versions that writes of an interactive transaction store. [`Tx::put_returning`](super::Tx::put_returning) and
/// [`Tx::update_returning`](super::Tx::update_returning) return it.
///
/// The version is known only when the transaction is committed, so the closure returns the handle beside the entity:
///
/// ```
/// # use dyno::{Entity, Repository, Transaction};
/// # #[derive(Entity)] #[entity(table = "tickets")] #[tombstone(ttl_days = 7)] #[transactional]
/// # struct Ticket { #[partition_key] number: u64, text: String, #[version] version: u64 }
/// # async fn example(repository: &Repository) -> Result<Ticket, dyno::Error> {
/// let open = Transaction::interactive(|tx| async move {
///     let ticket = Ticket { number: 1, text: "it leaks".to_owned(), version: 0 };
///     let stored = tx.put_returning(ticket.create());
///     Ok((ticket, stored))
/// });
/// let (mut ticket, stored) = open.send(repository).await?.applied()?;
/// ticket.version = stored.version().unwrap_or_default();
/// # Ok(ticket) }
/// ```
#[must_use = "return it from the closure: it has the version once the transaction is committed"]
pub struct Stored<E> {
    versions: StoredVersions,
    actions: Range<usize>,
    entity: PhantomData<fn() -> E>,
}

impl<E> Stored<E> {
    pub(super) fn new(versions: StoredVersions, actions: Range<usize>) -> Self {
        Self { versions, actions, entity: PhantomData }
    }
}

impl<E: Versioned> Stored<E> {
    /// Returns the version that the write stored; for an array or a `Vec` of writes, the version of the first one. Several writes
    /// of one item become one write, and share its version.
    ///
    /// Returns `None` before the transaction is committed, or if the writes left the item as it was. It also returns `None` if
    /// only DynamoDB knows the version: for an [`unchecked`](crate::command::VersionedUpdate::unchecked) update of a native
    /// transaction, and if a clone learns of the commit so late that only the item still proves it.
    #[must_use]
    pub fn version(&self) -> Option<E::Version> {
        self.versions().next().flatten()
    }

    /// Returns the same for each write, in their order.
    #[must_use]
    pub fn versions(&self) -> impl ExactSizeIterator<Item = Option<E::Version>> {
        self.actions.clone().map(|action| self.versions.get(action).map(E::Version::__of))
    }
}

impl<E> Clone for Stored<E> {
    fn clone(&self) -> Self {
        Self { versions: self.versions.clone(), actions: self.actions.clone(), entity: PhantomData }
    }
}

impl<E> fmt::Debug for Stored<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let versions: Vec<_> = self.actions.clone().map(|action| self.versions.get(action)).collect();
        f.debug_tuple("Stored").field(&versions).finish()
    }
}
