//! What happened: transactions with their operations, and what is there in the end.

use std::collections::{BTreeMap, HashMap, HashSet};

/// What is appended to a list. No two appends of a history are of the same element.
pub type Element = u64;

/// A moment: a position in the one log of all starts and ends.
pub type Position = u64;

/// All transactions, and what a reader has found after all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// In any order.
    pub transactions: Vec<Transaction>,
    /// The lists in the end. A key that is not here has an empty one.
    pub last: BTreeMap<String, Vec<Element>>,
}

/// One transaction. A plain write or a plain read is a transaction of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// What messages call it.
    pub id: usize,
    /// Who has sent it. A process sends one after the other.
    pub process: usize,
    /// Before its first request.
    pub start: Position,
    /// When its process knew the outcome. Of [`Outcome::Unknown`], when its process gave up: it may be applied later.
    pub end: Position,
    /// In their order.
    pub operations: Vec<Operation>,
    /// How it ended.
    pub outcome: Outcome,
}

/// One step of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// To the end of a list.
    Append {
        /// Which list.
        key: String,
        /// What is appended.
        element: Element,
    },
    /// Of a whole list.
    Read {
        /// Which list.
        key: String,
        /// What was seen. A list that is not there is empty.
        list: Vec<Element>,
    },
}

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was acknowledged.
    Committed,
    /// It has written nothing, and what it has read may be of several moments.
    Aborted,
    /// It has written nothing, and what it has read was there at one moment, as of a transaction that only reads.
    Declined,
    /// It was applied, or will be, or never. What it has read counts if it was.
    Unknown,
}

impl History {
    /// What makes this no history, in words. Whoever has recorded it made a mistake.
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

    /// The list of a key in the end.
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
