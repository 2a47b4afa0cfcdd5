//! Records a history while it happens.

use crate::history::{Element, History, Operation, Outcome, Position, Transaction};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Records what processes do. Clones record into the same history.
///
/// Its clock is logical: each start and each end is a moment of its own, in the order in which they are recorded. So begin a
/// transaction before its first request is sent, and end it after its last answer has come.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    log: Arc<Mutex<Log>>,
}

#[derive(Debug, Default)]
struct Log {
    now: Position,
    elements: Element,
    transactions: Vec<Transaction>,
}

/// A transaction that is under way.
///
/// When it is dropped before its outcome is known, the outcome is unknown: so it is when a future is dropped.
#[derive(Debug)]
pub struct Handle {
    log: Arc<Mutex<Log>>,
    at: usize,
    is_over: bool,
}

impl Recorder {
    /// Nothing has happened yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A process is about to send a transaction. A process sends one after the other.
    #[must_use]
    pub fn begin(&self, process: usize) -> Handle {
        let mut log = lock(&self.log);
        let (at, start) = (log.transactions.len(), log.tick());
        let outcome = Outcome::Unknown;
        log.transactions.push(Transaction {
            id: at,
            process,
            start,
            end: Position::MAX,
            operations: Vec::new(),
            outcome,
        });
        Handle { log: self.log.clone(), at, is_over: false }
    }

    /// An element that no other append has.
    #[must_use]
    pub fn element(&self) -> Element {
        let mut log = lock(&self.log);
        log.elements += 1;
        log.elements
    }

    /// What has been recorded, with what a reader has found when all was settled. What has not ended is of unknown outcome.
    #[must_use]
    pub fn into_history(self, last: BTreeMap<String, Vec<Element>>) -> History {
        History { transactions: std::mem::take(&mut lock(&self.log).transactions), last }
    }
}

impl Handle {
    /// A list was read. One that is not there is empty.
    pub fn read(&self, key: impl Into<String>, list: impl Into<Vec<Element>>) {
        self.push(Operation::Read { key: key.into(), list: list.into() });
    }

    /// An element is appended, and may be written from now on.
    pub fn append(&self, key: impl Into<String>, element: Element) {
        self.push(Operation::Append { key: key.into(), element });
    }

    /// What was recorded does not count: a closure runs again, after a try that has written nothing.
    ///
    /// What the try would have appended may be appended again.
    pub fn restart(&self) {
        if let Some(transaction) = lock(&self.log).transactions.get_mut(self.at) {
            transaction.operations.clear();
        }
    }

    /// It was acknowledged.
    pub fn commit(self) {
        self.end(Outcome::Committed);
    }

    /// It has written nothing, and what it has read may be of several moments.
    pub fn abort(self) {
        self.end(Outcome::Aborted);
    }

    /// It has written nothing, and was promised that what it has read was there at one moment.
    pub fn decline(self) {
        self.end(Outcome::Declined);
    }

    /// It may have been applied, and may still be. What it has read counts if it was.
    pub fn unknown(self) {
        self.end(Outcome::Unknown);
    }

    fn end(mut self, outcome: Outcome) {
        self.record(outcome);
    }

    fn record(&mut self, outcome: Outcome) {
        if self.is_over {
            return;
        }
        self.is_over = true;
        let mut log = lock(&self.log);
        let end = log.tick();
        if let Some(transaction) = log.transactions.get_mut(self.at) {
            (transaction.end, transaction.outcome) = (end, outcome);
        }
    }

    fn push(&self, operation: Operation) {
        if let Some(transaction) = lock(&self.log).transactions.get_mut(self.at) {
            transaction.operations.push(operation);
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.record(Outcome::Unknown);
    }
}

impl Log {
    fn tick(&mut self) -> Position {
        self.now += 1;
        self.now
    }
}

/// A test that has panicked elsewhere says so itself.
fn lock(log: &Mutex<Log>) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}
