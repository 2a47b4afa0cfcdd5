//! Limits how often a write is sent again, by the reason of the retry, and makes the error of a write that reaches its limit.

use super::write_steps::Retry;
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::{BackOff, Caller, ItemRef, MOST_INTENTS, Priority, Repository, Waits, never_free};
use std::ops::Range;

/// The number of retries with another version number, for another state of the idempotency keys, or for other holders of guards.
pub(crate) const ROUNDS: u32 = 8;

/// How often an update that is tailored to the item is made, because a list element or a NULL has moved.
const SHIFTS: u32 = 16;

/// The retries that are left to one command, and the transactions that it has waited for.
pub(crate) struct RetryBudget<'a> {
    repository: &'a Repository,
    rounds: Range<u32>,
    shifts: BackOff<'a>,
    intents: Range<u32>,
    /// The priority of the transaction that the write belongs to, if there is one.
    priority: Option<Priority>,
    /// The pauses and items so far. The resolver continues them from one wait to the next.
    waits: Waits,
}

impl<'a> RetryBudget<'a> {
    pub(crate) fn new(repository: &'a Repository, priority: Option<Priority>) -> Self {
        let mut shifts = BackOff::new(repository, SHIFTS);
        // The first request counts as one of them.
        shifts.skip();
        let waits = priority.as_ref().map(|priority| priority.waits.clone()).unwrap_or_default();
        Self { repository, rounds: 0..ROUNDS, shifts, intents: 0..MOST_INTENTS, priority, waits }
    }

    /// Takes one retry, with the pause before it. Returns `false` if none is left.
    pub(crate) async fn spend(&mut self, retry: &Retry) -> bool {
        match retry {
            Retry::ItemChanged(_) => self.shifts.pause().await,
            Retry::Locked(_) => self.intents.next().is_some(),
            Retry::Renumbered(..) | Retry::NumberTaken | Retry::OtherPhase(_) | Retry::OtherHolder => {
                self.rounds.next().is_some()
            }
        }
    }

    /// Takes one retry after a wait for a transaction, and waits.
    pub(crate) async fn spend_and_wait(
        &mut self,
        command: (&'static str, &'static str),
        at: ItemRef,
        item: &Item,
    ) -> Result<(), Error> {
        self.intents.next().ok_or_else(never_free)?;
        self.wait(command, at, item).await
    }

    /// Waits until no transaction holds the item of a write. `command` is the operation and the entity of the write, and `item` is
    /// the item with the intent.
    pub(crate) async fn wait(
        &self,
        (operation, entity): (&'static str, &'static str),
        at: ItemRef,
        item: &Item,
    ) -> Result<(), Error> {
        let caller = Caller { operation, entity, priority: self.priority.as_ref() };
        self.repository.resolver().wait(self.repository, caller, &at, item, &self.waits).await
    }
}

impl Retry {
    /// Orders the retries of several writes: the highest rank decides how long all of them wait, and which limit counts.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Self::ItemChanged(_) => 0,
            Self::Renumbered(..) | Self::NumberTaken | Self::OtherPhase(_) | Self::OtherHolder => 1,
            Self::Locked(_) => 2,
        }
    }
}

/// Returns the error of a write that met other writers each time.
pub(crate) fn contention(retry: &Retry) -> Error {
    let change = match retry {
        Retry::Renumbered(..) | Retry::NumberTaken => "creating and deleting the item",
        Retry::OtherPhase(_) => "changing the idempotency keys in the item",
        Retry::ItemChanged(_) => "changing the values that the update depends on",
        Retry::OtherHolder => "claiming and releasing the unique value",
        Retry::Locked(_) => return never_free(),
    };
    let message = format!("other writers kept {change}, and nothing was applied: send it again later");
    Error::new(ErrorKind::Contended, message)
}
