//! Lanes of one's own: each transaction of many requests that is under way has one.
//!
//! A process keeps those that it has (`exchange::lanes`). Where it has none that is free, it takes one over that was left
//! behind, or makes one: so there are never more than transactions were under way at once.

use super::lane_pool::{Lanes, OwnLane};
use super::take_over::{Adopted, From, adopt, is_abandoned};
use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Answer, Caller, Moment, Repository};
use crate::transaction::record::{Committed, Head, Ticket, end_of_epoch, head_key, lane, make, mark, renew};
use crate::transaction::resolve::{Look, of_lanes, rows, send};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// For how long a free lane stays one's own without being asked for: shorter than others wait before they adopt it.
const IDLE: Duration = Duration::from_secs(30);

/// How many numbers an epoch must have left, for its lane to be used again.
const RESERVE: u64 = 1000;

/// How many lanes are looked at, at first and then.
const WINDOWS: [u32; 2] = [25, 100];

/// How many lanes that were left behind are tried while there are others.
const TRIES: usize = 3;

/// A lane of one's own, for one transaction at a time.
///
/// Dropped, it is left behind: what became of its transaction is not known. The next user adopts it (M19).
pub(crate) struct Lane {
    repository: Repository,
    table: String,
    own: OwnLane,
    /// Since when others can have waited for its ticket without a sign of life.
    silent_since: Moment,
    /// Whether it is not to be left behind when it is dropped.
    is_over: bool,
}

/// A lane: a free one, or one that was left behind, or a new one.
pub(crate) async fn take(repository: &Repository, caller: Caller<'_>) -> Result<Lane, Error> {
    let table = repository.lane_table()?;
    let (lanes, most) = (repository.memory::<Lanes>(), repository.lanes());
    if most == 0 {
        return Err(Error::invalid(
            "a transaction of many requests needs a lane, and `Repository::with_lanes` allows none: allow 1 at least",
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
        // Where it cannot be adopted now, it is anybody's as soon as it has been silent for long.
        if let Adopted::Done(head) = adopt(repository, caller, &own.name.to_string(), From::Left(&own.owner)).await? {
            return Ok(taking.done(&head));
        }
    }
    find(repository, caller, &table).await
}

/// A lane that this process does not have, window by window from the lowest.
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
            let name = candidate.name();
            if !repository.memory::<Lanes>().reserve(table, name) {
                continue;
            }
            let taking = Taking { repository, table, name, is_done: false };
            match candidate {
                Candidate::Abandoned(_) => match adopt(repository, caller, &name.to_string(), From::Anybody).await? {
                    Adopted::Done(head) => return Ok(taking.done(&head)),
                    Adopted::Unfinished(error) => unfinished = Some(error),
                    Adopted::Others => {}
                },
                Candidate::Absent(_) => {
                    if let Some(head) = made(repository, caller, table, name).await? {
                        return Ok(taking.done(&head));
                    }
                }
            }
        }
    }
    Err(none(table, most, unfinished))
}

/// A lane that may be had.
enum Candidate {
    Abandoned(u32),
    Absent(u32),
}

impl Candidate {
    fn name(&self) -> u32 {
        let (Self::Abandoned(name) | Self::Absent(name)) = self;
        *name
    }
}

/// What some lanes looked like.
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
        let keys: Vec<Item> = names.iter().map(|name| head_key(&name.to_string())).collect();
        // What is older than it seems is found out when it is taken.
        let found = rows(repository, caller, table, &keys, Look::Eventual).await.map_err(of_lanes)?;
        let (mut abandoned, mut absent) = (Vec::new(), Vec::new());
        for (name, item) in names.into_iter().zip(found) {
            match item.map(|item| Head::read(&item)) {
                None => absent.push(name),
                Some(Ok(head)) if is_abandoned(repository, &head) => abandoned.push(name),
                Some(_) => {}
            }
        }
        let tries = if absent.is_empty() { abandoned.len() } else { TRIES };
        Ok(Self { abandoned, absent, tries, is_first: true })
    }

    /// One of those that were left behind, whichever; else the lowest that is not there, and then whichever: several that look
    /// at once do not all try the same.
    fn next(&mut self) -> Option<Candidate> {
        if self.tries > 0 && !self.abandoned.is_empty() {
            self.tries -= 1;
            let at = fastrand::usize(..self.abandoned.len());
            return Some(Candidate::Abandoned(self.abandoned.swap_remove(at)));
        }
        if self.absent.is_empty() {
            return None;
        }
        let at = if self.is_first { 0 } else { fastrand::usize(..self.absent.len()) };
        self.is_first = false;
        Some(Candidate::Absent(self.absent.swap_remove(at)))
    }
}

/// Makes a lane; `None` if another was faster.
async fn made(repository: &Repository, caller: Caller<'_>, table: &str, name: u32) -> Result<Option<Head>, Error> {
    let head = Head {
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
        is(lane::BORN, &head.born) && is(lane::OWNER, &head.owner)
    };
    match send(repository, caller, make(table, &head)).await.map_err(of_lanes)? {
        Answer::Done(_) => Ok(Some(head)),
        // An answer was lost, and this is the second attempt.
        Answer::Denied(Some(there)) if is_own(&there) => Ok(Some(head)),
        Answer::Denied(_) => Ok(None),
    }
}

/// A name that this process tries to get. Dropped before it has, it is anybody's.
struct Taking<'a> {
    repository: &'a Repository,
    table: &'a str,
    name: u32,
    is_done: bool,
}

impl Taking<'_> {
    /// The lane is its own.
    fn done(mut self, head: &Head) -> Lane {
        self.is_done = true;
        let own = OwnLane {
            name: self.name,
            born: head.born.clone(),
            owner: head.owner.clone(),
            previous: head.committed.number,
            number: head.reached(),
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
    fn new(repository: &Repository, table: &str, own: OwnLane) -> Self {
        let silent_since = own.written;
        Self { repository: repository.clone(), table: table.to_owned(), own, silent_since, is_over: false }
    }

    /// The next ticket: its number is counted here, and its bits are drawn anew (M1).
    pub(crate) fn ticket(&mut self) -> Result<Ticket, Error> {
        let number = self.own.number + 1;
        // Of numbers of the next epoch, nobody would take the intents for its own.
        if number >= end_of_epoch(self.own.number) {
            return Err(Error::new(
                ErrorKind::Contended,
                "the numbers of the transaction's lane are used up: send it again",
            ));
        }
        let nonce = mark()?;
        self.own.number = number;
        // Nothing has stood under this ticket until now.
        self.silent_since = self.repository.moment();
        Ok(Ticket { lane: self.own.name.to_string(), born: self.own.born.clone(), number, nonce })
    }

    /// The number that its last commit has left.
    pub(crate) fn previous(&self) -> u64 {
        self.own.previous
    }

    /// Its ticket was found to be committed, whenever that was: the next commit goes on from there.
    pub(crate) fn learned(&mut self, ticket: &Ticket) {
        self.own.previous = ticket.number;
    }

    /// Its ticket was committed now.
    pub(crate) fn committed(&mut self, ticket: &Ticket) {
        self.learned(ticket);
        self.own.written = self.repository.moment();
    }

    /// Its transaction was seen to its end: each item that it has committed was seen without its intent, and nothing that it has
    /// sent is without an answer (M19).
    pub(crate) fn give_back(mut self) {
        if end_of_epoch(self.own.number) - self.own.number <= RESERVE {
            return; // Left behind, it is adopted, and gets a new epoch.
        }
        self.is_over = true;
        self.repository.memory::<Lanes>().give_back(&self.table, self.own.clone());
    }

    /// For how long others can have waited for its ticket without a sign of life.
    pub(crate) fn silence(&self) -> Duration {
        self.silent_since.until(self.repository.moment())
    }

    /// Says that its owner lives; whether it still is.
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

    /// Whether a head, as it was read, says that it is still one's own.
    pub(crate) fn is_own(&self, head: &Head) -> bool {
        head.born == self.own.born && head.owner == self.own.owner
    }

    /// It is another's.
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

    /// Nothing is sent, and nothing waited for.
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
        let own = OwnLane { name: 1, born: "b".into(), owner: "o".into(), previous: 0, number, written };
        Lane::new(&repository, "lanes", own)
    }

    #[test]
    fn no_ticket_is_of_the_next_epoch() {
        let mut own = lane(2 * end_of_epoch(0) - 2);
        let repository = own.repository.clone();
        assert_eq!(own.ticket().expect("the last one").number, 2 * end_of_epoch(0) - 1);
        assert!(own.ticket().expect_err("none is left").is_contended());
        // It gets a new epoch, before it is used again.
        own.give_back();
        assert!(repository.memory::<Lanes>().free("lanes", 1).is_none());
        assert!(repository.memory::<Lanes>().left("lanes", 1).is_some());
    }

    #[test]
    fn a_lane_that_is_dropped_is_left_behind_and_one_that_is_given_back_is_free() {
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
