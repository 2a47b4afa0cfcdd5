//! Two halves of one request: the second is sent when the first is late, and the first usable answer is taken.
//!
//! An error of one half does not count while the other runs. For a write, a refusal does not count either while the other half
//! may have been applied: that half may be what caused it. The SDK sends the second half once and not again, so a second half
//! that fails says nothing of the first: that one is awaited to its end, as it would be without a hedge.
//!
//! Where one half was refused and the answer of the other is lost, nothing tells which of them was served first. Then the request is
//! sent once more, behind both.

use super::Delay;
use super::latency::Of;
use super::watch::Watch;
use crate::error::{Error, ErrorKind};
use crate::exchange::call::{Ask, record};
use crate::exchange::classify_error::Failure;
use crate::exchange::operation::Operation;
use crate::exchange::{Repository, Usage, within};
use futures_util::future::{Either, TryFutureExt as _, select};
use std::pin::pin;
use std::time::Duration;
use tracing::{Instrument as _, Span};

/// How long a half is awaited once the other has been answered: by a refusal that may not count, or, the first, by an error.
const PATIENCE: Duration = Duration::from_secs(5);

/// What came of one half: its output, or what its error comes to.
pub(in crate::exchange) type Response<O> = Result<<O as Operation>::Output, Failure<<O as Operation>::Denial>>;

/// What is known of a half besides its answer.
pub(in crate::exchange) struct Racer {
    pub(in crate::exchange) watch: Watch,
    pub(in crate::exchange) span: Span,
    pub(in crate::exchange) is_second: bool,
}

/// Awaits a request that was sent, and sends a second one, made by `again`, when it is late: what comes of them, and the span of
/// the half that it is of.
pub(in crate::exchange) async fn race<O: Operation>(
    repository: &Repository,
    ask: &Ask<'_>,
    delay: Delay,
    first: Racer,
    sent: impl Future<Output = Response<O>> + Send,
    again: impl Fn() -> Option<O> + Send + Sync,
) -> (Response<O>, Span) {
    repository.hedges().budget.earn();
    let timer = Timer::new(repository, ask.about.of(O::NAME), delay);
    let mut sent = pin!(sent.instrument(first.span.clone()));
    let in_time = match timer.wait() {
        Some(wait) => within(repository, wait, &mut sent).await,
        None => Some((&mut sent).await),
    };
    let operation = if in_time.is_some() { None } else { hedge(repository, &first, &again) };
    let Some(operation) = operation else {
        let response = match in_time {
            Some(response) => response,
            None => sent.await,
        };
        timer.note(&first.watch, &response);
        return (response, first.span);
    };
    let second = Racer { watch: Watch::new(ask.attempts), span: ask.about.span(O::NAME), is_second: true };
    second.span.record("hedge", true);
    let hedged = operation.send(ask.hedge_config(second.watch.clone())).instrument(second.span.clone());
    let hedged = pin!(hedged.map_err(|error| O::classify(error, ask.cancelled)));
    let settled = match select(sent, hedged).await {
        Either::Left((response, rest)) => settle::<O>(repository, (response, first), (rest, second)).await,
        Either::Right((response, rest)) => settle::<O>(repository, (response, second), (rest, first)).await,
    };
    match settled {
        Ok((response, racer)) => {
            timer.note(&racer.watch, &response);
            if racer.is_second && response.is_ok() {
                repository.count(Usage { hedges_won: 1, ..Usage::default() });
            }
            (response, racer.span)
        }
        Err(lost) => once_more(repository, ask, &again, lost).await,
    }
}

/// Sends the request behind two halves of which one was refused and the other `lost`: nothing tells which was served first.
///
/// That it is refused again says nothing of what is lost, which may be applied later; but of a write that knows itself, whoever
/// reads the refusal takes care of that.
async fn once_more<O: Operation>(
    repository: &Repository,
    ask: &Ask<'_>,
    again: impl Fn() -> Option<O> + Send,
    lost: Error,
) -> (Response<O>, Span) {
    let span = ask.about.span(O::NAME);
    let Some(operation) = again() else { return (Err(Failure::Error(lost)), span) };
    repository.count(Usage::REQUEST);
    let sent = operation.send(ask.config(None)).instrument(span.clone()).await;
    match sent.map_err(|error| O::classify(error, ask.cancelled)) {
        Err(Failure::Denied(usage, _)) if !ask.is_named => {
            repository.count(usage);
            (Err(Failure::Error(lost)), span)
        }
        response => (response, span),
    }
}

/// The second request, if one is to be sent.
fn hedge<O>(repository: &Repository, first: &Racer, again: impl FnOnce() -> Option<O>) -> Option<O> {
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

/// Takes what came of one half, or awaits the other. Returns the response that counts; or how an answer was lost, if that is not
/// told.
async fn settle<O: Operation>(
    repository: &Repository,
    (response, one): (Response<O>, Racer),
    (rest, other): (impl Future<Output = Response<O>>, Racer),
) -> Result<(Response<O>, Racer), Error> {
    let failure = match response {
        Err(failure) if !failure.is_denied() || other.watch.may_be_applied() => failure,
        response => {
            other.watch.settle();
            other.span.record("outcome", "overtaken");
            return Ok((response, one));
        }
    };
    // Without a hedge, the caller would have had an error of the first half by now, and would still wait for the first half where
    // the hedge has failed.
    let is_bounded = failure.is_denied() || !one.is_second && failure.is_answer();
    let rest = if is_bounded { within(repository, PATIENCE, rest).await } else { Some(rest.await) };
    let rest = match rest {
        Some(Ok(output)) => {
            one.watch.settle();
            record(repository, &one.span, failure.usage(), failure.outcome());
            return Ok((Ok(output), other));
        }
        Some(Err(rest)) => rest,
        None => Failure::Error(Error::new(ErrorKind::Unreachable, "no answer came in time")),
    };
    let is_others = match (failure.is_denied(), rest.is_denied()) {
        // What was lost of one half is behind its own refusal, and not behind the other's.
        (true, true) => !one.watch.may_be_applied(),
        (true, false) => false,
        (false, true) => true,
        (false, false) => match (failure.is_answer(), rest.is_answer()) {
            (true, false) => false,
            (false, true) => true,
            // The SDK sent the first half again, and the second only once: the result of the first says more.
            _ => one.is_second,
        },
    };
    let (counts, beaten) = if is_others { ((rest, other), (failure, one)) } else { ((failure, one), (rest, other)) };
    match beaten.0 {
        // One half was refused, and the other may have been applied.
        Failure::Error(error) | Failure::Busy(error) if counts.0.is_denied() && beaten.1.watch.may_be_applied() => {
            record(repository, &counts.1.span, counts.0.usage(), counts.0.outcome());
            Err(error)
        }
        failure => {
            record(repository, &beaten.1.span, failure.usage(), failure.outcome());
            Ok((Err(counts.0), counts.1))
        }
    }
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
            Delay::Percentile(percentile) => {
                let delay = self.repository.hedges().latencies.percentile(&self.of, percentile);
                // By a clock that stands still, nothing takes time, and nothing is known.
                delay.filter(|delay| !delay.is_zero())
            }
        }
    }

    /// Notes how long an answer took: at least, if the other half was faster. What the SDK has sent again waited for that.
    fn note<T, D>(&self, half: &Watch, response: &Result<T, Failure<D>>) {
        let is_answer = response.as_ref().err().is_none_or(Failure::is_denied);
        if is_answer && !half.is_sent_again() && matches!(self.delay, Delay::Percentile(_)) {
            let time = self.repository.moment().monotonic.saturating_sub(self.begun);
            self.repository.hedges().latencies.record(&self.of, time);
        }
    }
}
