//! Pauses between the attempts of dyno's own loops, for example after a conflict with another writer or with a transaction. (The
//! SDK itself pauses between its retries of one request.)

use crate::exchange::{Moment, Repository};
use aws_sdk_dynamodb::config::{AsyncSleep as _, SharedAsyncSleep};
use aws_smithy_async::rt::sleep::default_async_sleep;
use futures_util::future::{Either, select};
use std::pin::pin;
use std::time::Duration;

/// A limited number of pauses. The longest possible pause doubles each time, and the length is random, so that writers which
/// conflicted once do not conflict again. ("Full jitter": AWS Architecture Blog, "Exponential Backoff And Jitter".)
pub(crate) struct BackOff<'a> {
    repository: &'a Repository,
    pauses: u32,
    attempts: std::ops::Range<u32>,
    paused: Duration,
}

/// Returns the way in which the client sleeps. If its configuration has none, the SDK silently uses the runtime's default, and so
/// does this function.
pub(crate) fn sleep(repository: &Repository) -> Option<SharedAsyncSleep> {
    repository.client().config().sleep_impl().or_else(default_async_sleep)
}

/// The longest possible first pause, and the longest possible pause of all.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

impl<'a> BackOff<'a> {
    /// Allows this many pauses.
    pub(crate) fn new(repository: &'a Repository, pauses: u32) -> Self {
        Self { repository, pauses, attempts: 0..pauses, paused: Duration::ZERO }
    }

    /// Continues as if this many pauses had been taken, with a pause of the length that then follows.
    #[cfg(feature = "transactions")]
    pub(crate) fn after(mut self, taken: u32) -> Self {
        self.attempts.start = taken.min(self.attempts.end);
        self
    }

    /// Returns the number of pauses so far, including those of [`after`](Self::after).
    pub(crate) fn taken(&self) -> u32 {
        self.attempts.start
    }

    /// Counts a pause without pausing.
    pub(crate) fn skip(&mut self) {
        self.attempts.next();
    }

    /// Notes that the last attempt made progress. The full number of pauses is allowed again, but they keep growing.
    pub(crate) fn progress(&mut self) {
        self.attempts.end = self.attempts.start.saturating_add(self.pauses);
    }

    /// Pauses, and returns `true`; or returns `false` if no pause is left.
    pub(crate) async fn pause(&mut self) -> bool {
        let Some(attempt) = self.attempts.next() else {
            return false;
        };
        let longest = FIRST_PAUSE.saturating_mul(1 << attempt.min(16)).min(LONGEST_PAUSE);
        // The thread's generator, which the SDK's pauses use as well. A test seeds it, so that its pauses are the same in each
        // run.
        let pause = longest.mul_f64(fastrand::f64());
        self.paused += pause;
        // Without a way to sleep, there is no pause.
        if let Some(sleep) = sleep(self.repository) {
            sleep.sleep(pause).await;
        }
        true
    }

    /// The time since `begun`: by the clock, or the sum of the pauses, if the clock stands still.
    pub(crate) fn waited(&self, begun: Moment) -> Duration {
        self.paused.max(begun.until(self.repository.moment()))
    }
}

/// Returns the output of a future, or `None` if it takes longer than `time`. If the client cannot sleep, there is no limit.
pub(crate) async fn within<T>(repository: &Repository, time: Duration, future: impl Future<Output = T>) -> Option<T> {
    let Some(sleep) = sleep(repository) else {
        return Some(future.await);
    };
    match select(pin!(future), sleep.sleep(time)).await {
        Either::Left((output, _)) => Some(output),
        Either::Right(((), _)) => None,
    }
}
