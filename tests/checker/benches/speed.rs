//! How long the checker takes for a history of 10,000 transactions: for two serializable histories, and for one in which
//! nearly all reads are stale.

#![allow(clippy::print_stdout, reason = "a bench prints")]

use dyno_checker::{Element, History, Operation, Outcome, Rejection, Transaction, check};
use std::collections::BTreeMap;
use std::time::Instant;

const PROCESSES: usize = 20;

/// Returns a history of overlapping transactions, each of which takes effect at a moment of its own. Reads show the lists of
/// `late` transactions ago.
fn history(transactions: usize, keys: usize, late: usize) -> History {
    fastrand::seed(1);
    let mut history = History::default();
    let mut states = vec![BTreeMap::<String, Vec<Element>>::new()];
    for at in 0..transactions {
        let mut lists = states[states.len() - 1].clone();
        let seen = &states[states.len() - 1 - late.min(states.len() - 1)];
        let mut operations = Vec::new();
        for _ in 0..2 {
            let key = fastrand::usize(0..keys).to_string();
            let list = seen.get(&key).cloned().unwrap_or_default();
            if lists.get(&key).is_none_or(|list| list.last().is_none_or(|last| last / 4 != at as u64)) {
                operations.push(Operation::Read { key, list });
            }
        }
        for nth in 0..fastrand::u64(0..3) {
            let (key, element) = (fastrand::usize(0..keys).to_string(), 4 * at as u64 + nth);
            lists.entry(key.clone()).or_default().push(element);
            operations.push(Operation::Append { key, element });
        }
        let start = 2 * at as u64;
        let end = start + 2 * PROCESSES as u64 - 1;
        let process = at % PROCESSES;
        history.transactions.push(Transaction { id: at, process, start, end, operations, outcome: Outcome::Committed });
        states.push(lists);
        if states.len() > 8 {
            states.remove(0);
        }
    }
    history.last = states.pop().unwrap_or_default();
    history
}

fn main() {
    for (name, keys, late) in [("100 keys", 100, 0), ("6 keys", 6, 0), ("6 keys, stale reads", 6, 5)] {
        let history = history(10_000, keys, late);
        let start = Instant::now();
        let judged = check(&history);
        let taken = start.elapsed();
        match judged {
            Ok(summary) => println!("{name}: {taken:?}, accepted: {summary:?}"),
            Err(Rejection::Anomalous(anomalies)) => println!("{name}: {taken:?}, rejected for {}", anomalies.len()),
            Err(Rejection::Malformed(why)) => panic!("{why}"),
        }
    }
}
