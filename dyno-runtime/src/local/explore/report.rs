//! The coverage of an exploration, and its failure.

use super::choice::Cost;
use super::decisions::Bounds;
use std::fmt;

/// The coverage of an exploration in which no run has failed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The runs of the scenario.
    pub runs: usize,
    /// The runs that were left out, because other runs make the same choices in another order. They are not counted among the runs.
    pub left_out: usize,
    /// The runs at random beyond those.
    pub samples: usize,
    /// The requests of the processes in the longest run.
    pub requests: usize,
    /// Why not all runs within the bounds were made; `None` if they were.
    pub incomplete: Option<Incomplete>,
    pub(super) bounds: Bounds,
    pub(super) seed: u64,
    /// The processes of the scenario.
    pub(super) processes: usize,
}

/// Why an exploration is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Incomplete {
    /// The bound on runs was reached, and so many runs were known and not made.
    Runs {
        /// The runs that were not made. Each of them can lead to further ones.
        waiting: usize,
    },
    /// `DYNO_SCHEDULE` asked for one run.
    OneSchedule,
}

impl Report {
    /// Returns `true` if every run within the bounds of faults and preemptions was made, or is equal to one that was.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.incomplete.is_none()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, requests, bounds, .. } = self;
        match self.incomplete {
            None => write!(f, "complete")?,
            Some(Incomplete::Runs { waiting }) => {
                write!(f, "not complete: the bound on runs was reached, and {waiting} known runs were not made")?;
            }
            Some(Incomplete::OneSchedule) => {
                return write!(f, "not complete: only the schedule of DYNO_SCHEDULE was run");
            }
        }
        write!(f, ", with {}", Deviations { faults: bounds.faults, preemptions: bounds.preemptions })?;
        write!(f, "; {runs} runs, {requests} requests in the longest")?;
        if self.left_out > 0 {
            write!(f, ", {} runs left out as equal to others", self.left_out)?;
        }
        if self.samples > 0 {
            let changes = self.bounds.sampled_changes();
            write!(
                f,
                "; {} runs at random with seed {}: one run finds a defect that {changes} preemptions reveal with a probability of at least 1 in {}",
                self.samples,
                self.seed,
                self.processes
                    .max(1)
                    .saturating_mul(requests.saturating_pow(u32::try_from(changes).unwrap_or(u32::MAX)))
            )?;
        }
        Ok(())
    }
}

/// The bounds in words.
struct Deviations {
    faults: usize,
    preemptions: Option<usize>,
}

impl fmt::Display for Deviations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults = bounded(self.faults, "fault");
        match self.preemptions {
            Some(most) => write!(f, "{faults} and {} a run", bounded(most, "preemption")),
            None => write!(f, "{faults} a run and every interleaving"),
        }
    }
}

fn bounded(most: usize, what: &str) -> String {
    let count = counted(most, what);
    if most == 0 { count } else { format!("at most {count}") }
}

fn counted(count: usize, what: &str) -> String {
    match count {
        0 => format!("no {what}"),
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

/// A run that failed, with the fewest faults and preemptions of those that do; or a mistake of the scenario.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Failure {
    /// The failure: the scenario's error or panic, or its mistake.
    pub message: String,
    /// The number of the run, from 1.
    pub run: usize,
    /// The requests of the run, a line for each.
    pub chart: String,
    /// The schedule of the run, for `DYNO_SCHEDULE`.
    pub schedule: String,
    pub(super) known: usize,
    pub(super) cost: Cost,
    /// The name of the thread, which is the test's.
    pub(super) test: Option<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { message, run, chart, schedule, known, cost, test } = self;
        let test = test.as_deref().unwrap_or_default();
        write!(f, "{message}")?;
        if *run > 0 {
            let (faults, preemptions) = (counted(cost.faults, "fault"), counted(cost.preemptions, "preemption"));
            let chart = if chart.is_empty() { "(no request)\n" } else { chart };
            write!(f, "\n\nIn run {run} of at least {known}, with {faults} and {preemptions}:\n\n{chart}\n")?;
            write!(f, "To make this run alone: DYNO_SCHEDULE={schedule} cargo test {test}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}
