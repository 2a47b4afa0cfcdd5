//! The command that brings an item and its history together again: `repair`.

use crate::entity::{Counted as _, Entity, WithHistory};
use crate::error::Error;
use crate::exchange::Repository;
use crate::key::build_key;
use crate::write::RepairCommand;
use std::fmt;
use std::marker::PhantomData;

/// Lets writes of an item pass again that its history refuses: those that end in
/// [`Reason::Recorded`](crate::Reason::Recorded), as after a restore of the table alone, and those of an item whose version is
/// none ([`Reason::Corrupt`](crate::Reason::Corrupt)).
///
/// The item, live or a tombstone, gets the number behind the newest revision, and is put into the history under it, both in
/// one transaction, and only if nobody has written the item since it was read. Nothing else of the item is changed, and no
/// row of the history: what the history held is still there, under the numbers that it had. Where writes pass already, and
/// where there is no item, nothing is written.
///
/// A `GetItem` and a `Query`, both consistent, and if the item gets a number, one `TransactWriteItems`; again, if another
/// writer has been faster.
#[must_use = "a command does nothing until it is sent"]
pub struct Repair<E> {
    command: RepairCommand,
    entity: PhantomData<fn() -> E>,
}

impl<E: WithHistory> Repair<E> {
    /// The command for the item at this key.
    pub fn new(key: E::Key) -> Self {
        let command = RepairCommand { schema: E::SCHEMA, key: build_key(E::SCHEMA, &key) };
        Self { command, entity: PhantomData }
    }

    /// Sends the command; the number that the item has got, or `None` if writes pass as it is.
    ///
    /// # Errors
    /// The next number does not fit the version's type, the item does not fit into a row of the history, or is marked as
    /// another entity's; others kept writing it ([`ErrorKind::Contended`](crate::ErrorKind::Contended)); or DynamoDB could
    /// not be reached or answered with an error. Sent again, it does what is left to be done.
    pub async fn send(self, repository: &Repository) -> Result<Option<E::Version>, Error> {
        let repaired = self.command.send(repository, repository.tables::<E>()?).await;
        let repaired = repaired?;
        Ok(repaired.map(E::Version::__of))
    }
}

impl<E> Clone for Repair<E> {
    fn clone(&self) -> Self {
        Self { command: self.command.clone(), entity: PhantomData }
    }
}

impl<E: Entity> fmt::Debug for Repair<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Repair").field(&self.command).finish()
    }
}
