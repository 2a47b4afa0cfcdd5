//! The command that reconciles an item with its history: `repair`.

use crate::entity::{Counted as _, WithHistory, clone_and_debug};
use crate::error::Error;
use crate::exchange::Repository;
use crate::key::build_key;
use crate::write::RepairCommand;
use std::marker::PhantomData;

/// Makes an item writable again whose writes its history refuses: with [`Reason::Recorded`](crate::Reason::Recorded), for example
/// after a restore of the table alone, or with [`Reason::Corrupt`](crate::Reason::Corrupt), because the item's version is not
/// valid.
///
/// In one transaction, the item, live or a tombstone, gets the number after the newest revision, and is put into the history
/// under it; but only if no other writer has written the item since it was read. Nothing else changes, neither in the item nor in
/// the history, whose revisions keep their numbers. If writes pass already, or if there is no item, nothing is written.
///
/// A `GetItem` and a `Query`, both consistent, and if the item gets a number, one `TransactWriteItems`; all again if another
/// writer was faster.
#[must_use = "a command does nothing until it is sent"]
pub struct Repair<E> {
    command: RepairCommand,
    entity: PhantomData<fn() -> E>,
}

impl<E: WithHistory> Repair<E> {
    /// Makes the command for the item at this key.
    pub fn new(key: E::Key) -> Self {
        let command = RepairCommand { schema: E::SCHEMA, key: build_key(E::SCHEMA, &key) };
        Self { command, entity: PhantomData }
    }

    /// Sends the command. Returns the number that the item got, or `None` if writes already pass.
    ///
    /// If you drop the future, send the command again: it does what is left to do.
    ///
    /// # Errors
    /// The next number does not fit the version's type, the item does not fit into a row of the history, or the item is marked as
    /// another entity's; other writers kept writing it ([`ErrorKind::Contended`](crate::ErrorKind::Contended)); or DynamoDB could
    /// not be reached or answered with an error. If you send the command again, it does what is left to do.
    pub async fn send(self, repository: &Repository) -> Result<Option<E::Version>, Error> {
        let repaired = self.command.send(repository, repository.tables::<E>()?).await?;
        Ok(repaired.map(E::Version::__of))
    }
}

clone_and_debug!([E] Repair<E>: command; entity);
