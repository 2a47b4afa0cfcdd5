//! Records a history while the transactions run.

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

/// A transaction in progress.
///
/// If a handle is dropped before the outcome is known, for example because a future is dropped, the outcome is unknown.
#[derive(Debug)]
pub struct Handle {
    log: Arc<Mutex<Log>>,
    at: usize,
    is_over: bool,
}

impl Recorder {
    /// Returns a recorder of an empty history.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Records that a process is about to send a transaction. A process sends one transaction after the other.
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

    /// Returns an element that no other append has.
    #[must_use]
    pub fn element(&self) -> Element {
        let mut log = lock(&self.log);
        log.elements += 1;
        log.elements
    }

    /// Returns the recorded history, with the lists that a reader found once nothing was in progress. A transaction that has
    /// not ended has an unknown outcome.
    #[must_use]
    pub fn into_history(self, last: BTreeMap<String, Vec<Element>>) -> History {
        History { transactions: std::mem::take(&mut lock(&self.log).transactions), last }
    }
}

impl Handle {
    /// Records that a list was read. A list that does not exist is empty.
    pub fn read(&self, key: impl Into<String>, list: impl Into<Vec<Element>>) {
        self.push(Operation::Read { key: key.into(), list: list.into() });
    }

    /// Records that an element is appended. It may be written from now on.
    pub fn append(&self, key: impl Into<String>, element: Element) {
        self.push(Operation::Append { key: key.into(), element });
    }

    /// Discards the recorded operations: a closure runs again, after an attempt that wrote nothing.
    ///
    /// The elements of that attempt may be appended again.
    pub fn restart(&self) {
        if let Some(transaction) = lock(&self.log).transactions.get_mut(self.at) {
            transaction.operations.clear();
        }
    }

    /// Records that the transaction was acknowledged.
    pub fn commit(self) {
        self.end(Outcome::Committed);
    }

    /// Records that the transaction wrote nothing, and that its reads may show several moments.
    pub fn abort(self) {
        self.end(Outcome::Aborted);
    }

    /// Records that the transaction wrote nothing, and was promised that its reads show one moment.
    pub fn decline(self) {
        self.end(Outcome::Declined);
    }

    /// Records that the transaction may have been applied, or may be applied later. Its reads count if it was applied.
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

/// Ignores poisoning: a test that panicked in another thread reports its own failure.
fn lock(log: &Mutex<Log>) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}
