//! What was reported to the programs, and what the rows must therefore contain.
//!
//! A row holds the number of the write that began it (`life`), and of the last write of the whole row (`coat`). A value whose
//! write was acknowledged must remain as long as that life. An attribute that no program knows must remain as long as that
//! coat.

use dyno::{Entity, Error, ErrorKind, ManualClock, Outcome, Reason, TransactionOutcome};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::time::Instant;

/// Where a write leaves its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Log,
    Tags,
    /// An attribute of its own, which no program knows.
    Strange,
}

/// A write in progress: its number, which is also its place in the order of events, and when it began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun {
    pub(super) number: u64,
    millis: u128,
}

/// A write that was acknowledged.
#[derive(Debug)]
struct Acknowledged {
    begun: Begun,
    place: Place,
    /// The life of the row, or its coat for an attribute that no program knows.
    within: u64,
    at: u64,
}

/// A row, as a program or the end of the run sees it.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) life: u64,
    pub(super) coat: u64,
    pub(super) log: Vec<u64>,
    pub(super) tags: BTreeSet<u64>,
    /// `None` if only the entity is known, and not the whole item.
    pub(super) strange: Option<BTreeSet<u64>>,
}

/// What was reported.
#[derive(Debug)]
pub(super) struct Ledger {
    start: Instant,
    events: u64,
    /// For how many milliseconds after its answer a write of a whole item can arrive again; `None` if it is applied at most
    /// once.
    again: Option<u128>,
    acknowledged: Vec<Acknowledged>,
    /// When writes of whole items were answered.
    answered: BTreeMap<u64, u128>,
    /// The city that was written, by item and version.
    cities: BTreeMap<(&'static str, u64), String>,
    /// Cities that may have been written.
    maybe: Vec<(&'static str, String)>,
    pub(super) told: BTreeMap<String, usize>,
}

#[derive(Clone, Debug)]
pub(super) struct Shared {
    ledger: Arc<Mutex<Ledger>>,
    /// The clock of all writers.
    pub(super) clock: Arc<ManualClock>,
}

impl Shared {
    pub(super) fn new(again: Option<u128>, clock: Arc<ManualClock>) -> Self {
        let ledger = Ledger {
            start: Instant::now(),
            events: 0,
            again,
            acknowledged: Vec::new(),
            answered: BTreeMap::new(),
            cities: BTreeMap::new(),
            maybe: Vec::new(),
            told: BTreeMap::new(),
        };
        Self { ledger: Arc::new(Mutex::new(ledger)), clock }
    }

    pub(super) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().expect("no panic")
    }

    /// Numbers the next event.
    pub(super) fn begin(&self) -> Begun {
        let mut ledger = self.ledger();
        ledger.events += 1;
        Begun { number: ledger.events, millis: ledger.start.elapsed().as_millis() }
    }

    /// Records that a write was acknowledged, which has left its number in a row with this life or coat.
    pub(super) fn acknowledge(&self, begun: Begun, place: Place, within: u64) {
        let at = self.begin().number;
        self.ledger().acknowledged.push(Acknowledged { begun, place, within, at });
    }

    /// Records that a write of a whole item was answered, with any result.
    pub(super) fn answered(&self, begun: Begun) {
        let mut ledger = self.ledger();
        let now = ledger.start.elapsed().as_millis();
        ledger.answered.insert(begun.number, now);
    }

    /// Records the answer to a write of the city: the version that it has made, or that its outcome is unknown.
    pub(super) fn city<T>(&self, id: &'static str, city: &str, told: &Told<T>, version: impl FnOnce(&T) -> u64) {
        let mut ledger = self.ledger();
        match told {
            Told::Applied(applied) => drop(ledger.cities.insert((id, version(applied)), city.to_owned())),
            Told::Unknown => ledger.maybe.push((id, city.to_owned())),
            Told::Refused => {}
        }
    }

    pub(super) fn note(&self, what: impl Into<String>) {
        *self.ledger().told.entry(what.into()).or_default() += 1;
    }
}

impl Ledger {
    /// Checks that the row contains everything that was acknowledged before this read began.
    pub(super) fn check(&self, seed: u64, read: Begun, row: &Seen) {
        for write in self.acknowledged.iter().filter(|write| write.at < read.number && self.lasts(write)) {
            let Acknowledged { begun: Begun { number, .. }, place, within, .. } = write;
            let is_there = match place {
                Place::Log => *within != row.life || row.log.contains(number),
                Place::Tags => *within != row.life || row.tags.contains(number),
                Place::Strange => {
                    let strange = row.strange.as_ref();
                    *within != row.coat || strange.is_none_or(|strange| strange.contains(number))
                }
            };
            assert!(is_there, "seed {seed}: {number} was acknowledged, and is not in the {place:?}: {row:?}");
        }
    }

    /// Returns true if no late copy of an unconditional write of the whole item can have overwritten this write.
    fn lasts(&self, write: &Acknowledged) -> bool {
        match self.again {
            None => true,
            Some(again) => {
                self.answered.get(&write.within).is_some_and(|answered| write.begun.millis > answered + again)
            }
        }
    }

    /// Checks that the city is the one that was written last, or one that may have been written.
    pub(super) fn check_city(&self, seed: u64, id: &'static str, version: u64, city: &str) {
        let last = self.cities.range((id, 0)..=(id, version)).next_back();
        let is_last = last.is_some_and(|(_, last)| last == city);
        let may_be = self.maybe.iter().any(|(of, maybe)| *of == id && maybe == city);
        assert!(is_last || may_be, "seed {seed}: the city of {id} is {city}, and not {last:?}");
    }
}

/// How a command ended.
#[derive(Debug)]
pub(super) enum Told<T> {
    Applied(T),
    Refused,
    Unknown,
}

/// What a command returns.
pub(super) trait Answer {
    type Applied;
    fn read(self) -> Result<Self::Applied, Vec<Reason>>;
}

impl Answer for () {
    type Applied = ();

    fn read(self) -> Result<(), Vec<Reason>> {
        Ok(())
    }
}

impl<E: Entity, T> Answer for Outcome<E, T> {
    type Applied = T;

    fn read(self) -> Result<T, Vec<Reason>> {
        match self {
            Self::Applied(applied) => Ok(applied),
            Self::Refused(refusal) => Err(refusal.reasons().to_vec()),
        }
    }
}

impl Answer for TransactionOutcome {
    type Applied = ();

    fn read(self) -> Result<(), Vec<Reason>> {
        match self {
            Self::Applied(_) => Ok(()),
            Self::Refused(_) => Err(vec![Reason::Condition]),
        }
    }
}

/// Returns how a command ended, or `None` if it has to be sent again.
pub(super) fn told<A: Answer>(shared: &Shared, what: &str, sent: Result<A, Error>) -> Option<Told<A::Applied>> {
    let told = match sent.map(Answer::read) {
        Ok(Ok(applied)) => {
            shared.note(what);
            Told::Applied(applied)
        }
        Ok(Err(reasons)) => {
            for reason in &reasons {
                shared.note(format!("{what}: {}", name(reason)));
            }
            Told::Refused
        }
        Err(error) if is_newer(&error) => {
            shared.note(format!("{what}: newer"));
            Told::Refused
        }
        Err(error) => match error.kind() {
            ErrorKind::OutcomeUnknown => {
                shared.note(format!("{what}: unknown"));
                Told::Unknown
            }
            ErrorKind::Unreachable | ErrorKind::Throttled | ErrorKind::Contended | ErrorKind::Service => return None,
            _ => panic!("{what}: {error:?}"),
        },
    };
    Some(told)
}

/// Whether a row could not be read because a newer program has written it.
pub(super) fn is_newer(error: &Error) -> bool {
    error.is_decode() && error.to_string().contains("written by a newer program")
}

/// Names the reasons that can occur here.
fn name(reason: &Reason) -> &'static str {
    match reason {
        Reason::Missing => "missing",
        Reason::Exists => "exists",
        Reason::Deleted => "deleted",
        Reason::NotDeleted => "not deleted",
        Reason::Conflict { .. } => "conflict",
        Reason::Renamed { .. } => "renamed",
        Reason::Outdated { .. } => "outdated",
        Reason::Newer { .. } => "newer",
        // Every refusal of a transaction counts as this reason: it lists the actual reasons by action.
        Reason::Condition => "refused",
        reason => panic!("{reason:?}"),
    }
}
