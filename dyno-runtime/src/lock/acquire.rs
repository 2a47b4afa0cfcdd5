//! How a lock is acquired: looked at, waited for, taken.

use super::held::Held;
use super::lease::Lease;
use super::named::Lock;
use super::row::{LockRow, Seen};
use super::term::{Term, pause};
use crate::entity::{Loaded, Outcome};
use crate::error::{Error, ErrorKind};
use crate::exchange::{Moment, Repository, random, sleep};
use aws_sdk_dynamodb::config::AsyncSleep as _;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// How many errors in a row are borne, of writes that may have been applied.
const ERRORS: usize = 3;

/// A lock that is being acquired.
pub(super) struct Acquiring<'a> {
    lock: &'a Lock,
    repository: &'a Repository,
    term: Term,
    /// The leases that were tried for, by their names, and when: one whose answer was lost can be there.
    tried: Vec<(String, Moment)>,
    errors: usize,
}

/// What is there.
enum Look {
    Held(Held),
    /// Another one's, which can be taken over after so long, if it does not change.
    Busy(Box<LockRow>, Duration),
    /// Somebody was faster, or nothing is known of a write.
    Again,
}

impl<'a> Acquiring<'a> {
    pub(super) fn new(lock: &'a Lock, repository: &'a Repository) -> Result<Self, Error> {
        Ok(Self { lock, repository, term: lock.check(repository)?, tried: Vec::new(), errors: 0 })
    }

    pub(super) async fn try_acquire(mut self) -> Result<Option<Held>, Error> {
        loop {
            match self.look().await? {
                Look::Held(held) => return Ok(Some(held)),
                Look::Busy(..) => return Ok(None),
                Look::Again => {}
            }
        }
    }

    pub(super) async fn acquire(mut self) -> Result<Held, Error> {
        let begun = self.repository.moment().monotonic;
        loop {
            let (row, free_in) = match self.look().await? {
                Look::Held(held) => return Ok(held),
                Look::Busy(row, free_in) => (Some(row), free_in),
                Look::Again => (None, Duration::ZERO),
            };
            let waited = self.repository.moment().monotonic.saturating_sub(begun);
            let left = self.lock.wait.map_or(Duration::MAX, |limit| limit.saturating_sub(waited));
            if left.is_zero() {
                return Err(self.contended(row));
            }
            let lease = row.as_ref().map_or(self.term.lease(), |row| row.lease());
            self.sleep(pause(lease).min(left).min(free_in)).await;
        }
    }

    async fn sleep(&self, time: Duration) {
        // Whether the client can sleep was asked before.
        if let (Some(sleep), false) = (sleep(self.repository), time.is_zero()) {
            sleep.sleep(time).await;
        }
    }

    /// Looks at the row, and takes the lock where it can be taken.
    async fn look(&mut self) -> Result<Look, Error> {
        let row = LockRow::get(&self.lock.name).consistent().loaded().send(self.repository).await?;
        let Some(row) = row else { return self.take(None).await };
        if let Some(held) = self.own(&row.entity) {
            return Ok(Look::Held(held));
        }
        if row.entity.holder.is_none() {
            return self.take(Some(row)).await;
        }
        let unchanged = self.unchanged_for(&row);
        let free_in = row.entity.lease().saturating_sub(unchanged);
        if free_in.is_zero() {
            return self.take(Some(row)).await;
        }
        self.errors = 0;
        Ok(Look::Busy(Box::new(row.entity), free_in))
    }

    /// The lease that a write of ours has made, whose answer was lost.
    fn own(&self, row: &LockRow) -> Option<Held> {
        let (holder, begun) = self.tried.iter().find(|(holder, _)| row.is_held_by(holder))?;
        self.held(holder.clone(), row.fence, row.version, *begun)
    }

    /// The lease, if it is not lost already: the process can have been stopped since.
    fn held(&self, holder: String, fence: u64, version: u64, begun: Moment) -> Option<Held> {
        let names = (self.lock.name.clone(), holder);
        let held = Held(Arc::new(Lease::new(self.repository, names, (fence, version), self.term, begun)));
        held.left().is_ok().then_some(held)
    }

    /// For how long the row has not changed, as far as this lock has looked: since the answer that first showed it.
    fn unchanged_for(&self, row: &Loaded<LockRow>) -> Duration {
        let mut seen = self.lock.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let clock = self.repository.clock();
        match &*seen {
            Some(seen) if seen.is_of(row, clock) => seen.age(),
            _ => {
                *seen = Some(Seen::new(row.clone(), clock));
                Duration::ZERO
            }
        }
    }

    /// Takes a lock that is free, or whose holder is taken for dead: if the row is still exactly what was seen.
    async fn take(&mut self, seen: Option<Loaded<LockRow>>) -> Result<Look, Error> {
        let holder = random::name()?;
        let fence = seen.as_ref().map_or(Some(1), |seen| seen.entity.fence.checked_add(1));
        let fence =
            fence.ok_or_else(|| Error::invalid(format!("the fence of the lock `{}` is at its end", self.lock.name)))?;
        // The lease counts from here: others see the row later.
        let begun = self.repository.moment();
        self.tried.push((holder.clone(), begun));
        let outcome = match seen {
            None => self.row(&holder, fence).create().send(self.repository).await,
            Some(seen) => self.over(&seen, self.row(&holder, fence)).await,
        };
        match outcome {
            Ok(Outcome::Applied(version)) => {
                Ok(self.held(holder, fence, version, begun).map_or(Look::Again, Look::Held))
            }
            Ok(_) => {
                self.errors = 0;
                Ok(Look::Again)
            }
            // The next look tells.
            Err(error) if error.may_be_applied() && self.errors < ERRORS => {
                self.errors += 1;
                Ok(Look::Again)
            }
            Err(error) => Err(error),
        }
    }

    fn row(&self, holder: &str, fence: u64) -> LockRow {
        let lock = self.lock;
        LockRow {
            name: lock.name.clone(),
            version: 0,
            fence,
            holder: Some(holder.to_owned()),
            lease_millis: self.term.millis(),
            owner: lock.owner.clone(),
            reason: lock.reason.clone(),
            data: lock.data.clone().unwrap_or_default(),
        }
    }

    /// Writes what belongs to a lease, and leaves what others have added to the row.
    async fn over(&self, seen: &Loaded<LockRow>, row: LockRow) -> Result<Outcome<LockRow, u64>, Error> {
        let f = LockRow::fields();
        let changes = [
            f.fence.set(row.fence),
            f.holder.set(row.holder),
            f.lease_millis.set(row.lease_millis),
            f.owner.set(row.owner),
            f.reason.set(row.reason),
            f.data.set(row.data),
        ];
        LockRow::update(&row.name).over(seen).with(changes).send(self.repository).await
    }

    fn contended(&self, row: Option<Box<LockRow>>) -> Error {
        let name = &self.lock.name;
        let owner = row.and_then(|row| row.owner).map_or_else(String::new, |owner| format!(" by {owner}"));
        let waited = self.lock.wait.unwrap_or_default();
        Error::new(ErrorKind::Contended, format!("the lock `{name}` was held{owner}, and not free within {waited:?}"))
    }
}
