//! A lease that is held: the time for which the holder may trust it, and its end.

use super::lease_duration::Term;
use super::lost::{Lost, LostLease};
use crate::exchange::{Moment, Repository, sleep, trace_events};
use aws_sdk_dynamodb::config::AsyncSleep as _;
use futures_channel::oneshot;
use futures_util::future::{BoxFuture, FutureExt as _, Shared, select};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A lease.
pub(super) struct Lease {
    pub(super) repository: Repository,
    pub(super) name: String,
    pub(super) holder: String,
    pub(super) fence: u64,
    pub(super) term: Term,
    /// The latest known version of the lock's row.
    version: AtomicU64,
    state: Mutex<State>,
    ended: Shared<oneshot::Receiver<()>>,
}

struct State {
    /// The time before the last confirmed write was sent.
    confirmed: Moment,
    /// The unconfirmed heartbeats, each with the version that it expects and the time before it was sent.
    sent: Vec<(u64, Moment)>,
    lost: Option<Lost>,
    /// `true` if the holder has released or dropped the lock.
    is_over: bool,
    /// The error of the last heartbeat, if it failed.
    error: Option<String>,
    /// Wakes the futures that wait for the end of the lease, when it is dropped.
    end: Option<oneshot::Sender<()>>,
}

impl State {
    fn confirm(&mut self, begun: Moment, version: u64) {
        (self.confirmed, self.error) = (begun, None);
        self.sent.retain(|(expected, _)| *expected >= version);
    }
}

impl Lease {
    pub(super) fn new(
        repository: &Repository,
        (name, holder): (String, String),
        (fence, version): (u64, u64),
        term: Term,
        confirmed: Moment,
    ) -> Self {
        let (end, ended) = oneshot::channel();
        let state = State { confirmed, sent: Vec::new(), lost: None, is_over: false, error: None, end: Some(end) };
        Self {
            repository: repository.clone(),
            name,
            holder,
            fence,
            term,
            version: AtomicU64::new(version),
            state: Mutex::new(state),
            ended: ended.shared(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how long the lease is still held.
    pub(super) fn left(&self) -> Result<Duration, Lost> {
        let now = self.repository.moment();
        let state = self.state();
        if let Some(lost) = &state.lost {
            return Err(lost.clone());
        }
        let left = self.term.trust().saturating_sub(state.confirmed.until(now));
        if left.is_zero() {
            let lost = Lost::Expired { lease: self.lost_lease(), error: state.error.clone() };
            drop(state);
            return Err(self.lose(lost));
        }
        Ok(left)
    }

    /// Returns the time until the next heartbeat; `None` if no more are due.
    pub(super) fn next_beat_in(&self) -> Option<Duration> {
        let left = self.left().ok()?;
        (!self.state().is_over).then(|| left.saturating_sub(self.term.answer_time()))
    }

    /// Names the lease, for the message of its loss.
    pub(super) fn lost_lease(&self) -> LostLease {
        LostLease { lock: self.name.clone(), fence: self.fence, duration: self.term.lease() }
    }

    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// Records a heartbeat that is about to be sent and expects this version.
    pub(super) fn record_beat(&self, version: u64, begun: Moment) {
        self.state().sent.push((version, begun));
    }

    /// Records that the heartbeat sent at `begun` has stored this version. A lease that is already lost stays lost.
    pub(super) fn confirm(&self, begun: Moment, version: u64) {
        let known = self.version.fetch_max(version, Ordering::Relaxed);
        // Answers can arrive in another order than the heartbeats were sent. The greater version belongs to the later heartbeat.
        if version >= known {
            self.state().confirm(begun, version);
        }
    }

    /// Records that the row has this version and still belongs to this lease, so that a heartbeat without an answer was
    /// applied. It is one of those that expected the version before, so the lease counts from the first of these.
    pub(super) fn confirm_unanswered(&self, version: u64) {
        if self.version.fetch_max(version, Ordering::Relaxed) >= version {
            return;
        }
        let mut state = self.state();
        let first = state.sent.iter().find(|(expected, _)| expected.checked_add(1) == Some(version));
        if let Some((_, begun)) = first.copied() {
            state.confirm(begun, version);
        }
    }

    pub(super) fn record_error(&self, error: String) {
        self.state().error = Some(error);
    }

    /// Records the loss. Returns the first one that was recorded.
    pub(super) fn lose(&self, lost: Lost) -> Lost {
        let mut state = self.state();
        let is_news = state.lost.is_none() && !state.is_over;
        let lost = state.lost.get_or_insert(lost).clone();
        state.end = None;
        // A subscriber may look at the lock.
        drop(state);
        if is_news {
            trace_events::lock_lost(&self.name, self.fence, &lost);
        }
        lost
    }

    /// Ends the heartbeats.
    pub(super) fn stop(&self) {
        let mut state = self.state();
        state.is_over = true;
        state.end = None;
    }

    /// Sleeps for this time, or until the lease ends.
    pub(super) async fn sleep(&self, time: Duration) {
        let Some(sleep) = sleep(&self.repository) else { return };
        select(sleep.sleep(time), self.ended.clone()).await;
    }

    pub(super) fn lost(&self) -> BoxFuture<'_, Lost> {
        Box::pin(async move {
            loop {
                match self.left() {
                    Ok(left) => self.sleep(left).await,
                    Err(lost) => return lost,
                }
            }
        })
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held").field("lock", &self.name).field("fence", &self.fence).finish_non_exhaustive()
    }
}
