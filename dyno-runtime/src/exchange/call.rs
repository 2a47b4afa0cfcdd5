//! The one function through which requests leave.
//!
//! [`call`] sends one request. The SDK may retry it, and `call` sends the same request again after a pause if other requests or
//! transactions hold an item. If an answer calls for a different request, the caller of `call` makes it.

use super::back_off::{BackOff, sleep};
use super::capacity_json::CapacityJson;
use super::classify_error::Failure;
use super::interceptor::{Counter, Repeat, RequestHooks};
use super::metrics;
use super::operation::Operation;
use super::paced_requests::reserve;
use super::repository::Repository;
use super::request_attempts::Attempts;
use super::request_subject::About;
use super::send_deadline::SendDeadline;
use super::trace_events;
use super::usage::Usage;
use crate::error::{Error, ErrorKind};
use crate::exchange::hedge::{Delay, Racer, Watch, race};
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::RequestId as _;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use futures_util::future::{BoxFuture, TryFutureExt as _};
use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::time::Duration;
use tracing::{Instrument as _, Span, field};

/// The number of pauses after which a request is sent again, while other requests or transactions hold its items.
const PAUSES: u32 = 8;

/// The options by which a request is sent.
pub(crate) struct Ask<'a> {
    pub(crate) about: About<'a>,
    /// Counts the request attempts, if the request is a write.
    pub(crate) attempts: Option<&'a Attempts>,
    pub(crate) repeat: Repeat,
    /// The write units of the request if it is a transaction and DynamoDB cancels it: DynamoDB charges for that, but does not report
    /// it.
    pub(crate) cancelled_units: f64,
    /// The time after which a second, equal request is sent, if any.
    pub(crate) hedge: Option<Delay>,
    /// Whether the request is a write whose identity decides what a refusal means, even while an earlier attempt may arrive late:
    /// it expects a version, and may store its write id in the item.
    pub(crate) is_named: bool,
    /// The time after which no further attempt is sent, if any.
    pub(crate) deadline: Option<SendDeadline>,
}

impl<'a> Ask<'a> {
    /// Returns the options of a read, or of a write whose attempts nobody counts.
    pub(crate) fn new(about: About<'a>) -> Self {
        Self {
            about,
            attempts: None,
            repeat: Repeat::Freely,
            cancelled_units: 0.0,
            hedge: None,
            is_named: false,
            deadline: None,
        }
    }

    /// Returns the options of a write whose attempts are counted.
    pub(crate) fn write(about: About<'a>, attempts: &'a Attempts, repeat: Repeat) -> Self {
        Self { attempts: Some(attempts), repeat, ..Self::new(about) }
    }

    /// Returns a watch for the first request, if the request is hedged.
    fn watch(&self) -> Option<Watch> {
        self.hedge.map(|_| Watch::new(self.attempts))
    }

    /// Returns the hooks of the request. A hedged request has a `watch`.
    pub(super) fn hooks(&self, repository: &Repository, watch: Option<Watch>) -> RequestHooks {
        let of_write = || self.attempts.cloned().map(Counter::Write);
        RequestHooks {
            counter: watch.map(Counter::Hedge).or_else(of_write),
            deadline: self.deadline.clone(),
            repeat: self.repeat,
            is_retried: true,
            decode_from: repository.decode_from(),
            deserializer: None,
            items: RefCell::new(None),
            is_called: Cell::new(false),
            attempts: Cell::new(0),
            is_sent: Cell::new(false),
        }
    }

    /// Classifies an error, and records the id of the request in its span: also of a request that DynamoDB refused.
    pub(super) fn classify<O: Operation>(
        &self,
        span: &Span,
        error: SdkError<O::Error, HttpResponse>,
    ) -> Failure<O::Denial> {
        span.record("aws.request_id", error.request_id());
        O::classify(error, self.cancelled_units)
    }

    /// Returns the hooks of the second request of a hedge, which the SDK does not retry.
    pub(super) fn hooks_of_hedge(&self, repository: &Repository, watch: Watch) -> RequestHooks {
        RequestHooks { is_retried: false, ..self.hooks(repository, Some(watch)) }
    }
}

/// DynamoDB's answer to a request: a value, or a denial with its reason `D`.
pub(crate) enum Answer<T, D> {
    Done(T),
    Denied(D),
}

/// DynamoDB's answer to this operation.
pub(crate) type AnswerTo<O> = Answer<<O as Operation>::Value, <O as Operation>::Denial>;

/// Sends a request in a span of its own, and counts it. While other requests or transactions hold its items, sends it again after
/// a pause; `again` builds the same request once more.
pub(crate) fn call<'a, O: Operation>(
    repository: &'a Repository,
    ask: Ask<'a>,
    operation: O,
    again: Option<impl Fn() -> Option<O> + Send + Sync + 'a>,
) -> BoxFuture<'a, Result<AnswerTo<O>, Error>> {
    // A builder takes kilobytes, so it moves into the SDK's boxed future before our own future exists. That future does nothing
    // until it is polled.
    let mut watch = ask.watch();
    let mut sent = operation.send(ask.hooks(repository, watch.clone()));
    Box::pin(async move {
        if let Some(delay) = ask.hedge {
            repository.hedges().check(delay, sleep(repository)).map_err(|error| ask.about.explain(O::NAME, error))?;
        }
        let mut back_off = BackOff::new(repository, PAUSES);
        loop {
            let reserved = reserve(repository, O::NAME, &ask.about).await?;
            let span = ask.about.span(O::NAME);
            let start = time_for_metrics(repository);
            repository.count(Usage::REQUEST);
            let (response, span) = match ask.hedge.zip(watch.take()) {
                Some((delay, watch)) => {
                    let first = Racer { watch, span: span.clone(), is_second: false };
                    let classified = sent.map_err(|error| ask.classify::<O>(&span, error));
                    let again = || again.as_ref().and_then(|again| again());
                    Box::pin(race::<O>(repository, &ask, delay, first, classified, again)).await
                }
                // By reference, so that the future holds it only once.
                None => {
                    let response = (&mut sent).instrument(span.clone()).await;
                    (response.map_err(|error| ask.classify::<O>(&span, error)), span)
                }
            };
            let failure = match response {
                Ok(output) => {
                    record(repository, &span, O::cost(&output), O::outcome(&output));
                    if let Some(reserved) = reserved {
                        reserved.settle(O::cost(&output), O::scanned(&output));
                    }
                    let time = time_for_metrics(repository).saturating_sub(start);
                    metrics::answered(&ask.about, O::NAME, time, O::outcome(&output));
                    metrics::consumed(&ask.about, O::NAME, O::capacity(&output), O::price, O::cost(&output));
                    span.record("aws.request_id", O::request_id(&output));
                    span.record("aws.dynamodb.count", O::count(&output));
                    let capacity = O::capacity(&output);
                    if !capacity.is_empty() {
                        span.record("aws.dynamodb.consumed_capacity", field::display(CapacityJson(capacity)));
                    }
                    return Ok(Answer::Done(O::value(output)));
                }
                Err(failure) => failure,
            };
            record(repository, &span, failure.usage(), failure.outcome());
            if let Some(reserved) = reserved {
                let is_throttled = failure.as_error().is_some_and(|error| error.kind() == ErrorKind::Throttled);
                reserved.settle_failure(failure.usage(), is_throttled, repository.moment().monotonic);
            }
            let time = time_for_metrics(repository).saturating_sub(start);
            metrics::failed(&ask.about, O::NAME, time, &failure);
            if let Some(error) = failure.as_error() {
                span.record("error.type", field::debug(error.kind()));
            }
            match failure {
                Failure::Denied(_, denial) => return Ok(Answer::Denied(denial)),
                Failure::Busy(error) => {
                    let has_waited = again.is_some() && back_off.pause().await;
                    let next = again.as_ref().filter(|_| has_waited).and_then(|again| again());
                    let Some(next) = next else { return Err(ask.about.explain(O::NAME, error)) };
                    trace_events::held();
                    watch = ask.watch();
                    sent = next.send(ask.hooks(repository, watch.clone()));
                }
                Failure::Error(error) => return Err(ask.about.explain(O::NAME, error)),
            }
        }
    })
}

/// Returns the monotonic time, if it is needed.
fn time_for_metrics(repository: &Repository) -> Duration {
    if metrics::ARE_ON { repository.moment().monotonic } else { Duration::ZERO }
}

/// Sends a request that has no denial: a read, or a request about a table.
pub(crate) async fn call_undenied<O: Operation<Denial = Infallible>>(
    repository: &Repository,
    about: About<'_>,
    operation: O,
) -> Result<O::Value, Error> {
    let Answer::Done(output) = call(repository, Ask::new(about), operation, None::<fn() -> _>).await?;
    Ok(output)
}

/// Sends a read. It is hedged if the command has a delay of its own, or the repository hedges all commands.
pub(crate) async fn read<O: Operation<Denial = Infallible> + Clone + Sync>(
    repository: &Repository,
    about: About<'_>,
    operation: O,
    hedge: Option<Duration>,
) -> Result<O::Value, Error> {
    let Some(hedge) = repository.hedging(hedge) else {
        return call_undenied(repository, about, operation).await;
    };
    let ask = Ask { hedge: Some(hedge), ..Ask::new(about) };
    let kept = operation.clone();
    let Answer::Done(output) = call(repository, ask, operation, Some(move || Some(kept.clone()))).await?;
    Ok(output)
}

/// Counts the cost of a request, and records cost and outcome in the request's span.
pub(super) fn record(repository: &Repository, span: &Span, usage: Usage, outcome: &'static str) {
    repository.count(usage);
    usage.record(span);
    span.record("outcome", outcome);
}
