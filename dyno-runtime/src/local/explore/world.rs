//! The world of a run: what a scenario has at its disposal.

use super::candidates::TIME;
use super::choice::Choice;
use super::network::Phase;
use super::processes::{Processes, Work, Works};
use super::session::{End, Session};
use crate::exchange::Repository;
use futures_util::future::LocalBoxFuture;
use futures_util::task::AtomicWaker;
use std::error::Error;
use std::fmt;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// A process that waits so long without sending a request waits for ever.
const FOR_EVER: Duration = Duration::from_hours(30 * 24);

/// The result of a scenario.
pub(super) type Result = std::result::Result<(), Box<dyn Error>>;

/// The check of each state.
pub(super) type Observer = Rc<dyn Fn(Repository) -> LocalBoxFuture<'static, Result>>;

/// The world of one run of a scenario: an engine of its own, and processes whose requests are served in the order of the run's
/// schedule.
#[derive(Clone)]
pub struct World(pub(super) Rc<Session>);

/// A process of a scenario, which [`World::run`] runs.
#[must_use = "a process runs only in `World::run`"]
pub struct Process<T> {
    pub(super) index: usize,
    pub(super) work: LocalBoxFuture<'static, T>,
}

impl World {
    /// Returns a repository whose requests are served at once, for what comes before and after the processes.
    #[must_use]
    pub fn repository(&self) -> Repository {
        self.0.repository(None)
    }

    /// Makes a process of this name. It gets a repository of its own, whose requests wait until the schedule serves them.
    ///
    /// # Panics
    /// Panics if the name is not of letters, digits, `-` and `_`, is `time` or `default`, or if another process has it.
    pub fn process<T: 'static>(&self, name: &str, work: impl AsyncFnOnce(Repository) -> T + 'static) -> Process<T> {
        let is_word = !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || char == '-' || char == '_');
        assert!(
            is_word && name != TIME && name != "default",
            "a schedule cannot name the process {name:?}: use letters, digits, `-` and `_`, and not `{TIME}` or `default`"
        );
        let is_new = self.0.network.state().processes.iter().all(|process| process.name != name);
        assert!(is_new, "two processes of a scenario have the name {name:?}");
        let index = self.0.network.add(name);
        let repository = self.0.repository(Some(index));
        Process { index, work: Box::pin(async move { work(repository).await }) }
    }

    /// Checks this after each request that is served. An error fails the run. The requests of the check itself are served at once.
    pub fn always(&self, check: impl AsyncFn(Repository) -> Result + 'static) {
        let check = Rc::new(check);
        let observe = move |repository| -> LocalBoxFuture<'static, Result> {
            let check = Rc::clone(&check);
            Box::pin(async move { check(repository).await })
        };
        *self.0.observer.borrow_mut() = Some(Rc::new(observe));
    }

    /// Runs these processes until each has ended or died, and then serves the requests that are late. Returns the results of the
    /// processes: `None` of a process that has died. It takes a process, a tuple of processes, an array or a vector.
    pub async fn run<P: Processes>(&self, processes: P) -> P::Results {
        let mut works = Works::default();
        let slots = processes.start(&mut works);
        let Works(mut works) = works;
        for work in &works {
            self.0.network.state().processes[work.index].phase = Phase::Running;
        }
        loop {
            self.settle(&mut works).await;
            let is_alive = works.iter().any(|work| work.future.is_some());
            if !is_alive {
                break;
            }
            let Some(choice) = self.0.decide() else { return std::future::pending().await };
            match choice {
                Choice::Request(id, event) => {
                    if let Some(dead) = self.0.meet(id, event) {
                        works.iter_mut().filter(|work| work.index == dead).for_each(|work| work.future = None);
                    }
                    self.observe().await;
                }
                Choice::Late(id) => {
                    self.0.serve_late(id);
                    self.observe().await;
                }
                Choice::Time => self.pass_time(&mut works).await,
            }
        }
        loop {
            let Some(next) = self.0.network.state().next_late() else { break };
            self.0.serve_late(next);
            self.observe().await;
        }
        P::results(slots)
    }

    /// Polls the processes until each of them waits, and so do the tasks that they have spawned.
    async fn settle(&self, works: &mut [Work]) {
        loop {
            for work in works.iter_mut() {
                let is_running = self.0.network.state().processes[work.index].phase == Phase::Running;
                if is_running && work.flag.is_woken.swap(false, Ordering::Relaxed) {
                    self.poll(work);
                }
            }
            // The runtime runs all tasks that can run before it comes back.
            tokio::task::yield_now().await;
            let state = self.0.network.state();
            let is_woken = |work: &Work| {
                work.future.is_some()
                    && state.processes[work.index].phase == Phase::Running
                    && work.flag.is_woken.load(Ordering::Relaxed)
            };
            if !works.iter().any(is_woken) {
                break;
            }
        }
        let outlived = self.0.network.state().outlived.take();
        if let Some((process, operation)) = outlived {
            self.fail(format!(
                "the process {process:?} has ended, and a task that it spawned sends {operation}: let the process wait for its tasks"
            ))
            .await;
        }
    }

    fn poll(&self, work: &mut Work) {
        let Some(future) = &mut work.future else { return };
        let waker = Waker::from(Arc::clone(&work.flag));
        if future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
            work.future = None;
            self.0.network.state().processes[work.index].phase = Phase::Ended;
        }
    }

    /// Lets time pass until a process sends a request, ends, or goes on.
    async fn pass_time(&self, works: &mut [Work]) {
        let begun = Instant::now();
        let alive = |works: &[Work]| works.iter().filter(|work| work.future.is_some()).count();
        let (alive_before, requests_before) = (alive(works), self.0.network.state().requests());
        while !self.0.network.state().go_on(Instant::now()) {
            if begun.elapsed() >= FOR_EVER {
                let names = self.0.network.state().running().join(" and ");
                return self.fail(format!(
                    "{names} waits for ever: it has no request under way, and no timer is due within 30 days. It may wait for a thread, or for a process that has died"
                ))
                .await;
            }
            let next = self.0.network.state().next_time().unwrap_or(begun + FOR_EVER);
            self.wait(works, next).await;
            self.settle(works).await;
            let requests = self.0.network.state().requests();
            if requests > requests_before || alive(works) < alive_before {
                break;
            }
        }
    }

    /// Waits until a process can go on, until a request comes, or until this time.
    async fn wait(&self, works: &[Work], until: Instant) {
        let mut until = pin!(sleep_until(until));
        let requests = self.0.network.state().requests();
        std::future::poll_fn(|context| {
            for work in works {
                work.flag.scheduler.register(context.waker());
            }
            self.0.network.scheduler.register(context.waker());
            let state = self.0.network.state();
            let is_running = |work: &Work| state.processes[work.index].phase == Phase::Running;
            let is_woken = works.iter().any(|work| is_running(work) && work.flag.is_woken.load(Ordering::Relaxed));
            if is_woken || state.requests() > requests { Poll::Ready(()) } else { until.as_mut().poll(context) }
        })
        .await;
    }

    /// Checks the state, if the scenario wants it.
    async fn observe(&self) {
        let observer = self.0.observer.borrow().clone();
        if let Some(observer) = observer
            && let Err(error) = observer(self.repository()).await
        {
            self.0.end(End::Observed(error.to_string()));
            std::future::pending::<()>().await;
        }
    }

    async fn fail(&self, problem: String) {
        self.0.end(End::Problem(problem));
        std::future::pending::<()>().await;
    }
}

/// The flag that a process can go on.
pub(super) struct Flag {
    pub(super) is_woken: AtomicBool,
    /// Wakes the scheduler.
    scheduler: AtomicWaker,
}

/// A process begins.
impl Default for Flag {
    fn default() -> Self {
        Self { is_woken: true.into(), scheduler: AtomicWaker::new() }
    }
}

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.is_woken.store(true, Ordering::Relaxed);
        self.scheduler.wake();
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("World")
    }
}

impl<T> fmt::Debug for Process<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("index", &self.index).finish_non_exhaustive()
    }
}
