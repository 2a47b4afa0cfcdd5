//! Acquires a lock: looks at its row, waits, and takes it.

use super::held::Held;
use super::lease::Lease;
use super::lease_duration::{Term, pause};
use super::lock_row::{LockRow, Seen};
use super::named::Lock;
use super::observation::{free_in, observe};
use super::wait::{Busy, Wait};
use crate::entity::{Loaded, Outcome};
use crate::error::Error;
use crate::error::foreign_text::value;
use crate::exchange::{Moment, Repository, random, sleep};
use aws_sdk_dynamodb::config::AsyncSleep as _;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// How many writes in a row may fail and perhaps be applied, before the lock is looked at again after a pause.
const ERRORS: usize = 3;

/// A lock that is being acquired.
pub(super) struct Acquiring<'a> {
    lock: &'a Lock,
    repository: &'a Repository,
    term: Term,
    /// The leases that this acquisition has tried to take, by their names, and when: a write whose answer was lost may have been
    /// applied.
    tried: Vec<(String, Moment)>,
    /// `true` if a write that was not answered may still be applied.
    is_open: bool,
    errors: usize,
    /// `true` if an observation was written for other programs: the first look that needs one writes it.
    has_observed: bool,
}

/// The result of a look.
enum Look {
    Held(Held),
    /// Another holder has the lock. It can be taken over later, if the row does not change.
    Busy(Busy),
    /// Another program was faster, or the result of a write is unknown.
    Again,
}

impl<'a> Acquiring<'a> {
    pub(super) fn new(lock: &'a Lock, repository: &'a Repository) -> Result<Self, Error> {
        let term = lock.check(repository)?;
        Ok(Self { lock, repository, term, tried: Vec::new(), is_open: false, errors: 0, has_observed: false })
    }

    pub(super) async fn try_acquire(mut self) -> Result<Option<Held>, Error> {
        loop {
            match self.look().await {
                Ok(Look::Held(held)) => return Ok(Some(held)),
                Ok(Look::Busy(_)) => return Ok(None),
                Ok(Look::Again) => {}
                Err(error) => return Err(self.failed(error)),
            }
        }
    }

    pub(super) async fn acquire(mut self) -> Result<Held, Error> {
        let mut wait = Wait::new(self.repository, self.lock);
        loop {
            // Boxed, because its requests take kilobytes.
            let time = match wait.bound(Box::pin(self.look())).await {
                Some(Ok(Look::Held(held))) => return Ok(held),
                Some(Ok(Look::Busy(busy))) => {
                    let time = pause(busy.row.lease()).min(busy.free_in);
                    wait.has_seen(busy);
                    time
                }
                Some(Ok(Look::Again)) => {
                    wait.was_overtaken();
                    Duration::ZERO
                }
                Some(Err(error)) if passes(&error) => {
                    wait.has_failed(error);
                    pause(self.term.lease())
                }
                Some(Err(error)) => return Err(self.failed(error)),
                None => return Err(self.doubted(wait.ended())),
            };
            if wait.is_over() {
                return Err(self.doubted(wait.ended()));
            }
            self.sleep(wait.left().map_or(time, |left| time.min(left))).await;
        }
    }

    async fn sleep(&self, time: Duration) {
        // `Term::new` has checked that the client can sleep.
        if let (Some(sleep), false) = (sleep(self.repository), time.is_zero()) {
            sleep.sleep(time).await;
        }
    }

    /// Looks at the row, and takes the lock if it can be taken.
    async fn look(&mut self) -> Result<Look, Error> {
        let row = LockRow::get(&self.lock.name).consistent().loaded().send(self.repository).await?;
        let Some(row) = row else { return self.take(None).await };
        if let Some(held) = self.own(&row.entity) {
            return Ok(Look::Held(held));
        }
        if row.entity.holder.is_none() {
            return self.take(Some(row)).await;
        }
        let now = self.repository.now();
        let free_for_this = row.entity.lease().saturating_sub(self.unchanged_for(&row));
        let free_for_all = self.lock.max_skew.map(|max_skew| free_in(&row.entity, now, max_skew));
        let free_in = free_for_all.map_or(free_for_this, |free| free.min(free_for_this));
        if free_in.is_zero() {
            return self.take(Some(row)).await;
        }
        // Another program has written the row in between, so none of our earlier writes can pass any more.
        (self.errors, self.is_open) = (0, false);
        if let (Some(max_skew), false) = (self.lock.max_skew, self.has_observed) {
            observe(self.repository, &row.entity, now, max_skew).await?;
            self.has_observed = true;
        }
        Ok(Look::Busy(Busy { row: Box::new(row.entity), free_in, free_for_this, free_for_all }))
    }

    /// Returns the lease, if a write of ours whose answer was lost has made it.
    fn own(&self, row: &LockRow) -> Option<Held> {
        let (holder, begun) = self.tried.iter().find(|(holder, _)| row.is_held_by(holder))?;
        self.held(holder.clone(), row.fence, row.version, *begun)
    }

    /// Returns the lease, unless it is already lost: the process may have been stopped since.
    fn held(&self, holder: String, fence: u64, version: u64, begun: Moment) -> Option<Held> {
        let names = (self.lock.name.clone(), holder);
        let held = Held(Arc::new(Lease::new(self.repository, names, (fence, version), self.term, begun)));
        held.left().is_ok().then_some(held)
    }

    /// Returns how long the row has not changed, as far as this lock has looked: since the answer that first showed it.
    fn unchanged_for(&self, row: &Loaded<LockRow>) -> Duration {
        let mut seen = self.lock.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let clock = self.repository.clock();
        match &*seen {
            Some(seen) if seen.is_of(row, clock) => seen.age(),
            _ => {
                *seen = Some(Seen::new(row, clock));
                Duration::ZERO
            }
        }
    }

    /// Takes a lock that is free, or whose holder is considered dead, if the row is still exactly as it was read.
    async fn take(&mut self, seen: Option<Loaded<LockRow>>) -> Result<Look, Error> {
        let holder = random::unique_name()?;
        let fence = seen.as_ref().map_or(Some(1), |seen| seen.entity.fence.checked_add(1));
        let fence =
            fence.ok_or_else(|| Error::invalid(format!("the fence of the lock `{}` is at its end", self.lock.name)))?;
        // The lease counts from here, because other programs see the row later.
        let begun = self.repository.moment();
        self.tried.push((holder.clone(), begun));
        // Set before the request, because the future can be dropped before the answer.
        let was_open = std::mem::replace(&mut self.is_open, true);
        let outcome = match seen {
            None => self.row(&holder, fence).create().send(self.repository).await,
            Some(seen) => self.over(&seen, self.row(&holder, fence)).await,
        };
        match outcome {
            Ok(Outcome::Applied(version)) => {
                self.is_open = false;
                Ok(self.held(holder, fence, version, begun).map_or(Look::Again, Look::Held))
            }
            Ok(_) => {
                (self.errors, self.is_open) = (0, was_open);
                Ok(Look::Again)
            }
            // The next look shows whether the write was applied.
            Err(error) if error.may_be_applied() && self.errors < ERRORS => {
                self.errors += 1;
                Ok(Look::Again)
            }
            Err(error) if error.may_be_applied() => {
                self.errors = 0;
                Err(error.answered("no answer came to the write that acquires it".to_owned()))
            }
            Err(error) => {
                self.is_open = was_open;
                Err(error)
            }
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
            observed_version: None,
            observed_at: None,
        }
    }

    /// Writes the attributes of a lease, and keeps those that other programs have added to the row.
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

    fn failed(&self, error: Error) -> Error {
        let what = format!("the lock `{}` was not acquired", value(&self.lock.name));
        self.doubted(error.without_command().of(&what))
    }

    /// Returns the error, extended by a warning if the lock may have been acquired nevertheless.
    fn doubted(&self, error: Error) -> Error {
        if !self.is_open {
            return error;
        }
        error.in_doubt(
            "acquisition",
            &format!("then the lock is free again one lease later, which is {:?}", self.term.lease()),
        )
    }
}

/// Returns `true` if a later look may succeed.
fn passes(error: &Error) -> bool {
    !error.is_answer() || error.may_be_applied() || error.is_throttled() || error.is_contended()
}
