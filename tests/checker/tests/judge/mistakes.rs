//! Mistakes in a history, after which some order of transactions may or may not explain it.

use crate::shapes::{KEYS, outcomes};
use dyno_checker::{Element, History, Operation, Outcome, Rejection, Transaction, check};
use proptest::prelude::*;
use proptest::sample::Index;

/// One mistake in a history.
#[derive(Clone, Debug)]
pub(crate) struct Mistake {
    what: What,
    /// The random choices of a transaction, of a place and of an element.
    which: Index,
    place: Index,
    element: Index,
    outcome: Outcome,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// A read misses one element.
    Drop,
    /// Two elements of a read change places.
    Swap,
    /// A read shows only the elements before one of them.
    Cut,
    /// A read also shows the next element of the final list.
    Extend,
    /// A read shows a prefix of the final list.
    Reread,
    /// A read shows an element twice.
    Twice,
    /// A read shows an element of any transaction, or of none.
    Show,
    /// A final list lacks an element.
    Lose,
    /// Two elements of a final list change places.
    SwapLast,
    /// A final list has an element twice.
    TwiceLast,
    /// A final list has an element of any transaction, or of none.
    ShowLast,
    /// Two transactions exchange their processes and intervals.
    SwapTransactions,
    /// A transaction ends right after it begins.
    Hurry,
    /// A transaction begins right before it ends.
    Tarry,
    /// A transaction has another outcome.
    End,
    /// Two operations of a transaction change places.
    SwapOperations,
    /// An operation moves to another transaction.
    Give,
}

const ALL: [What; 17] = [
    What::Drop,
    What::Swap,
    What::Cut,
    What::Extend,
    What::Reread,
    What::Twice,
    What::Show,
    What::Lose,
    What::SwapLast,
    What::TwiceLast,
    What::ShowLast,
    What::SwapTransactions,
    What::Hurry,
    What::Tarry,
    What::End,
    What::SwapOperations,
    What::Give,
];

impl Arbitrary for Mistake {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> Self::Strategy {
        let what = prop_oneof![1 => proptest::sample::select(ALL.as_slice()), 1 => Just(What::Reread)];
        let index = any::<Index>;
        let mistake = (what, index(), index(), index(), outcomes());
        mistake.prop_map(|(what, which, place, element, outcome)| Self { what, which, place, element, outcome }).boxed()
    }
}

impl Mistake {
    /// Makes the mistake, unless the history has no place for it or would be malformed.
    pub(crate) fn make(&self, history: &mut History) {
        let mut changed = history.clone();
        let is_made = self.try_make(&mut changed).is_some();
        if is_made && !matches!(check(&changed), Err(Rejection::Malformed(_))) {
            *history = changed;
        }
    }

    fn try_make(&self, history: &mut History) -> Option<()> {
        match self.what {
            What::Drop | What::Swap | What::Cut | What::Extend | What::Reread | What::Twice | What::Show => {
                self.change_read(history)
            }
            What::Lose | What::SwapLast | What::TwiceLast | What::ShowLast => self.change_last(history),
            What::SwapTransactions => {
                let (one, other) = self.two(history.transactions.len())?;
                let of = |transaction: &Transaction| (transaction.process, transaction.start, transaction.end);
                let (first, second) = (of(&history.transactions[one]), of(&history.transactions[other]));
                let mut set = |at: usize, (process, start, end)| {
                    let transaction: &mut Transaction = &mut history.transactions[at];
                    (transaction.process, transaction.start, transaction.end) = (process, start, end);
                };
                set(one, second);
                set(other, first);
                Some(())
            }
            What::Hurry | What::Tarry | What::End => {
                let transaction = self.which.get(&history.transactions);
                let at = transaction.id - 1;
                let transaction = &mut history.transactions[at];
                match self.what {
                    What::Hurry => transaction.end = transaction.start + 1,
                    What::Tarry => transaction.start = transaction.end - 1,
                    _ => transaction.outcome = self.outcome,
                }
                Some(())
            }
            What::SwapOperations => {
                let at = self.which.index(history.transactions.len());
                let operations = &mut history.transactions[at].operations;
                let (one, other) = self.two(operations.len())?;
                operations.swap(one, other);
                Some(())
            }
            What::Give => {
                let (from, to) = self.two(history.transactions.len())?;
                let operations = &mut history.transactions[from].operations;
                let at = (!operations.is_empty()).then(|| self.place.index(operations.len()))?;
                let operation = operations.remove(at);
                let operations = &mut history.transactions[to].operations;
                operations.insert(self.element.index(operations.len() + 1), operation);
                Some(())
            }
        }
    }

    /// Returns two different places below `of`.
    fn two(&self, of: usize) -> Option<(usize, usize)> {
        let one = (of > 1).then(|| self.which.index(of))?;
        Some((one, (one + 1 + self.place.index(of - 1)) % of))
    }

    fn change_read(&self, history: &mut History) -> Option<()> {
        let anything = self.anything(history);
        let History { transactions, last } = history;
        let mut reads: Vec<(&String, &mut Vec<Element>)> = transactions
            .iter_mut()
            .flat_map(|transaction| &mut transaction.operations)
            .filter_map(|operation| match operation {
                Operation::Append { .. } => None,
                Operation::Read { key, list } => Some((&*key, list)),
            })
            .collect();
        let at = (!reads.is_empty()).then(|| self.place.index(reads.len()))?;
        let (key, list) = &mut reads[at];
        let there = last.get(*key).map_or([].as_slice(), Vec::as_slice);
        match self.what {
            What::Extend => list.push(*there.get(list.len())?),
            What::Reread => **list = there[..self.element.index(there.len() + 1)].to_vec(),
            What::Show => list.insert(self.element.index(list.len() + 1), anything),
            _ => self.change_list(list)?,
        }
        Some(())
    }

    fn change_last(&self, history: &mut History) -> Option<()> {
        let anything = self.anything(history);
        let key = KEYS[self.place.index(KEYS.len())];
        let list = history.last.entry(key.to_owned()).or_default();
        if let What::ShowLast = self.what {
            list.insert(self.element.index(list.len() + 1), anything);
            return Some(());
        }
        self.change_list(list)
    }

    fn change_list(&self, list: &mut Vec<Element>) -> Option<()> {
        let at = (!list.is_empty()).then(|| self.element.index(list.len()))?;
        match self.what {
            What::Swap | What::SwapLast => {
                let (one, other) = self.two(list.len())?;
                list.swap(one, other);
            }
            What::Cut => list.truncate(at),
            What::Twice | What::TwiceLast => list.push(list[at]),
            _ => drop(list.remove(at)),
        }
        Some(())
    }

    /// Returns an element of some transaction, or an element that no transaction appends.
    fn anything(&self, history: &History) -> Element {
        let operations = || history.transactions.iter().flat_map(|transaction| &transaction.operations);
        let appends = operations().filter(|operation| matches!(operation, Operation::Append { .. })).count();
        self.which.index(appends + 1) as Element + 1
    }
}
