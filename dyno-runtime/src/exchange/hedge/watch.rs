//! What is remembered of one half of a hedged request.

use crate::exchange::Attempts;
use aws_sdk_dynamodb::config::interceptors::{BeforeTransmitInterceptorContextRef, FinalizerInterceptorContextRef};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// One half.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch(Arc<Seen>);

#[derive(Debug, Default)]
struct Seen {
    /// Its attempts: they are the write's, too.
    own: Attempts,
    /// How often it was sent.
    sent: AtomicUsize,
    /// Whether DynamoDB has answered the last attempt with an error.
    is_answered: AtomicBool,
}

impl Watch {
    pub(super) fn open(&self) -> usize {
        self.0.own.open()
    }

    pub(super) fn is_answered(&self) -> bool {
        self.0.is_answered.load(Ordering::SeqCst)
    }

    pub(super) fn is_sent_again(&self) -> bool {
        self.0.sent.load(Ordering::SeqCst) > 1
    }

    /// The write is settled by the other half: whatever came of this one, nothing is in doubt.
    pub(super) fn settle(&self, attempts: Option<&Attempts>) {
        let open = self.open();
        for attempts in attempts.into_iter().chain([&self.0.own]) {
            attempts.close(open);
        }
    }

    pub(in crate::exchange) fn interceptor(self, attempts: Option<Attempts>) -> Watched {
        Watched { watch: self, attempts }
    }
}

/// Watches the attempts of one half, for it and for the whole write.
#[derive(Debug)]
pub(in crate::exchange) struct Watched {
    watch: Watch,
    attempts: Option<Attempts>,
}

impl Intercept for Watched {
    fn name(&self) -> &'static str {
        "dyno::Watched"
    }

    fn read_before_transmit(
        &self,
        context: &BeforeTransmitInterceptorContextRef<'_>,
        components: &RuntimeComponents,
        bag: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.watch.0.is_answered.store(false, Ordering::SeqCst);
        self.watch.0.sent.fetch_add(1, Ordering::SeqCst);
        self.watch.0.own.read_before_transmit(context, components, bag)?;
        match &self.attempts {
            Some(attempts) => attempts.read_before_transmit(context, components, bag),
            None => Ok(()),
        }
    }

    fn read_after_attempt(
        &self,
        attempt: &FinalizerInterceptorContextRef<'_>,
        components: &RuntimeComponents,
        bag: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.watch.0.own.read_after_attempt(attempt, components, bag)?;
        let is_error = matches!(attempt.output_or_error(), Some(Err(_)));
        self.watch.0.is_answered.store(is_error && attempt.response().is_some(), Ordering::SeqCst);
        match &self.attempts {
            Some(attempts) => attempts.read_after_attempt(attempt, components, bag),
            None => Ok(()),
        }
    }
}
