//! What came of a sweep.

use super::overwritten::Overwritten;
use super::participants::{Place, show_item};
use super::settle::Settled;
use crate::attribute::{Item, equal_items};
use crate::error::Error;
use std::fmt;

/// How many of those that could not be settled are kept, however many there are.
const KEPT: usize = 1000;

/// What a [`Sweep`](crate::Sweep) has done.
#[derive(Debug, Default)]
#[must_use = "some of the items may be unsettled: look at `failed` and `unsettled`"]
pub struct SweepReport {
    applied: u64,
    removed: u64,
    voided: u64,
    tidied: u64,
    failed: u64,
    unsettled: Vec<Unsettled>,
    overwritten: Vec<Overwritten>,
}

/// An item that a sweep could not settle, or a lane that it could not tidy.
#[derive(Debug)]
pub struct Unsettled {
    table: String,
    key: Item,
    error: Error,
}

impl SweepReport {
    /// How many items were given what a transaction had committed.
    #[must_use]
    pub fn applied(&self) -> u64 {
        self.applied
    }

    /// From how many items an intent was taken away that nothing came of.
    #[must_use]
    pub fn removed(&self) -> u64 {
        self.removed
    }

    /// How many transactions were made void for that.
    #[must_use]
    pub fn voided(&self) -> u64 {
        self.voided
    }

    /// How many lanes forgot the items of a transaction, all of which were seen done.
    #[must_use]
    pub fn tidied(&self) -> u64 {
        self.tidied
    }

    /// How many items and lanes could not be settled.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.failed
    }

    /// Those, up to a thousand of them. A sweep that comes later tries them again.
    #[must_use]
    pub fn unsettled(&self) -> &[Unsettled] {
        &self.unsettled
    }

    /// The items that another program wrote or deleted between the look of the sweep and its write, so that a committed change is
    /// missing in them; up to a thousand of them. A sweep cannot report what was written over before it, because the intent is gone.
    #[must_use]
    pub fn overwritten(&self) -> &[Overwritten] {
        &self.overwritten
    }

    pub(super) fn add_overwritten(&mut self, overwritten: Overwritten) {
        if self.overwritten.len() < KEPT {
            self.overwritten.push(overwritten);
        }
    }

    pub(super) fn add_applied(&mut self, applied: usize) {
        self.applied += applied as u64;
    }

    pub(super) fn add_tidied(&mut self) {
        self.tidied += 1;
    }

    pub(super) fn add(&mut self, at: Place, settled: Result<Settled, Error>) {
        match settled {
            Ok(Settled::Applied(_)) => self.applied += 1,
            Ok(Settled::Removed(_, is_voided)) => {
                self.removed += 1;
                self.voided += u64::from(is_voided);
            }
            Ok(Settled::Gone) => {}
            Ok(Settled::Overwritten(overwritten)) => self.add_overwritten(overwritten),
            Err(error) => self.fail(at, error),
        }
    }

    /// Once for each item, though its lane names it as well.
    pub(super) fn fail(&mut self, Place { table, key }: Place, error: Error) {
        let is_known = |known: &Unsettled| known.table == table && equal_items(&known.key, &key);
        if self.unsettled.iter().any(is_known) {
            return;
        }
        self.failed += 1;
        if self.unsettled.len() < KEPT {
            self.unsettled.push(Unsettled { table, key, error });
        }
    }
}

impl Unsettled {
    /// The name of its table: of a lane, the lane table's.
    #[must_use]
    pub fn table(&self) -> &str {
        &self.table
    }

    /// Its key attributes.
    #[must_use]
    pub fn key(&self) -> &Item {
        &self.key
    }

    /// Why.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.error
    }
}

/// The table, the key, and why.
impl fmt::Display for Unsettled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show_item(f, &self.table, &self.key)?;
        write!(f, ": {}", self.error)
    }
}
