//! The command that brings a deleted item back.

use super::modify::{command, outcome};
use crate::attribute::Item;
use crate::entity::{Entity, Fenced, Outcome, WithHistory, rework};
use crate::error::Error;
use crate::exchange::Repository;
use crate::rule::{IntoFence, Tokens as _};
use crate::write::{ModifyCommand, ModifyKind, restore};
use std::fmt;

/// Brings a deleted item back: writes the content of its last revision that is no deletion as a new version, over a tombstone, or
/// where no row is stored. An item whose TTL has passed is not brought back.
///
/// The history has what programs with dyno have written. If another program has deleted the item, or has changed it since the last
/// write with dyno, that change is lost; an item of an ordered history then lacks its last version, too.
///
/// Reads the item, a page of its history and the item again, and writes as a put does. If another writer was faster, all of it
/// begins again. Only where no tombstones are kept, and others create and delete the item during the call, can the content be that
/// from before.
#[must_use = "a command does nothing until it is sent"]
pub struct Restore<E: Entity> {
    command: ModifyCommand,
    tokens: E::Tokens,
}

impl<E: WithHistory> Restore<E> {
    /// Makes the command for this key, with the tokens of the entity's ratchets, which the new version gets.
    pub fn new(key: E::Key, tokens: E::Tokens) -> Self {
        Self { command: command::<E>(ModifyKind::Rollback("restore"), &key), tokens }
    }

    /// Fences the change with a lock that you hold, or with another system's fencing token: it is refused with
    /// [`Reason::Fenced`](crate::Reason::Fenced) if a write with a greater number has been applied, and otherwise stores the
    /// number. Without it, the stored fence stays.
    pub fn fenced(mut self, fence: impl IntoFence) -> Self
    where
        E: Fenced,
    {
        self.command.fence = Some(fence.into_fence());
        self
    }

    /// Brings the item back. Returns the entity as stored, or a refusal: with [`Reason::Exists`](crate::Reason::Exists) if
    /// there is a live item, with [`Reason::Expired`](crate::Reason::Expired) if the TTL of the last revision has passed, and with
    /// [`Reason::Missing`](crate::Reason::Missing) or [`Reason::Deleted`](crate::Reason::Deleted) if the history has nothing but
    /// deletions.
    ///
    /// If you drop the future, the write may be applied or not: see [Cancel safety](crate::guide::cancel_safety).
    ///
    /// # Errors
    /// The revision is not of the entity's current shape; otherwise as for [`Modify::send`](crate::command::Modify::send). After
    /// [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown), you can send a new `restore`: it is refused with
    /// [`Reason::Exists`](crate::Reason::Exists) if the first one was applied.
    pub async fn send(self, repository: &Repository) -> Result<Outcome<E, E>, Error> {
        let (tables, tokens) = (repository.tables::<E>()?, self.tokens.tokens()?);
        let reread = |image: &Item| rework::<E>(image, repository.now(), |_| Ok(()));
        outcome(restore(self.command, repository, tables, tokens, &reread).await?)
    }
}

impl<E: Entity> fmt::Debug for Restore<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Restore").field(&self.command).finish()
    }
}
