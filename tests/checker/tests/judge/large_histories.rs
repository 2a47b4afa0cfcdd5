//! Histories with long chains of dependencies.

use dyno_checker::{History, Operation, Outcome, Rejection, Transaction, check};

/// Returns a history in which each transaction appends to a key of its own, and reads what the transaction before it
/// appended. If `is_round`, the first transaction reads what the last one appended.
fn chain(length: usize, is_round: bool) -> History {
    let mut history = History::default();
    let element = |at: usize| at as u64 + 1;
    for at in 0..length {
        let before = (at + length - 1) % length;
        let list = if at > 0 || is_round { vec![element(before)] } else { vec![] };
        let read = Operation::Read { key: before.to_string(), list };
        let append = Operation::Append { key: at.to_string(), element: element(at) };
        // All transactions overlap.
        let (start, end, outcome) = (0, 1, Outcome::Committed);
        history.transactions.push(Transaction {
            id: at,
            process: at,
            start,
            end,
            operations: vec![read, append],
            outcome,
        });
        history.last.insert(at.to_string(), vec![element(at)]);
    }
    history
}

/// A checker that recursed for each transaction would overflow the stack of a test's thread.
#[test]
fn a_chain_of_10000_transactions_is_accepted() {
    let summary = check(&chain(10_000, false)).expect("one after the other");
    assert_eq!((summary.write_read, summary.read_write), (9_999, 1));
}

#[test]
fn a_cycle_of_500_transactions_is_found() {
    let Err(Rejection::Anomalous(anomalies)) = check(&chain(500, true)) else { panic!("it is one") };
    assert_eq!(anomalies.len(), 1);
    assert_eq!(anomalies[0].kind.to_string(), "G1c");
    assert_eq!(anomalies[0].transactions, (0..500).collect::<Vec<_>>());
}
