//! The workers of a scenario as child processes, and the signals that are sent to them.

use crate::journal::{Journal, WRITES_OF_A_LIFE};
use crate::scenario::{SCENARIOS, Scenario, repository};
use fastrand::Rng;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A plan for killing the workers of a scenario.
pub(super) struct Plan {
    pub(super) scenario: &'static Scenario,
    pub(super) database: String,
    pub(super) journal: PathBuf,
    pub(super) seed: u64,
    pub(super) time: Duration,
}

/// The signals that were sent, and the workers that failed.
#[derive(Default)]
pub(super) struct Killed {
    pub(super) kills: u64,
    pub(super) stops: u64,
    /// Workers that ended without a signal.
    pub(super) failures: Vec<String>,
}

/// A worker. It is killed when this is dropped.
struct Process(Child);

impl Process {
    fn kill(&mut self) {
        // The worker may have ended already.
        _ = self.0.kill();
        _ = self.0.wait();
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.0.id().to_string()]).status().expect("`kill` can be run");
        assert!(sent.success(), "`kill {signal}` failed");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Plan {
    /// Keeps all workers of the scenario at work until the time is over. Then it kills them all.
    pub(super) fn run(&self) -> Killed {
        let until = Instant::now() + self.time;
        std::thread::scope(|scope| {
            let keepers: Vec<_> =
                (0..self.scenario.workers).map(|worker| scope.spawn(move || self.keep(worker, until))).collect();
            keepers.into_iter().map(|keeper| keeper.join().expect("no panic")).fold(Killed::default(), |sum, one| {
                Killed {
                    kills: sum.kills + one.kills,
                    stops: sum.stops + one.stops,
                    failures: [sum.failures, one.failures].concat(),
                }
            })
        })
    }

    /// Keeps one worker at work. After random times, it kills the worker and starts it again, or stops it for a while.
    fn keep(&self, worker: u64, until: Instant) -> Killed {
        let mut random = Rng::with_seed(self.seed << 8 | worker);
        let (mut killed, mut life) = (Killed::default(), 0);
        let mut process = self.spawn(worker, life);
        loop {
            let pause = Duration::from_millis(random.u64(self.scenario.pace.clone()));
            sleep(pause.min(until.saturating_duration_since(Instant::now())));
            if let Some(status) = process.0.try_wait().expect("a child") {
                killed.failures.push(format!("worker {worker} ended by itself: {status}"));
                return killed;
            }
            let is_over = Instant::now() >= until;
            let stops = !is_over && random.u8(0..5) < 2;
            if stops {
                process.signal("-STOP");
                killed.stops += 1;
                sleep(Duration::from_millis(random.u64(self.scenario.stop.clone())));
            }
            // One in four stopped workers is killed while it is stopped.
            if stops && random.u8(0..4) > 0 {
                process.signal("-CONT");
                continue;
            }
            process.kill();
            killed.kills += 1;
            if is_over {
                return killed;
            }
            life += 1;
            process = self.spawn(worker, life);
        }
    }

    fn spawn(&self, worker: u64, life: u64) -> Process {
        let program = std::env::current_exe().expect("this program");
        let arguments = ["worker", self.scenario.name, &self.database, &worker.to_string(), &life.to_string()];
        let child = Command::new(program).args(arguments).arg(&self.journal).stdin(Stdio::piped()).spawn();
        Process(child.expect("a worker can be started"))
    }
}

/// A worker's command line.
pub(super) struct Worker {
    scenario: &'static Scenario,
    database: String,
    number: u64,
    life: u64,
    journal: PathBuf,
}

impl Worker {
    /// Returns `None` if this process is not a worker.
    pub(super) fn parse(arguments: &[String]) -> Option<Self> {
        let [word, scenario, database, number, life, journal] = arguments else { return None };
        let scenario = SCENARIOS.iter().find(|known| word == "worker" && known.name == *scenario)?;
        let (number, life) = (number.parse().ok()?, life.parse().ok()?);
        Some(Self { scenario, database: database.clone(), number, life, journal: journal.into() })
    }

    /// Works until the worker is killed or its parent has ended.
    pub(super) fn run(self) -> ExitCode {
        std::thread::spawn(|| {
            // The parent never writes, so this read returns when the parent ends.
            _ = std::io::stdin().read(&mut [0]);
            std::process::exit(0);
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (repository, journal) = (repository(&self.database), Journal::open(&self.journal));
        // The first of the write numbers of this life. No other life uses them.
        let first = (self.number * 10_000 + self.life + 1) * WRITES_OF_A_LIFE;
        runtime.block_on(self.scenario.work(self.number, &repository, &journal, first));
        ExitCode::FAILURE
    }
}
