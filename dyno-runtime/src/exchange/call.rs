//! The one function through which requests leave.
//!
//! It sends one request: the SDK retries its bytes, and it is sent again after a pause where DynamoDB says that others hold an
//! item. What else an answer may ask for takes another request, and is not known here.

use super::back_off::{BackOff, sleep};
use super::classify_error::Heard;
use super::operation::Operation;
use super::repository::Repository;
use super::request_attempts::{Attempts, Once};
use super::request_subject::About;
use super::send_deadline::Until;
use super::usage::Usage;
use crate::error::Error;
use crate::exchange::hedge::{Delay, Half, Racing, Watch, race};
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

    /// What the SDK is told, of a request that nothing but its write watches; or of a hedged one, which `watch` does as well.
    pub(super) fn leg(&self, watch: Option<Watch>) -> Leg {
        Leg { attempts: self.attempts.cloned(), repeat: self.repeat, watch, is_hedge: false, until: self.until.clone() }
    }
}

/// DynamoDB's answer to an operation that can be denied for `D`.
pub(crate) enum Answer<T, D> {
    Done(T),
    Denied(D),
}

/// The answer, or that there is none.
type Replied<O> = Result<Answer<<O as Operation>::Wanted, <O as Operation>::Denial>, Error>;

/// What the SDK is told about one sending.
pub(crate) struct Leg {
    attempts: Option<Attempts>,
    repeat: Repeat,
    watch: Option<Watch>,
    /// Whether it is the second of two, which is sent once.
    is_hedge: bool,
    until: Option<Until>,
}

impl Leg {
    /// The second half of a hedged request.
    pub(super) fn hedge(ask: &Ask<'_>, watch: Watch) -> Self {
        Self { is_hedge: true, ..ask.leg(Some(watch)) }
    }

    /// What watches the attempts, and keeps the SDK from further ones; nothing, where nobody watches.
    pub(super) fn config(self) -> Option<config::Builder> {
        // The SDK would look at each step whether somebody has disabled it.
        let interceptor = match (self.watch, self.attempts) {
            (Some(watch), attempts) => Some(SharedInterceptor::permanent(watch.interceptor(attempts))),
            (None, Some(attempts)) => Some(SharedInterceptor::permanent(attempts)),
            (None, None) if self.until.is_none() => return None,
            (None, None) => None,
        };
        let mut config = config::Builder::new();
        if let Some(interceptor) = interceptor {
            config.push_interceptor(interceptor);
        }
        if let Some(until) = self.until {
            config.push_interceptor(SharedInterceptor::permanent(until));
        }
        if self.is_hedge {
            config.set_retry_config(Some(RetryConfig::disabled()));
        }
        if self.repeat == Repeat::Once {
            config.push_retry_classifier(SharedRetryClassifier::new(Once));
        }
        Some(config)
    }
}

/// Sends the request, in a span of its own and counted. While others hold its items, it is sent again after a pause, as `again`
/// makes it anew: the same.
pub(crate) fn call<'a, O: Operation>(
    repository: &'a Repository,
    ask: Ask<'a>,
    operation: O,
    again: Option<impl Fn() -> Option<O> + Send + Sync + 'a>,
) -> BoxFuture<'a, Replied<O>> {
    // The builders of requests have kilobytes: in the SDK's future, and not in ours as well. Nothing happens before it is polled.
    let mut watch = ask.hedge.map(|_| Watch::default());
    let mut sent = operation.send(ask.leg(watch.clone()));
    Box::pin(async move {
        if let Some(delay) = ask.hedge {
            repository.hedges().check(delay, sleep(repository)).map_err(|error| ask.about.explain(error))?;
        }
        let mut back_off = BackOff::new(repository, PAUSES);
        loop {
            let mut span = ask.about.span(O::NAME);
            repository.count(Usage::REQUEST);
            let came = match ask.hedge.zip(watch.take()) {
                Some((delay, watch)) => {
                    let racing = Racing { repository, ask: &ask, delay };
                    let sent = sent.map_err(|error| O::heard(error, ask.cancelled));
                    let again = || again.as_ref().and_then(|again| again());
                    let raced = Box::pin(race::<O>(racing, Half { watch, span, is_second: false }, sent, again)).await;
                    span = raced.1;
                    raced.0
                }
                None => sent.instrument(span.clone()).await.map_err(|error| O::heard(error, ask.cancelled)),
            };
            let heard = match came {
                Ok(output) => {
                    note(repository, &span, O::usage(&output), O::outcome(&output));
                    return Ok(Answer::Done(O::wanted(output)));
                }
                Err(heard) => heard,
            };
            match heard {
                Heard::Denied(usage, denial) => {
                    note(repository, &span, usage, "refused");
                    return Ok(Answer::Denied(denial));
                }
                Heard::Busy(error) => {
                    span.record("outcome", "busy");
                    let has_waited = again.is_some() && back_off.pause().await;
                    let next = again.as_ref().filter(|_| has_waited).and_then(|again| again());
                    let Some(next) = next else { return Err(ask.about.explain(error)) };
                    watch = ask.hedge.map(|_| Watch::default());
                    sent = next.send(ask.leg(watch.clone()));
                }
                Heard::Error(error) => {
                    let outcome = if error.is_throttled() { "throttled" } else { "error" };
                    span.record("outcome", outcome);
                    return Err(ask.about.explain(error));
                }
            }
        }
    })
}

/// Sends a request that nothing denies: a reading, or one about a table.
pub(crate) async fn call_undenied<O: Operation<Denial = Infallible>>(
    repository: &Repository,
    about: About<'_>,
    operation: O,
) -> Result<O::Wanted, Error> {
    let Answer::Done(output) = call(repository, Ask::new(about), operation, None::<fn() -> _>).await?;
    Ok(output)
}

/// Sends a reading, which is hedged if it has a delay of its own, or its repository one for all.
pub(crate) async fn read<O: Operation<Denial = Infallible> + Clone + Sync>(
    repository: &Repository,
    about: About<'_>,
    operation: O,
    hedge: Option<Duration>,
) -> Result<O::Wanted, Error> {
    let Some(hedge) = repository.hedging(hedge) else {
        return call_undenied(repository, about, operation).await;
    };
    let ask = Ask { hedge: Some(hedge), ..Ask::new(about) };
    let kept = operation.clone();
    let Answer::Done(output) = call(repository, ask, operation, Some(move || Some(kept.clone()))).await?;
    Ok(output)
}

/// Counts what a request has cost, and writes it into its span.
fn note(repository: &Repository, span: &Span, usage: Usage, outcome: &'static str) {
    repository.count(usage);
    usage.record(span);
    span.record("outcome", outcome);
}
