//! A change of the stored form, and its consequence for stored items and for the programs of the last release.

use crate::error::foreign_text::{PART_BYTES, one_line};
use std::fmt;

/// The consequence of a change for stored items and for the programs of the last release, which still run during a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Impact {
    /// All items can be read, and no promise becomes weaker.
    Safe,
    /// Safe under a condition that the file cannot show, such as a completed backfill; or the change weakens a promise on purpose.
    Conditional,
    /// Stored items can no longer be read, are misread, or count as deleted or alive when they are not.
    Breaking,
}

impl fmt::Display for Impact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Safe => "safe",
            Self::Conditional => "conditional",
            Self::Breaking => "breaking",
        })
    }
}

/// A difference between the file and the entities.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The consequence for stored items and for programs of the last release.
    pub impact: Impact,
    /// The table, and the entity or the index: `films/Film`.
    pub place: String,
    /// The difference between the file and the program.
    pub what: String,
    /// The consequence, and the steps to take.
    pub advice: String,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { impact, place, what, advice } = self;
        write!(f, "{impact}: {place}: {what}")?;
        if advice.is_empty() { Ok(()) } else { write!(f, ". {advice}") }
    }
}

/// The changes at one place.
pub(super) struct Changes<'a> {
    pub(super) place: String,
    pub(super) all: &'a mut Vec<Change>,
}

impl Changes<'_> {
    pub(super) fn safe(&mut self, what: impl Into<String>) {
        self.add(Impact::Safe, what.into(), "");
    }

    pub(super) fn conditional(&mut self, what: impl Into<String>, advice: &str) {
        self.add(Impact::Conditional, what.into(), advice);
    }

    pub(super) fn breaking(&mut self, what: impl Into<String>, advice: &str) {
        self.add(Impact::Breaking, what.into(), advice);
    }

    fn add(&mut self, impact: Impact, what: String, advice: &str) {
        // The names can come from a file that somebody has edited.
        let [place, what] = [&self.place, &what].map(|text| one_line(text, PART_BYTES).into_owned());
        self.all.push(Change { impact, place, what, advice: one_line(advice, PART_BYTES).into_owned() });
    }
}
