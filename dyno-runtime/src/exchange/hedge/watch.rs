//! Counts the attempts of one of the two requests of a hedge, and forgets them once its outcome is known.

use crate::exchange::Attempts;
use aws_sdk_dynamodb::config::interceptors::FinalizerInterceptorContextRef;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Counts the request attempts of one of the two requests of a hedge, for this request and for the whole write.
#[derive(Clone, Debug)]
pub(crate) struct Watch(Arc<Counted>);

#[derive(Debug)]
struct Counted {
    /// The request attempts of the whole write, if it is a write.
    write: Option<Attempts>,
    /// The request attempts of this request.
    own: Attempts,
    /// The number of attempts of this request that were sent.
    sent: AtomicUsize,
    /// Whether DynamoDB has answered the last request attempt with an error.
    is_answered: AtomicBool,
}

impl Watch {
    pub(in crate::exchange) fn new(write: Option<&Attempts>) -> Self {
        Self(Arc::new(Counted {
            write: write.cloned(),
            own: Attempts::default(),
            sent: AtomicUsize::new(0),
            is_answered: AtomicBool::new(false),
        }))
    }

    /// Returns `true` if this request is a write and may have been applied.
    pub(super) fn may_be_applied(&self) -> bool {
        self.0.write.is_some() && self.0.own.may_be_applied()
    }

    /// Returns `true` if DynamoDB has answered the last attempt with an error, so that the SDK may be pausing before a retry.
    pub(super) fn is_answered(&self) -> bool {
        self.0.is_answered.load(Ordering::SeqCst)
    }

    /// Returns `true` if the SDK has retried the request.
    pub(super) fn is_retried(&self) -> bool {
        self.0.sent.load(Ordering::SeqCst) > 1
    }

    /// Forgets the attempts of this request, because the answer to the other request leaves nothing in doubt.
    pub(super) fn close(&self) {
        let open = self.0.own.open();
        for attempts in self.attempts() {
            attempts.close(open);
        }
    }

    /// Counts an attempt that is about to be sent.
    pub(in crate::exchange) fn before_attempt(&self) {
        self.0.is_answered.store(false, Ordering::SeqCst);
        self.0.sent.fetch_add(1, Ordering::SeqCst);
        self.attempts().for_each(Attempts::before_attempt);
    }

    /// Takes an attempt back if DynamoDB certainly did not apply it.
    pub(in crate::exchange) fn after_attempt(&self, attempt: &FinalizerInterceptorContextRef<'_>) {
        let is_error = matches!(attempt.output_or_error(), Some(Err(_)));
        self.0.is_answered.store(is_error && attempt.response().is_some(), Ordering::SeqCst);
        self.attempts().for_each(|attempts| attempts.after_attempt(attempt));
    }

    fn attempts(&self) -> impl Iterator<Item = &Attempts> {
        self.0.write.iter().chain([&self.0.own])
    }
}
