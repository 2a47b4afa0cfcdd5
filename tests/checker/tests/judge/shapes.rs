//! Random histories, made by a serial execution with overlapping intervals.

use crate::mistakes::Mistake;
use dyno_checker::{Element, History, Operation, Outcome, Transaction};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The plan of a history: a serial execution, and the mistakes that are then made in it.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    plans: Vec<Plan>,
    pub(crate) mistakes: Vec<Mistake>,
}

/// One transaction, at its place in the serial execution.
#[derive(Clone, Debug)]
struct Plan {
    process: usize,
    /// The key of each operation, and whether it is an append.
    operations: Vec<(usize, bool)>,
    outcome: Outcome,
    /// Whether the transaction was applied, if its outcome is unknown.
    is_applied: bool,
    /// How much of the free time before and after its moment the interval takes, in 256ths.
    lead: u64,
    lag: u64,
}

pub(crate) const KEYS: [&str; 3] = ["x", "y", "z"];

/// The time from one transaction to the next.
const PACE: u64 = 100;

pub(crate) fn outcomes() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        8 => Just(Outcome::Committed),
        2 => Just(Outcome::Unknown),
        1 => Just(Outcome::Aborted),
        1 => Just(Outcome::Declined),
    ]
}

fn plan(operations: usize) -> impl Strategy<Value = Plan> {
    let operation = (prop_oneof![3 => Just(0usize), 2 => Just(1), 1 => Just(2)], any::<bool>());
    let operations = proptest::collection::vec(operation, 1..=operations);
    let part = || prop_oneof![Just(0u64), 0..=256u64, Just(256)];
    (0..4usize, operations, outcomes(), any::<bool>(), part(), part()).prop_map(
        |(process, operations, outcome, is_applied, lead, lag)| Plan {
            process,
            operations,
            outcome,
            is_applied,
            lead,
            lag,
        },
    )
}

/// Returns shapes of at most so many transactions, operations per transaction, and mistakes.
pub(crate) fn shape(transactions: usize, operations: usize, mistakes: usize) -> impl Strategy<Value = Shape> {
    let plans = proptest::collection::vec(plan(operations), 1..=transactions);
    let mistakes = proptest::collection::vec(any::<Mistake>(), 0..=mistakes);
    (plans, mistakes).prop_map(|(plans, mistakes)| Shape { plans, mistakes })
}

impl Shape {
    /// Executes the transactions one after the other. Each one takes effect at a moment of its own within its interval, or
    /// after the interval if its outcome is unknown.
    pub(crate) fn serial(&self) -> History {
        let mut history = History::default();
        let mut lists = BTreeMap::<String, Vec<Element>>::new();
        let mut element = 0;
        for (at, plan) in self.plans.iter().enumerate() {
            let mut own = lists.clone();
            let mut operations = Vec::new();
            for &(key, is_append) in &plan.operations {
                let list = own.entry(KEYS[key].to_owned()).or_default();
                operations.push(if is_append {
                    element += 1;
                    list.push(element);
                    Operation::Append { key: KEYS[key].to_owned(), element }
                } else {
                    Operation::Read { key: KEYS[key].to_owned(), list: list.clone() }
                });
            }
            let is_applied = plan.outcome == Outcome::Committed || plan.outcome == Outcome::Unknown && plan.is_applied;
            if is_applied {
                lists = own;
            }
            let (start, end) = self.interval(&history, at);
            let Plan { process, outcome, .. } = *plan;
            history.transactions.push(Transaction { id: at + 1, process, start, end, operations, outcome });
        }
        history.last = lists;
        history
    }

    /// Returns an interval around the transaction's moment, in which its process runs no other transaction.
    fn interval(&self, before: &History, at: usize) -> (u64, u64) {
        let plan = &self.plans[at];
        let moment = |at: usize| PACE * (at as u64 + 1);
        let free =
            before.transactions.iter().filter(|other| other.process == plan.process).map(|other| other.end).max();
        let free = free.unwrap_or_default();
        let next = (at + 1..self.plans.len()).find(|&next| self.plans[next].process == plan.process);
        let busy = next.map_or(moment(self.plans.len() + 1), moment);
        let start = moment(at) - 1 - (moment(at) - 1 - free) * plan.lead / 256;
        let earliest = if plan.outcome == Outcome::Unknown { start + 1 } else { moment(at) + 1 };
        (start, earliest + (busy - 2 - earliest) * plan.lag / 256)
    }
}
