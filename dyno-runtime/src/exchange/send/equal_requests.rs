//! The requests of one call: one, and a second, equal one if the first is hedged. What decides between them does not know the type
//! of the operation, so it is compiled once, and not once for each operation. The responses wait here.

use super::classify_error::Failure;
use super::interceptor::{Hooked, RequestHooks};
use super::operation::{Failed, Operation, Sent};
use super::page_deserializer::DecodeFrom;
use super::response_facts::Facts;
use crate::attribute::JsonItems;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tracing::Span;

/// One of the two requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::exchange) enum Which {
    First,
    Second,
}

impl Which {
    pub(in crate::exchange) fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// The requests of a call, without the type of their operation.
pub(in crate::exchange) trait EqualRequests: Send {
    fn name(&self) -> &'static str;

    /// Returns `true` if the request can be made once more.
    fn is_kept(&self) -> bool;

    /// Makes the request once more, and sends it in this place. Returns `false` if it cannot be made.
    fn send_again(&mut self, which: Which, hooks: RequestHooks) -> bool;

    /// Polls a request that was sent, in its span. Its output or its denial stays here.
    fn poll(&mut self, which: Which, span: &Span, context: &mut Context<'_>) -> Poll<Result<(), Failure>>;

    /// Drops a request whose response does not count.
    fn abandon(&mut self, which: Which);

    /// Returns what is accounted for of the output, if the request has one.
    fn facts(&self, which: Which) -> Facts<'_>;
}

/// How a request is made once more: for a hedge, or while other requests hold its items.
pub(crate) enum Again<'a, O> {
    Never,
    /// Boxed, because a builder takes most of a kilobyte, and few requests are kept.
    Kept(Box<O>),
    Made(Box<dyn Fn() -> Option<O> + Send + Sync + 'a>),
}

/// The requests of a call.
pub(in crate::exchange) struct RequestsOf<'a, O: Operation> {
    name: &'static str,
    again: Again<'a, O>,
    cancelled_units: f64,
    first: Place<O>,
    second: Option<Box<Place<O>>>,
}

/// A request, and then its response.
enum Place<O: Operation> {
    Sent(Hooked<Sent<O::Output, O::Denial>>),
    Done(O::Output, Option<Arc<JsonItems>>),
    Denied(O::Denial),
    Failed,
}

impl<'a, O: Operation> RequestsOf<'a, O> {
    /// Sends the first request. (A builder takes kilobytes, so it moves into the SDK's boxed future at once.)
    pub(in crate::exchange) fn send(
        operation: O,
        again: Again<'a, O>,
        hooks: RequestHooks,
        cancelled_units: f64,
    ) -> Self {
        let name = operation.name();
        Self { name, again, cancelled_units, first: Place::send(operation, hooks, cancelled_units), second: None }
    }

    /// Takes the response that counts: the output with its items, or the denial.
    pub(in crate::exchange) fn take(self, which: Which) -> Option<Result<O::Value, O::Denial>> {
        let place = match which {
            Which::First => self.first,
            Which::Second => *self.second?,
        };
        match place {
            Place::Done(output, items) => Some(Ok(O::value(output, items))),
            Place::Denied(denial) => Some(Err(denial)),
            Place::Sent(_) | Place::Failed => None,
        }
    }
}

impl<O: Operation> EqualRequests for RequestsOf<'_, O> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn is_kept(&self) -> bool {
        !matches!(self.again, Again::Never)
    }

    fn send_again(&mut self, which: Which, hooks: RequestHooks) -> bool {
        let operation = match &self.again {
            Again::Never => None,
            Again::Kept(operation) => Some(O::clone(operation)),
            Again::Made(make) => make(),
        };
        let Some(operation) = operation else { return false };
        let place = Place::send(operation, hooks, self.cancelled_units);
        match which {
            Which::First => self.first = place,
            Which::Second => self.second = Some(Box::new(place)),
        }
        true
    }

    fn poll(&mut self, which: Which, span: &Span, context: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        match (which, &mut self.second) {
            (Which::Second, Some(second)) => second.poll(span, context),
            _ => self.first.poll(span, context),
        }
    }

    fn abandon(&mut self, which: Which) {
        match which {
            Which::First => self.first = Place::Failed,
            Which::Second => self.second = None,
        }
    }

    fn facts(&self, which: Which) -> Facts<'_> {
        match (which, &self.second) {
            (Which::Second, Some(second)) => second.facts(),
            _ => self.first.facts(),
        }
    }
}

impl<O: Operation> Place<O> {
    fn send(operation: O, mut hooks: RequestHooks, cancelled_units: f64) -> Self {
        if hooks.decode_from == DecodeFrom::Response {
            hooks.deserializer = O::deserializer();
        }
        let sent = operation.send(hooks.is_retried, cancelled_units);
        Self::Sent(Hooked::new(hooks, sent))
    }

    fn poll(&mut self, span: &Span, context: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        // A request is polled until its response is here, and no longer.
        let Self::Sent(sent) = self else { return Poll::Pending };
        let entered = span.enter();
        let (response, items) = ready!(Pin::new(sent).poll(context));
        let failed = match response {
            Ok(output) => {
                *self = Self::Done(output, items);
                None
            }
            Err(failed) => {
                let Failed { failure, denial, request_id } = *failed;
                *self = denial.map_or(Self::Failed, Self::Denied);
                Some((failure, request_id))
            }
        };
        drop(entered);
        Poll::Ready(match failed {
            None => Ok(()),
            Some((failure, request_id)) => {
                span.record("aws.request_id", request_id);
                Err(failure)
            }
        })
    }

    fn facts(&self) -> Facts<'_> {
        match self {
            Self::Done(output, _) => O::facts(output),
            Self::Sent(_) | Self::Denied(_) | Self::Failed => Facts::default(),
        }
    }
}
