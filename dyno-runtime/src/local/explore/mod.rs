//! Exploration: a scenario is run under every order of its requests, and under every fault, within bounds.
//!
//! `driver` makes the runs one after the other. In a run, the requests of each process wait in the `network`. When every process
//! waits, `candidates` lists the choices, `decisions` chooses, `session` does what was chosen, and the `world` carries on. The other
//! choices become runs of their own, in the `frontier`. `footprint` tells which requests commute, so that one order is enough.

mod candidates;
mod chart;
mod choice;
mod clock;
mod decisions;
mod driver;
mod fault;
mod footprint;
mod frontier;
mod network;
mod processes;
mod report;
mod sampling;
mod session;
mod world;

pub use fault::Fault;
pub use processes::Processes;
pub use report::{Failure, Incomplete, Report};
pub use world::{Process, World};

use crate::attribute::time::EpochMillis;
use decisions::Bounds;
use std::error::Error;

/// Runs a scenario under every order of its requests, and under every fault, within bounds: for tests of your own code.
///
/// Programs that use DynamoDB meet only in their requests. So a scenario's processes are run one request at a time, once for each
/// order in which DynamoDB can serve them, and once for each fault that can meet each of them. Every run has an engine of its own,
/// and begins anew.
///
/// ```
/// use dyno::local::explore::Explore;
/// use dyno::{Entity, Repository};
///
/// #[derive(Entity)]
/// #[entity(table = "seats")]
/// struct Seat { #[partition_key] number: u32, buyer: Option<String>, #[version] version: u64 }
///
/// /// Sells the seat, unless it is sold.
/// async fn sell(repository: &Repository, buyer: &str) -> Result<bool, dyno::Error> {
///     let seat = Seat::get(1u32).consistent().send(repository).await?.expect("a seat");
///     if seat.buyer.is_some() {
///         return Ok(false);
///     }
///     let sold = Seat { buyer: Some(buyer.to_owned()), ..seat };
///     Ok(sold.put().send(repository).await?.is_applied())
/// }
///
/// let report = Explore::new().check(async |world| {
///     let repository = world.repository();
///     repository.create_table::<Seat>().await?;
///     Seat { number: 1, buyer: None, version: 0 }.create().send(&repository).await?.applied()?;
///
///     let ada = world.process("ada", async |repository| sell(&repository, "ada").await);
///     let bob = world.process("bob", async |repository| sell(&repository, "bob").await);
///     let (ada, bob) = world.run((ada, bob)).await; // `None`: the process has died
///
///     let sold = [ada, bob].into_iter().filter(|sold| matches!(sold, Some(Ok(true)))).count();
///     assert!(sold <= 1, "the seat was sold twice");
///     Ok(())
/// });
/// assert!(report.is_complete(), "{report}");
/// ```
///
/// Without `#[version]`, the second run fails, and its report shows the order of the requests.
///
/// # The scenario
/// The scenario is called once for each run, so it must do the same whenever it is run: it creates its tables, makes
/// [processes](World::process), [runs](World::run) them, and checks the result. An error, a panic, or a process that waits for ever
/// fails the run. Time is paused, as with Tokio's `start_paused`, and passes only while no request waits, or where the schedule
/// lets it. The repositories have a clock that follows it. It begins when the exploration does, or [at a given
/// time](Self::at). Randomness of `fastrand` and of dyno is the same in each
/// run. So a scenario must not use other randomness that decides what it sends, the system's clock, threads, or sockets.
///
/// # The bounds
/// By default, a run has at most one of the [common faults](Fault::COMMON), and at most two *preemptions*: switches from a process
/// that could go on to another one, or a request that overtakes an earlier one of its own process. Most defects need no more. Runs
/// with few faults and preemptions come first, so the first failure is a simple one. After 10,000 runs the exploration ends, and its [`Report`] says that it is not complete.
///
/// # To repeat a run
/// A failure prints its schedule. With the schedule in the environment variable `DYNO_SCHEDULE`, only that run is made.
#[derive(Clone, Debug)]
#[must_use = "an exploration does nothing until `check` or `run`"]
pub struct Explore {
    bounds: Bounds,
    faults: Vec<Fault>,
    runs: usize,
    samples: usize,
    seed: u64,
    begins: Option<EpochMillis>,
}

impl Default for Explore {
    fn default() -> Self {
        let bounds = Bounds { faults: 1, preemptions: Some(2), is_reduced: true, is_observed: false };
        Self { bounds, faults: Fault::COMMON.to_vec(), runs: 10_000, samples: 0, seed: 0, begins: None }
    }
}

impl Explore {
    /// Makes an exploration with at most one fault and two preemptions a run, and at most 10,000 runs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tries at most this many faults in a run.
    pub fn faults(mut self, most: usize) -> Self {
        self.bounds.faults = most;
        self
    }

    /// Tries these faults, instead of the [common ones](Fault::COMMON).
    pub fn with(mut self, faults: impl IntoIterator<Item = Fault>) -> Self {
        self.faults = faults.into_iter().collect();
        self
    }

    /// Tries at most this many preemptions in a run.
    pub fn preemptions(mut self, most: usize) -> Self {
        self.bounds.preemptions = Some(most);
        self
    }

    /// Tries every interleaving. Of runs that differ only in the order of requests which touch different items, or only read, it
    /// makes one.
    pub fn every_interleaving(mut self) -> Self {
        self.bounds.preemptions = None;
        self
    }

    /// Makes all runs of [`every_interleaving`](Self::every_interleaving), also those that are equal: to see that nothing is lost by
    /// leaving them out.
    pub fn without_reduction(mut self) -> Self {
        self.bounds.is_reduced = false;
        self
    }

    /// Makes at most this many runs.
    ///
    /// # Panics
    /// Panics if it is 0.
    pub fn runs(mut self, most: usize) -> Self {
        assert!(most > 0, "an exploration of 0 runs shows nothing");
        self.runs = most;
        self
    }

    /// Makes this many runs at random after the others, beyond the bound on preemptions, by probabilistic concurrency testing. The
    /// [`Report`] says how probable they find what.
    pub fn sample(mut self, runs: usize, seed: u64) -> Self {
        (self.samples, self.seed) = (runs, seed);
        self
    }

    /// Lets each run begin at this time, for code that depends on the date. By default, it is the time of the exploration, in seconds.
    pub fn at(mut self, time: EpochMillis) -> Self {
        self.begins = Some(time);
        self
    }

    /// Explores a scenario.
    ///
    /// # Panics
    /// Panics with the [`Failure`] if a run fails.
    pub fn check(&self, scenario: impl AsyncFn(World) -> Result<(), Box<dyn Error>>) -> Report {
        match self.explore(&scenario) {
            Ok(report) => report,
            Err(failure) => panic!("{failure}"),
        }
    }

    /// Explores a scenario, and returns its failure.
    ///
    /// # Errors
    /// The [`Failure`] of the first run that fails, or a mistake of the scenario.
    pub fn run(&self, scenario: impl AsyncFn(World) -> Result<(), Box<dyn Error>>) -> Result<Report, Box<Failure>> {
        self.explore(&scenario)
    }
}
