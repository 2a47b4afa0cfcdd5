//! Processes that compete for the same locks, under every fault. Their clocks run at different rates, jump and stop, and the
//! processes stop for up to ten leases and resume.

use crate::runs::{retries, run, seeds};
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::{AsyncSleep, Sleep};
use dyno::lock::{Held, Lock};
use dyno::{Clock, Entity, EpochMillis, Repository};
use dyno_tests::faults::Rates;
use dyno_tests::{NOW, World, journaled_world};
use futures_util::future::{join, select};
use std::collections::BTreeMap;
use std::future::pending;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, sleep};

const LEASE: Duration = Duration::from_secs(10);
const PROCESSES: usize = 8;
const LOCKS: [&str; 3] = ["a", "b", "c"];

/// The item that a lock guards. It refuses writes with a lower fence.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "reports")]
struct Report {
    #[partition_key]
    id: String,
    written: u64,
    #[fence]
    epoch: u64,
}

/// The clocks of a machine.
#[derive(Clone, Debug)]
struct Machine {
    start: Instant,
    rate: f64,
    /// True if its wall clock is set now and then, by up to half an hour. Otherwise its monotonic clock stops while it
    /// sleeps. So one of its two clocks is right.
    jumps: bool,
    time: Arc<Mutex<Time>>,
}

#[derive(Debug, Default)]
struct Time {
    /// The error of the wall clock, in milliseconds.
    off: i64,
    /// How long the machine has slept. Its monotonic clock does not count this time.
    asleep: Duration,
}

impl Machine {
    fn new(start: Instant, rate: f64) -> Self {
        let off = fastrand::i64(-5000..5000);
        Self { start, rate, jumps: fastrand::bool(), time: Arc::new(Mutex::new(Time { off, ..Time::default() })) }
    }

    fn time(&self) -> std::sync::MutexGuard<'_, Time> {
        self.time.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn repository(&self, client: &Client) -> Repository {
        let config = client.config().to_builder().sleep_impl(self.clone());
        Repository::new(Client::from_conf(config.build())).with_clock(self.clone())
    }
}

impl Clock for Machine {
    fn now(&self) -> EpochMillis {
        let mut time = self.time();
        if self.jumps && fastrand::u16(0..1000) == 0 {
            time.off += fastrand::i64(-1_800_000..1_800_000);
        }
        let elapsed = self.start.elapsed().mul_f64(self.rate).as_millis();
        EpochMillis::new(NOW + time.off + i64::try_from(elapsed).expect("a few"))
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed().saturating_sub(self.time().asleep).mul_f64(self.rate)
    }
}

impl AsyncSleep for Machine {
    fn sleep(&self, duration: Duration) -> Sleep {
        Sleep::new(sleep(duration.div_f64(self.rate)))
    }
}

/// A process that is stopped now and then, by a debugger or because its machine sleeps.
struct Stopping<F> {
    process: Pin<Box<F>>,
    machine: Machine,
    stopped: Option<Pin<Box<tokio::time::Sleep>>>,
}

impl<F: Future> Future for Stopping<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        if self.stopped.is_none() && fastrand::u16(0..400) == 0 {
            let time = LEASE.mul_f64(10.0 * fastrand::f64().powi(2));
            if !self.machine.jumps {
                self.machine.time().asleep += time;
            }
            self.stopped = Some(Box::pin(sleep(time)));
        }
        if let Some(stopped) = &mut self.stopped {
            ready!(stopped.as_mut().poll(context));
            self.stopped = None;
        }
        self.process.as_mut().poll(context)
    }
}

/// What the processes believed.
#[derive(Debug, Default)]
struct Beliefs {
    /// The highest fence of each lock.
    last: BTreeMap<&'static str, u64>,
    /// The guards of each lock.
    guards: BTreeMap<&'static str, Vec<Weak<Held>>>,
    acquired: usize,
    lost: usize,
    refused: usize,
    written: usize,
    /// How often two processes believed at the same time that they hold the same lock.
    wrong: usize,
}

impl Beliefs {
    /// Records that a process has acquired a lock. It believes that it holds the lock until it loses or releases it. This
    /// counts the other processes that still believe so. A process that acquires the lock later makes its own call.
    fn acquired(&mut self, name: &'static str, held: &Arc<Held>) {
        let last = self.last.entry(name).or_default();
        assert_ne!(*last, held.fence(), "{name}: a fence is given once");
        *last = held.fence().max(*last);
        self.acquired += 1;
        let guards = self.guards.entry(name).or_default();
        guards.retain(|guard| guard.strong_count() > 0);
        let believes = |guard: &Weak<Held>| guard.upgrade().is_some_and(|other| other.left().is_ok());
        if held.left().is_ok() {
            self.wrong += guards.iter().filter(|guard| believes(guard)).count();
        }
        guards.push(Arc::downgrade(held));
    }
}

/// How processes acquire their locks.
#[derive(Clone, Copy)]
enum Programs {
    /// Each process waits for up to three leases.
    Waiting,
    /// Each process starts anew for each acquisition: it looks once, or waits briefly, and ends.
    Anew { max_skew: Duration },
}

impl Programs {
    fn lock(self, name: &str) -> Lock {
        let lock = Lock::new(name).lease(LEASE);
        match self {
            Self::Waiting => lock.wait(LEASE * 3),
            Self::Anew { max_skew } => lock.wait(LEASE.mul_f64(fastrand::f64() / 4.0)).persist_observations(max_skew),
        }
    }

    /// How often each process asks for a lock.
    fn rounds(self) -> usize {
        match self {
            Self::Waiting => 5,
            Self::Anew { .. } => 25,
        }
    }
}

/// A process at work.
async fn process(repository: Repository, beliefs: Arc<Mutex<Beliefs>>, programs: Programs) {
    let beliefs = || beliefs.lock().expect("no panic");
    for _ in 0..programs.rounds() {
        let name = *fastrand::choice(&LOCKS).expect("some");
        let Ok(held) = programs.lock(name).acquire(&repository).await else {
            if let Programs::Anew { .. } = programs {
                sleep(LEASE.mul_f64(fastrand::f64())).await;
            }
            continue;
        };
        let held = Arc::new(held);
        beliefs().acquired(name, &held);
        let work = async {
            for _ in 0..fastrand::usize(1..6) {
                sleep(LEASE.mul_f64(fastrand::f64())).await;
                let report = Report { id: name.to_owned(), written: fastrand::u64(..), epoch: 0 };
                match report.put().fenced(&*held).send(&repository).await {
                    Ok(outcome) if outcome.is_applied() => beliefs().written += 1,
                    Ok(_) => beliefs().refused += 1,
                    Err(_) => {}
                }
            }
        };
        // In half of the rounds, the process works on without asking whether it still holds the lock.
        if fastrand::bool() {
            let done = held.during(work).await;
            beliefs().lost += usize::from(done.is_err());
        } else {
            select(pin!(work), pin!(join(held.drive(), pending::<()>()))).await;
        }
        // In the other quarter of the rounds, the process does not release the lock, as if it had crashed.
        if fastrand::u8(0..4) > 0
            && let Some(held) = Arc::into_inner(held)
        {
            let _or_runs_out = held.release().await;
        }
    }
}

/// Runs all processes on machines whose clocks run at these rates, and returns what they believed.
async fn simulate(seed: u64, rates: std::ops::Range<f64>, programs: Programs) -> Beliefs {
    let (world, journal) = journaled_world::<Report>().await;
    Lock::create_table(&world.repository).await.expect("a table");
    world.faults.seed(seed, Rates { late: 0.02, refuse_connection: 0.01, ..Rates::MANY });
    let beliefs = Arc::<Mutex<Beliefs>>::default();
    let client = world.client(retries());
    let start = Instant::now();
    let processes: Vec<_> = (0..PROCESSES)
        .map(|_| {
            let place = [0.0, fastrand::f64(), 1.0][fastrand::usize(0..3)];
            let mut machine = Machine::new(start, rates.start + (rates.end - rates.start) * place);
            // Programs that start anew compare wall clocks, so these do not jump. Each is off by up to five seconds.
            machine.jumps &= matches!(programs, Programs::Waiting);
            let work = process(machine.repository(&client), Arc::clone(&beliefs), programs);
            tokio::spawn(Stopping { process: Box::pin(work), machine, stopped: None })
        })
        .collect();
    for process in processes {
        process.await.expect("no panic");
    }
    quiet(&world).await;
    let mut last = BTreeMap::new();
    for change in journal.changes().iter().filter(|change| change.table == "reports") {
        let fence = |item: &dyno::Item| item["epoch"].as_n().expect("a number").parse::<u64>().expect("a fence");
        let fence = change.new.as_ref().map(fence).expect("nothing is deleted");
        let id = format!("{:?}", change.keys["id"]);
        let before = last.insert(id, fence).unwrap_or_default();
        assert!(before <= fence, "seed {seed}: {fence} was accepted behind {before}");
    }
    Arc::try_unwrap(beliefs).expect("all are done").into_inner().expect("no panic")
}

async fn quiet(world: &World) {
    world.faults.calm();
    world.faults.settled().await;
}

/// The rates of any two clocks differ by less than a ninth, so no two processes believe at the same time that they hold a
/// lock.
#[test]
fn no_two_processes_believe_at_once_that_they_hold_a_lock() {
    let (mut acquired, mut lost, mut refused) = (0, 0, 0);
    for seed in 0..seeds(4, 0) {
        let beliefs = run(seed, simulate(seed, 0.95..1.05, Programs::Waiting));
        assert_eq!(beliefs.wrong, 0, "seed {seed}: {beliefs:?}");
        acquired += beliefs.acquired;
        lost += beliefs.lost;
        refused += beliefs.refused;
    }
    assert!(acquired == 0 || acquired > 20 && lost > 0, "{acquired} acquired, {lost} lost, {refused} refused");
}

/// One clock runs four times as fast as another: two processes can believe that they hold a lock, and the fence refuses the
/// writes of one of them.
#[test]
fn the_fence_refuses_a_former_holder_when_clock_rates_differ_too_much() {
    let (mut wrong, mut refused, mut written) = (0, 0, 0);
    for seed in 0..seeds(6, 0) {
        let beliefs = run(seed, simulate(seed, 0.5..2.0, Programs::Waiting));
        wrong += beliefs.wrong;
        refused += beliefs.refused;
        written += beliefs.written;
    }
    assert!(written == 0 || wrong > 0 && refused > 0, "{wrong} beliefs were wrong, {refused} of {written} refused");
}

/// No two wall clocks differ by more than the `max_skew` of the programs. Each program takes over the lock of a crashed
/// holder by an observation that an earlier program has stored, and no two programs believe at the same time that they hold a
/// lock.
#[test]
fn no_two_restarted_programs_believe_at_once_that_they_hold_a_lock() {
    let programs = Programs::Anew { max_skew: Duration::from_secs(10) };
    let (mut acquired, mut lost) = (0, 0);
    for seed in 0..seeds(4, 0) {
        let beliefs = run(seed, simulate(seed, 1.0..1.0, programs));
        assert_eq!(beliefs.wrong, 0, "seed {seed}: {beliefs:?}");
        acquired += beliefs.acquired;
        lost += beliefs.lost;
    }
    assert!(acquired == 0 || acquired > 20 && lost > 0, "{acquired} acquired, {lost} lost");
}

/// If wall clocks differ by more than `max_skew`, two programs can believe that they hold a lock, and the fence refuses the
/// writes of one of them.
#[test]
fn beyond_the_skew_two_restarted_programs_can_believe_that_they_hold_a_lock() {
    // The programs assume that all wall clocks agree, so they take over a lock as soon as their own clock shows the end of
    // the lease.
    let programs = Programs::Anew { max_skew: Duration::ZERO };
    let (mut wrong, mut acquired) = (0, 0);
    for seed in 0..seeds(6, 0) {
        let beliefs = run(seed, simulate(seed, 1.0..1.0, programs));
        wrong += beliefs.wrong;
        acquired += beliefs.acquired;
    }
    assert!(acquired == 0 || wrong > 0, "{acquired} acquired, {wrong} beliefs were wrong");
}
