//! The one function through which requests leave.
//!
//! [`call`] sends one request. The SDK may retry it, and `call` sends the same request again after a pause if other requests or
//! transactions hold an item. If an answer calls for a different request, the caller of `call` makes it.

use super::back_off::{BackOff, sleep};
use super::capacity_json::CapacityJson;
use super::classify_error::Failure;
use super::equal_requests::{Again, EqualRequests, RequestsOf, Which};
use super::interceptor::{Counter, Repeat, RequestHooks};
use super::operation::Operation;
use super::response_facts::Facts;
use super::send_deadline::SendDeadline;
use crate::error::{Error, ErrorKind};
use crate::exchange::hedge::{Delay, Racer, Watch, race};
use crate::exchange::pace::Reservation;
use crate::exchange::pace::paced_requests::reserve;
use crate::exchange::repository::Repository;
use crate::exchange::request::request_attempts::Attempts;
use crate::exchange::request::request_subject::About;
use crate::exchange::watch::consumed_capacity::Usage;
use crate::exchange::watch::metrics;
use crate::exchange::watch::trace_events;
use futures_util::future::{BoxFuture, TryFutureExt as _};
use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::future::poll_fn;
use std::time::Duration;
use tracing::{Span, field};

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
    pub(in crate::exchange) fn hooks(&self, repository: &Repository, watch: Option<Watch>) -> RequestHooks {
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

    /// Returns the hooks of the second request of a hedge, which the SDK does not retry.
    pub(in crate::exchange) fn hooks_of_hedge(&self, repository: &Repository, watch: Watch) -> RequestHooks {
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
/// a pause, if it can be made once more.
pub(crate) fn call<'a, O: Operation>(
    repository: &'a Repository,
    ask: Ask<'a>,
    operation: O,
    again: Again<'a, O>,
) -> BoxFuture<'a, Result<AnswerTo<O>, Error>> {
    let watch = ask.watch();
    // The SDK's future does nothing until it is polled.
    let mut requests = RequestsOf::send(operation, again, ask.hooks(repository, watch.clone()), ask.cancelled_units);
    Box::pin(async move {
        let counts = exchange(repository, &ask, &mut requests, watch).await?;
        match requests.take(counts) {
            Some(Ok(value)) => Ok(Answer::Done(value)),
            Some(Err(denial)) => Ok(Answer::Denied(denial)),
            None => Err(no_response()),
        }
    })
}

/// Returns the error of a call that ended without a response. None does.
#[cold]
fn no_response() -> Error {
    Error::new(ErrorKind::Service, "the request ended without a response")
}

/// Awaits the first request, and what follows it. Returns which request has the response that counts: an output or a denial.
async fn exchange(
    repository: &Repository,
    ask: &Ask<'_>,
    requests: &mut dyn EqualRequests,
    mut watch: Option<Watch>,
) -> Result<Which, Error> {
    let name = requests.name();
    let explain = |error| ask.about.explain(error);
    if let Some(delay) = ask.hedge {
        repository.hedges().check(delay, sleep(repository)).map_err(explain)?;
    }
    let mut back_off = BackOff::new(repository, PAUSES);
    loop {
        // Wait for the repository's pace.
        // Boxed, because few repositories have a pace.
        let reserved =
            if repository.is_paced() { Box::pin(reserve(repository, name, &ask.about)).await? } else { None };
        // Send the request, and a second one if the first is late.
        let span = ask.about.span(name);
        let start = time_for_metrics(repository);
        repository.count(Usage::REQUEST);
        let (response, counts, span) = match ask.hedge.zip(watch.take()) {
            Some((delay, watch)) => {
                let first = Racer { which: Which::First, watch, span };
                Box::pin(race(repository, ask, delay, first, requests)).await
            }
            None => (poll_fn(|context| requests.poll(Which::First, &span, context)).await, Which::First, span),
        };
        // Account for the response.
        let time = time_for_metrics(repository).saturating_sub(start);
        let failure = match response {
            Ok(()) => {
                answered(repository, ask, &span, &requests.facts(counts), reserved, time, name);
                return Ok(counts);
            }
            Err(failure) => failure,
        };
        failed(repository, ask, &span, &failure, reserved, time, name);
        // If another transaction holds the item, send the same request again after a pause.
        match failure {
            Failure::Denied(_) => return Ok(counts),
            Failure::Busy(error) => {
                let has_waited = requests.is_kept() && back_off.pause().await;
                watch = ask.watch();
                if !has_waited || !requests.send_again(Which::First, ask.hooks(repository, watch.clone())) {
                    return Err(explain(error.after_attempts(back_off.taken() + 1)));
                }
                trace_events::held();
            }
            Failure::Error(error) => return Err(explain(error)),
        }
    }
}

/// Accounts for a request that was served.
fn answered(
    repository: &Repository,
    ask: &Ask<'_>,
    span: &Span,
    facts: &Facts<'_>,
    reserved: Option<Reservation>,
    time: Duration,
    name: &'static str,
) {
    record(repository, span, facts.cost, facts.outcome);
    if let Some(reserved) = reserved {
        reserved.settle(facts.cost, facts.scanned);
    }
    metrics::answered(&ask.about, name, time, facts);
    metrics::consumed(&ask.about, name, facts);
    span.record("aws.request_id", facts.request_id);
    span.record("aws.dynamodb.count", facts.count);
    if !facts.capacity.is_empty() {
        span.record("aws.dynamodb.consumed_capacity", field::display(CapacityJson(facts.capacity)));
    }
}

/// Accounts for a request that was refused or failed.
fn failed(
    repository: &Repository,
    ask: &Ask<'_>,
    span: &Span,
    failure: &Failure,
    reserved: Option<Reservation>,
    time: Duration,
    name: &'static str,
) {
    record(repository, span, failure.usage(), failure.outcome());
    if let Some(reserved) = reserved {
        let is_throttled = failure.as_error().is_some_and(|error| error.kind() == ErrorKind::Throttled);
        reserved.settle_failure(failure.usage(), is_throttled, repository.moment().monotonic);
    }
    metrics::failed(&ask.about, name, time, failure);
    if let Some(error) = failure.as_error() {
        span.record("error.type", field::debug(error.kind()));
    }
}

/// Returns the monotonic time, if it is needed.
fn time_for_metrics(repository: &Repository) -> Duration {
    if metrics::ARE_ON { repository.moment().monotonic } else { Duration::ZERO }
}

/// Sends a request about a table, which has no denial.
#[cfg(feature = "tables")]
pub(crate) async fn call_undenied<O: Operation<Denial = Infallible>>(
    repository: &Repository,
    about: About<'_>,
    operation: O,
) -> Result<O::Value, Error> {
    let Answer::Done(output) = call(repository, Ask::new(about), operation, Again::Never).await?;
    Ok(output)
}

/// Sends a read. It is hedged if the command has a delay of its own, or the repository hedges all commands.
pub(crate) fn read<'a, O: Operation<Denial = Infallible>>(
    repository: &'a Repository,
    about: About<'a>,
    operation: O,
    hedge: Option<Duration>,
) -> impl Future<Output = Result<O::Value, Error>> + Send + use<'a, O> {
    let hedge = repository.hedging(hedge);
    let again = if hedge.is_some() { Again::Kept(Box::new(operation.clone())) } else { Again::Never };
    // The operation moves into the request before the first `await`, so that no future holds it.
    let answer = call(repository, Ask { hedge, ..Ask::new(about) }, operation, again);
    answer.map_ok(|Answer::Done(output)| output)
}

/// Counts the cost of a request, and records cost and outcome in the request's span.
pub(in crate::exchange) fn record(repository: &Repository, span: &Span, usage: Usage, outcome: &'static str) {
    repository.count(usage);
    usage.record(span);
    span.record("outcome", outcome);
}
