//! How long a lease lasts, for whom.

use crate::error::Error;
use crate::exchange::{Repository, sleep};
use std::time::Duration;

const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_hours(24);
/// The longest pause between two looks at a lock that others hold.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The length of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term(Duration);

impl Term {
    /// Refuses what no heartbeat can keep.
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

    /// After how long without a change others may take it over, by the clock of each.
    pub(super) fn lease(self) -> Duration {
        self.0
    }

    /// For how long a holder trusts a heartbeat, from before it was sent: less than others wait, for clocks that do not run
    /// at one rate.
    pub(super) fn trust(self) -> Duration {
        self.0 * 9 / 10
    }

    /// How long after a heartbeat the next one goes.
    pub(super) fn beat(self) -> Duration {
        self.0 / 3
    }

    /// The same in milliseconds, as the row says it.
    pub(super) fn millis(self) -> u64 {
        self.0.as_millis().try_into().unwrap_or(u64::MAX)
    }

    /// For how long one attempt of a heartbeat is waited for: a second one has as long.
    pub(super) fn patience(self) -> Duration {
        self.for_an_answer() / 2
    }

    /// How much of the lease is left when a heartbeat goes.
    pub(super) fn for_an_answer(self) -> Duration {
        self.trust().saturating_sub(self.beat())
    }

    /// Before a heartbeat that failed is sent again: a thirtieth of the lease.
    pub(super) fn retry(self) -> Duration {
        self.0 / 30
    }
}

/// Before the next look at a lock that others hold: of random length, so that those who wait do not look together.
pub(super) fn pause(lease: Duration) -> Duration {
    (lease / 4).min(LONGEST_PAUSE).mul_f64(0.5 + fastrand::f64() / 2.0)
}
