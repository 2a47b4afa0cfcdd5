//! Transactions and lists in the words of messages.

use crate::history::{Element, Operation, Outcome, Transaction};

/// How many elements of a long list are shown at either end.
const SHOWN: usize = 6;

/// `[1, 2, 3]`, or the ends of a long list.
pub(crate) fn list_of(list: &[Element]) -> String {
    let joined = |part: &[Element]| part.iter().map(Element::to_string).collect::<Vec<_>>().join(", ");
    if list.len() <= 2 * SHOWN + 1 {
        return format!("[{}]", joined(list));
    }
    let hidden = list.len() - 2 * SHOWN;
    format!("[{}, … {hidden} more …, {}]", joined(&list[..SHOWN]), joined(&list[SHOWN + hidden..]))
}

/// A transaction with all its operations.
pub(crate) fn in_full(transaction: &Transaction) -> String {
    let Transaction { id, process, start, end, operations, outcome } = transaction;
    let operations: Vec<String> = operations
        .iter()
        .map(|operation| match operation {
            Operation::Append { key, element } => format!("append {element} to {key}"),
            Operation::Read { key, list } => format!("read {key} as {}", list_of(list)),
        })
        .collect();
    let outcome = match outcome {
        Outcome::Committed => "committed",
        Outcome::Aborted => "aborted",
        Outcome::Declined => "declined",
        Outcome::Unknown => "of unknown outcome",
    };
    format!("T{id} (process {process}, {start} to {end}, {outcome}): {}", operations.join("; "))
}
