//! Which transaction appended each element, and which transactions count.

use crate::history::{Element, History, Outcome, Transaction};
use std::collections::HashMap;

/// A history with its lookup tables.
pub(crate) struct Known<'h> {
    pub(crate) history: &'h History,
    origins: HashMap<Element, Origin<'h>>,
    /// For each transaction, whether its outcome is unknown and one of its elements was read.
    applied: Vec<bool>,
}

/// Where an element comes from.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'h> {
    /// The transaction, by its place in the history.
    pub(crate) transaction: usize,
    pub(crate) key: &'h str,
    /// Which of the transaction's appends to this key it is, from 0.
    pub(crate) nth: usize,
    /// How many appends to this key the transaction has.
    pub(crate) of: usize,
}

impl<'h> Known<'h> {
    pub(crate) fn new(history: &'h History) -> Self {
        let mut origins = HashMap::new();
        for (transaction, value) in history.transactions.iter().enumerate() {
            let mut counts = HashMap::<&str, usize>::new();
            for (key, element) in value.appends() {
                let count = counts.entry(key).or_default();
                origins.insert(element, Origin { transaction, key, nth: *count, of: 0 });
                *count += 1;
            }
            for (key, element) in value.appends() {
                if let Some(origin) = origins.get_mut(&element) {
                    origin.of = counts[key];
                }
            }
        }
        let mut known = Self { history, origins, applied: vec![false; history.transactions.len()] };
        known.see_all();
        known
    }

    /// Marks transactions of unknown outcome as applied if one of their elements is in a final list, or was read by a
    /// transaction that counts. Then their own reads count, too.
    fn see_all(&mut self) {
        let history = self.history;
        let mut unread: Vec<usize> = (0..history.transactions.len()).filter(|&at| self.counts(at)).collect();
        for list in history.last.values() {
            self.see(list, &mut unread);
        }
        while let Some(reader) = unread.pop() {
            for (key, list) in history.transactions[reader].lists() {
                // A prefix of the final list has only elements that are marked already.
                if !history.last(key).starts_with(list) {
                    self.see(list, &mut unread);
                }
            }
        }
    }

    fn see(&mut self, list: &[Element], unread: &mut Vec<usize>) {
        for element in list {
            if let Some(&Origin { transaction, .. }) = self.origins.get(element)
                && self.transaction(transaction).outcome == Outcome::Unknown
                && !self.applied[transaction]
            {
                self.applied[transaction] = true;
                unread.push(transaction);
            }
        }
    }

    pub(crate) fn origin(&self, element: Element) -> Option<Origin<'h>> {
        self.origins.get(&element).copied()
    }

    pub(crate) fn transaction(&self, at: usize) -> &'h Transaction {
        &self.history.transactions[at]
    }

    /// Whether the appends of a transaction took effect.
    pub(crate) fn writes(&self, at: usize) -> bool {
        match self.transaction(at).outcome {
            Outcome::Committed => true,
            Outcome::Unknown => self.applied[at],
            Outcome::Aborted | Outcome::Declined => false,
        }
    }

    /// Whether a transaction has a place in the order of transactions.
    pub(crate) fn counts(&self, at: usize) -> bool {
        self.writes(at) || self.transaction(at).outcome == Outcome::Declined
    }

    /// Returns all transactions that have a place in the order, by their places in the history.
    pub(crate) fn counting(&self) -> impl Iterator<Item = usize> {
        (0..self.history.transactions.len()).filter(|&at| self.counts(at))
    }
}
