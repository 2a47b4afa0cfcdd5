//! Makes the runs of an exploration.

use super::choice::{schedule_text, schedule_words};
use super::clock::RunClock;
use super::decisions::{Bounds, Branch, Decisions, Deviation, Source};
use super::frontier::Frontier;
use super::report::{Failure, Incomplete, Report};
use super::sampling::Sampling;
use super::session::{End, Session};
use super::world::World;
use super::{Explore, Fault};
use crate::attribute::time::EpochMillis;
use crate::exchange::repository::random::seeded;
use crate::local::engine::Engine;
use std::any::Any;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::SystemTime;
use tokio::runtime::{Builder, Handle};

/// The seed of every run.
const SEED: u64 = 7;

/// The environment variable with the schedule of the only run.
const SCHEDULE: &str = "DYNO_SCHEDULE";

/// The end of a run.
struct Outcome {
    steps: usize,
    deviations: Vec<Deviation>,
    /// Its schedule. After it, the simplest choices follow.
    words: Vec<String>,
    branches: Vec<Branch>,
    cost: super::choice::Cost,
    end: Option<End>,
    /// The scenario's error, or its panic.
    error: Option<String>,
    chart: String,
    trace: Vec<String>,
    processes: usize,
    is_observed: bool,
}

impl Outcome {
    /// Returns why the run failed.
    fn failure(&self) -> Option<&str> {
        match &self.end {
            Some(End::Problem(message) | End::Observed(message)) => Some(message),
            Some(End::Redundant | End::Unknown { .. }) => None,
            None => self.error.as_deref(),
        }
    }
}

impl Explore {
    pub(super) fn explore<S>(&self, scenario: &S) -> Result<Report, Box<Failure>>
    where
        S: AsyncFn(World) -> Result<(), Box<dyn Error>>,
    {
        if Handle::try_current().is_ok() {
            return Err(boxed(
                "an exploration has runtimes of its own: call it in a `#[test]`, not in a `#[tokio::test]`",
            ));
        }
        let mut bounds = self.bounds;
        // With a bound on preemptions, the order that stands for others may be beyond the bound.
        bounds.is_reduced &= bounds.preemptions.is_none();
        let now = EpochMillis::from(SystemTime::now()).get() / 1000 * 1000;
        let explore = Self { begins: Some(self.begins.unwrap_or(EpochMillis::new(now))), ..self.clone() };
        match std::env::var(SCHEDULE) {
            Ok(text) => explore.one_schedule(scenario, bounds, &text),
            Err(_) => explore.all_schedules(scenario, bounds),
        }
    }

    fn one_schedule<S>(&self, scenario: &S, bounds: Bounds, text: &str) -> Result<Report, Box<Failure>>
    where
        S: AsyncFn(World) -> Result<(), Box<dyn Error>>,
    {
        let words = schedule_words(text);
        let outcome = self.one_run(scenario, bounds, Source::Words(words.clone()), true)?;
        if let Some(End::Unknown { word, step, choices }) = &outcome.end {
            let choices = choices.join(", ");
            return Err(boxed(format!(
                "{SCHEDULE} is not of this scenario: its step {step} is `{word}`, and the choices here are {choices}"
            )));
        }
        if let Some(message) = outcome.failure() {
            return Err(Self::failure(message.to_owned(), 1, 0, &outcome).into());
        }
        if outcome.steps < words.len() {
            let (made, words) = (outcome.steps, words.len());
            return Err(boxed(format!(
                "{SCHEDULE} is not of this scenario: it has {words} steps, and the scenario ends after {made}"
            )));
        }
        let mut report = self.report(bounds);
        (report.runs, report.requests) = (1, outcome.trace.len());
        report.incomplete = Some(Incomplete::OneSchedule);
        Ok(report)
    }

    fn all_schedules<S>(&self, scenario: &S, mut bounds: Bounds) -> Result<Report, Box<Failure>>
    where
        S: AsyncFn(World) -> Result<(), Box<dyn Error>>,
    {
        let mut report = self.report(bounds);
        let mut frontier = Frontier::default();
        // The simplest run has no deviations.
        let mut next = Some((Vec::new(), Vec::new()));
        let mut steps = 0;
        while let Some((deviations, sleeping)) = next {
            if report.runs >= self.runs {
                report.incomplete = Some(Incomplete::Runs { waiting: frontier.len() + 1 });
                break;
            }
            let source = Source::Deviations(deviations, sleeping);
            let mut outcome = self.one_run(scenario, bounds, source, false)?;
            let number = report.runs + report.left_out + 1;
            self.judge(scenario, bounds, &outcome, number, frontier.len() + outcome.branches.len())?;
            if outcome.is_observed && !bounds.is_observed {
                // Only a run can tell. The first one is made again, because fewer of its choices commute.
                bounds.is_observed = true;
                next = Some((Vec::new(), Vec::new()));
                continue;
            }
            match outcome.end {
                Some(End::Redundant) => report.left_out += 1,
                _ => report.runs += 1,
            }
            steps = steps.max(outcome.steps);
            report.requests = report.requests.max(outcome.trace.len());
            report.processes = report.processes.max(outcome.processes);
            frontier.extend(&outcome.deviations, std::mem::take(&mut outcome.branches));
            // A reduced exploration leaves some of its runs out, so it may need all of them.
            if !bounds.is_reduced {
                frontier.keep(self.runs - report.runs);
            }
            next = frontier.next();
        }
        // Those that it has forgotten.
        if frontier.len() > 0 && report.incomplete.is_none() {
            report.incomplete = Some(Incomplete::Runs { waiting: frontier.len() });
        }
        for sample in 0..self.samples {
            let changes = bounds.sampled_changes();
            let seed = self.seed.wrapping_add(sample as u64);
            let source = Source::Sampling(Sampling::new(seed, steps, changes, bounds.faults));
            let outcome = self.one_run(scenario, bounds, source, false)?;
            report.samples += 1;
            self.judge(scenario, bounds, &outcome, report.runs + report.samples, 0)?;
        }
        Ok(report)
    }

    /// Returns the failure of a run, after the run was repeated.
    fn judge<S>(
        &self,
        scenario: &S,
        bounds: Bounds,
        outcome: &Outcome,
        number: usize,
        waiting: usize,
    ) -> Result<(), Box<Failure>>
    where
        S: AsyncFn(World) -> Result<(), Box<dyn Error>>,
    {
        if let Some(End::Unknown { step, .. }) = &outcome.end {
            return Err(boxed(format!(
                "the scenario is not repeatable: its step {step} had a choice in one run that it does not have in another. {UNREPEATABLE}"
            )));
        }
        let Some(message) = outcome.failure() else {
            if outcome.trace.is_empty() && outcome.end.is_none() {
                return Err(boxed("the processes of the scenario send no request, so there is no order to explore"));
            }
            return Ok(());
        };
        let source = Source::Deviations(outcome.deviations.clone(), Vec::new());
        // A run at random may be beyond the bounds.
        let bounds = Bounds { preemptions: None, is_reduced: false, ..bounds };
        let again = self.one_run(scenario, bounds, source, true)?;
        let mut pairs = outcome.trace.iter().zip(&again.trace);
        if let Some(at) = pairs.position(|(first, second)| first != second) {
            return Err(boxed(format!(
                "the scenario is not repeatable: request {} was {} and is {}. {UNREPEATABLE}",
                at + 1,
                outcome.trace[at],
                again.trace[at]
            )));
        }
        if again.failure() != Some(message) {
            let again = again.failure().unwrap_or("nothing");
            return Err(boxed(format!(
                "the scenario is not repeatable: a run failed with {message:?}, and under the same schedule with {again:?}. {UNREPEATABLE}"
            )));
        }
        let mut failure = Self::failure(message.to_owned(), number, number + waiting, &again);
        failure.cost = outcome.cost;
        Err(failure.into())
    }

    fn failure(message: String, run: usize, known: usize, outcome: &Outcome) -> Failure {
        Failure {
            message,
            run,
            chart: outcome.chart.clone(),
            schedule: schedule_text(&outcome.words),
            known: known.max(run),
            cost: outcome.cost,
            test: std::thread::current().name().map(str::to_owned),
        }
    }

    fn report(&self, bounds: Bounds) -> Report {
        Report {
            runs: 0,
            left_out: 0,
            samples: 0,
            requests: 0,
            incomplete: None,
            bounds,
            seed: self.seed,
            processes: 0,
        }
    }

    fn one_run<S>(
        &self,
        scenario: &S,
        bounds: Bounds,
        source: Source,
        is_recorded: bool,
    ) -> Result<Outcome, Box<Failure>>
    where
        S: AsyncFn(World) -> Result<(), Box<dyn Error>>,
    {
        // The SDK draws its pauses from `fastrand`.
        fastrand::seed(SEED);
        seeded::seed(Some(SEED));
        let runtime = Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            // A turn of the runtime ends only when no task can go on.
            .event_interval(1 << 16)
            .build()
            .map_err(|error| mistake(format!("the runtime does not start: {error}")))?;
        let entered = runtime.enter();
        let clock = Arc::new(RunClock::new(self.begins.unwrap_or_default()));
        let engine =
            Engine::in_memory_with_clock(Arc::clone(&clock) as _).map_err(|error| mistake(error.to_string()))?;
        let faults: Rc<[Fault]> = self.faults.iter().copied().collect();
        let session = Rc::new(Session::new(engine, Decisions::new(bounds, source), faults, clock, is_recorded));
        let world = World(Rc::clone(&session));
        drop(entered);
        let result = catch_unwind(AssertUnwindSafe(|| {
            runtime.block_on(async {
                let mut scenario = pin!(scenario(world));
                std::future::poll_fn(|context| match scenario.as_mut().poll(context) {
                    Poll::Ready(result) => Poll::Ready(result.map_err(|error| error.to_string())),
                    Poll::Pending if session.end.borrow().is_some() => Poll::Ready(Ok(())),
                    Poll::Pending => Poll::Pending,
                })
                .await
            })
        }));
        drop(runtime);
        seeded::seed(None);
        let error = match result {
            Ok(result) => result.err(),
            Err(panic) => Some(panic_text(&*panic)),
        };
        // The check may have a copy of the world.
        let is_observed = session.observer.take().is_some();
        let state = session.network.state();
        let decisions = session.decisions.replace(Decisions::new(bounds, Source::Words(Vec::new())));
        Ok(Outcome {
            steps: decisions.steps,
            words: decisions.schedule().to_vec(),
            deviations: decisions.deviations,
            branches: decisions.branches,
            cost: decisions.cost,
            end: session.end.take(),
            error,
            chart: session.chart.as_ref().map(|chart| chart.borrow().to_string()).unwrap_or_default(),
            trace: session.trace.take(),
            processes: state.processes.len(),
            is_observed,
        })
    }
}

const UNREPEATABLE: &str = "Under the same choices it must do the same: it may use the system's clock, threads, randomness of its own, or the order of a hash map";

fn boxed(message: impl Into<String>) -> Box<Failure> {
    Box::new(mistake(message))
}

/// Returns a failure that no run has.
fn mistake(message: impl Into<String>) -> Failure {
    Failure {
        message: message.into(),
        run: 0,
        chart: String::new(),
        schedule: String::new(),
        known: 0,
        cost: super::choice::Cost::default(),
        test: None,
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
}
