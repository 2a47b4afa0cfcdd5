//! Two halves of one request: the second is sent when the first is late, and the first usable answer is taken.
//!
//! An error of one half is no answer while the other runs. Of a write, neither is a refusal, if the other may have been applied:
//! it can be that one's own doing. The SDK sends the second half once and not again: what it adds is one request.
//!
//! Where one half was refused and the answer to an attempt of the other is lost, nothing tells which of them was served first. Then
//! the request is sent once more, behind both: that answer is as one to a retry.

use super::Delay;
use super::latency::Of;
use super::watch::Watch;
use crate::error::Error;
use crate::exchange::call::{Ask, Leg};
use crate::exchange::heard::Heard;
use crate::exchange::operation::Operation;
use crate::exchange::{Attempts, Repository, Usage};
use aws_sdk_dynamodb::config::{AsyncSleep as _, SharedAsyncSleep};
use futures_util::future::{Either, TryFutureExt as _, select};
use std::pin::pin;
use std::time::Duration;
use tracing::{Instrument as _, Span};

/// What came of one half: its output, or what its error comes to.
pub(in crate::exchange) type Came<O> = Result<<O as Operation>::Output, Heard<<O as Operation>::Denial>>;

/// A hedged request.
pub(in crate::exchange) struct Racing<'a> {
    pub(in crate::exchange) repository: &'a Repository,
    pub(in crate::exchange) ask: &'a Ask<'a>,
    pub(in crate::exchange) delay: Delay,
    pub(in crate::exchange) sleep: &'a SharedAsyncSleep,
}

/// What is known of a half besides its answer.
pub(in crate::exchange) struct Half {
    pub(in crate::exchange) watch: Watch,
    pub(in crate::exchange) span: Span,
}

/// Awaits a request that was sent, and sends a second one, made by `again`, when it is late: what comes of them, and the span of
/// the half that it is of.
pub(in crate::exchange) async fn race<O: Operation>(
    Racing { repository, ask, delay, sleep }: Racing<'_>,
    first: Half,
    sent: impl Future<Output = Came<O>> + Send,
    again: impl Fn() -> Option<O> + Send + Sync,
) -> (Came<O>, Span) {
    repository.hedges().budget.earn();
    let timer = Timer::new(repository, ask.about.of(O::NAME), delay);
    let mut sent = pin!(sent.instrument(first.span.clone()));
    let Some(wait) = timer.wait() else {
        let came = sent.await;
        timer.note(&first.watch);
        return (came, first.span);
    };
    let in_time = match select(&mut sent, sleep.sleep(wait)).await {
        Either::Left((came, _)) => Some(came),
        Either::Right(_) => None,
    };
    let operation = if in_time.is_none() { hedge(repository, &first, &again) } else { None };
    let Some(operation) = operation else {
        let came = match in_time {
            Some(came) => came,
            None => sent.await,
        };
        timer.note(&first.watch);
        return (came, first.span);
    };
    let second = Half { watch: Watch::default(), span: ask.about.span(O::NAME) };
    second.span.record("hedge", true);
    let hedged = operation.send(Leg::hedge(ask, second.watch.clone())).instrument(second.span.clone());
    let hedged = pin!(hedged.map_err(|error| O::heard(error, ask.cancelled)));
    let settled = match select(sent, hedged).await {
        Either::Left((came, rest)) => {
            settle::<O>(repository, ask.attempts, (came, &first), (rest, &second), false).await
        }
        Either::Right((came, rest)) => {
            settle::<O>(repository, ask.attempts, (came, &second), (rest, &first), true).await
        }
    };
    timer.note(&first.watch);
    let Some((came, is_second)) = settled else { return once_more(repository, ask, &again).await };
    if is_second && came.is_ok() {
        repository.count(Usage { hedges_won: 1, ..Usage::default() });
    }
    (came, if is_second { second.span } else { first.span })
}

/// Sends the request behind two halves that do not tell what came of it.
async fn once_more<O: Operation>(
    repository: &Repository,
    ask: &Ask<'_>,
    again: impl Fn() -> Option<O> + Send,
) -> (Came<O>, Span) {
    let span = ask.about.span(O::NAME);
    let Some(operation) = again() else { return (Err(Heard::Error(Error::invalid("it cannot be made again"))), span) };
    repository.count(Usage::REQUEST);
    let sent = operation.send(ask.leg(None)).instrument(span.clone()).await;
    (sent.map_err(|error| O::heard(error, ask.cancelled)), span)
}

/// The second request, if one is to be sent.
fn hedge<O>(repository: &Repository, first: &Half, again: impl FnOnce() -> Option<O>) -> Option<O> {
    // It is not late: DynamoDB has answered with an error, perhaps that it has too much to do, and the SDK waits.
    if first.watch.is_answered() {
        return None;
    }
    if !repository.hedges().budget.spend() {
        repository.count(Usage { hedges_suppressed: 1, ..Usage::default() });
        return None;
    }
    let operation = again()?;
    repository.count(Usage { hedges: 1, ..Usage::REQUEST });
    Some(operation)
}

/// Takes what came of one half, or awaits the other: the answer, and whether it is the second half's; nothing, if they do not tell.
/// `is_second` says which the one is.
async fn settle<O: Operation>(
    repository: &Repository,
    attempts: Option<&Attempts>,
    (came, one): (Came<O>, &Half),
    (rest, other): (impl Future<Output = Came<O>>, &Half),
    is_second: bool,
) -> Option<(Came<O>, bool)> {
    let is_usable = match &came {
        Ok(_) => true,
        Err(Heard::Denied(..)) => attempts.is_none() || other.watch.open() == 0,
        Err(_) => false,
    };
    if is_usable {
        if came.is_ok() {
            other.watch.settle(attempts);
        }
        other.span.record("outcome", "overtaken");
        return Some((came, is_second));
    }
    let rest = rest.await;
    let is_denied = [&came, &rest].into_iter().any(|came| matches!(came, Err(Heard::Denied(..))));
    let is_open = attempts.is_some() && one.watch.open() + other.watch.open() > 0;
    if rest.is_err() && is_denied && is_open {
        for (came, half) in [(came, one), (rest, other)] {
            came.map_or_else(|heard| note(repository, heard, &half.span), drop);
        }
        return None;
    }
    let is_of_other = match (&came, &rest) {
        (_, Ok(_)) => {
            one.watch.settle(attempts);
            true
        }
        (_, Err(Heard::Denied(..))) => true,
        (Err(Heard::Denied(..)), _) => false,
        // The SDK has sent the first again, and not the second: what came of that one says more.
        _ => is_second,
    };
    let (came, beaten, half) = if is_of_other { (rest, came, one) } else { (came, rest, other) };
    if let Err(heard) = beaten {
        note(repository, heard, &half.span);
    }
    Some((came, is_second != is_of_other))
}

/// Notes what came of a half that does not count.
fn note<D>(repository: &Repository, heard: Heard<D>, span: &Span) {
    let outcome = match heard {
        Heard::Denied(usage, _) => {
            repository.count(usage);
            usage.record(span);
            "refused"
        }
        Heard::Busy(_) => "busy",
        Heard::Error(error) if error.is_throttled() => "throttled",
        Heard::Error(_) => "error",
    };
    span.record("outcome", outcome);
}

/// When a request is late, and how long it takes.
struct Timer<'a> {
    repository: &'a Repository,
    of: Of,
    delay: Delay,
    begun: Duration,
}

impl<'a> Timer<'a> {
    fn new(repository: &'a Repository, of: Of, delay: Delay) -> Self {
        Self { repository, of, delay, begun: repository.moment().monotonic }
    }

    fn wait(&self) -> Option<Duration> {
        match self.delay {
            Delay::Fixed(delay) => Some(delay),
            Delay::Percentile(percentile) => self.repository.hedges().latencies.percentile(&self.of, percentile),
        }
    }

    /// Notes how long it took: at least, if the other half was faster. What DynamoDB has answered with an error waited for that.
    fn note(&self, first: &Watch) {
        if matches!(self.delay, Delay::Percentile(_)) && !first.is_answered() {
            let time = self.repository.moment().monotonic.saturating_sub(self.begun);
            self.repository.hedges().latencies.record(&self.of, time);
        }
    }
}
