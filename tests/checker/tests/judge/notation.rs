//! Histories as text, and their serial twins.

use dyno_checker::{Element, History, Operation, Outcome, Transaction};
use std::collections::BTreeMap;

/// Parses a history. There is a line for each transaction, T1 first: its process, start, end, outcome and operations. `x+1`
/// appends 1 to `x`, and `x=1,2` reads `x` as `[1, 2]`. The last line has the final lists.
pub(crate) fn history(text: &str) -> History {
    let mut history = History::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words[0] == "end" {
            history.last = words[1..].iter().map(|word| read(word)).collect();
            continue;
        }
        let outcome = match words[3] {
            "committed" => Outcome::Committed,
            "aborted" => Outcome::Aborted,
            "declined" => Outcome::Declined,
            "unknown" => Outcome::Unknown,
            other => panic!("no outcome: {other}"),
        };
        let number = |word: &str| word.parse::<u64>().expect("a number");
        history.transactions.push(Transaction {
            id: history.transactions.len() + 1,
            process: words[0].parse().expect("a number"),
            start: number(words[1]),
            end: number(words[2]),
            operations: words[4..].iter().map(|word| operation(word)).collect(),
            outcome,
        });
    }
    history
}

fn operation(word: &str) -> Operation {
    if let Some((key, element)) = word.split_once('+') {
        return Operation::Append { key: key.to_owned(), element: element.parse().expect("a number") };
    }
    let (key, list) = read(word);
    Operation::Read { key, list }
}

fn read(word: &str) -> (String, Vec<Element>) {
    let (key, list) = word.split_once('=').expect("`key=elements`");
    let elements = list.split(',').filter(|element| !element.is_empty());
    (key.to_owned(), elements.map(|element| element.parse().expect("a number")).collect())
}

/// Returns a history with the same operations, processes and outcomes, in which one transaction runs after the other. Its
/// reads and final lists are those of this order.
pub(crate) fn serial_twin(history: &History) -> History {
    let mut twin = history.clone();
    let mut lists = BTreeMap::<String, Vec<Element>>::new();
    for (at, transaction) in twin.transactions.iter_mut().enumerate() {
        (transaction.start, transaction.end) = (2 * at as u64, 2 * at as u64 + 1);
        let mut own = lists.clone();
        for operation in &mut transaction.operations {
            match operation {
                Operation::Append { key, element } => own.entry(key.clone()).or_default().push(*element),
                Operation::Read { key, list } => *list = own.get(key).cloned().unwrap_or_default(),
            }
        }
        if matches!(transaction.outcome, Outcome::Committed | Outcome::Unknown) {
            lists = own;
        }
    }
    twin.last = lists;
    twin
}
