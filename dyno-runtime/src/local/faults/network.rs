//! The state of a process's network, and what a test sets.

use super::fault::Fault;
use super::fault_rates::Rates;
use super::pending::{KeptRequest, PlannedFault};
use super::replica::{Lag, Replica};
use super::sent_request::SentRequest;
use super::unprocessed::Unprocessed;
use fastrand::Rng;
use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

/// The faults of one process's network, for tests of your own code: what happens to each request between the client and an
/// [`Engine`](crate::local::Engine). Without a call, no request meets a fault.
///
/// Clones are the same network. The requests must be sent on a Tokio runtime; with `start_paused`, no test waits for the SDK's
/// retries.
///
/// ```
/// use dyno::local::{Engine, Fault, Faults};
/// use dyno::{Entity, Repository};
///
/// #[derive(Entity)]
/// #[entity(table = "carts")]
/// struct Cart { #[partition_key] id: String, items: u64, #[version] version: u64 }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), dyno::Error> {
/// let faults = Faults::new();
/// let repository = Repository::new(Engine::in_memory()?.client_with(&faults));
/// repository.create_table::<Cart>().await?;
/// Cart { id: "1".into(), items: 0, version: 0 }.create().send(&repository).await?.applied()?;
///
/// faults.next([Fault::Served, Fault::AnswerLost]); // of the read and of the write
/// Cart::modify("1", |cart| cart.items += 1).send(&repository).await?.applied()?;
/// let cart = Cart::get("1").consistent().send(&repository).await?.expect("a cart");
/// assert_eq!(cart.items, 1); // the SDK has sent the write twice, and it counts once
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct Faults(pub(super) Arc<Network>);

/// A network, and the replica that it shares with the networks of other processes.
#[derive(Default)]
pub(super) struct Network {
    state: Mutex<State>,
    pub(super) stopped: Notify,
    pub(super) held: Notify,
    pub(super) released: Notify,
    replica: Arc<SharedReplica>,
}

struct SharedReplica {
    /// Whether the replica follows the engine.
    is_on: AtomicBool,
    /// The number of the next change.
    next_number: Arc<AtomicU64>,
    replica: tokio::sync::Mutex<Replica>,
}

impl Default for SharedReplica {
    fn default() -> Self {
        let next_number = Arc::<AtomicU64>::default();
        let replica = Replica::new(Arc::clone(&next_number)).into();
        Self { is_on: AtomicBool::default(), next_number, replica }
    }
}

#[derive(Default)]
pub(super) struct State {
    pub(super) rates: Rates,
    pub(super) random: Rng,
    /// The faults that the next requests meet.
    pub(super) script: VecDeque<Box<dyn Iterator<Item = Fault> + Send>>,
    /// How long the next requests take, before they are served and after.
    pub(super) delays: VecDeque<(Duration, Duration)>,
    /// How long each other request takes.
    pub(super) latency: Option<(Duration, Duration)>,
    /// How far the replica is behind, if it answers every eventually consistent read.
    pub(super) lag: Option<Lag>,
    /// The faults that requests meet by their position.
    pub(super) planned: Vec<PlannedFault>,
    pub(super) kept: VecDeque<KeptRequest>,
    /// Whether the process has died: no request is sent or answered any more.
    pub(super) is_dead: bool,
    /// Whether the tasks that wait for the process's death are woken.
    pub(super) has_stopped: bool,
    /// How many requests are let through before the others have to wait.
    pub(super) hold: Option<usize>,
    /// Whether a request had to wait since this was last asked.
    pub(super) has_held: bool,
    pub(super) unprocessed: Unprocessed,
    pub(super) in_flight: usize,
    pub(super) most_in_flight: usize,
    /// Operations, and the answer that a request of each gets: status and body.
    pub(super) answers: Vec<(String, u16, String)>,
    pub(super) sent: Vec<SentRequest>,
    pub(super) start: Option<Instant>,
    /// How many requests are still to be served by themselves.
    pub(super) pending: usize,
}

impl Faults {
    /// Creates a network without faults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the network of another process to the same engine: with the same [lag of the replica](Self::replica_lag), and without
    /// other faults until you ask for them.
    #[must_use]
    pub fn of_another_process(&self) -> Self {
        let state = State { lag: self.state().lag, ..State::default() }.into();
        Self(Arc::new(Network { state, replica: Arc::clone(&self.0.replica), ..Network::default() }))
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the next requests meet these faults, one after the other, and then those that were asked for later. Each attempt of a
    /// request counts: with `[Fault::Throttled; 2]`, the SDK's third attempt is served. The iterator may be endless.
    pub fn next<I>(&self, faults: I)
    where
        I: IntoIterator<Item = Fault>,
        I::IntoIter: Send + 'static,
    {
        self.state().script.push_back(Box::new(faults.into_iter()));
    }

    /// From now on, lets each attempt of a request meet a fault at random, at these rates, drawn from this seed. Where the runtime has
    /// one thread and its time is paused, the same seed gives the same run, if `fastrand` is seeded, too: the SDK draws its pauses
    /// from it.
    pub fn random(&self, seed: u64, rates: Rates) {
        let mut state = self.state();
        (state.random, state.rates) = (Rng::with_seed(seed), rates);
        if rates.stale > 0.0 {
            self.follow();
        }
    }

    /// Ends the faults at random, and forgets those that were asked for and have not come. All else stays: delays, unprocessed parts,
    /// given answers, the lag of the replica, and requests that are held, late or kept.
    pub fn calm(&self) {
        let mut state = self.state();
        state.rates = Rates::NONE;
        state.planned.clear();
        state.script.clear();
    }

    /// Lets the next requests take this long, before they are served and after that, instead of the time that was set earlier.
    pub fn delay_next(&self, delays: impl IntoIterator<Item = (Duration, Duration)>) {
        self.state().delays = delays.into_iter().collect();
    }

    /// From now on, each request takes exactly this long, before it is served and after that.
    pub fn latency(&self, before: Duration, after: Duration) {
        self.state().latency = Some((before, after));
    }

    /// From now on, the eventually consistent reads of this process, of tables and of indexes, are answered by a replica that gets
    /// each later change exactly this long after it was made; with `Duration::MAX`, never. Consistent reads and transactions see
    /// every change at once.
    ///
    /// A second call lets these reads see all changes that were made before it, and `Duration::ZERO` lets them see every change. All
    /// processes have one replica, so a process with a shorter lag shows changes to the others, too. An index has the state of its
    /// table's replica. `UpdateTable` lets the replica catch up.
    ///
    /// The replica is made for the embedded engine: from the first call on, all requests are served one after the other. It gets the
    /// writes of these faults and of [those of other processes](Self::of_another_process). Writes of another client, and expired items
    /// that the engine removes, do not reach it.
    pub fn replica_lag(&self, lag: Duration) {
        self.follow();
        let since = self.0.replica.next_number.load(Ordering::Relaxed);
        self.state().lag = Some(Lag::Exact { lag, since });
    }

    /// From now on, leaves this part of each batch unprocessed.
    pub fn leave_unprocessed(&self, unprocessed: Unprocessed) {
        self.state().unprocessed = unprocessed;
    }

    /// Returns how many requests were under way at once, at most, since this was last asked.
    #[must_use]
    pub fn most_in_flight(&self) -> usize {
        let mut state = self.state();
        let in_flight = state.in_flight;
        std::mem::replace(&mut state.most_in_flight, in_flight)
    }

    /// Answers the next request of this operation with this status and JSON body, without serving it: for answers that no engine
    /// gives. Such a request is not among [`requests`](Self::requests).
    ///
    /// # Panics
    /// Panics if the status is not one of HTTP's, from 100 to 999.
    pub fn answer(&self, operation: &str, status: u16, body: &str) {
        assert!((100..1000).contains(&status), "{status} is no status of HTTP");
        self.state().answers.push((operation.to_owned(), status, body.to_owned()));
    }

    /// Lets the process live again.
    pub fn go_on(&self) {
        let mut state = self.state();
        (state.is_dead, state.has_stopped) = (false, false);
    }

    /// Waits until the process has died, by [`kill`](Self::kill) or by a fault. A future that waits for an answer then waits for ever,
    /// so wait for both at the same time, for example with `tokio::select!`.
    pub async fn stopped(&self) {
        happens(&self.0.stopped, || self.state().has_stopped).await;
    }

    /// Lets this many requests through, and holds the next ones.
    pub fn hold_after(&self, requests: usize) {
        self.hold(Some(requests));
    }

    fn hold(&self, requests: Option<usize>) {
        let mut state = self.state();
        (state.hold, state.has_held) = (requests, false);
        self.0.released.notify_waiters();
    }

    /// Waits until a request is held that nobody has waited for yet.
    pub async fn held(&self) {
        happens(&self.0.held, || std::mem::take(&mut self.state().has_held)).await;
    }

    /// Lets the requests go on that are held.
    pub fn release(&self) {
        self.hold(None);
    }

    /// Waits until all late requests and duplicates have been served.
    pub async fn settled(&self) {
        while self.state().pending > 0 {
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Returns the requests that were sent, attempt by attempt, in the order sent.
    #[must_use]
    pub fn requests(&self) -> Vec<SentRequest> {
        self.state().sent.clone()
    }

    /// Lets the replica follow the engine from now on.
    fn follow(&self) {
        self.0.replica.is_on.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_replica(&self) -> bool {
        self.0.replica.is_on.load(Ordering::Relaxed)
    }

    pub(super) async fn replica(&self) -> tokio::sync::MutexGuard<'_, Replica> {
        self.0.replica.replica.lock().await
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faults")
    }
}

impl State {
    /// Returns the time since the first request.
    pub(super) fn elapsed(&mut self) -> Duration {
        self.start.get_or_insert_with(Instant::now).elapsed()
    }
}

/// Waits until this is so. A [`Notify`] alone would keep a notification of the past for the next who waits.
async fn happens(notify: &Notify, is_so: impl Fn() -> bool) {
    loop {
        let notified = notify.notified();
        if is_so() {
            return;
        }
        notified.await;
    }
}
