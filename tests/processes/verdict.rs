//! The result of a scenario, as a row of a Markdown table.

use crate::journal::{Begun, Known};
use std::ops::AddAssign;

#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) kills: u64,
    pub(super) stops: u64,
    /// Leases that were acquired, or sweeps that were completed.
    pub(super) done: usize,
    pub(super) applied: usize,
    pub(super) refused: usize,
    pub(super) in_doubt: usize,
    /// The observations that contradict dyno's promises.
    pub(super) wrong: Vec<String>,
}

impl Verdict {
    pub(super) const HEAD: &'static str = "| | SIGKILL | SIGSTOP | Leases, sweeps | Applied | Refused | In doubt | Wrong |\n|---|---|---|---|---|---|---|---|";

    /// Counts the writes of a journal by their result.
    pub(super) fn of(writes: &[Begun]) -> Self {
        let count = |known| writes.iter().filter(|write| write.known == known).count();
        let (applied, refused) = (count(Known::Applied), count(Known::Refused));
        Self { applied, refused, in_doubt: count(Known::InDoubt), ..Self::default() }
    }

    pub(super) fn row(&self, title: &str) -> String {
        let Self { kills, stops, done, applied, refused, in_doubt, wrong } = self;
        format!("| {title} | {kills} | {stops} | {done} | {applied} | {refused} | {in_doubt} | {} |", wrong.len())
    }

    /// Records what is wrong, unless `holds` is true.
    pub(super) fn check(&mut self, holds: bool, wrong: impl FnOnce() -> String) {
        if !holds {
            self.wrong.push(wrong());
        }
    }
}

impl AddAssign for Verdict {
    fn add_assign(&mut self, other: Self) {
        self.kills += other.kills;
        self.stops += other.stops;
        self.done += other.done;
        self.applied += other.applied;
        self.refused += other.refused;
        self.in_doubt += other.in_doubt;
        self.wrong.extend(other.wrong);
    }
}
