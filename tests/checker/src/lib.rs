#![doc = include_str!("../README.md")]

mod anomaly;
mod cycles;
mod graph;
mod history;
mod known;
mod orders;
mod reads;
mod recorder;
mod shortest;
mod words;

pub use anomaly::{Anomaly, Cycle, Kind, Needs, Rejection};
pub use history::{Element, History, Operation, Outcome, Position, Transaction};
pub use recorder::{Handle, Recorder};

use graph::Dependencies;
use known::Known;
use std::ops::AddAssign;

/// The contents of an accepted history. A test can assert that enough happened in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Transactions that were acknowledged.
    pub committed: usize,
    /// Transactions of unknown outcome whose elements were seen.
    pub applied: usize,
    /// Transactions of unknown outcome that count as not applied.
    pub unapplied: usize,
    /// Transactions that wrote nothing, and whose reads count.
    pub declined: usize,
    /// Transactions that wrote nothing, and whose reads do not count.
    pub aborted: usize,
    /// Elements in the final state.
    pub elements: usize,
    /// Reads of other transactions' elements that were compared with the order of elements.
    pub reads: usize,
    /// Dependencies: an append after another transaction's.
    pub write_write: usize,
    /// Dependencies: a read of an element that another transaction appended.
    pub write_read: usize,
    /// Dependencies: a read that misses the element that another transaction appended next.
    pub read_write: usize,
}

/// Adds up the contents of several histories.
impl AddAssign for Summary {
    fn add_assign(&mut self, other: Self) {
        let Self {
            committed,
            applied,
            unapplied,
            declined,
            aborted,
            elements,
            reads,
            write_write,
            write_read,
            read_write,
        } = other;
        self.committed += committed;
        self.applied += applied;
        self.unapplied += unapplied;
        self.declined += declined;
        self.aborted += aborted;
        self.elements += elements;
        self.reads += reads;
        self.write_write += write_write;
        self.write_read += write_read;
        self.read_write += read_write;
    }
}

/// Checks whether there is an order of all transactions that respects real time, in which each read shows exactly the appends
/// before it.
///
/// # Errors
///
/// [`Rejection::Anomalous`] with the anomalies, if there is no such order. [`Rejection::Malformed`] if the history cannot
/// have happened, whatever isolation the transactions were promised.
pub fn check(history: &History) -> Result<Summary, Rejection> {
    history.validate().map_err(Rejection::Malformed)?;
    let known = Known::new(history);
    let mut anomalies = Vec::new();
    let reads = reads::external(&known, &mut anomalies);
    orders::check_lists(&known, &reads, &mut anomalies);
    orders::check_effects(&known, &mut anomalies);
    let orders = orders::find(&known, &reads, &mut anomalies);
    let dependencies = Dependencies::new(&known, &reads, &orders);
    cycles::find(&known, &dependencies, &mut anomalies);
    if anomalies.is_empty() {
        Ok(dependencies.summary(&known, reads.len()))
    } else {
        Err(Rejection::Anomalous(anomalies))
    }
}
