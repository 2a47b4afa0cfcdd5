//! Processes that work under a few names, each with its own network and clock. They die at some request, and a new process
//! takes the name. They pause for longer than the other processes' lock timeout, or until other processes take over their lanes,
//! and resume. Futures that they send are dropped. They resume with the lanes of another process, as after a snapshot. In
//! some runs, the processes of one name use another lane table.

use crate::runs::{hedged, retries};
use dyno::__private::lanes::with_memory_of;
use dyno::{Entity, Error, ErrorKind, Repository};
use dyno_tests::faults::{Event, Fault, Faults, Rates};
use dyno_tests::journal::attributed;
use dyno_tests::process::Process;
use dyno_tests::witness::{Witness, is_commit, is_end, is_place};
use dyno_tests::{World, witnessed_world};
use futures_util::future::{Either, select};
use std::pin::pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// The possible errors of a clock, in milliseconds.
const OFF: [i64; 8] = [0, 0, 0, 20, -300, 5_000, 3_600_000, -3_600_000];

pub(crate) struct Fleet {
    pub(crate) world: World,
    pub(crate) witness: Witness,
    seed: u64,
    rates: Rates,
    lock_timeout: Duration,
    networks: Mutex<Vec<Faults>>,
    /// Copies of the lanes that processes had in memory at some time.
    memories: Mutex<Vec<Repository>>,
    /// How often a process has resumed with another process's lanes.
    pub(crate) forks: AtomicUsize,
    /// How many requests were held until all other processes had waited for their lock timeout.
    pub(crate) pauses: AtomicUsize,
}

/// How this run's processes die, pause and fork.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trouble {
    /// The probability that a process dies.
    pub(crate) death: f64,
    /// The highest number of the intent, and of the commit, at which it dies.
    pub(crate) within: usize,
    pub(crate) commits: usize,
    /// The probability that it pauses.
    pub(crate) pause: f64,
    /// The probability that it resumes with the lanes of some process, before each piece of its work.
    pub(crate) fork: f64,
}

/// The lane table of the processes of one name, in runs where it differs from the lane table of all others.
const ASTRAY: &str = "other-lanes";

impl Fleet {
    /// A fleet over the table of `E` and a lane table, with faults at these rates.
    pub(crate) async fn new<E: Entity>(seed: u64, rates: Rates) -> Self {
        let (world, witness) = witnessed_world::<E>().await;
        world.other().create_lane_table().await.expect("a lane table");
        world.other().with_lane_table(ASTRAY).create_lane_table().await.expect("a lane table");
        if std::env::var("DYNO_SHOW").is_ok() {
            witness.keep();
        }
        let lock_timeout = Duration::from_millis([100, 1_000, 5_000][usize::try_from(seed % 3).unwrap_or_default()]);
        let (networks, memories, forks, pauses) = Default::default();
        Self { world, witness, seed, rates, lock_timeout, networks, memories, forks, pauses }
    }

    /// Returns true if the processes of one name use another lane table in this run.
    fn has_stray(&self) -> bool {
        self.seed % 4 == 3
    }

    /// Returns a repository that can resolve the intents of the processes with the other lane table, if this run has any.
    pub(crate) fn stray(&self) -> Option<Repository> {
        self.has_stray().then(|| self.process().repository.with_lane_table(ASTRAY))
    }

    /// A process, without faults for now.
    pub(crate) fn process(&self) -> Process {
        let mut process = self.world.process(retries()).along();
        process.clock.advance(*fastrand::choice(&OFF).unwrap_or(&0));
        self.networks.lock().expect("no panic").push(process.faults.clone());
        process.repository = hedged(self.seed, process.repository).with_lock_timeout(self.lock_timeout);
        process
    }

    /// Does this many pieces of work under this name. If the process dies, a new process takes the name and continues.
    pub(crate) async fn live<W: Future<Output = ()>>(
        &self,
        name: usize,
        pieces: usize,
        trouble: Trouble,
        piece: impl Fn(Repository) -> W,
    ) {
        let done = AtomicUsize::new(0);
        while done.load(Ordering::Relaxed) < pieces {
            let mut process = self.process();
            if name == 0 && self.has_stray() {
                process.repository = process.repository.with_lane_table(ASTRAY);
            }
            process.faults.rates(self.rates);
            if fastrand::f64() < trouble.death {
                plan_death(&process.faults, trouble);
            }
            let work = async {
                let mut repository = process.repository.clone();
                while done.fetch_add(1, Ordering::Relaxed) < pieces {
                    if fastrand::f64() < trouble.fork {
                        repository = self.with_memory(repository);
                    }
                    piece(repository.clone()).await;
                }
            };
            let life = pin!(process.run(attributed(name, work)));
            let pauses = pin!(self.pause(&process.faults, trouble.pause));
            let lived = match select(life, pauses).await {
                Either::Left((lived, _)) => lived,
                Either::Right(((), life)) => life.await,
            };
            process.faults.release();
            if lived.is_none() {
                self.witness.died(name);
                deliver_later(process.faults.clone());
            }
        }
    }

    /// Returns this repository with the lanes that some process had in memory, and keeps a copy of its own for other
    /// processes.
    fn with_memory(&self, repository: Repository) -> Repository {
        let mut memories = self.memories.lock().expect("no panic");
        memories.push(with_memory_of(repository.clone(), &repository));
        let memory = fastrand::choice(memories.iter()).expect("one at least");
        self.forks.fetch_add(1, Ordering::Relaxed);
        with_memory_of(repository, memory)
    }

    /// With this probability, holds a request until all other processes have waited for their lock timeout, and repeats that.
    async fn pause(&self, faults: &Faults, chance: f64) {
        while fastrand::f64() < chance {
            sleep(Duration::from_millis(fastrand::u64(0..5_000))).await;
            faults.hold_after(fastrand::usize(0..4));
            faults.held().await;
            self.pauses.fetch_add(1, Ordering::Relaxed);
            let longest = *fastrand::choice(&[20_000, 20_000, 130_000]).unwrap_or(&20_000);
            sleep(Duration::from_millis(fastrand::u64(5_000..longest))).await;
            faults.release();
        }
    }

    /// Ends all faults, and waits until every request that was sent has been served.
    pub(crate) async fn calm(&self) {
        let networks = self.networks.lock().expect("no panic").clone();
        for faults in &networks {
            faults.calm();
            faults.release();
        }
        for faults in &networks {
            while faults.deliver().await.is_some() {}
            faults.settled().await;
        }
    }

    /// Sends clones of a command until one reports a result. A send can be dropped at any time. If no clone follows it, there
    /// is no result, and this returns `None`.
    pub(crate) async fn tell<T, S: Future<Output = Result<T, Error>>>(
        &self,
        name: usize,
        send: impl Fn() -> S,
    ) -> Option<Result<T, Error>> {
        loop {
            let is_short = fastrand::u8(0..5) == 0;
            let time = if is_short { fastrand::u64(1..fastrand::u64(50..2_000)) } else { 24 * 3_600_000 };
            match timeout(Duration::from_millis(time), send()).await {
                Err(_) if fastrand::bool() => {}
                Err(_) => {
                    self.witness.dropped(name);
                    return None;
                }
                Ok(Err(error)) if is_open(&error) && fastrand::u8(0..4) > 0 => {}
                Ok(told) => return Some(told),
            }
        }
    }
}

/// Returns true if the write may have been applied.
pub(crate) fn is_open(error: &Error) -> bool {
    error.may_be_applied() || matches!(error.kind(), ErrorKind::InProgress | ErrorKind::OutcomeUnknown)
}

/// Checks that a write ends only in these errors: it may have been applied, or another writer or the network prevented it.
pub(crate) fn check_kind(error: &Error) {
    let is_passing = [
        ErrorKind::Contended,
        ErrorKind::Throttled,
        ErrorKind::Service,
        ErrorKind::Unreachable,
        // Reported if the intent belongs to a process with another lane table.
        ErrorKind::LaneMissing,
    ]
    .contains(&error.kind());
    assert!(is_passing || is_open(error), "{error:?}");
}

/// The process dies at some request: before it is sent, while it is in flight, or after it is served.
fn plan_death(faults: &Faults, Trouble { within, commits, .. }: Trouble) {
    let (of, last): (fn(&Event) -> bool, usize) = match fastrand::u8(0..4) {
        0 => (Event::is_any, 2 * within),
        1 => (is_place, within),
        2 => (is_end, within),
        _ => (is_commit, commits),
    };
    let death = [Fault::DiesBefore, Fault::DiesAfter, Fault::DiesAfter, Fault::DiesPostponed];
    faults.on_request(fastrand::usize(1..=last), of, *fastrand::choice(&death).unwrap_or(&Fault::DiesAfter));
}

/// Serves the request that was in flight when the process died, up to a minute later.
fn deliver_later(faults: Faults) {
    if faults.undelivered() > 0 {
        tokio::spawn(async move {
            sleep(Duration::from_millis(fastrand::u64(1..60_000))).await;
            faults.deliver().await;
        });
    }
}
