//! Checks a run against the journal: the tables after each request, and the results that the programs received.

use dyno::Item;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno_tests::journal::{Change, Journal};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The name of a constraint, and its attributes.
type Constraint = (&'static str, &'static [&'static str]);

/// The tables with unique values, and the attributes that are unique in each, by constraint.
const UNIQUE: [(&str, &[Constraint]); 6] = [
    ("users", &[("email", &["email"]), ("handle", &["tenant", "handle"])]),
    ("members", &[("email", &["email"])]),
    ("contracts", &[("email", &["email"])]),
    ("players", &[("email", &["email"])]),
    ("rated", &[("email", &["email"])]),
    ("jobs", &[("email", &["email"])]),
];

/// A refusal that named the holder of a value, and the numbers of requests before and after the write.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) table: &'static str,
    pub(crate) constraint: &'static str,
    /// The value that the write claimed, if it is known.
    pub(crate) value: Option<String>,
    pub(crate) holder: String,
    pub(crate) during: [usize; 2],
}

/// The result of a search, and the numbers of requests before and after it.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) table: &'static str,
    pub(crate) constraint: &'static str,
    pub(crate) value: String,
    pub(crate) holder: Option<String>,
    pub(crate) during: [usize; 2],
}

/// The refusals and the search results that the programs received.
#[derive(Clone, Debug, Default)]
pub(crate) struct Claims {
    pub(crate) refused: Arc<Mutex<Vec<Refused>>>,
    pub(crate) found: Arc<Mutex<Vec<Found>>>,
}

/// The values of the live rows of one constraint, by the rows' keys. The flag is `true` if dyno has adopted the value: dyno
/// wrote it, or created its guard later.
type Values = BTreeMap<String, (String, bool)>;

/// The values of all constraints after one request, by table and constraint.
type State = BTreeMap<(&'static str, &'static str), Values>;

/// The changes of a run, to be checked.
pub(crate) struct Oracle {
    changes: Vec<Change>,
    requests: usize,
}

fn text(value: &AttributeValue) -> Option<&str> {
    value.as_s().ok().map(String::as_str)
}

/// Returns the row's value of a constraint; `None` if the row lacks one of its attributes.
fn value(row: &Item, attributes: &[&str]) -> Option<String> {
    let parts: Option<Vec<&str>> = attributes.iter().map(|name| text(row.get(*name)?)).collect();
    Some(parts?.join("|"))
}

impl Oracle {
    pub(crate) fn new(journal: &Journal) -> Self {
        Self { changes: journal.changes(), requests: journal.requests() }
    }

    /// Checks the tables after each request, and the results that the programs received.
    pub(crate) fn check(self, claims: &Claims) {
        let states = self.states();
        for refused in claims.refused.lock().expect("no panic").iter() {
            let key = (refused.table, refused.constraint);
            let has_value = |state: &State| {
                let held = state.get(&key).and_then(|values| values.get(&refused.holder));
                held.is_some_and(|(held, _)| refused.value.as_ref().is_none_or(|claimed| claimed == held))
            };
            let held = Self::during(&states, refused.during).any(has_value);
            assert!(held, "the holder never had the value meanwhile: {refused:?}");
        }
        for found in claims.found.lock().expect("no panic").iter() {
            let key = (found.table, found.constraint);
            let holders = |state: &State| -> Vec<(String, bool)> {
                let values = state.get(&key).into_iter().flatten();
                values
                    .filter(|(_, (value, _))| *value == found.value)
                    .map(|(id, (_, is_adopted))| (id.clone(), *is_adopted))
                    .collect()
            };
            let is_right = Self::during(&states, found.during).any(|state| match &found.holder {
                Some(holder) => holders(state).iter().any(|(id, _)| id == holder),
                None => holders(state).iter().all(|(_, is_adopted)| !is_adopted),
            });
            assert!(is_right, "the search was wrong at each moment: {found:?}");
        }
    }

    fn during(states: &[State], [begin, end]: [usize; 2]) -> impl Iterator<Item = &State> {
        // The state before the first of these requests counts, too.
        states[begin..=end].iter()
    }

    /// Returns the state before each request, and after the last one. Panics if two items have the same adopted value, or if
    /// an adopted value has no guard.
    fn states(&self) -> Vec<State> {
        let mut rows: BTreeMap<(String, String), Item> = BTreeMap::new();
        let (mut states, mut state) = (Vec::with_capacity(self.requests + 1), State::new());
        for request in 0..self.requests {
            states.push(state.clone());
            let changes: Vec<&Change> = self.changes.iter().filter(|change| change.request == request).collect();
            for change in &changes {
                let key = change.keys.get("id").or(change.keys.get("_key")).and_then(text).unwrap_or_default();
                let at = (change.table.clone(), key.to_owned());
                match &change.new {
                    Some(row) => drop(rows.insert(at, row.clone())),
                    None => drop(rows.remove(&at)),
                }
            }
            if !changes.is_empty() {
                state = Self::next(&state, &rows, &changes);
            }
        }
        states.push(state);
        states
    }

    /// Returns the state after a request.
    fn next(before: &State, rows: &BTreeMap<(String, String), Item>, changes: &[&Change]) -> State {
        let is_of_dyno = changes.iter().any(|change| change.write.is_some());
        let mut state = State::new();
        for (table, constraints) in UNIQUE {
            for (constraint, attributes) in constraints {
                let guards = format!("{table}-unique");
                let old = before.get(&(table, *constraint));
                let values = state.entry((table, *constraint)).or_default();
                for ((_, id), row) in rows.iter().filter(|((of, _), _)| of == table) {
                    let is_deleted = row.get("deleted") == Some(&AttributeValue::Bool(true));
                    let Some(value) = value(row, attributes).filter(|_| !is_deleted) else { continue };
                    let guard = rows.get(&(guards.clone(), format!("{constraint}|{value}")));
                    let holder =
                        guard.and_then(|guard| text(guard.get("_of")?.as_m().ok()?.get("id")?).map(str::to_owned));
                    let has_guard = holder.as_deref() == Some(id.as_str());
                    let kept = old.and_then(|old| old.get(id)).filter(|(old, _)| *old == value);
                    let is_adopted = match kept {
                        // Once a value is adopted, its guard exists as long as the item has the value.
                        Some((_, was_adopted)) => *was_adopted || has_guard,
                        None => is_of_dyno,
                    };
                    assert!(
                        has_guard || !is_adopted,
                        "{table} {id} has {constraint} {value:?} without its guard, which is {holder:?}, after {changes:?}"
                    );
                    values.insert(id.clone(), (value, is_adopted));
                }
                let adopted: Vec<_> =
                    values.values().filter(|(_, is_adopted)| *is_adopted).map(|(value, _)| value).collect();
                let mut distinct = adopted.clone();
                distinct.sort();
                distinct.dedup();
                assert_eq!(
                    distinct.len(),
                    adopted.len(),
                    "two items of {table} have one {constraint} after {changes:?}"
                );
            }
        }
        state
    }
}
