//! The duration of a lease, for its holder and for waiters.

use crate::error::Error;
use crate::exchange::{Repository, sleep};
use std::time::Duration;

const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_hours(24);
/// The longest pause between two looks at a lock that another process holds.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The length of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term(Duration);

impl Term {
    /// Refuses a lease that heartbeats cannot renew in time.
    pub(super) fn new(lease: Duration, repository: &Repository) -> Result<Self, Error> {
        let term = Self(lease);
        if !(SHORTEST..=LONGEST).contains(&lease) {
            return Err(Error::invalid(format!("a lease of {lease:?}: it can be of 1 second to 24 hours")));
        }
        if sleep(repository).is_none() {
            return Err(Error::invalid(
                "the client cannot sleep, and a lock cannot be waited for or kept without that: give it a `sleep_impl`, or the feature `rt-tokio`",
            ));
        }
        let timeouts = repository.client().config().timeout_config();
        let timeout = timeouts.and_then(|timeouts| {
            let attempt = [timeouts.operation_attempt_timeout(), timeouts.read_timeout(), timeouts.operation_timeout()];
            attempt.into_iter().flatten().min()
        });
        match timeout {
            Some(timeout) if timeout >= term.for_an_answer() => Err(Error::invalid(format!(
                "a lease of {lease:?}: a heartbeat goes after a third of it, and it is given up after nine tenths, which leaves {:?} for an answer; the client waits for one for {timeout:?}, so that no second attempt could follow a first one that is lost: take a lease of more than {:?}, or a shorter timeout",
                term.for_an_answer(),
                timeout.mul_f64(30.0 / 17.0),
            ))),
            _ => Ok(term),
        }
    }

    /// Returns the time without a change after which others may take the lock over, each by its own clock.
    pub(super) fn lease(self) -> Duration {
        self.0
    }

    /// Returns how long a holder trusts a heartbeat, counted from before it was sent. It is less than the time that others wait,
    /// because clocks do not all run at the same rate.
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

    /// Returns how long to wait for one attempt of a heartbeat: a second attempt has as long.
    pub(super) fn patience(self) -> Duration {
        self.for_an_answer() / 2
    }

    /// Returns how much of the trusted time is left when a heartbeat is sent.
    pub(super) fn for_an_answer(self) -> Duration {
        self.trust().saturating_sub(self.beat())
    }

    /// Returns the pause before a failed heartbeat is sent again: a thirtieth of the lease.
    pub(super) fn retry(self) -> Duration {
        self.0 / 30
    }
}

/// Returns the pause before the next look at a lock that another process holds. It is of random length, so that waiters do not
/// look at the same time.
pub(super) fn pause(lease: Duration) -> Duration {
    (lease / 4).min(LONGEST_PAUSE).mul_f64(0.5 + fastrand::f64() / 2.0)
}
