//! The duration of a lease, and the times that follow from it for its holder and for waiters.

use crate::error::Error;
use crate::exchange::{Repository, sleep};
use std::time::Duration;

const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_hours(24);
/// The longest pause between two looks at a lock that another process holds.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The duration of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term(Duration);

impl Term {
    /// Refuses a lease that heartbeats cannot renew in time.
    pub(super) fn new(lease: Duration, repository: &Repository) -> Result<Self, Error> {
        let term = Self(lease);
        if !(SHORTEST..=LONGEST).contains(&lease) {
            return Err(Error::invalid(format!("a lease of {lease:?} is not possible: take 1 second to 24 hours")));
        }
        if sleep(repository).is_none() {
            return Err(Error::invalid(
                "the client cannot sleep, which waiting for a lock and keeping it need: give its configuration a `sleep_impl`, or enable the SDK's feature `rt-tokio`",
            ));
        }
        let timeouts = repository.client().config().timeout_config();
        let timeout = timeouts.and_then(|timeouts| {
            let attempt = [timeouts.operation_attempt_timeout(), timeouts.read_timeout(), timeouts.operation_timeout()];
            attempt.into_iter().flatten().min()
        });
        match timeout {
            Some(timeout) if timeout >= term.answer_time() => Err(Error::invalid(format!(
                "a lease of {lease:?} is too short: between its heartbeat, after a third, and its end for the holder, after nine tenths, {:?} pass, but the client waits {timeout:?} for one answer, which leaves no time for a second attempt: take a lease of more than {:?}, or a shorter timeout",
                term.answer_time(),
                timeout.mul_f64(30.0 / 17.0),
            ))),
            _ => Ok(term),
        }
    }

    /// Returns the time without a change after which other processes may take the lock over, each by its own clock.
    pub(super) fn lease(self) -> Duration {
        self.0
    }

    /// Returns the time for which a holder trusts a heartbeat, counted from before it was sent. It is shorter than the time
    /// that other processes wait, because clocks do not all run at the same rate.
    pub(super) fn trust(self) -> Duration {
        self.0 * 9 / 10
    }

    /// Returns the time from one heartbeat to the next.
    pub(super) fn beat(self) -> Duration {
        self.0 / 3
    }

    /// Returns the lease in milliseconds, as stored in the row.
    pub(super) fn millis(self) -> u64 {
        self.0.as_millis().try_into().unwrap_or(u64::MAX)
    }

    /// Returns the time to wait for the answer to one heartbeat, so that a second one has as much time.
    pub(super) fn answer_limit(self) -> Duration {
        self.answer_time() / 2
    }

    /// Returns the part of the trusted time that is left when a heartbeat is sent.
    pub(super) fn answer_time(self) -> Duration {
        self.trust().saturating_sub(self.beat())
    }

    /// Returns the pause before a failed heartbeat is sent again: a thirtieth of the lease.
    pub(super) fn retry(self) -> Duration {
        self.0 / 30
    }
}

/// Returns the pause before the next look at a lock that another process holds. Its length is random, so that waiters do not
/// all look at the same time.
pub(super) fn pause(lease: Duration) -> Duration {
    (lease / 4).min(LONGEST_PAUSE).mul_f64(0.5 + fastrand::f64() / 2.0)
}
