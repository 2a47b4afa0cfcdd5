//! Hedges: second, equal requests for requests that are late. Here are their delays and their budget.

mod budget;
mod latency;
mod race;
mod watch;

pub(super) use race::{Racer, race};
pub(super) use watch::Watch;

use crate::error::Error;
use aws_sdk_dynamodb::config::SharedAsyncSleep;
use budget::Budget;
use latency::Latencies;
use std::time::Duration;

/// The share of hedges, by default.
const SHARE: f64 = 0.05;

/// The time after which dyno sends a second, equal request because the first has not been answered: see
/// [`Repository::hedged`](crate::Repository::hedged).
///
/// dyno takes the first usable answer and drops the other request. This makes the slowest answers faster, and costs some more
/// requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hedge {
    delay: Delay,
    share: f64,
}

/// The time that the first request may take before a second one is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Delay {
    Fixed(Duration),
    /// The time within which this share of the requests is answered.
    Percentile(f64),
}

impl Hedge {
    /// Sends a hedge if the first request has not been answered after this time.
    #[must_use]
    pub fn after(delay: Duration) -> Self {
        Self { delay: Delay::Fixed(delay), share: SHARE }
    }

    /// Sends a hedge if the first request has not been answered within the time of this share of the requests, such as 0.95.
    /// The share is of the last two thousand requests with the same operation on the same table, through this repository and
    /// its clones. The first hundred are not hedged, because too little is known by then. The repository remembers the
    /// latencies of the 128 pairs of an operation and a table that it used last, in 1 MB at most. A pair that it has forgotten
    /// begins anew.
    ///
    /// A hedged request counts with the time from the first request to the answer. The first request alone would have taken at
    /// least that long, so hedges do not make the percentile that they follow shorter and shorter.
    #[must_use]
    pub fn percentile(percentile: f64) -> Self {
        Self { delay: Delay::Percentile(percentile), share: SHARE }
    }

    /// Sets the largest share of hedges among the requests that may be hedged; the default is 0.05. Because of this budget,
    /// hedges do not double the load on a region that is slow as a whole. Up to ten unused hedges are saved for later, and ten
    /// are saved at first. [`Usage::hedges_suppressed`](crate::Usage::hedges_suppressed) counts the hedges that the budget did
    /// not allow.
    #[must_use]
    pub fn budget(mut self, share: f64) -> Self {
        self.share = share;
        self
    }

    fn check(self) -> Result<(), Error> {
        self.delay.check()?;
        if self.share > 0.0 && self.share <= 1.0 {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "the budget of hedges is {}: it is the share of requests that may be sent a second time, more than 0 and at most 1",
            self.share
        )))
    }
}

impl Delay {
    fn check(self) -> Result<(), Error> {
        match self {
            Self::Fixed(Duration::ZERO) => {
                Err(Error::invalid("a hedge after no time would send every request twice: give it a delay"))
            }
            Self::Percentile(percentile) if !(percentile > 0.0 && percentile < 1.0) => Err(Error::invalid(format!(
                "the percentile of a hedge is {percentile}: it is a share of requests, more than 0 and less than 1, such as 0.95"
            ))),
            Self::Fixed(_) | Self::Percentile(_) => Ok(()),
        }
    }
}

/// The hedges of a repository and its clones.
#[derive(Debug)]
pub(crate) struct Hedges {
    /// How all commands that may be hedged are hedged, if they are.
    policy: Option<Hedge>,
    budget: Budget,
    latencies: Latencies,
}

impl Hedges {
    pub(super) fn new(policy: Option<Hedge>) -> Self {
        let share = policy.map_or(SHARE, |policy| policy.share);
        Self { policy, budget: Budget::new(share), latencies: Latencies::default() }
    }

    /// Returns the delay for all commands that may be hedged, if they are hedged.
    pub(super) fn delay(&self) -> Option<Delay> {
        self.policy.map(|policy| policy.delay)
    }

    /// Refuses a delay or a budget that is out of range, and a client that cannot wait because it has no `sleep`.
    pub(super) fn check(&self, delay: Delay, sleep: Option<SharedAsyncSleep>) -> Result<(), Error> {
        self.policy.map_or(Ok(()), Hedge::check)?;
        delay.check()?;
        sleep.map(drop).ok_or_else(|| {
            Error::invalid(
                "a hedge waits before it is sent, and the client cannot sleep: give its configuration a `sleep_impl`, or run it on tokio",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_without_a_sleep_implementation_cannot_hedge() {
        let delay = Delay::Fixed(Duration::from_millis(20));
        let error = Hedges::new(None).check(delay, None).expect_err("it cannot sleep");
        assert!(
            error.is_invalid_input() && error.to_string().contains("give its configuration a `sleep_impl`"),
            "{error}"
        );
    }
}
