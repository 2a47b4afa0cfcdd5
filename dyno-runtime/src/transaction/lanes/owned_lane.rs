//! Lanes that this process owns: each client-side transaction under way has one.
//!
//! A process keeps its lanes in `lane_pool`. If none is free, it takes over an abandoned lane, or makes a new one. So there are
//! never more lanes than transactions were under way at once.

use super::lane_pool::{Lanes, OwnedLane};
use super::take_over::{TakeOver, adopt, is_abandoned};
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Answer, Caller, Moment, Repository};
use crate::transaction::record::{
    Committed, TransactionId, TransactionRecord, end_of_epoch, lane, make, mark, record_key, renew,
};
use crate::transaction::resolve::{Consistency, of_lanes, rows, send};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// The time for which a free lane is used without a heartbeat. It is shorter than the time after which others take the lane over.
const IDLE: Duration = Duration::from_secs(30);

/// The numbers that an epoch must have left, for its lane to be used again.
const RESERVE: u64 = 1000;

/// The number of lanes that are read in the first window, and in each later one.
const WINDOWS: [u32; 2] = [25, 100];

/// The number of abandoned lanes that are tried, while there are unused names.
const TRIES: usize = 3;

/// A lane that this process owns, for one transaction at a time.
///
/// If it is dropped, it is abandoned, because the state of its transaction is unknown. Its next user takes it over (M19).
pub(crate) struct Lane {
    repository: Repository,
    table: String,
    own: OwnedLane,
    /// The time since when others can have waited for its attempt without a heartbeat.
    silent_since: Moment,
    /// Whether dropping it does not abandon the lane.
    is_over: bool,
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
    while let Some(own) = lanes.free(&table, most) {
        let mut lane = Lane::new(repository, &table, own);
        let idle = lane.own.written.until(repository.moment());
        if idle <= IDLE || lane.renew(repository, caller).await? {
            return Ok(lane);
        }
        lane.forget();
    }
    while let Some(own) = lanes.left(&table, most) {
        let taking = Taking { repository, table: &table, name: own.name, is_done: false };
        // If it cannot be taken over now, any process may take it over after its silence.
        if let TakeOver::Done(record) = adopt(repository, caller, &own.name.to_string(), Some(&own.owner)).await? {
            return Ok(taking.done(&record));
        }
    }
    find(repository, caller, &table).await
}

/// Finds a lane that this process does not own, window by window, from the lowest name.
async fn find(repository: &Repository, caller: Caller<'_>, table: &str) -> Result<Lane, Error> {
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
            let taking = Taking { repository, table, name, is_done: false };
            let taken = if is_abandoned {
                adopt(repository, caller, &name.to_string(), None).await?
            } else {
                made(repository, caller, table, name).await?
            };
            match taken {
                TakeOver::Done(record) => return Ok(taking.done(&record)),
                TakeOver::Unfinished(error) => unfinished = Some(error),
                TakeOver::Others => {}
            }
        }
    }
    Err(none(table, most, unfinished))
}

/// A lane that this process may take over, or else make.
struct Candidate {
    name: u32,
    is_abandoned: bool,
}

/// The lanes of a window, as they were read.
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
        let names: Vec<u32> = names.filter(|name| !repository.memory::<Lanes>().is_taken(table, *name)).collect();
        let keys: Vec<Item> = names.iter().map(|name| record_key(&name.to_string())).collect();
        // An eventually consistent read may be stale; the take-over finds that out.
        let found = rows(repository, caller, table, &keys, Consistency::Eventual).await.map_err(of_lanes)?;
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

    /// Returns a random one of the abandoned lanes; then the lowest unused name, and after that a random one, so that several
    /// processes do not all try the same.
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

/// Makes a lane, unless another process is faster.
async fn made(repository: &Repository, caller: Caller<'_>, table: &str, name: u32) -> Result<TakeOver, Error> {
    let record = TransactionRecord {
        lane: name.to_string(),
        born: mark()?,
        committed: Committed::default(),
        void: 0,
        owner: mark()?,
        beat: repository.now(),
        unfinished: None,
        epochs: BTreeMap::new(),
    };
    let is_own = |there: &Item| {
        let is = |name: &str, own: &String| there.get(name).and_then(|text| text.as_s().ok()) == Some(own);
        is(lane::BORN, &record.born) && is(lane::OWNER, &record.owner)
    };
    match send(repository, caller, make(table, &record)).await.map_err(of_lanes)? {
        // If the lane row is this very one, an earlier request attempt made it.
        Answer::Denied(found) if !found.as_ref().is_some_and(is_own) => Ok(TakeOver::Others),
        Answer::Done(_) | Answer::Denied(_) => Ok(TakeOver::Done(record)),
    }
}

/// A name that this process is about to own. If it is dropped before that, the name is free again.
struct Taking<'a> {
    repository: &'a Repository,
    table: &'a str,
    name: u32,
    is_done: bool,
}

impl Taking<'_> {
    /// The lane belongs to this process now.
    fn done(mut self, record: &TransactionRecord) -> Lane {
        self.is_done = true;
        let own = OwnedLane {
            name: self.name,
            born: record.born.clone(),
            owner: record.owner.clone(),
            previous: record.committed.number,
            number: record.reached(),
            written: self.repository.moment(),
        };
        Lane::new(self.repository, self.table, own)
    }
}

impl Drop for Taking<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            self.repository.memory::<Lanes>().forget(self.table, self.name);
        }
    }
}

impl Lane {
    fn new(repository: &Repository, table: &str, own: OwnedLane) -> Self {
        let silent_since = own.written;
        Self { repository: repository.clone(), table: table.to_owned(), own, silent_since, is_over: false }
    }

    /// Returns the next transaction ID: the number is counted here, and the nonce is drawn anew (M1).
    pub(crate) fn next_transaction_id(&mut self) -> Result<TransactionId, Error> {
        let number = self.own.number + 1;
        // No process would recognise the intents of a number of the next epoch.
        if number >= end_of_epoch(self.own.number) {
            return Err(Error::new(
                ErrorKind::Contended,
                "the numbers of the transaction's lane are used up: send it again",
            ));
        }
        let nonce = mark()?;
        self.own.number = number;
        // No intent has had this ID until now.
        self.silent_since = self.repository.moment();
        Ok(TransactionId { lane: self.own.name.to_string(), born: self.own.born.clone(), number, nonce })
    }

    /// The number that its last commit left.
    pub(crate) fn previous(&self) -> u64 {
        self.own.previous
    }

    /// Notes that its attempt is committed, whenever that was. The next commit goes on from there.
    pub(crate) fn learned(&mut self, transaction_id: &TransactionId) {
        self.own.previous = transaction_id.number;
    }

    /// Notes that its attempt was committed now.
    pub(crate) fn committed(&mut self, transaction_id: &TransactionId) {
        self.learned(transaction_id);
        self.own.written = self.repository.moment();
    }

    /// Returns the lane to the pool: its transaction is completed, each participant was seen without its intent, and every request
    /// has an answer (M19).
    pub(crate) fn give_back(mut self) {
        if end_of_epoch(self.own.number) - self.own.number <= RESERVE {
            return; // Left behind, it is adopted, and gets a new epoch.
        }
        self.is_over = true;
        self.repository.memory::<Lanes>().give_back(&self.table, self.own.clone());
    }

    /// The time for which others can have waited for its attempt without a heartbeat.
    pub(crate) fn silence(&self) -> Duration {
        self.silent_since.until(self.repository.moment())
    }

    /// Sends a heartbeat. Returns whether this process still owns the lane.
    pub(crate) async fn renew(&mut self, repository: &Repository, caller: Caller<'_>) -> Result<bool, Error> {
        let (name, moment) = (self.own.name.to_string(), repository.moment());
        let renewal = renew(&self.table, &name, &self.own.born, &self.own.owner, self.own.previous, moment.wall)?;
        // Sent again after a lost answer, it passes again.
        match send(repository, caller, renewal).await.map_err(of_lanes)? {
            Answer::Done(_) => {
                (self.own.written, self.silent_since) = (moment, moment);
                Ok(true)
            }
            Answer::Denied(_) => Ok(false),
        }
    }

    /// Whether this process still owns the lane, by a lane row that was read.
    pub(crate) fn is_own(&self, record: &TransactionRecord) -> bool {
        record.born == self.own.born && record.owner == self.own.owner
    }

    /// Forgets the lane: it belongs to another process.
    pub(crate) fn forget(mut self) {
        self.is_over = true;
        self.repository.memory::<Lanes>().forget(&self.table, self.own.name);
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        if !self.is_over {
            self.repository.memory::<Lanes>().leave(&self.table, self.own.clone());
        }
    }
}

impl fmt::Debug for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lane").field("own", &self.own).finish_non_exhaustive()
    }
}

fn none(table: &str, most: u32, unfinished: Option<Error>) -> Error {
    let stuck = unfinished.map(|error| format!(" (of one that is not, {error})")).unwrap_or_default();
    Error::new(
        ErrorKind::Contended,
        format!(
            "all {most} lanes of the table `{table}` are in use{stuck}: send the transaction again later, or allow more with `Repository::with_lanes`"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::config::{AsyncSleep, BehaviorVersion, Sleep};
    use aws_sdk_dynamodb::{Client, Config};

    /// Abandons the lane. It sends no request.
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
        assert!(repository.memory::<Lanes>().free("lanes", 1).is_none());
        assert!(repository.memory::<Lanes>().left("lanes", 1).is_some());
    }

    #[test]
    fn a_dropped_lane_is_abandoned_and_a_returned_lane_is_free() {
        let own = lane(7);
        let repository = own.repository.clone();
        drop(own);
        assert!(repository.memory::<Lanes>().free("lanes", 1).is_none());
        let own = repository.memory::<Lanes>().left("lanes", 1).expect("left behind");
        Lane::new(&repository, "lanes", own).give_back();
        assert_eq!(repository.memory::<Lanes>().free("lanes", 1).map(|own| own.number), Some(7));
        assert!(repository.memory::<Lanes>().left("lanes", 1).is_none());
    }
}
