//! A model of the rows and of the effect of each write, without dyno and without concurrency. It judges the runs: the
//! transaction must have a place in the order of operations, or none at all, that explains all results of a run.

use std::collections::BTreeMap;

/// The row that is updated, the two that are created (the second over a tombstone), the one that is deleted, and the one that
/// is only read.
pub(super) const IDS: [&str; 5] = ["a", "b", "c", "d", "r"];

/// The state of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Row {
    Nothing,
    Dead { version: u64 },
    Live { balance: u64, version: u64 },
}

pub(super) type Rows = BTreeMap<&'static str, Row>;

/// The balance and the version of a row, or `None` if it is not live.
pub(super) type Shown = Option<(u64, u64)>;

/// An operation beside the transaction, and its result.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Get(&'static str, Shown),
    /// Puts the balance 1007, expecting this version. The last field is `true` if the put was applied.
    Put(&'static str, u64, bool),
    /// Adds 1000 to all of these rows, or to none. The last field is `true` if this was applied.
    Add(Vec<&'static str>, bool),
    /// Reads all rows in one transaction.
    Read([Shown; 5]),
    /// Reads all rows in one transaction, and adds 1000 to those that exist.
    Bump([Shown; 5]),
}

/// The result of the transaction, as its sender learned it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Told {
    /// The transaction is applied. The value is the result of its closure, if it has one.
    Applied(Option<u64>),
    Refused,
    /// The transaction is not applied, because of this error.
    Failed(String),
    /// The transaction may be applied.
    Open(String),
}

/// How the transaction is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Closure,
    Plain,
}

pub(super) fn at_first() -> Rows {
    let live = Row::Live { balance: 100, version: 1 };
    Rows::from([("a", live), ("b", Row::Nothing), ("c", Row::Dead { version: 2 }), ("d", live), ("r", live)])
}

impl Row {
    pub(super) fn shown(self) -> Shown {
        match self {
            Self::Live { balance, version } => Some((balance, version)),
            Self::Nothing | Self::Dead { .. } => None,
        }
    }

    /// Returns the row after a create, or `None` if the create is refused.
    fn created(self, balance: u64) -> Option<Self> {
        match self {
            Self::Nothing => Some(Self::Live { balance, version: 1 }),
            Self::Dead { version } => Some(Self::Live { balance, version: version + 1 }),
            Self::Live { .. } => None,
        }
    }

    fn changed(self, change: impl Fn(u64) -> u64) -> Option<Self> {
        let (balance, version) = self.shown()?;
        Some(Self::Live { balance: change(balance), version: version + 1 })
    }
}

/// Evaluates the transaction on these rows. Returns the result of its closure and the rows that it writes, or `None` if it
/// is refused.
fn transact(shape: Shape, rows: &Rows) -> Option<(u64, Rows)> {
    let (balance, _) = rows["a"].shown()?;
    let (other, other_version) = rows["r"].shown()?;
    let (_, version) = rows["d"].shown()?;
    if shape == Shape::Plain && (other_version, version) != (1, 1) {
        return None;
    }
    let made = [
        ("a", rows["a"].changed(|balance| balance + 5)?),
        ("b", rows["b"].created(3)?),
        ("c", rows["c"].created(9)?),
        ("d", Row::Dead { version: version + 1 }),
    ];
    Some((balance + other, made.into()))
}

/// Returns whether the operation is possible between the moment at which all rows are as the transaction read them, and the
/// commit. The rows that the transaction writes are locked then, but plain gets can still read them.
fn is_beside(op: &Op) -> bool {
    match op {
        Op::Get(..) | Op::Put("r", ..) => true,
        Op::Add(ids, _) => *ids == ["r"],
        Op::Put(..) | Op::Read(_) | Op::Bump(_) => false,
    }
}

/// Applies the operation to the rows. Returns whether its result is the one that was seen.
fn is_so(op: &Op, rows: &mut Rows) -> bool {
    match op {
        Op::Get(id, shown) => rows[id].shown() == *shown,
        Op::Put(id, version, applied) => {
            let row = rows[id];
            let made = if *version == 0 { row.created(1007) } else { row.changed(|_| 1007) };
            let made = made.filter(|_| *version == 0 || row.shown().is_some_and(|(_, there)| there == *version));
            rows.extend(made.map(|made| (*id, made)));
            made.is_some() == *applied
        }
        Op::Add(ids, applied) => {
            let made: Option<Vec<_>> =
                ids.iter().map(|id| Some((*id, rows[id].changed(|balance| balance + 1000)?))).collect();
            let is_applied = made.is_some();
            rows.extend(made.unwrap_or_default());
            is_applied == *applied
        }
        Op::Read(shown) => IDS.iter().zip(shown).all(|(id, shown)| rows[id].shown() == *shown),
        Op::Bump(shown) => {
            let is_seen = IDS.iter().zip(shown).all(|(id, shown)| rows[id].shown() == *shown);
            for row in rows.values_mut() {
                *row = row.changed(|balance| balance + 1000).unwrap_or(*row);
            }
            is_seen
        }
    }
}

/// Everything that is known of a run.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) shape: Shape,
    /// The operations beside the transaction, in their order.
    pub(super) ops: Vec<Op>,
    /// The result of each sending of the transaction, and how many of `ops` had ended by then.
    pub(super) told: Vec<(Told, usize)>,
    /// The rows at the end.
    pub(super) rows: Rows,
}

impl Seen {
    /// Searches for a place of the transaction in the order of all operations.
    ///
    /// # Panics
    /// No place explains what was seen.
    pub(super) fn explain(&self, case: &dyn std::fmt::Debug) {
        let count = self.ops.len();
        let places = (0..=count).flat_map(|place| (place..=count).map(move |commit| Some((place, commit))));
        let is_explained = places.chain([None]).any(|at| self.fits(at));
        assert!(is_explained, "{case:?}: nothing explains {self:#?}");
    }

    /// Returns whether everything that was seen fits a transaction with this place and this commit. Each is given by the
    /// index of the operation that follows it. `None` means that the transaction is not applied.
    fn fits(&self, at: Option<(usize, usize)>) -> bool {
        let mut rows = at_first();
        let (mut refusals, mut returned) = (Vec::new(), None);
        for (next, op) in self.ops.iter().map(Some).chain([None]).enumerate() {
            let transacted = transact(self.shape, &rows);
            refusals.push(transacted.is_none());
            if at.is_some_and(|(place, _)| place == next) {
                let Some(transacted) = transacted else { return false };
                returned = Some(transacted);
            }
            if let (true, Some((_, made))) = (at.is_some_and(|(_, commit)| commit == next), &returned) {
                rows.extend(made);
            }
            let is_held = at.is_some_and(|(place, commit)| (place..commit).contains(&next));
            if op.is_some_and(|op| is_held && !is_beside(op) || !is_so(op, &mut rows)) {
                return false;
            }
        }
        let is_so = |(index, (told, over)): (usize, &(Told, usize))| {
            // If one sending does not apply the transaction, a later sending still may.
            let is_not_yet = at.is_none_or(|(_, commit)| index + 1 < self.told.len() && commit >= *over);
            match told {
                Told::Applied(value) => {
                    let returned = returned.as_ref().map(|(returned, _)| *returned);
                    at.is_some_and(|(_, commit)| commit <= *over) && value.is_none_or(|value| Some(value) == returned)
                }
                // A refusal is right only if the transaction would have been refused at some earlier point.
                Told::Refused => is_not_yet && refusals[..=*over].contains(&true),
                Told::Failed(_) => is_not_yet,
                Told::Open(_) => true,
            }
        };
        rows == self.rows && self.told.iter().enumerate().all(is_so)
    }
}
