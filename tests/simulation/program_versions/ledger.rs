//! What the programs were told, and what must therefore be there.
//!
//! A row says by which write it began (`life`), and which one wrote it as a whole last (`coat`). What is acknowledged as put
//! into a life must be there as long as that life lasts; an attribute that no program knows, as long as the coat does.

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

/// A write that is under way: its number, which is also its place in the order of events, and when it began.
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
    /// The life, or of an attribute that no program knows, the coat.
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
    /// Only where the whole item is at hand.
    pub(super) strange: Option<BTreeSet<u64>>,
}

/// What was told.
#[derive(Debug)]
pub(super) struct Ledger {
    start: Instant,
    events: u64,
    /// How long after its acknowledgement a write of a whole item can come again; `None` if it comes once.
    again: Option<u128>,
    acknowledged: Vec<Acknowledged>,
    /// When writes of whole items were answered.
    answered: BTreeMap<u64, u128>,
    /// By item and version, what was written as the city.
    cities: BTreeMap<(&'static str, u64), String>,
    /// Cities of which it is not known whether they were written.
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

    /// Something begins.
    pub(super) fn begin(&self) -> Begun {
        let mut ledger = self.ledger();
        ledger.events += 1;
        Begun { number: ledger.events, millis: ledger.start.elapsed().as_millis() }
    }

    /// A write was acknowledged, which has left its number in a row of this life, or coat.
    pub(super) fn acknowledge(&self, begun: Begun, place: Place, within: u64) {
        let at = self.begin().number;
        self.ledger().acknowledged.push(Acknowledged { begun, place, within, at });
    }

    /// A write of a whole item was answered, in whatever way.
    pub(super) fn answered(&self, begun: Begun) {
        let mut ledger = self.ledger();
        let now = ledger.start.elapsed().as_millis();
        ledger.answered.insert(begun.number, now);
    }

    /// A write of the city was answered: with the version that it has made, or not at all.
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
    /// What was acknowledged before this read began is there.
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

    /// Whether no write of a whole item that has no condition can have come again over it, by a retry or the network.
    fn lasts(&self, write: &Acknowledged) -> bool {
        match self.again {
            None => true,
            Some(again) => {
                self.answered.get(&write.within).is_some_and(|answered| write.begun.millis > answered + again)
            }
        }
    }

    /// The city is the one that was written last.
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

/// How a command ended, if it is not to be sent again.
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
    error.is_decode() && error.to_string().contains("a newer program wrote it")
}

/// The reasons that there may be.
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
        // A transaction's: it says more of each action.
        Reason::Condition => "refused",
        reason => panic!("{reason:?}"),
    }
}
