//! The one function through which requests leave.
//!
//! It sends one request: the SDK retries its bytes, and it is sent again after a pause where DynamoDB says that others hold an
//! item. What else an answer may ask for takes another request, and is not known here.

use super::about::About;
use super::attempts::{Attempts, Once};
use super::back_off::BackOff;
use super::heard::Heard;
use super::operation::Operation;
use super::repository::Repository;
use super::usage::Usage;
use crate::error::Error;
use aws_sdk_dynamodb::config::{self, SharedInterceptor};
use aws_smithy_runtime_api::client::retries::classifiers::SharedRetryClassifier;
use futures_util::future::BoxFuture;
use std::convert::Infallible;
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
        Self { about, attempts: None, repeat: Repeat::Freely, cancelled: Usage::default() }
    }

    /// A write, whose attempts are remembered.
    pub(crate) fn write(about: About<'a>, attempts: &'a Attempts, repeat: Repeat) -> Self {
        Self { attempts: Some(attempts), repeat, ..Self::new(about) }
    }

    fn leg(&self) -> Leg {
        Leg { attempts: self.attempts.cloned(), repeat: self.repeat }
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
}

impl Leg {
    /// What watches the attempts, and keeps the SDK from further ones; nothing, where nobody watches.
    pub(super) fn config(self) -> Option<config::Builder> {
        let mut config = config::Builder::new();
        // The SDK would look at each step whether somebody has disabled it.
        config.push_interceptor(SharedInterceptor::permanent(self.attempts?));
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
    again: Option<impl Fn() -> Option<O> + Send + 'a>,
) -> BoxFuture<'a, Replied<O>> {
    // The builders of requests have kilobytes: in the SDK's future, and not in ours as well. Nothing happens before it is polled.
    let mut sent = operation.send(ask.leg());
    Box::pin(async move {
        let mut back_off = BackOff::new(repository, PAUSES);
        loop {
            let span = ask.about.span(O::NAME);
            repository.count(Usage::REQUEST);
            let heard = match sent.instrument(span.clone()).await {
                Ok(output) => {
                    note(repository, &span, O::usage(&output), O::outcome(&output));
                    return Ok(Answer::Done(O::wanted(output)));
                }
                Err(error) => O::heard(error, ask.cancelled),
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
                    sent = next.send(ask.leg());
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

/// Counts what a request has cost, and writes it into its span.
fn note(repository: &Repository, span: &Span, usage: Usage, outcome: &'static str) {
    repository.count(usage);
    usage.record(span);
    span.record("outcome", outcome);
}
