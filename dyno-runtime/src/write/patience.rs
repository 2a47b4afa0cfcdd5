//! How often a write goes on, by what keeps it, and what is said when it is given up.

use super::step::Again;
use crate::error::{Error, ErrorKind};
use crate::exchange::{BackOff, PAUSES, Repository};
use std::ops::Range;

/// How often a write goes on with other numbers, or another phase.
pub(super) const ROUNDS: u32 = 8;

/// How often it is made for what has shifted.
const SHIFTS: u32 = 16;

/// How often a write goes on, and what it waits for before that.
pub(super) struct Patience<'a> {
    rounds: Range<u32>,
    shifts: BackOff<'a>,
    holds: BackOff<'a>,
}

impl<'a> Patience<'a> {
    pub(super) fn new(repository: &'a Repository) -> Self {
        let mut shifts = BackOff::new(repository, SHIFTS);
        // What the refusal has shown is new enough the first time.
        shifts.skip();
        Self { rounds: 0..ROUNDS, shifts, holds: BackOff::new(repository, PAUSES) }
    }

    pub(super) async fn spend(&mut self, again: &Again) -> bool {
        match again {
            Again::Shifted(_) => self.shifts.pause().await,
            Again::Held => self.holds.pause().await,
            Again::Numbers(..) | Again::Taken | Again::Phase(_) => self.rounds.next().is_some(),
        }
    }
}

impl Again {
    /// Which of several is waited for: what has only shifted counts least, and what others hold, most.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Shifted(_) => 0,
            Self::Numbers(..) | Self::Taken | Self::Phase(_) => 1,
            Self::Held => 2,
        }
    }
}

/// Others have been faster each time.
pub(super) fn given_up(again: &Again) -> Error {
    let message = match again {
        Again::Numbers(..) | Again::Taken => "others kept creating and deleting the item",
        Again::Phase(_) => "the idempotency keys in the item changed with every request",
        Again::Shifted(_) => "others kept changing what the update was made for; nothing was applied",
        Again::Held => {
            "a transaction of many requests holds the item, by its attribute `_x`, and did not let go of it: send it again later"
        }
    };
    Error::new(ErrorKind::Contended, message)
}
