//! The search through all orders, which is slow and needs no theory. It shares only the type of a history with the checker.

use dyno_checker::{Element, History, Operation, Outcome, Transaction};
use std::collections::BTreeMap;

type Lists = BTreeMap<String, Vec<Element>>;

/// Whether some order explains a history. The order contains all transactions that count, and any of those of unknown
/// outcome.
pub(crate) fn is_explained(history: &History) -> bool {
    let placed = vec![false; history.transactions.len()];
    continues(history, placed, &Lists::new())
}

fn continues(history: &History, placed: Vec<bool>, lists: &Lists) -> bool {
    let all_placed =
        || history.transactions.iter().zip(&placed).all(|(transaction, placed)| *placed || !has_ended(transaction));
    if all_placed() && is_last(history, lists) {
        return true;
    }
    (0..placed.len()).filter(|&next| may_be_next(history, &placed, next)).any(|next| {
        let mut placed = placed.clone();
        placed[next] = true;
        run(&history.transactions[next], lists).is_some_and(|lists| continues(history, placed, &lists))
    })
}

/// Whether a transaction is part of every order, and comes before those that start later.
fn has_ended(transaction: &Transaction) -> bool {
    matches!(transaction.outcome, Outcome::Committed | Outcome::Declined)
}

fn may_be_next(history: &History, placed: &[bool], next: usize) -> bool {
    let is_before = |one: &Transaction, other: &Transaction| {
        let in_process = one.process == other.process && one.start < other.start;
        has_ended(one) && (one.end < other.start || in_process)
    };
    let transaction = &history.transactions[next];
    let others = history.transactions.iter().zip(placed);
    let is_due = others.filter(|(_, placed)| !**placed).all(|(other, _)| !is_before(other, transaction));
    !placed[next] && transaction.outcome != Outcome::Aborted && is_due
}

/// Returns the lists after a transaction, if each of its reads shows the list at that point.
fn run(transaction: &Transaction, before: &Lists) -> Option<Lists> {
    let mut lists = before.clone();
    for operation in &transaction.operations {
        match operation {
            Operation::Append { key, element } => lists.entry(key.clone()).or_default().push(*element),
            Operation::Read { key, list } => {
                let there = lists.get(key).map_or([].as_slice(), Vec::as_slice);
                if there != list.as_slice() {
                    return None;
                }
            }
        }
    }
    Some(if transaction.outcome == Outcome::Declined { before.clone() } else { lists })
}

fn is_last(history: &History, lists: &Lists) -> bool {
    let filled = |lists: &Lists| lists.clone().into_iter().filter(|(_, list)| !list.is_empty()).collect::<Lists>();
    filled(lists) == filled(&history.last)
}
