//! Hedged requests: when a second, equal one is sent, and how many of them.

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

/// The share of hedges, unless it is given.
const SHARE: f64 = 0.05;

/// When a second, equal request is sent because the first has not answered: see
/// [`Repository::hedged`](crate::Repository::hedged).
///
/// The first usable answer is taken, and the other request is dropped. That makes the slowest answers faster, for some
/// requests more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hedge {
    delay: Delay,
    share: f64,
}

/// How long the first request may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Delay {
    Fixed(Duration),
    /// As long as this share of the requests takes.
    Percentile(f64),
}

impl Hedge {
    /// A hedge is sent when the first request has not answered after this time.
    #[must_use]
    pub fn after(delay: Duration) -> Self {
        Self { delay: Delay::Fixed(delay), share: SHARE }
    }

    /// A hedge is sent when the first request has not answered after the time in which this share of requests does, such as
    /// 0.95: of the same operation, on the same table, through this repository and its clones. It follows the last two thousand
    /// of them. The first hundred are not hedged, since nothing is known yet. The repository remembers the 128 pairs of an
    /// operation and a table that it used last, which takes 1 MB at most; a pair that comes back begins anew.
    ///
    /// A request that is hedged counts with the time that its slower half took at least, so that hedges do not make the
    /// percentile that they follow ever shorter.
    #[must_use]
    pub fn percentile(percentile: f64) -> Self {
        Self { delay: Delay::Percentile(percentile), share: SHARE }
    }

    /// How many hedges are sent at most, as a share of the requests that may be hedged: 0.05 unless it is given. So a region
    /// that is slow as a whole does not meet twice the load. Ten more may be sent at first, and after quiet times.
    /// [`Usage::hedges_suppressed`](crate::Usage::hedges_suppressed) counts those that were not.
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
    /// What all that may be hedged is hedged by.
    policy: Option<Hedge>,
    budget: Budget,
    latencies: Latencies,
}

impl Hedges {
    pub(super) fn new(policy: Option<Hedge>) -> Self {
        let share = policy.map_or(SHARE, |policy| policy.share);
        Self { policy, budget: Budget::new(share), latencies: Latencies::default() }
    }

    /// When all that may be hedged is hedged.
    pub(super) fn delay(&self) -> Option<Delay> {
        self.policy.map(|policy| policy.delay)
    }

    /// Refuses what cannot be a hedge, or cannot wait: `sleep` is what it waits by.
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
