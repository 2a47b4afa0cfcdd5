//! Acquires a lock: looks at its row, waits until it can be taken, and takes it.

use super::held::Held;
use super::lease::Lease;
use super::lease_duration::{Term, pause};
use super::lock_row::{LockRow, ReadRow};
use super::named::Lock;
use super::observation::{free_in, observe};
use super::wait::{Busy, Missed, Wait};
use crate::entity::{Loaded, Outcome};
use crate::error::Error;
use crate::error::foreign_text::value;
use crate::exchange::{Moment, Repository, random, sleep};
use aws_sdk_dynamodb::config::AsyncSleep as _;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// The number of writes in a row that may end in doubt before a look fails, so that the next one follows after a pause.
const ERRORS: usize = 3;

/// The acquisition of a lock.
pub(super) struct Acquiring<'a> {
    lock: &'a Lock,
    repository: &'a Repository,
    term: Term,
    /// The leases that this acquisition has tried to take, each with its name and the time before the write. A write whose answer
    /// was lost may have been applied.
    tried: Vec<(String, Moment)>,
    /// `true` if a write without an answer may still be applied.
    is_in_doubt: bool,
    /// The number of writes in a row that ended in doubt.
    errors: usize,
    /// `true` if this acquisition has written an observation for other programs. The first look that finds the lock held writes
    /// it.
    has_observed: bool,
}

impl<'a> Acquiring<'a> {
    pub(super) fn new(lock: &'a Lock, repository: &'a Repository) -> Result<Self, Error> {
        let term = lock.check(repository)?;
        Ok(Self { lock, repository, term, tried: Vec::new(), is_in_doubt: false, errors: 0, has_observed: false })
    }

    pub(super) async fn try_acquire(mut self) -> Result<Option<Held>, Error> {
        loop {
            match self.look().await {
                Ok(held) => return Ok(Some(held)),
                Err(Missed::Busy(_)) => return Ok(None),
                Err(Missed::Overtaken) => {}
                Err(Missed::Failed(error)) => return Err(self.failed(error)),
            }
        }
    }

    pub(super) async fn acquire(mut self) -> Result<Held, Error> {
        let mut wait = Wait::new(self.repository, self.lock);
        loop {
            // Boxed, because its requests take kilobytes.
            let missed = match wait.limit(Box::pin(self.look())).await {
                Some(Ok(held)) => return Ok(held),
                Some(Err(Missed::Failed(error))) if !is_temporary(&error) => return Err(self.failed(error)),
                Some(Err(missed)) => missed,
                None => return Err(self.with_doubt(wait.error())),
            };
            let time = match &missed {
                Missed::Busy(busy) => pause(busy.lease).min(busy.free_in()),
                Missed::Overtaken => Duration::ZERO,
                Missed::Failed(_) => pause(self.term.lease()),
            };
            wait.record(missed);
            if wait.is_over() {
                return Err(self.with_doubt(wait.error()));
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
    async fn look(&mut self) -> Result<Held, Missed> {
        let row = LockRow::get(&self.lock.name).consistent().loaded().send(self.repository).await?;
        let Some(row) = row else { return self.take(None).await };
        if let Some(held) = self.own_lease(&row.entity) {
            return Ok(held);
        }
        if row.entity.holder.is_none() {
            return self.take(Some(row)).await;
        }
        let now = self.repository.now();
        let busy = Busy {
            lease: row.entity.lease(),
            owner: row.entity.owner.clone(),
            free_for_this: row.entity.lease().saturating_sub(self.unchanged_for(&row)),
            free_for_all: self.lock.max_skew.map(|max_skew| free_in(&row.entity, now, max_skew)),
        };
        if busy.free_in().is_zero() {
            return self.take(Some(row)).await;
        }
        // Another program has written the row since, so none of this acquisition's writes can pass any more.
        (self.errors, self.is_in_doubt) = (0, false);
        if let (Some(max_skew), false) = (self.lock.max_skew, self.has_observed) {
            observe(self.repository, &row.entity, now, max_skew).await?;
            self.has_observed = true;
        }
        Err(Missed::Busy(busy))
    }

    /// Returns the lease in the row, if a write of this acquisition has stored it whose answer was lost.
    fn own_lease(&self, row: &LockRow) -> Option<Held> {
        let (holder, begun) = self.tried.iter().find(|(holder, _)| row.is_held_by(holder))?;
        self.held(holder.clone(), row.fence, row.version, *begun)
    }

    /// Returns the lease, unless it has already expired: the process may have been stopped since the write.
    fn held(&self, holder: String, fence: u64, version: u64, begun: Moment) -> Option<Held> {
        let names = (self.lock.name.clone(), holder);
        let held = Held(Arc::new(Lease::new(self.repository, names, (fence, version), self.term, begun)));
        held.left().is_ok().then_some(held)
    }

    /// Returns how long this lock has seen the row unchanged, since the answer that first showed it.
    fn unchanged_for(&self, row: &Loaded<LockRow>) -> Duration {
        let mut last_row = self.lock.last_row.lock().unwrap_or_else(PoisonError::into_inner);
        let clock = self.repository.clock();
        match &*last_row {
            Some(last_row) if last_row.is(row, clock) => last_row.age(),
            _ => {
                *last_row = Some(ReadRow::new(row, clock));
                Duration::ZERO
            }
        }
    }

    /// Takes a lock that is free, or whose holder is considered dead, if the row is still exactly as it was read.
    async fn take(&mut self, read: Option<Loaded<LockRow>>) -> Result<Held, Missed> {
        let holder = random::unique_name()?;
        let fence = read.as_ref().map_or(Some(1), |row| row.entity.fence.checked_add(1));
        let fence =
            fence.ok_or_else(|| Error::invalid(format!("the fence of the lock `{}` cannot grow", self.lock.name)))?;
        // The lease counts from here, because other programs see the row later.
        let begun = self.repository.moment();
        self.tried.push((holder.clone(), begun));
        // Set before the request, because the future can be dropped before the answer.
        let was_in_doubt = std::mem::replace(&mut self.is_in_doubt, true);
        let outcome = match read {
            None => self.row(&holder, fence).create().send(self.repository).await,
            Some(read) => self.write_over(&read, self.row(&holder, fence)).await,
        };
        match outcome {
            Ok(Outcome::Applied(version)) => {
                self.is_in_doubt = false;
                self.held(holder, fence, version, begun).ok_or(Missed::Overtaken)
            }
            Ok(_) => {
                (self.errors, self.is_in_doubt) = (0, was_in_doubt);
                Err(Missed::Overtaken)
            }
            // The next look shows whether the write was applied.
            Err(error) if error.may_be_applied() && self.errors < ERRORS => {
                self.errors += 1;
                Err(Missed::Overtaken)
            }
            Err(error) if error.may_be_applied() => {
                self.errors = 0;
                Err(error.with_message("DynamoDB did not answer the write that acquires it".to_owned()).into())
            }
            Err(error) => {
                self.is_in_doubt = was_in_doubt;
                Err(error.into())
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
    async fn write_over(&self, read: &Loaded<LockRow>, row: LockRow) -> Result<Outcome<LockRow, u64>, Error> {
        let f = LockRow::fields();
        let changes = [
            f.fence.set(row.fence),
            f.holder.set(row.holder),
            f.lease_millis.set(row.lease_millis),
            f.owner.set(row.owner),
            f.reason.set(row.reason),
            f.data.set(row.data),
        ];
        LockRow::update(&row.name).over(read).with(changes).send(self.repository).await
    }

    fn failed(&self, error: Error) -> Error {
        let what = format!("the lock `{}` was not acquired", value(&self.lock.name));
        self.with_doubt(error.without_command().of(&what))
    }

    /// Adds a warning to the error if the lock may have been acquired nevertheless.
    fn with_doubt(&self, error: Error) -> Error {
        if !self.is_in_doubt {
            return error;
        }
        error.in_doubt(
            "acquisition",
            &format!("if it was, the lock becomes free again one lease later, after {:?}", self.term.lease()),
        )
    }
}

/// Returns `true` if a later look may succeed.
fn is_temporary(error: &Error) -> bool {
    !error.is_answer() || error.may_be_applied() || error.is_throttled() || error.is_contended()
}
