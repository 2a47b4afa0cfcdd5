//! The command that reconciles an item with its history: `repair`.

use crate::entity::{Counted as _, WithHistory, clone_and_debug};
use crate::error::Error;
use crate::exchange::Repository;
use crate::key::build_key;
use crate::write::RepairCommand;
use std::marker::PhantomData;

/// Makes an item writable again if every write to it is refused: with [`Reason::Recorded`](crate::Reason::Recorded), because the
/// history already has later versions, for example after a restore of the table alone; or with
/// [`Reason::Corrupt`](crate::Reason::Corrupt), because the item's version is not valid.
///
/// One transaction gives the item, which may be a tombstone, the version after the newest revision, and puts it into the history
/// under this version. It does so only if no other writer has written the item since it was read. Nothing else changes in
/// the item, and all revisions keep their versions. If writes pass already, or if no item is stored, nothing is written.
///
/// Sends a consistent `GetItem`, a consistent `Query`, and if the item needs a new version, one `TransactWriteItems`; all of them
/// again if another writer was faster.
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

    /// Repairs the item. Returns its new version, or `None` if nothing needed repair.
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
