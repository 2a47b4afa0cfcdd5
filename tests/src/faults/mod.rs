//! Faults: an HTTP client in front of any engine that loses, delays, repeats and refuses requests, as a seed says.
//!
//! (What a batch leaves unprocessed is in `unprocessed`.)
//!
//! The same seed gives the same run where the engine is in this process: the runtime has one thread, its clock is
//! paused, and all random numbers are the thread's.

mod answers;
mod decisions;
mod event;
mod fault;
mod network;
mod planned;
mod rates;

pub use answers::REQUEST_ID;
pub use event::{Event, tally};
pub use fault::{Fault, TransactionFault};
pub use network::Network;
pub use planned::Delivered;
pub use rates::Rates;

use crate::unprocessed::Leave;
use planned::{Kept, Planned};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

/// The state of a network.
#[derive(Debug)]
pub struct Faults {
    state: Mutex<State>,
    stopped: Notify,
    held: Notify,
    released: Notify,
}

#[derive(Debug)]
struct State {
    rates: Rates,
    /// How many of the next requests lose their answers, whatever the rates.
    losses: usize,
    /// How many of the next requests are throttled, and how many fail, after they were served.
    throttled: usize,
    failed: usize,
    /// How the next transactions are refused, whatever the rates.
    refusals: VecDeque<TransactionFault>,
    /// What the next requests meet, whatever the rates.
    script: VecDeque<Fault>,
    /// How long the next requests take, before they are served and after, whatever the rates.
    delays: VecDeque<(Duration, Duration)>,
    /// How long each other request takes, whatever the rates.
    latency: Option<(Duration, Duration)>,
    /// What requests meet by their position, whatever else was asked for.
    planned: Vec<Planned>,
    /// Requests that are served when the test says so.
    kept: VecDeque<Kept>,
    /// Whether the process has died: nothing more is sent, and nothing is answered.
    is_dead: bool,
    /// How many requests are still let through, and whether the last one is served.
    left: Option<(usize, bool)>,
    /// Whether a request was not answered since that was said.
    has_stopped: bool,
    /// How many requests are let through before the others have to wait.
    hold: Option<usize>,
    /// Whether a request had to wait since that was said or asked.
    has_held: bool,
    /// What of each batch is not served.
    leave: Leave,
    /// Requests that are being served, and the most there ever were.
    under_way: usize,
    most_under_way: usize,
    /// Operations, and what they are answered, by nobody: status and body.
    answers: Vec<(String, u16, String)>,
    events: Vec<Event>,
    /// What the transactions were that came by.
    transactions: Vec<Vec<u8>>,
    start: Option<Instant>,
    /// Requests that are to be served again.
    pending: usize,
}

impl Default for Faults {
    fn default() -> Self {
        let state = State {
            rates: Rates::NONE,
            losses: 0,
            throttled: 0,
            failed: 0,
            refusals: VecDeque::new(),
            script: VecDeque::new(),
            delays: VecDeque::new(),
            latency: None,
            planned: Vec::new(),
            kept: VecDeque::new(),
            is_dead: false,
            left: None,
            has_stopped: false,
            hold: None,
            has_held: false,
            leave: Leave::Nothing,
            under_way: 0,
            most_under_way: 0,
            answers: Vec::new(),
            events: Vec::new(),
            transactions: Vec::new(),
            start: None,
            pending: 0,
        };
        Self { state: Mutex::new(state), stopped: Notify::new(), held: Notify::new(), released: Notify::new() }
    }
}

impl Faults {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on, faults come at these rates, drawn from this seed.
    pub fn seed(&self, seed: u64, rates: Rates) {
        fastrand::seed(seed);
        self.rates(rates);
    }

    /// From now on, faults come at these rates, drawn from what the thread was seeded with: for one of several processes.
    pub fn rates(&self, rates: Rates) {
        self.state().rates = rates;
    }

    /// No more faults: neither by rates, nor by positions that have not come yet.
    pub fn calm(&self) {
        self.rates(Rates::NONE);
        self.state().planned.clear();
    }

    /// Loses the answers to the next requests: they are served, and the SDK sends them again.
    pub fn lose_answers(&self, answers: usize) {
        self.state().losses = answers;
    }

    /// Answers the next requests by asking to slow down: they are not served.
    pub fn throttle(&self, requests: usize) {
        self.state().throttled = requests;
    }

    /// Answers the next requests by a 500: they are served.
    pub fn fail(&self, requests: usize) {
        self.state().failed = requests;
    }

    /// Lets the next requests meet these, one after the other.
    pub fn meet(&self, faults: impl IntoIterator<Item = Fault>) {
        self.state().script.extend(faults);
    }

    /// The next requests take so many milliseconds, before they are served and after that.
    pub fn slow(&self, millis: impl IntoIterator<Item = (u64, u64)>) {
        let delays =
            millis.into_iter().map(|(before, after)| (Duration::from_millis(before), Duration::from_millis(after)));
        self.state().delays = delays.collect();
    }

    /// From now on each request takes exactly so many milliseconds, before it is served and after that. The time that passes
    /// counts the round trips where the runtime was started paused: one that is paused later rounds each sleep up.
    pub fn latency(&self, before: u64, after: u64) {
        self.state().latency = Some((Duration::from_millis(before), Duration::from_millis(after)));
    }

    /// Refuses the next transactions, one after the other, which are not served.
    pub fn refuse(&self, refusals: impl IntoIterator<Item = TransactionFault>) {
        self.state().refusals.extend(refusals);
    }

    /// The bodies of the transactions that came by, attempt by attempt.
    #[must_use]
    pub fn transactions(&self) -> Vec<Vec<u8>> {
        self.state().transactions.clone()
    }

    /// From now on, leaves this of each batch unprocessed.
    pub fn leave_unprocessed(&self, leave: Leave) {
        self.state().leave = leave;
    }

    /// The most requests that were under way at once since this was last asked.
    pub fn most_under_way(&self) -> usize {
        std::mem::take(&mut self.state().most_under_way)
    }

    /// Answers the next request of this operation by this JSON: it is not served. For what no engine answers.
    pub fn answer(&self, operation: &str, body: &str) {
        self.answer_with(operation, 200, body);
    }

    /// The same with this status.
    pub fn answer_with(&self, operation: &str, status: u16, body: &str) {
        self.state().answers.push((operation.to_owned(), status, body.to_owned()));
    }

    /// Lets so many requests through and answers no more, as if the process that sends them had died: the last one is
    /// served, or not even that.
    pub fn stop_after(&self, requests: usize, served: bool) {
        let mut state = self.state();
        (state.left, state.has_stopped) = (Some((requests, served)), false);
    }

    /// The process lives again.
    pub fn go_on(&self) {
        let mut state = self.state();
        (state.left, state.is_dead, state.has_stopped) = (None, false, false);
    }

    /// Waits until the process has died: by [`kill`](Self::kill), of a fault, or as [`stop_after`](Self::stop_after) said and a
    /// request was not answered.
    pub async fn stopped(&self) {
        happens(&self.stopped, || self.state().has_stopped).await;
    }

    /// Lets so many requests through, those that are held first, and holds the next ones.
    pub fn hold_after(&self, requests: usize) {
        self.hold(Some(requests));
    }

    fn hold(&self, requests: Option<usize>) {
        let mut state = self.state();
        (state.hold, state.has_held) = (requests, false);
        self.released.notify_waiters();
    }

    /// Waits until a request is held.
    pub async fn held(&self) {
        happens(&self.held, || std::mem::take(&mut self.state().has_held)).await;
    }

    /// Lets the requests go on that were held.
    pub fn release(&self) {
        self.hold(None);
    }

    /// Waits until every request that was to be served again has been.
    pub async fn quiet(&self) {
        while self.state().pending > 0 {
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// What came by, but for what [`answer`](Self::answer) answered: of each request, each attempt in the order sent.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        self.state().events.clone()
    }
}

impl State {
    /// The milliseconds since the first request.
    fn elapsed(&mut self) -> u128 {
        self.start.get_or_insert_with(Instant::now).elapsed().as_millis()
    }
}

/// Waits until this is so. A [`Notify`] alone would keep what is past for who waits next.
async fn happens(notify: &Notify, is_so: impl Fn() -> bool) {
    loop {
        let notified = notify.notified();
        if is_so() {
            return;
        }
        notified.await;
    }
}

#[cfg(test)]
mod tests {
    use super::Faults;
    use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn is_ready(future: impl Future<Output = ()>) -> bool {
        pin!(future).poll(&mut Context::from_waker(Waker::noop())) == Poll::Ready(())
    }

    /// Two requests end at once, and only one of them is waited for.
    #[test]
    fn a_restarted_process_is_not_reported_as_stopped() {
        let faults = Faults::default();
        for _ in 0..2 {
            faults.stop_after(0, true);
            assert!(!is_ready(faults.stopped()));
            let request = HttpRequest::empty();
            assert!(faults.decide(&request).is_none() && faults.decide(&request).is_none());
            assert!(is_ready(faults.stopped()));
            faults.go_on();
        }
    }

    #[test]
    fn a_released_request_is_not_reported_as_held_again() {
        let faults = Faults::default();
        for _ in 0..2 {
            faults.hold_after(0);
            assert!(!is_ready(faults.held()));
            assert!(!is_ready(faults.gate()) && !is_ready(faults.gate()));
            assert!(is_ready(faults.held()));
            faults.release();
        }
    }
}
