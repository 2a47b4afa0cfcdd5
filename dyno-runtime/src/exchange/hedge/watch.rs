//! What is remembered of one half of a hedged request.

use crate::exchange::Attempts;
use aws_sdk_dynamodb::config::interceptors::{BeforeTransmitInterceptorContextRef, FinalizerInterceptorContextRef};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The request attempts of one of the two requests of a hedge.
#[derive(Clone, Debug)]
pub(crate) struct Watch(Arc<Watched>);

#[derive(Debug)]
struct Watched {
    /// The request attempts of the whole write, if it is a write.
    write: Option<Attempts>,
    own: Attempts,
    sent: AtomicUsize,
    /// Whether DynamoDB has answered the last request attempt with an error.
    is_answered: AtomicBool,
}

impl Watch {
    pub(in crate::exchange) fn new(write: Option<&Attempts>) -> Self {
        Self(Arc::new(Watched {
            write: write.cloned(),
            own: Attempts::default(),
            sent: AtomicUsize::new(0),
            is_answered: AtomicBool::new(false),
        }))
    }

    /// Returns `true` if it is a write's, which may have been applied by this request.
    pub(super) fn may_be_applied(&self) -> bool {
        self.0.write.is_some() && self.0.own.may_be_applied()
    }

    pub(super) fn is_answered(&self) -> bool {
        self.0.is_answered.load(Ordering::SeqCst)
    }

    pub(super) fn is_sent_again(&self) -> bool {
        self.0.sent.load(Ordering::SeqCst) > 1
    }

    /// The write is settled by the other request: whatever came of this one, nothing is in doubt.
    pub(super) fn settle(&self) {
        let open = self.0.own.open();
        for attempts in self.attempts() {
            attempts.close(open);
        }
    }

    fn attempts(&self) -> impl Iterator<Item = &Attempts> {
        self.0.write.iter().chain([&self.0.own])
    }
}

impl Intercept for Watch {
    fn name(&self) -> &'static str {
        "dyno::Watch"
    }

    fn read_before_transmit(
        &self,
        context: &BeforeTransmitInterceptorContextRef<'_>,
        components: &RuntimeComponents,
        bag: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.0.is_answered.store(false, Ordering::SeqCst);
        self.0.sent.fetch_add(1, Ordering::SeqCst);
        self.attempts().try_for_each(|attempts| attempts.read_before_transmit(context, components, bag))
    }

    fn read_after_attempt(
        &self,
        attempt: &FinalizerInterceptorContextRef<'_>,
        components: &RuntimeComponents,
        bag: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let is_error = matches!(attempt.output_or_error(), Some(Err(_)));
        self.0.is_answered.store(is_error && attempt.response().is_some(), Ordering::SeqCst);
        self.attempts().try_for_each(|attempts| attempts.read_after_attempt(attempt, components, bag))
    }
}
