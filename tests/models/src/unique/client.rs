//! Clients. Each client does one operation, in as many requests as the operation needs.

use super::operation::{Measure, compose};
use super::request::{Denial, ItemAction, Request};
use super::state::{Rows, Value};

/// A program that does one operation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Client {
    /// The client has not begun.
    Idle,
    /// The client waits for the answer to a write.
    Waiting {
        /// Its writes to items.
        writes: Vec<ItemAction>,
        /// `true` if the client claims the values that it writes.
        claims: bool,
        /// The holders of guards, as far as denials have shown them.
        holders: Vec<Option<usize>>,
        /// The number of requests that the client sent before the one that it waits for.
        round: u8,
    },
    /// The client searches for the item that has a value.
    Finding(Reader),
    /// The client has ended.
    Done,
}

/// A search for the item that has a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reader {
    /// The value.
    pub value: Value,
    /// The holder of the guard, once that was read.
    pub holder: Option<usize>,
    /// `true` if the next read is a snapshot, which reads the guard and the holder's item at one point in time.
    pub is_snapshot: bool,
    /// `true` if there was a time since the search began at which no adopted item had the value.
    pub was_free: bool,
    /// For each item: `true` if the item had the value at some time since the search began.
    pub had_value: Vec<bool>,
    /// The answer, once the search has ended: the item, or `None` if no item was found.
    pub answer: Option<Option<usize>>,
}

impl Reader {
    /// Begins a search.
    #[must_use]
    pub fn new(value: Value, rows: &Rows) -> Self {
        let had_value = vec![false; rows.items.len()];
        let mut reader = Self { value, holder: None, is_snapshot: false, was_free: false, had_value, answer: None };
        reader.watch(rows);
        reader
    }

    /// Records which items have the value now.
    pub fn watch(&mut self, rows: &Rows) {
        self.was_free |= !rows.is_adopted(self.value);
        for (had, item) in self.had_value.iter_mut().zip(&rows.items) {
            *had |= item.value() == Some(self.value);
        }
    }

    /// Returns `true` if the search has no answer yet, or if the answer was right at some moment of the search.
    #[must_use]
    pub fn is_right(&self) -> bool {
        match self.answer {
            None => true,
            Some(None) => self.was_free,
            Some(Some(item)) => self.had_value[item],
        }
    }

    /// Makes the next read.
    pub fn read(&mut self, rows: &Rows, omitted: Option<Measure>) {
        let guard = rows.guards[usize::from(self.value)];
        let has_value = |item: usize| rows.items[item].value() == Some(self.value);
        match self.holder {
            None => match guard {
                None => self.answer = Some(None),
                holder => self.holder = holder,
            },
            // The snapshot shows that the guard has a new holder. The snapshot does not include the item of this holder.
            Some(holder) if self.is_snapshot && guard != Some(holder) => {
                (self.holder, self.is_snapshot) = (guard, false);
                if guard.is_none() {
                    self.answer = Some(None);
                }
            }
            Some(holder) if has_value(holder) => self.answer = Some(Some(holder)),
            Some(_) if self.is_snapshot || omitted == Some(Measure::SnapshotOfReader) => self.answer = Some(None),
            Some(_) => self.is_snapshot = true,
        }
    }
}

/// How a write continues after a denial.
pub enum Next {
    /// The client sends this request.
    Send(Request),
    /// The write ends: its own condition failed.
    End,
    /// The write ends: this value is refused.
    Taken(Value),
}

impl Client {
    /// Evaluates a denial.
    pub fn denied(&mut self, index: usize, denial: &Denial, rows: &Rows, omitted: Option<Measure>) -> Next {
        let Self::Waiting { writes, claims, holders, round } = self else { return Next::End };
        if denial.of_own_item {
            return Next::End;
        }
        if denial.guards.is_empty() {
            return denial.taken.first().map_or(Next::End, |value| Next::Taken(*value));
        }
        for (value, holder) in &denial.guards {
            let reads_before = omitted == Some(Measure::CheckInTransaction);
            let has_value = |holder: usize| rows.items[holder].value() == Some(*value);
            if omitted == Some(Measure::RefusalByHolderOnly) || reads_before && holder.is_some_and(has_value) {
                return Next::Taken(*value);
            }
            holders[usize::from(*value)] = *holder;
        }
        *round += 1;
        Next::Send(compose((index, *round), writes, *claims, holders, omitted))
    }
}
