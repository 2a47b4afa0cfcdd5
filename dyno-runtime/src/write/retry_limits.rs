//! How often a write goes on, by what keeps it, and what is said when it is given up.

use super::write_command::WriteCommand;
use super::write_steps::Again;
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::{BackOff, Caller, ItemRef, MOST_INTENTS, Priority, Repository, Waits, never_free};
use std::ops::Range;

/// How often a write goes on with other numbers, or another phase.
pub(crate) const ROUNDS: u32 = 8;

/// How often it is made for what has shifted.
const SHIFTS: u32 = 16;

/// The limits of one write: how often it goes on, and the transactions that it has waited for.
pub(crate) struct Patience<'a> {
    repository: &'a Repository,
    rounds: Range<u32>,
    shifts: BackOff<'a>,
    intents: Range<u32>,
    /// The priority of the write's transaction, if it is part of one.
    priority: Option<Priority>,
    /// What it has waited for so far.
    waits: Waits,
}

impl<'a> Patience<'a> {
    pub(crate) fn new(repository: &'a Repository, priority: Option<Priority>) -> Self {
        let mut shifts = BackOff::new(repository, SHIFTS);
        // What the refusal has shown is new enough the first time.
        shifts.skip();
        let waits = priority.as_ref().map(|priority| priority.waits.clone()).unwrap_or_default();
        Self { repository, rounds: 0..ROUNDS, shifts, intents: 0..MOST_INTENTS, priority, waits }
    }

    pub(crate) async fn spend(&mut self, again: &Again) -> bool {
        match again {
            Again::Shifted(_) => self.shifts.pause().await,
            Again::Held(_) => self.intents.next().is_some(),
            Again::Numbers(..) | Again::Taken | Again::Phase(_) => self.rounds.next().is_some(),
        }
    }

    /// The same of one write, if it has waited less often than it may.
    pub(crate) async fn wait_for(&mut self, command: &WriteCommand, table: &str, held: &Item) -> Result<(), Error> {
        self.intents.next().ok_or_else(never_free)?;
        self.wait(command, table, held).await
    }

    /// Waits until no transaction holds the item of a write. `held` is the item with the intent.
    pub(crate) async fn wait(&self, command: &WriteCommand, table: &str, held: &Item) -> Result<(), Error> {
        let (operation, entity) = command.about();
        let caller = Caller { operation, entity, priority: self.priority.as_ref() };
        let at = ItemRef { table: table.to_owned(), key: command.key()? };
        self.repository.resolver().wait(self.repository, caller, &at, held, &self.waits).await
    }
}

impl Again {
    /// Which of several is waited for: what has only shifted counts least, and what others hold, most.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Self::Shifted(_) => 0,
            Self::Numbers(..) | Self::Taken | Self::Phase(_) => 1,
            Self::Held(_) => 2,
        }
    }
}

/// Others have been faster each time.
pub(crate) fn given_up(again: &Again) -> Error {
    let message = match again {
        Again::Numbers(..) | Again::Taken => "others kept creating and deleting the item",
        Again::Phase(_) => "the idempotency keys in the item changed with every request",
        Again::Shifted(_) => "others kept changing what the update was made for; nothing was applied",
        Again::Held(_) => return never_free(),
    };
    Error::new(ErrorKind::Contended, message)
}
