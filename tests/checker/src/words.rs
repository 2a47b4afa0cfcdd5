//! The text of transactions and lists in messages.

use crate::history::{Element, Operation, Outcome, Transaction};
use std::fmt;

/// How many elements of a long list are shown at either end.
const SHOWN: usize = 6;

/// Returns a list as `[1, 2, 3]`, or both ends of a long list.
pub(crate) fn list_of(list: &[Element]) -> String {
    let joined = |part: &[Element]| part.iter().map(Element::to_string).collect::<Vec<_>>().join(", ");
    if list.len() <= 2 * SHOWN + 1 {
        return format!("[{}]", joined(list));
    }
    let hidden = list.len() - 2 * SHOWN;
    format!("[{}, … {hidden} more …, {}]", joined(&list[..SHOWN]), joined(&list[SHOWN + hidden..]))
}

/// Shows a transaction with all its operations.
impl fmt::Display for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, process, start, end, operations, outcome } = self;
        let operations: Vec<String> = operations.iter().map(Operation::to_string).collect();
        write!(f, "T{id} (process {process}, {start} to {end}, {outcome}): {}", operations.join("; "))
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Append { key, element } => write!(f, "append {element} to {key}"),
            Self::Read { key, list } => write!(f, "read {key} as {}", list_of(list)),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Committed => "committed",
            Self::Aborted => "aborted",
            Self::Declined => "declined",
            Self::Unknown => "of unknown outcome",
        })
    }
}
