//! What dyno does inside the SDK's orchestrator during a request: it counts the attempts of a write, sends no attempt too late,
//! forbids retries that could write twice, and replaces the deserializer of pages.
//!
//! The SDK can take an interceptor for a single request, but then it makes the whole configuration of the client anew for it. So the
//! repository has a client of its own, with one interceptor and one retry classifier for all requests. What they do in a request
//! is a value of the thread while it polls the request.

use super::page_deserializer::{DecodeFrom, PageDeserializer};
use super::send_deadline::SendDeadline;
use crate::attribute::JsonItems;
use crate::error::is_unserved;
use crate::exchange::hedge::Watch;
use crate::exchange::request::request_attempts::Attempts;
use crate::exchange::watch::trace_events::attempt_failed;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::interceptors::{
    BeforeSerializationInterceptorContextRef, BeforeTransmitInterceptorContextRef, FinalizerInterceptorContextRef,
};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents, SharedInterceptor};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::InterceptorContext;
use aws_smithy_runtime_api::client::interceptors::dyn_dispatch_hint;
use aws_smithy_runtime_api::client::orchestrator::Metadata;
use aws_smithy_runtime_api::client::retries::classifiers::{ClassifyRetry, RetryAction, SharedRetryClassifier};
use std::cell::{Cell, RefCell};
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

thread_local! {
    /// The hooks of the request that this thread is polling.
    static POLLED: RefCell<Option<RequestHooks>> = const { RefCell::new(None) };
}

/// Whether a request may be sent again if an earlier attempt may have been applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// Yes: a second arrival changes nothing, or is refused.
    Freely,
    /// No: a second arrival would be applied a second time.
    Once,
}

/// The counter of a request's attempts.
#[derive(Debug)]
pub(crate) enum Counter {
    /// The attempts of a write.
    Write(Attempts),
    /// The attempts of one of the two requests of a hedge.
    Hedge(Watch),
}

/// The tasks of the interceptor and of the retry classifier during one request.
#[derive(Debug)]
pub(crate) struct RequestHooks {
    pub(in crate::exchange) counter: Option<Counter>,
    pub(in crate::exchange) deadline: Option<SendDeadline>,
    pub(in crate::exchange) repeat: Repeat,
    /// Whether the SDK retries the request.
    pub(in crate::exchange) is_retried: bool,
    pub(in crate::exchange) decode_from: DecodeFrom,
    /// The deserializer of the request, if it is not the SDK's.
    pub(in crate::exchange) deserializer: Option<PageDeserializer>,
    /// The items of the last response, if they were decoded from its bytes.
    pub(in crate::exchange) items: RefCell<Option<Arc<JsonItems>>>,
    /// Whether the SDK has called the interceptor.
    pub(in crate::exchange) is_called: Cell<bool>,
    /// The number of attempts so far.
    pub(in crate::exchange) attempts: Cell<u32>,
    /// Whether the current attempt was sent.
    pub(in crate::exchange) is_sent: Cell<bool>,
}

/// A request with its hooks. Its output is the SDK's, with the items of the response if they were decoded from its bytes.
pub(in crate::exchange) struct Hooked<F> {
    hooks: Option<RequestHooks>,
    request: F,
}

impl<F> Hooked<F> {
    /// The SDK's future takes many kilobytes, so it comes boxed.
    pub(in crate::exchange) fn new(hooks: RequestHooks, request: F) -> Self {
        Self { hooks: Some(hooks), request }
    }
}

impl<F: Future + Unpin> Future for Hooked<F> {
    type Output = (F::Output, Option<Arc<JsonItems>>);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { hooks, request } = &mut *self;
        let output = {
            let _entered = Entered::new(hooks);
            ready!(Pin::new(request).poll(context))
        };
        let hooks = hooks.take();
        // If the SDK has not called the interceptor, nobody has counted the attempts, so there may have been one.
        if let Some(RequestHooks { counter: Some(counter), is_called, .. }) = &hooks
            && !is_called.get()
        {
            counter.before_attempt();
        }
        Poll::Ready((output, hooks.and_then(|hooks| hooks.items.take())))
    }
}

/// Gives the thread the hooks of a request while it polls the request, even if that panics.
struct Entered<'a>(&'a mut Option<RequestHooks>);

impl<'a> Entered<'a> {
    fn new(hooks: &'a mut Option<RequestHooks>) -> Self {
        POLLED.with_borrow_mut(|polled| mem::swap(polled, hooks));
        Self(hooks)
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        POLLED.with_borrow_mut(|polled| mem::swap(polled, self.0));
    }
}

/// Looks at the hooks of the request that is being polled. A request of the caller's own has none.
fn with_hooks<T>(look: impl FnOnce(&RequestHooks) -> T) -> Option<T> {
    POLLED.with_borrow(|polled| polled.as_ref().map(look))
}

impl Counter {
    fn before_attempt(&self) {
        match self {
            Self::Write(attempts) => attempts.before_attempt(),
            Self::Hedge(watch) => watch.before_attempt(),
        }
    }

    fn after_attempt(&self, attempt: &FinalizerInterceptorContextRef<'_>) {
        match self {
            Self::Write(attempts) => attempts.after_attempt(attempt),
            Self::Hedge(watch) => watch.after_attempt(attempt),
        }
    }
}

/// Keeps the items of the response to the request that is being polled. Returns `false` if it has no place for them.
pub(in crate::exchange) fn keep_items(items: Option<Arc<JsonItems>>) -> bool {
    with_hooks(|hooks| hooks.items.replace(items)).is_some()
}

/// Returns a client with the interceptor and the retry classifier, and otherwise with the configuration of this client.
pub(in crate::exchange) fn intercepted(client: &Client) -> Client {
    let mut config = client.config().to_builder();
    // Permanent: otherwise the SDK checks before each call of an interceptor whether it was disabled.
    config.push_interceptor(SharedInterceptor::permanent(Interceptor));
    config.push_retry_classifier(SharedRetryClassifier::new(Once));
    Client::from_conf(config.build())
}

#[derive(Debug)]
struct Interceptor;

// The SDK then calls these hooks only, and not all nineteen. Its own interceptors have this attribute, too.
#[dyn_dispatch_hint]
impl Intercept for Interceptor {
    fn name(&self) -> &'static str {
        "dyno::Interceptor"
    }

    fn read_before_execution(
        &self,
        _: &BeforeSerializationInterceptorContextRef<'_>,
        bag: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        with_hooks(|hooks| {
            hooks.is_called.set(true);
            if let Some(deserializer) = &hooks.deserializer {
                deserializer.replace_in(bag);
            }
        });
        Ok(())
    }

    fn read_before_signing(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let deadline = with_hooks(|hooks| {
            hooks.is_sent.set(false);
            hooks.deadline.clone()
        })
        .flatten();
        if deadline.is_some_and(|deadline| deadline.is_over()) {
            Err("it is too late to send the request".into())
        } else {
            Ok(())
        }
    }

    fn read_before_transmit(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        with_hooks(|hooks| {
            hooks.attempts.set(hooks.attempts.get() + 1);
            hooks.is_sent.set(true);
            hooks.counter.iter().for_each(Counter::before_attempt);
        });
        Ok(())
    }

    fn read_after_attempt(
        &self,
        attempt: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        bag: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let number = with_hooks(|hooks| {
            hooks.counter.iter().for_each(|counter| counter.after_attempt(attempt));
            hooks.is_sent.get().then(|| hooks.attempts.get())
        });
        // The caller's code, a clock or a subscriber, is not called while the hooks are borrowed.
        if let Some(number) = number.flatten() {
            let request = bag.load::<Metadata>().map(Metadata::name);
            attempt_failed(number, request.unwrap_or_default(), attempt);
        }
        Ok(())
    }
}

/// Forbids the SDK to retry an attempt that may have been applied, if a second one would be applied, too. It still retries an
/// attempt that was certainly not applied, for example because DynamoDB throttles.
#[derive(Debug)]
struct Once;

impl ClassifyRetry for Once {
    fn classify_retry(&self, attempt: &InterceptorContext) -> RetryAction {
        let is_once = with_hooks(|hooks| hooks.repeat == Repeat::Once) == Some(true);
        match attempt.output_or_error() {
            Some(Err(error)) if is_once && !is_unserved(error, attempt.response()) => RetryAction::RetryForbidden,
            _ => RetryAction::NoActionIndicated,
        }
    }

    fn name(&self) -> &'static str {
        "dyno::Once"
    }
}
