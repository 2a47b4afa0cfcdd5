//! A history: transactions with their operations, and the final lists.

use std::collections::{BTreeMap, HashMap, HashSet};

/// An element of a list. No two appends of a history have the same element.
pub type Element = u64;

/// A moment: a position in the one log of all starts and ends.
pub type Position = u64;

/// All transactions, and the lists that a reader found after all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The transactions, in any order.
    pub transactions: Vec<Transaction>,
    /// The final lists. A key that is missing here has an empty list.
    pub last: BTreeMap<String, Vec<Element>>,
}

/// One transaction. A plain write or a plain read is a transaction of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// The number of the transaction in messages.
    pub id: usize,
    /// The process that sent the transaction. A process sends one transaction after the other.
    pub process: usize,
    /// A moment before the first request.
    pub start: Position,
    /// The moment at which the process knew the outcome. For [`Outcome::Unknown`], the moment at which the process gave up:
    /// the transaction may be applied later.
    pub end: Position,
    /// The operations, in their order.
    pub operations: Vec<Operation>,
    /// How it ended.
    pub outcome: Outcome,
}

/// One step of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Appends an element to the end of a list.
    Append {
        /// Which list.
        key: String,
        /// The element.
        element: Element,
    },
    /// Reads a whole list.
    Read {
        /// Which list.
        key: String,
        /// The list that was read. A list that does not exist is empty.
        list: Vec<Element>,
    },
}

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The transaction was acknowledged.
    Committed,
    /// The transaction wrote nothing, and its reads may show several moments.
    Aborted,
    /// The transaction wrote nothing, and its reads show one moment, like those of a transaction that only reads.
    Declined,
    /// The transaction was applied, will be applied later, or never will be. Its reads count if it was applied.
    Unknown,
}

impl History {
    /// Returns an error if the history cannot have happened. Then the harness that recorded it is wrong.
    pub(crate) fn validate(&self) -> Result<(), String> {
        let mut ids = HashSet::new();
        let mut elements = HashMap::new();
        for transaction in &self.transactions {
            let Transaction { id, start, end, .. } = transaction;
            if start >= end {
                return Err(format!("T{id} starts at {start} and ends at {end}, which is not later"));
            }
            if !ids.insert(*id) {
                return Err(format!("two transactions are T{id}"));
            }
            for (key, element) in transaction.appends() {
                if let Some((other, before)) = elements.insert(element, (*id, key)) {
                    return Err(format!(
                        "element {element} is appended twice, to {before} by T{other} and to {key} by T{id}: each append needs \
                         an element of its own"
                    ));
                }
            }
        }
        self.validate_processes()
    }

    fn validate_processes(&self) -> Result<(), String> {
        let mut by_process: Vec<&Transaction> = self.transactions.iter().collect();
        by_process.sort_by_key(|transaction| (transaction.process, transaction.start));
        for pair in by_process.windows(2) {
            let (one, next) = (pair[0], pair[1]);
            if one.process == next.process && next.start < one.end {
                return Err(format!(
                    "process {} starts T{} at {}, before its T{} ends at {}: what runs at the same time is of several processes",
                    one.process, next.id, next.start, one.id, one.end
                ));
            }
        }
        Ok(())
    }

    /// Returns the final list of a key.
    pub(crate) fn last(&self, key: &str) -> &[Element] {
        self.last.get(key).map_or(&[], Vec::as_slice)
    }
}

impl Transaction {
    pub(crate) fn appends(&self) -> impl Iterator<Item = (&str, Element)> {
        self.operations.iter().filter_map(|operation| match operation {
            Operation::Append { key, element } => Some((key.as_str(), *element)),
            Operation::Read { .. } => None,
        })
    }

    pub(crate) fn lists(&self) -> impl Iterator<Item = (&str, &[Element])> {
        self.operations.iter().filter_map(|operation| match operation {
            Operation::Append { .. } => None,
            Operation::Read { key, list } => Some((key.as_str(), list.as_slice())),
        })
    }
}
