//! The race of two equal requests: the second one, the hedge, is sent if the first is late, and the first usable answer is taken.
//!
//! An error of one request does not count while the other is running. For a write, a refusal does not count either while the
//! other request may have been applied, because that request may have caused the refusal. The SDK does not retry the second
//! request. So if the second request fails, the first is awaited to its end, as without a hedge.
//!
//! If one request was refused and the answer to the other is lost, nothing shows which of them DynamoDB served first. Then the
//! request is sent once more, after both.

use super::Delay;
use super::latency::LatencyKey;
use super::watch::Watch;
use crate::error::{Error, ErrorKind};
use crate::exchange::send::call::{Ask, record};
use crate::exchange::send::classify_error::Failure;
use crate::exchange::send::equal_requests::{EqualRequests, Which};
use crate::exchange::{Repository, Usage, metrics, trace_events, within};
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;
use tracing::Span;

/// The time for which one request is awaited after an inconclusive answer to the other: a refusal that may not count, or an
/// error of the first request.
const PATIENCE: Duration = Duration::from_secs(5);

/// The response to a request, whose output or denial waits with the request.
type Response = Result<(), Failure>;

/// One of the two requests.
pub(in crate::exchange) struct Racer {
    pub(in crate::exchange) which: Which,
    pub(in crate::exchange) watch: Watch,
    pub(in crate::exchange) span: Span,
}

impl Racer {
    /// Awaits the response to this request.
    fn response(&self, requests: &mut dyn EqualRequests) -> impl Future<Output = Response> + Send {
        poll_fn(move |context| requests.poll(self.which, &self.span, context))
    }
}

/// Awaits a request that was sent. If it is late, sends a second one. Returns the response that counts, and its request.
pub(in crate::exchange) async fn race(
    repository: &Repository,
    ask: &Ask<'_>,
    delay: Delay,
    first: Racer,
    requests: &mut dyn EqualRequests,
) -> (Response, Which, Span) {
    repository.hedges().budget.earn();
    let timer = Timer::new(repository, ask.about.latency_key(requests.name()), delay);
    // Wait for the first request, until the time of the hedge.
    let in_time = match timer.wait() {
        Some(wait) => within(repository, wait, first.response(requests)).await,
        None => Some(first.response(requests).await),
    };
    let second = if in_time.is_some() { None } else { hedge(repository, ask, &first, requests) };
    // The first request was in time, or the budget allows no second one.
    let Some(second) = second else {
        let response = match in_time {
            Some(response) => response,
            None => first.response(requests).await,
        };
        timer.note(&first.watch, &response);
        return (response, first.which, first.span);
    };
    // Two requests are in flight: take the response that arrives first.
    let (response, is_second) = poll_fn(|context| {
        if let Poll::Ready(response) = requests.poll(first.which, &first.span, context) {
            return Poll::Ready((response, false));
        }
        requests.poll(second.which, &second.span, context).map(|response| (response, true))
    })
    .await;
    let (one, other) = if is_second { (second, first) } else { (first, second) };
    // An error or a refusal may not count before the other request has a response, too.
    match settle(repository, ask, (response, one), other, requests).await {
        Ok((response, racer)) => {
            requests.abandon(racer.which.other());
            timer.note(&racer.watch, &response);
            if racer.which == Which::Second && response.is_ok() {
                repository.count(Usage { hedges_won: 1, ..Usage::default() });
            }
            (response, racer.which, racer.span)
        }
        Err(lost) => once_more(repository, ask, requests, lost).await,
    }
}

/// Sends the request once more, after two requests of which one was refused and the answer to the other was `lost`.
///
/// If this request is refused as well, the lost one may still be applied later. Then the error is the lost one, unless the
/// write has an identity of its own: the code that evaluates its refusals takes the lost attempt into account.
async fn once_more(
    repository: &Repository,
    ask: &Ask<'_>,
    requests: &mut dyn EqualRequests,
    lost: Error,
) -> (Response, Which, Span) {
    let (which, span) = (Which::First, ask.about.span(requests.name()));
    requests.abandon(Which::Second);
    if !requests.send_again(which, ask.hooks(repository, None)) {
        return (Err(Failure::Error(lost)), which, span);
    }
    repository.count(Usage::REQUEST);
    match poll_fn(|context| requests.poll(which, &span, context)).await {
        Err(Failure::Denied(usage)) if !ask.is_named => {
            repository.count(usage);
            metrics::refused_units(&ask.about, requests.name(), usage);
            (Err(Failure::Error(lost)), which, span)
        }
        response => (response, which, span),
    }
}

/// Sends the second request, if the first is late, the budget allows a hedge, and the request can be made again.
fn hedge(repository: &Repository, ask: &Ask<'_>, first: &Racer, requests: &mut dyn EqualRequests) -> Option<Racer> {
    // The first request is not late: DynamoDB has answered it with an error, for example by throttling, and the SDK pauses
    // before a retry.
    if first.watch.is_answered() {
        return None;
    }
    if !repository.hedges().budget.spend() {
        repository.count(Usage { hedges_suppressed: 1, ..Usage::default() });
        return None;
    }
    let watch = Watch::new(ask.attempts);
    if !requests.send_again(Which::Second, ask.hooks_of_hedge(repository, watch.clone())) {
        return None;
    }
    let second = Racer { which: Which::Second, watch, span: ask.about.span(requests.name()) };
    second.span.record("hedge", true);
    repository.count(Usage { hedges: 1, ..Usage::REQUEST });
    first.span.in_scope(|| trace_events::hedged(&ask.about, requests.name()));
    Some(second)
}

/// Takes the response to one request, or awaits the other. Returns the response that counts; or the error by which an answer was
/// lost, if nothing shows which request was served first.
async fn settle(
    repository: &Repository,
    ask: &Ask<'_>,
    (response, one): (Response, Racer),
    other: Racer,
    requests: &mut dyn EqualRequests,
) -> Result<(Response, Racer), Error> {
    let name = requests.name();
    let failure = match response {
        Err(failure) if !failure.is_denied() || other.watch.may_be_applied() => failure,
        response => {
            other.watch.close();
            other.span.record("outcome", "overtaken");
            return Ok((response, one));
        }
    };
    // Without a hedge, an error of the first request would have been returned by now. But if only the hedge has failed, the first
    // request would still be awaited.
    let is_bounded = failure.is_denied() || one.which == Which::First && failure.is_answer();
    let rest = other.response(requests);
    let rest = if is_bounded { within(repository, PATIENCE, rest).await } else { Some(rest.await) };
    let rest = match rest {
        Some(Ok(())) => {
            one.watch.close();
            record_beaten(repository, ask, &one.span, name, &failure);
            return Ok((Ok(()), other));
        }
        Some(Err(rest)) => rest,
        None => Failure::Error(Error::new(ErrorKind::Unreachable, "DynamoDB did not answer in time")),
    };
    let other_counts = match (failure.is_denied(), rest.is_denied()) {
        // Both were refused. If an attempt of `one` was lost, only the refusal of `one` certainly came after that attempt.
        // Otherwise an attempt of `other` was lost, and the same holds for `other`.
        (true, true) => !one.watch.may_be_applied(),
        (true, false) => false,
        (false, true) => true,
        (false, false) => match (failure.is_answer(), rest.is_answer()) {
            (true, false) => false,
            (false, true) => true,
            // The SDK may have retried the first request, but never the second, so the error of the first says more.
            _ => one.which == Which::Second,
        },
    };
    let (counts, beaten) = if other_counts { ((rest, other), (failure, one)) } else { ((failure, one), (rest, other)) };
    match beaten.0 {
        // One request was refused, and the other may have been applied.
        Failure::Error(error) | Failure::Busy(error) if counts.0.is_denied() && beaten.1.watch.may_be_applied() => {
            record_beaten(repository, ask, &counts.1.span, name, &counts.0);
            Err(error)
        }
        failure => {
            record_beaten(repository, ask, &beaten.1.span, name, &failure);
            Ok((Err(counts.0), counts.1))
        }
    }
}

/// Records the cost and the outcome of a request whose response does not count.
fn record_beaten(repository: &Repository, ask: &Ask<'_>, span: &Span, request: &'static str, failure: &Failure) {
    record(repository, span, failure.usage(), failure.outcome());
    metrics::refused_units(&ask.about, request, failure.usage());
}

/// Decides when a request is late, and measures how long it takes.
struct Timer<'a> {
    repository: &'a Repository,
    key: LatencyKey,
    delay: Delay,
    begun: Duration,
}

impl<'a> Timer<'a> {
    fn new(repository: &'a Repository, key: LatencyKey, delay: Delay) -> Self {
        Self { repository, key, delay, begun: repository.moment().monotonic }
    }

    /// Returns the time after which the request is late, if it is known.
    fn wait(&self) -> Option<Duration> {
        match self.delay {
            Delay::Fixed(delay) => Some(delay),
            Delay::Percentile(percentile) => {
                let delay = self.repository.hedges().latencies.percentile(&self.key, percentile);
                // A clock that stands still measures no time, so nothing is known.
                delay.filter(|delay| !delay.is_zero())
            }
        }
    }

    /// Records how long an answer took. A request that the SDK retried does not count, because its time includes the pauses.
    fn note(&self, watch: &Watch, response: &Response) {
        let is_answer = response.as_ref().err().is_none_or(Failure::is_denied);
        if is_answer && !watch.is_retried() && matches!(self.delay, Delay::Percentile(_)) {
            let time = self.repository.moment().monotonic.saturating_sub(self.begun);
            self.repository.hedges().latencies.record(&self.key, time);
        }
    }
}
