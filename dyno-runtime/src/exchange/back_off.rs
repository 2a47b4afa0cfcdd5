//! Pauses between attempts of what is ours to try again: a change that met another writer, a write that met a transaction.
//! (The retries of a request are the SDK's.)

use crate::exchange::{Moment, Repository};
use aws_sdk_dynamodb::config::{AsyncSleep as _, SharedAsyncSleep};
use aws_smithy_async::rt::sleep::default_async_sleep;
use futures_util::future::{Either, select};
use std::pin::pin;
use std::time::Duration;

/// Pauses between attempts: each up to twice as long as the one before, and of random length, so that those who met
/// once do not meet again. ("Full jitter": AWS Architecture Blog, "Exponential Backoff And Jitter".)
pub(crate) struct BackOff<'a> {
    repository: &'a Repository,
    pauses: u32,
    attempts: std::ops::Range<u32>,
    paused: Duration,
}

/// How the client sleeps. What it was not told, the SDK takes from the runtime, without saying so.
pub(crate) fn sleep(repository: &Repository) -> Option<SharedAsyncSleep> {
    repository.client().config().sleep_impl().or_else(default_async_sleep)
}

/// The longest first pause, and the longest of all.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

impl<'a> BackOff<'a> {
    /// For so many pauses.
    pub(crate) fn new(repository: &'a Repository, pauses: u32) -> Self {
        Self { repository, pauses, attempts: 0..pauses, paused: Duration::ZERO }
    }

    /// The same, as if so many pauses had been taken: the next one is as long as that.
    pub(crate) fn after(mut self, taken: u32) -> Self {
        self.attempts.start = taken.min(self.attempts.end);
        self
    }

    /// How many pauses were taken, those before it included.
    pub(crate) fn taken(&self) -> u32 {
        self.attempts.start
    }

    /// Takes an attempt without its pause.
    pub(crate) fn skip(&mut self) {
        self.attempts.next();
    }

    /// The last attempt was not for nothing: there are as many as ever before it is given up. The pauses go on growing.
    pub(crate) fn progress(&mut self) {
        self.attempts.end = self.attempts.start.saturating_add(self.pauses);
    }

    /// Waits, if there is another attempt to wait for.
    pub(crate) async fn pause(&mut self) -> bool {
        let Some(attempt) = self.attempts.next() else {
            return false;
        };
        let longest = FIRST_PAUSE.saturating_mul(1 << attempt.min(16)).min(LONGEST_PAUSE);
        // From the thread's own generator, as the SDK's pauses are: seeded, a test's pauses are the same in each run.
        let pause = longest.mul_f64(fastrand::f64());
        self.paused += pause;
        // A client that cannot sleep does not retry either.
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

/// What comes of it in this time, if anything does.
pub(crate) async fn within<T>(repository: &Repository, time: Duration, sent: impl Future<Output = T>) -> Option<T> {
    let Some(sleep) = sleep(repository) else {
        return Some(sent.await);
    };
    match select(pin!(sent), sleep.sleep(time)).await {
        Either::Left((sent, _)) => Some(sent),
        Either::Right(((), _)) => None,
    }
}
