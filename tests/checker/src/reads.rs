//! What each transaction read of others, and whether it read its own appends.

use crate::anomaly::{Anomaly, Kind};
use crate::history::{Element, Operation};
use crate::known::Known;
use crate::words::list_of;
use std::collections::HashMap;

/// The first read of a key by a transaction, without the transaction's own appends.
pub(crate) struct Read<'h> {
    /// The reader, by its place in the history.
    pub(crate) transaction: usize,
    pub(crate) key: &'h str,
    pub(crate) list: &'h [Element],
}

/// What a transaction knows of one key.
#[derive(Default)]
struct State<'h> {
    /// The list before the transaction, if the transaction has read it.
    base: Option<&'h [Element]>,
    own: Vec<Element>,
}

/// Returns what transactions read of others. Reads that contradict their own transaction are reported and left out.
pub(crate) fn external<'h>(known: &Known<'h>, anomalies: &mut Vec<Anomaly>) -> Vec<Read<'h>> {
    let mut reads = Vec::new();
    for at in known.counting() {
        let mut states = HashMap::<&str, State<'h>>::new();
        for operation in &known.transaction(at).operations {
            match operation {
                Operation::Append { key, element } => states.entry(key).or_default().own.push(*element),
                Operation::Read { key, list } => {
                    let state = states.entry(key).or_default();
                    match look(known, at, key, list, state) {
                        Ok(Some(read)) => reads.push(read),
                        Ok(None) => {}
                        Err(anomaly) => anomalies.push(anomaly),
                    }
                }
            }
        }
    }
    reads.sort_by_key(|read| known.transaction(read.transaction).start);
    reads
}

/// Checks a read against its own transaction. For the first read of a key, returns what the read shows of others.
fn look<'h>(
    known: &Known<'h>,
    at: usize,
    key: &'h str,
    list: &'h [Element],
    state: &mut State<'h>,
) -> Result<Option<Read<'h>>, Anomaly> {
    let transaction = known.transaction(at);
    let internal = |why: String| {
        let text = format!("T{} read {key} as {}, {why}\n  {transaction}", transaction.id, list_of(list));
        Err(Anomaly::new(Kind::Internal, vec![transaction.id], text))
    };
    let rest = list.strip_suffix(state.own.as_slice());
    if let Some(base) = state.base {
        let same = rest == Some(base);
        let expected: Vec<Element> = base.iter().chain(&state.own).copied().collect();
        return if same { Ok(None) } else { internal(format!("where it had to see {}", list_of(&expected))) };
    }
    let Some(rest) = rest else {
        return internal(format!("which does not end with its own {}", list_of(&state.own)));
    };
    state.base = Some(rest);
    for (of, element) in transaction.appends() {
        if of == key && rest.contains(&element) {
            return internal(format!("with its own {element} where it cannot be yet"));
        }
    }
    Ok(Some(Read { transaction: at, key, list: rest }))
}
