//! The one function through which requests leave.
//!
//! It sends one request: the SDK retries its bytes, and it is sent again after a pause where DynamoDB says that others hold an
//! item. What else an answer may ask for takes another request, and is not known here.

use super::back_off::{BackOff, sleep};
use super::classify_error::Failure;
use super::operation::Operation;
use super::repository::Repository;
use super::request_attempts::{Attempts, Once};
use super::request_subject::About;
use super::send_deadline::Until;
use super::usage::Usage;
use crate::error::Error;
use crate::exchange::hedge::{Delay, Racer, Watch, race};
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{self, SharedInterceptor};
use aws_smithy_runtime_api::client::retries::classifiers::SharedRetryClassifier;
use futures_util::future::{BoxFuture, TryFutureExt as _};
use std::convert::Infallible;
use std::time::Duration;
use tracing::{Instrument as _, Span};

/// How often a request is sent again while others hold its items.
const PAUSES: u32 = 8;

/// How a request is to be sent.
pub(crate) struct Ask<'a> {
    pub(crate) about: About<'a>,
    /// What remembers its attempts, of a write.
    pub(crate) attempts: Option<&'a Attempts>,
    pub(crate) repeat: Repeat,
    /// What it costs if it is a transaction that DynamoDB cancels, of which it reports nothing.
    pub(crate) cancelled: Usage,
    /// When a second, equal request is sent, if it may be.
    pub(crate) hedge: Option<Delay>,
    /// Whether it is a write that knows itself by its name: what reads its refusals knows that an attempt may be under way.
    pub(crate) is_named: bool,
    /// Until when its attempts are sent, if that matters.
    pub(crate) until: Option<Until>,
}

/// Whether an attempt may follow one that may have been applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// As often as one likes: sent twice is as sent once, or is refused the second time.
    Freely,
    /// Never: it would count twice.
    Once,
}

impl<'a> Ask<'a> {
    /// A request that only reads, or that nobody need remember.
    pub(crate) fn new(about: About<'a>) -> Self {
        Self {
            about,
            attempts: None,
            repeat: Repeat::Freely,
            cancelled: Usage::default(),
            hedge: None,
            is_named: false,
            until: None,
        }
    }

    /// A write, whose attempts are remembered.
    pub(crate) fn write(about: About<'a>, attempts: &'a Attempts, repeat: Repeat) -> Self {
        Self { attempts: Some(attempts), repeat, ..Self::new(about) }
    }

    /// Returns the watch of a first request, if it is hedged.
    fn watch(&self) -> Option<Watch> {
        self.hedge.map(|_| Watch::new(self.attempts))
    }

    /// Returns the SDK's configuration of one sending: it watches the request attempts, and restricts further ones. `watch` is of
    /// a hedged request.
    pub(super) fn config(&self, watch: Option<Watch>) -> Option<config::Builder> {
        // An interceptor is permanent, because the SDK would look at each step whether somebody has disabled it.
        let interceptor = match (watch, &self.attempts) {
            (Some(watch), _) => Some(SharedInterceptor::permanent(watch)),
            (None, Some(attempts)) => Some(SharedInterceptor::permanent(Attempts::clone(attempts))),
            (None, None) => None,
        };
        let until = self.until.clone().map(SharedInterceptor::permanent);
        if interceptor.is_none() && until.is_none() {
            return None;
        }
        let mut config = config::Builder::new();
        for interceptor in interceptor.into_iter().chain(until) {
            config.push_interceptor(interceptor);
        }
        if self.repeat == Repeat::Once {
            config.push_retry_classifier(SharedRetryClassifier::new(Once));
        }
        Some(config)
    }

    /// Returns the SDK's configuration of the second request of a hedge, which is sent once.
    pub(super) fn hedge_config(&self, watch: Watch) -> Option<config::Builder> {
        let mut config = self.config(Some(watch))?;
        config.set_retry_config(Some(RetryConfig::disabled()));
        Some(config)
    }
}

/// DynamoDB's answer to an operation that can be denied for `D`.
pub(crate) enum Answer<T, D> {
    Done(T),
    Denied(D),
}

/// DynamoDB's answer to this operation.
pub(crate) type AnswerTo<O> = Answer<<O as Operation>::Value, <O as Operation>::Denial>;

/// Sends the request, in a span of its own and counted. While others hold its items, it is sent again after a pause, as `again`
/// makes it anew: the same.
pub(crate) fn call<'a, O: Operation>(
    repository: &'a Repository,
    ask: Ask<'a>,
    operation: O,
    again: Option<impl Fn() -> Option<O> + Send + Sync + 'a>,
) -> BoxFuture<'a, Result<AnswerTo<O>, Error>> {
    // The builders of requests have kilobytes: in the SDK's future, and not in ours as well. Nothing happens before it is polled.
    let mut watch = ask.watch();
    let mut sent = operation.send(ask.config(watch.clone()));
    Box::pin(async move {
        if let Some(delay) = ask.hedge {
            repository.hedges().check(delay, sleep(repository)).map_err(|error| ask.about.explain(error))?;
        }
        let mut back_off = BackOff::new(repository, PAUSES);
        loop {
            let span = ask.about.span(O::NAME);
            repository.count(Usage::REQUEST);
            let classified = sent.map_err(|error| O::classify(error, ask.cancelled));
            let (response, span) = match ask.hedge.zip(watch.take()) {
                Some((delay, watch)) => {
                    let first = Racer { watch, span, is_second: false };
                    let again = || again.as_ref().and_then(|again| again());
                    Box::pin(race::<O>(repository, &ask, delay, first, classified, again)).await
                }
                None => (classified.instrument(span.clone()).await, span),
            };
            let failure = match response {
                Ok(output) => {
                    record(repository, &span, O::usage(&output), O::outcome(&output));
                    return Ok(Answer::Done(O::value(output)));
                }
                Err(failure) => failure,
            };
            record(repository, &span, failure.usage(), failure.outcome());
            match failure {
                Failure::Denied(_, denial) => return Ok(Answer::Denied(denial)),
                Failure::Busy(error) => {
                    let has_waited = again.is_some() && back_off.pause().await;
                    let next = again.as_ref().filter(|_| has_waited).and_then(|again| again());
                    let Some(next) = next else { return Err(ask.about.explain(error)) };
                    watch = ask.watch();
                    sent = next.send(ask.config(watch.clone()));
                }
                Failure::Error(error) => return Err(ask.about.explain(error)),
            }
        }
    })
}

/// Sends a request that nothing denies: a reading, or one about a table.
pub(crate) async fn call_undenied<O: Operation<Denial = Infallible>>(
    repository: &Repository,
    about: About<'_>,
    operation: O,
) -> Result<O::Value, Error> {
    let Answer::Done(output) = call(repository, Ask::new(about), operation, None::<fn() -> _>).await?;
    Ok(output)
}

/// Sends a reading, which is hedged if it has a delay of its own, or its repository one for all.
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

/// Counts what a request has cost, and writes it into its span.
pub(super) fn record(repository: &Repository, span: &Span, usage: Usage, outcome: &'static str) {
    repository.count(usage);
    usage.record(span);
    span.record("outcome", outcome);
}
