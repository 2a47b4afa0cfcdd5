//! How often a write goes on, by what keeps it, and what is said when it is given up.

use super::command::WriteCommand;
use super::step::Again;
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::{BackOff, Repository};
use crate::intent::{Age, MEETINGS, Meeting, Place, Waits, give_way, kept};
use std::ops::Range;

/// How often a write goes on with other numbers, or another phase.
pub(super) const ROUNDS: u32 = 8;

/// How often it is made for what has shifted.
const SHIFTS: u32 = 16;

/// How often a write goes on, and what it waits for before that.
pub(super) struct Patience<'a> {
    repository: &'a Repository,
    rounds: Range<u32>,
    shifts: BackOff<'a>,
    meetings: Range<u32>,
    /// How old the transaction is that the write is of, if it has an age.
    age: Option<Age>,
    /// How often it has waited for transactions of others.
    waits: Waits,
}

impl<'a> Patience<'a> {
    pub(super) fn new(repository: &'a Repository, age: Option<Age>) -> Self {
        let mut shifts = BackOff::new(repository, SHIFTS);
        // What the refusal has shown is new enough the first time.
        shifts.skip();
        let waits = age.as_ref().map(|age| age.waits.clone()).unwrap_or_default();
        Self { repository, rounds: 0..ROUNDS, shifts, meetings: 0..MEETINGS, age, waits }
    }

    pub(super) async fn spend(&mut self, again: &Again) -> bool {
        match again {
            Again::Shifted(_) => self.shifts.pause().await,
            Again::Held(_) => self.meetings.next().is_some(),
            Again::Numbers(..) | Again::Taken | Again::Phase(_) => self.rounds.next().is_some(),
        }
    }

    /// Settles what holds the item of a write, given how it was seen.
    pub(super) async fn settle(&self, command: &WriteCommand, table: &str, held: &Item) -> Result<(), Error> {
        let (operation, entity) = command.about();
        let meeting = Meeting { operation, entity, age: self.age.as_ref() };
        let at = Place { table: table.to_owned(), key: command.key()? };
        give_way(self.repository, meeting, &at, held, &self.waits).await
    }
}

impl Again {
    /// Which of several is waited for: what has only shifted counts least, and what others hold, most.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Shifted(_) => 0,
            Self::Numbers(..) | Self::Taken | Self::Phase(_) => 1,
            Self::Held(_) => 2,
        }
    }
}

/// Others have been faster each time.
pub(super) fn given_up(again: &Again) -> Error {
    let message = match again {
        Again::Numbers(..) | Again::Taken => "others kept creating and deleting the item",
        Again::Phase(_) => "the idempotency keys in the item changed with every request",
        Again::Shifted(_) => "others kept changing what the update was made for; nothing was applied",
        Again::Held(_) => return kept(),
    };
    Error::new(ErrorKind::Contended, message)
}
