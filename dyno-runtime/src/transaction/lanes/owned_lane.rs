//! Lanes that this process owns. Each client-side transaction in progress uses one.
//!
//! A process keeps its lanes in `lane_pool`. If none is free, it takes over an abandoned lane, or creates a new one. So a lane
//! table has about as many lanes as there were ever transactions in progress at the same time.

use super::lane_pool::{Lanes, OwnedLane};
use super::take_over::{TakeOver, adopt, is_abandoned};
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Answer, Caller, Consistency, Moment, Repository, read_rows};
use crate::transaction::record::explain_lane_error;
use crate::transaction::record::{
    Committed, TransactionId, TransactionRecord, create, end_of_epoch, lane, random_mark, record_key, renew,
};
use crate::transaction::resolve::send_write;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// A lane that was idle for longer is renewed before it is used. This is shorter than the silence after which other processes
/// take the lane over.
const IDLE: Duration = Duration::from_secs(30);

/// A lane whose epoch has no more than so many numbers left is not used again in this epoch.
const RESERVE: u64 = 1000;

/// The number of lanes that are read at once: the first time, and each later time.
const WINDOWS: [u32; 2] = [25, 100];

/// The number of abandoned lanes that are tried in a window that also has unused names.
const TRIES: usize = 3;

/// A lane that this process owns, for one transaction at a time.
///
/// If it is dropped, it is abandoned, because its transaction may not be completed. The process that uses it next takes it over
/// (M19).
pub(crate) struct Lane {
    repository: Repository,
    table: String,
    own: OwnedLane,
    /// The time of the last heartbeat, or the start of the attempt if that is later. Other processes count their lock timeout
    /// from then on.
    silent_since: Moment,
    /// Whether the lane is returned to the pool or forgotten, so that a drop does not abandon it.
    is_released: bool,
}

/// Takes a lane: a free one, an abandoned one, or a new one.
pub(crate) async fn take(repository: &Repository, caller: Caller<'_>) -> Result<Lane, Error> {
    let table = repository.lane_table()?;
    let (lanes, most) = (repository.memory::<Lanes>(), repository.lanes());
    if most == 0 {
        return Err(Error::invalid(
            "a client-side transaction needs a lane, and `Repository::with_lanes` allows none: allow 1 at least",
        ));
    }
    while let Some(own) = lanes.take_free(&table, most) {
        let mut lane = Lane::new(repository, &table, own);
        let idle = lane.own.written.until(repository.moment());
        if idle <= IDLE || lane.renew(repository, caller).await? {
            return Ok(lane);
        }
        lane.forget();
    }
    while let Some(own) = lanes.take_abandoned(&table, most) {
        let reservation = Reservation { repository, table: &table, name: own.name, is_owned: false };
        // If this fails, any process may take the lane over after a minute of silence.
        if let TakeOver::Owned(record) = adopt(repository, caller, &own.name.to_string(), Some(&own.owner)).await? {
            return Ok(reservation.into_lane(&record));
        }
    }
    find_lane(repository, caller, &table).await
}

/// Takes a lane that this process does not own: it reads the lane rows from the lowest name on, window by window.
async fn find_lane(repository: &Repository, caller: Caller<'_>, table: &str) -> Result<Lane, Error> {
    let most = repository.lanes();
    let mut next = Some(1);
    let mut widths = WINDOWS[..1].iter().chain(std::iter::repeat(&WINDOWS[1]));
    let mut unfinished = None;
    while let (Some(from), Some(width)) = (next.filter(|from| *from <= most), widths.next()) {
        let to = from.saturating_add(width - 1).min(most);
        next = to.checked_add(1);
        let mut window = Window::read(repository, caller, table, from..=to).await?;
        while let Some(candidate) = window.next() {
            let Candidate { name, is_abandoned } = candidate;
            if !repository.memory::<Lanes>().reserve(table, name) {
                continue;
            }
            let reservation = Reservation { repository, table, name, is_owned: false };
            let taken = if is_abandoned {
                adopt(repository, caller, &name.to_string(), None).await?
            } else {
                create_lane(repository, caller, table, name).await?
            };
            match taken {
                TakeOver::Owned(record) => return Ok(reservation.into_lane(&record)),
                TakeOver::Unfinished(error) => unfinished = Some(error),
                TakeOver::NotAvailable => {}
            }
        }
    }
    Err(all_in_use(table, most, unfinished))
}

/// A lane that this process may take over if it is abandoned, or else may create.
struct Candidate {
    name: u32,
    is_abandoned: bool,
}

/// The lanes of a window that this process may take.
struct Window {
    abandoned: Vec<u32>,
    absent: Vec<u32>,
    tries: usize,
    is_first: bool,
}

impl Window {
    async fn read(
        repository: &Repository,
        caller: Caller<'_>,
        table: &str,
        names: std::ops::RangeInclusive<u32>,
    ) -> Result<Self, Error> {
        let names: Vec<u32> = names.filter(|name| !repository.memory::<Lanes>().is_reserved(table, *name)).collect();
        let keys: Vec<Item> = names.iter().map(|name| record_key(&name.to_string())).collect();
        // An eventually consistent read can be stale. The conditions of the take-over and of the creation detect that.
        let found =
            read_rows(repository, caller, table, &keys, Consistency::Eventual).await.map_err(explain_lane_error)?;
        let (mut abandoned, mut absent) = (Vec::new(), Vec::new());
        for (name, item) in names.into_iter().zip(found) {
            match item.map(|item| TransactionRecord::read(&item)) {
                None => absent.push(name),
                Some(Ok(record)) if is_abandoned(repository, &record) => abandoned.push(name),
                Some(_) => {}
            }
        }
        let tries = if absent.is_empty() { abandoned.len() } else { TRIES };
        Ok(Self { abandoned, absent, tries, is_first: true })
    }

    /// Returns abandoned lanes in random order. After them, it returns the lowest unused name, and then random ones, so that
    /// processes that look for a lane at the same time do not all try the same ones.
    fn next(&mut self) -> Option<Candidate> {
        if self.tries > 0 && !self.abandoned.is_empty() {
            self.tries -= 1;
            let at = fastrand::usize(..self.abandoned.len());
            return Some(Candidate { name: self.abandoned.swap_remove(at), is_abandoned: true });
        }
        if self.absent.is_empty() {
            return None;
        }
        let at = if self.is_first { 0 } else { fastrand::usize(..self.absent.len()) };
        self.is_first = false;
        Some(Candidate { name: self.absent.swap_remove(at), is_abandoned: false })
    }
}

/// Creates a lane, unless another process is faster.
async fn create_lane(repository: &Repository, caller: Caller<'_>, table: &str, name: u32) -> Result<TakeOver, Error> {
    let record = TransactionRecord {
        lane: name.to_string(),
        born: random_mark()?,
        committed: Committed::default(),
        void: 0,
        owner: random_mark()?,
        beat: repository.now(),
        unfinished: None,
        epochs: BTreeMap::new(),
    };
    let is_own = |found: &Item| {
        let is = |name: &str, own: &String| found.get(name).and_then(|text| text.as_s().ok()) == Some(own);
        is(lane::BORN, &record.born) && is(lane::OWNER, &record.owner)
    };
    match send_write(repository, caller, create(table, &record)).await.map_err(explain_lane_error)? {
        // If the row has this process's marks, an earlier request attempt created it.
        Answer::Denied(found) if !found.as_ref().is_some_and(is_own) => Ok(TakeOver::NotAvailable),
        Answer::Done(_) | Answer::Denied(_) => Ok(TakeOver::Owned(record)),
    }
}

/// The reserved name of a lane that this process wants to own. If it is dropped before, the name is released.
struct Reservation<'a> {
    repository: &'a Repository,
    table: &'a str,
    name: u32,
    is_owned: bool,
}

impl Reservation<'_> {
    /// Returns the lane, which this process owns now.
    fn into_lane(mut self, record: &TransactionRecord) -> Lane {
        self.is_owned = true;
        let own = OwnedLane {
            name: self.name,
            born: record.born.clone(),
            owner: record.owner.clone(),
            previous: record.committed.number,
            number: record.last_decided(),
            written: self.repository.moment(),
        };
        Lane::new(self.repository, self.table, own)
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        if !self.is_owned {
            self.repository.memory::<Lanes>().forget(self.table, self.name);
        }
    }
}

impl Lane {
    fn new(repository: &Repository, table: &str, own: OwnedLane) -> Self {
        let silent_since = own.written;
        Self { repository: repository.clone(), table: table.to_owned(), own, silent_since, is_released: false }
    }

    /// Returns the next transaction ID, with the next number of the lane and a new nonce (M1).
    pub(crate) fn next_transaction_id(&mut self) -> Result<TransactionId, Error> {
        let number = self.own.number + 1;
        // Other processes report an intent with a number of the next epoch as malformed (M4).
        if number >= end_of_epoch(self.own.number) {
            let message = "the transaction's lane has used up its numbers: send the transaction again";
            return Err(Error::new(ErrorKind::Contended, message));
        }
        let nonce = random_mark()?;
        self.own.number = number;
        // No process can have waited for an intent of this ID before.
        self.silent_since = self.repository.moment();
        Ok(TransactionId { lane: self.own.name.to_string(), born: self.own.born.clone(), number, nonce })
    }

    /// The number of its last commit, as far as this process knows.
    pub(crate) fn previous(&self) -> u64 {
        self.own.previous
    }

    /// Notes that its attempt is committed. The condition of the next commit demands that number.
    pub(crate) fn note_committed(&mut self, transaction_id: &TransactionId) {
        self.own.previous = transaction_id.number;
    }

    /// Notes that its attempt was committed now, which also wrote the heartbeat.
    pub(crate) fn committed(&mut self, transaction_id: &TransactionId) {
        self.note_committed(transaction_id);
        self.own.written = self.repository.moment();
    }

    /// Returns the lane to the pool. Each participant of its transaction must have been seen without the intent (M19), and each
    /// request must have an answer.
    pub(crate) fn give_back(mut self) {
        if end_of_epoch(self.own.number) - self.own.number <= RESERVE {
            return; // The drop abandons the lane. When it is taken over, it gets a new epoch.
        }
        self.is_released = true;
        self.repository.memory::<Lanes>().give_back(&self.table, self.own.clone());
    }

    /// The time for which other processes can have waited for its attempt without a heartbeat.
    pub(crate) fn silence(&self) -> Duration {
        self.silent_since.until(self.repository.moment())
    }

    /// Sends a heartbeat. Returns whether this process still owns the lane.
    pub(crate) async fn renew(&mut self, repository: &Repository, caller: Caller<'_>) -> Result<bool, Error> {
        let (name, moment) = (self.own.name.to_string(), repository.moment());
        let renewal = renew(&self.table, &name, &self.own.born, &self.own.owner, self.own.previous, moment.wall)?;
        match send_write(repository, caller, renewal).await.map_err(explain_lane_error)? {
            Answer::Done(_) => {
                (self.own.written, self.silent_since) = (moment, moment);
                Ok(true)
            }
            Answer::Denied(_) => Ok(false),
        }
    }

    /// Whether a lane row shows this process as the owner.
    pub(crate) fn is_own(&self, record: &TransactionRecord) -> bool {
        record.born == self.own.born && record.owner == self.own.owner
    }

    /// Forgets the lane, because another process owns it.
    pub(crate) fn forget(mut self) {
        self.is_released = true;
        self.repository.memory::<Lanes>().forget(&self.table, self.own.name);
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        if !self.is_released {
            self.repository.memory::<Lanes>().abandon(&self.table, self.own.clone());
        }
    }
}

impl fmt::Debug for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lane").field("own", &self.own).finish_non_exhaustive()
    }
}

fn all_in_use(table: &str, most: u32, unfinished: Option<Error>) -> Error {
    let stuck = unfinished.map(|error| format!(" (one that is not could not be used: {error})")).unwrap_or_default();
    let message = format!(
        "all {most} lanes of the table `{table}` are in use{stuck}: send the transaction again later, or allow more with `Repository::with_lanes`"
    );
    Error::new(ErrorKind::Contended, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::config::{AsyncSleep, BehaviorVersion, Sleep};
    use aws_sdk_dynamodb::{Client, Config};

    /// A sleep that never ends, so that no test waits.
    #[derive(Debug)]
    struct ForEver;

    impl AsyncSleep for ForEver {
        fn sleep(&self, _: Duration) -> Sleep {
            Sleep::new(std::future::pending())
        }
    }

    fn lane(number: u64) -> Lane {
        let config = Config::builder().behavior_version(BehaviorVersion::latest()).sleep_impl(ForEver).build();
        let repository = Repository::new(Client::from_conf(config));
        let written = repository.moment();
        let own = OwnedLane { name: 1, born: "b".into(), owner: "o".into(), previous: 0, number, written };
        Lane::new(&repository, "lanes", own)
    }

    #[test]
    fn no_transaction_id_is_in_the_next_epoch() {
        let mut own = lane(2 * end_of_epoch(0) - 2);
        let repository = own.repository.clone();
        assert_eq!(own.next_transaction_id().expect("the last one").number, 2 * end_of_epoch(0) - 1);
        assert!(own.next_transaction_id().expect_err("none is left").is_contended());
        // The lane gets a new epoch before it is used again.
        own.give_back();
        assert!(repository.memory::<Lanes>().take_free("lanes", 1).is_none());
        assert!(repository.memory::<Lanes>().take_abandoned("lanes", 1).is_some());
    }

    #[test]
    fn a_dropped_lane_is_abandoned_and_a_returned_lane_is_free() {
        let own = lane(7);
        let repository = own.repository.clone();
        drop(own);
        assert!(repository.memory::<Lanes>().take_free("lanes", 1).is_none());
        let own = repository.memory::<Lanes>().take_abandoned("lanes", 1).expect("left behind");
        Lane::new(&repository, "lanes", own).give_back();
        assert_eq!(repository.memory::<Lanes>().take_free("lanes", 1).map(|own| own.number), Some(7));
        assert!(repository.memory::<Lanes>().take_abandoned("lanes", 1).is_none());
    }
}
