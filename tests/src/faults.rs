//! The library's fault injection with shorthands for the suites: delays in milliseconds, and requests as text.

pub use dyno::local::{Delivered, Fault, Rates, Unprocessed};

use crate::requests;
use dyno::local::SentRequest;
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::iter::repeat_n;
use std::ops::Deref;
use std::time::Duration;

/// The request ID in each answer that a fault gives instead of the engine.
pub const REQUEST_ID: &str = "ANSWERED-BY-NO-ENGINE";

/// A duration of this many milliseconds.
#[must_use]
pub const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

thread_local! {
    static STALE_READS: Cell<bool> = const { Cell::new(false) };
}

/// Sets whether the random faults of this thread include stale reads, from now on.
pub fn stale_reads(are_drawn: bool) {
    STALE_READS.set(are_drawn);
}

/// The faults of a process, with shorthands.
#[derive(Clone, Debug, Default)]
pub struct Faults(dyno::local::Faults);

impl Deref for Faults {
    type Target = dyno::local::Faults;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Faults {
    /// The faults of another process, with the same lag of the replica, and without other faults.
    #[must_use]
    pub fn of_another_process(&self) -> Self {
        Self(self.0.of_another_process())
    }

    /// From now on, eventually consistent reads of this process, and of processes that begin later, see no change. A test
    /// that passes then reads consistently wherever that matters. Only the embedded engine does this: over a socket, the
    /// writes would wait for each other.
    pub fn freeze_replica(&self) {
        if !crate::is_remote() {
            // A process that does not see which lanes are taken tries lanes at random. This seed makes them the same in each
            // run.
            fastrand::seed(0);
            self.replica_lag(Duration::MAX);
        }
    }

    /// From now on, eventually consistent reads of this process, and of processes that begin later, see every change.
    pub fn thaw_replica(&self) {
        if !crate::is_remote() {
            self.replica_lag(Duration::ZERO);
        }
    }

    /// From now on, faults occur at these rates. They are drawn from this seed, and so are all other random numbers of the
    /// thread.
    pub fn seed(&self, seed: u64, rates: Rates) {
        fastrand::seed(seed);
        self.rates(rates);
    }

    /// From now on, faults occur at these rates, drawn from the thread's random numbers. Stale reads occur only if
    /// [`stale_reads`] has turned them on.
    pub fn rates(&self, rates: Rates) {
        let stale = if STALE_READS.get() { rates.stale } else { 0.0 };
        self.random(fastrand::u64(..), Rates { stale, ..rates });
    }

    /// Loses the answers to this many of the next requests: the engine serves the requests, and the SDK sends them again.
    /// With 0, ends all planned and random faults.
    pub fn lose_answers(&self, answers: usize) {
        self.next_times(answers, Fault::AnswerLost);
    }

    /// Throttles this many of the next requests. With 0, ends all planned and random faults.
    pub fn throttle(&self, requests: usize) {
        self.next_times(requests, Fault::Throttled);
    }

    fn next_times(&self, times: usize, fault: Fault) {
        match times {
            0 => self.calm(),
            times => self.next(repeat_n(fault, times)),
        }
    }

    /// Delays each of the next requests by this many milliseconds before it is served, and after that.
    pub fn slow(&self, millis: impl IntoIterator<Item = (u64, u64)>) {
        self.delay_next(millis.into_iter().map(|(before, after)| (ms(before), ms(after))));
    }

    /// From now on, each request takes exactly this many milliseconds before it is served, and after that. If the runtime
    /// was started paused, the elapsed time is an exact count of round trips. A runtime that is paused later rounds each
    /// sleep up.
    pub fn latency_ms(&self, before: u64, after: u64) {
        self.latency(ms(before), ms(after));
    }

    /// Gives these faults to the next transactions, one after the other.
    pub fn refuse(&self, faults: impl IntoIterator<Item = Fault>) {
        for (before, fault) in faults.into_iter().enumerate() {
            self.on_request(before + 1, |event| event.operation.starts_with("Transact"), fault);
        }
    }

    /// The bodies of the transactions that were sent, one for each attempt.
    #[must_use]
    pub fn transactions(&self) -> Vec<Vec<u8>> {
        let requests = self.requests();
        let transactions = requests.iter().filter(|request| request.operation.starts_with("Transact"));
        transactions.map(|request| request.body().as_bytes().to_vec()).collect()
    }

    /// Works as [`Faults::on_request`](dyno::local::Faults::on_request) of the library, but passes events to the closure.
    ///
    /// # Panics
    /// The position is 0.
    pub fn on_request(&self, position: usize, of: impl Fn(&Event) -> bool + Send + 'static, fault: Fault) {
        self.0.on_request(position, move |request| of(&Event(request.clone())), fault);
    }

    /// Kills the process at the request in this position, counted from 1, before or after the request is served.
    ///
    /// # Panics
    /// The position is 0.
    pub fn dies_of(&self, position: usize, served: bool) {
        let fault = if served { Fault::DiesAfter } else { Fault::DiesBefore };
        self.on_request(position, Event::is_any, fault);
    }

    /// The requests that were sent.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        self.requests().into_iter().map(Event).collect()
    }
}

/// The fault of a transaction that is cancelled for these reasons.
#[must_use]
pub fn cancelled(reasons: Vec<&'static str>) -> Fault {
    Fault::Cancelled(reasons.leak())
}

/// The error while another attempt with the token of the transaction is under way.
pub const IN_PROGRESS: Fault = Fault::ErrorCode("TransactionInProgressException");

/// A request that was sent.
#[derive(Clone)]
pub struct Event(SentRequest);

impl Deref for Event {
    type Target = SentRequest;

    fn deref(&self) -> &SentRequest {
        &self.0
    }
}

impl Event {
    /// Returns `true` for every request: for [`Faults::on_request`].
    #[must_use]
    pub fn is_any(&self) -> bool {
        true
    }

    /// Whether the request can change a row.
    #[must_use]
    pub fn is_write(&self) -> bool {
        self.0.is_write()
    }

    /// The body.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(self.body()).unwrap_or_default()
    }

    /// The number of actions of a transaction or of entries of a batch; 1 for any other request.
    #[must_use]
    pub fn actions(&self) -> usize {
        let body = self.json();
        if let Some(actions) = body["TransactItems"].as_array() {
            return actions.len();
        }
        let Some(tables) = body["RequestItems"].as_object() else { return 1 };
        let entries = |of: &Value| of.as_array().or_else(|| of["Keys"].as_array()).map_or(0, Vec::len);
        tables.values().map(entries).sum()
    }

    /// The operation, the table, the key or the item, and the expressions with their names and values in place.
    #[must_use]
    pub fn text(&self) -> String {
        requests::text_of(&self.operation, &self.json())
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms, attempt {}, {:?}: {}", self.at.as_millis(), self.attempt, self.fault, self.text())
    }
}

/// Compares no bodies, because equal requests can have their names in another order.
impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        (self.at, &self.operation, self.attempt, self.fault) == (other.at, &other.operation, other.attempt, other.fault)
    }
}

/// Counts the requests by operation and tables, in alphabetical order: `2 GetItem accounts`, `1 TransactWriteItems a b`.
#[must_use]
pub fn tally(events: &[Event]) -> Vec<String> {
    let mut kinds = BTreeMap::<String, usize>::new();
    for event in events {
        let tables = Vec::from_iter(event.tables()).join(" ");
        *kinds.entry(format!("{} {tables}", event.operation)).or_default() += 1;
    }
    kinds.into_iter().map(|(kind, times)| format!("{times} {kind}")).collect()
}
