//! What is remembered of the attempts of one write, so that a refusal can be told from the echo of an attempt whose
//! answer was lost.
//!
//! The SDK retries on its own, so its attempts are watched by an interceptor. Clones of a command are one write, and
//! share what is remembered; a clone that is changed is another one, and starts anew.
//!
//! `Once` keeps the SDK from sending again what may have been applied and would count twice.

use crate::error::{Error, is_unserved};
use crate::exchange::random;
use crate::rule::Expected;
use aws_sdk_dynamodb::config::interceptors::{BeforeTransmitInterceptorContextRef, FinalizerInterceptorContextRef};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::InterceptorContext;
use aws_smithy_runtime_api::client::retries::classifiers::{ClassifyRetry, RetryAction};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The attempts of one write.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attempts(Arc<Memory>);

#[derive(Debug, Default)]
struct Memory {
    /// Attempts that were, or may have been, applied.
    open: AtomicUsize,
    /// What the attempts expected, one after the other.
    reached: Mutex<Vec<Expected>>,
}

impl Attempts {
    /// How many attempts were, or may have been, applied.
    pub(super) fn open(&self) -> usize {
        self.0.open.load(Ordering::SeqCst)
    }

    /// Whether an attempt may have been applied, and its answer lost.
    pub(crate) fn may_be_applied(&self) -> bool {
        self.open() > 0
    }

    /// Of a request that was answered: whether an earlier attempt may have been applied, too.
    pub(crate) fn has_lost_earlier(&self) -> bool {
        self.open() > 1
    }

    /// So many of its attempts are nothing to wonder about: the write is settled.
    pub(super) fn close(&self, open: usize) {
        self.0.open.fetch_sub(open, Ordering::SeqCst);
    }

    /// What an error of a write says, given all of its attempts. `hint` says how to learn whether it was applied.
    pub(crate) fn recall(&self, error: Error, hint: &str) -> Error {
        if self.may_be_applied() { error.in_doubt("write", hint) } else { error }
    }

    /// What this write has expected so far, the last one last: an earlier `send` of the same command may have failed
    /// there, or one of a clone be under way.
    pub(crate) fn reached(&self) -> Vec<Expected> {
        self.0.reached.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn reach(&self, expected: Expected) {
        let mut reached = self.0.reached.lock().unwrap_or_else(PoisonError::into_inner);
        reached.retain(|earlier| *earlier != expected);
        reached.push(expected);
    }

    /// The write was refused for good: sent again, it starts anew.
    pub(crate) fn restart(&self) {
        self.0.reached.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// What the clones of a command share, which are one write: its name, and what was attempted of it in each table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identity(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    write_id: OnceLock<String>,
    attempts: Mutex<Vec<(String, Attempts)>>,
}

impl Identity {
    /// The name of the write.
    pub(crate) fn write_id(&self) -> Result<String, Error> {
        if let Some(write_id) = self.0.write_id.get() {
            return Ok(write_id.clone());
        }
        let write_id = random::name()?;
        Ok(self.0.write_id.get_or_init(|| write_id).clone())
    }

    /// Its attempts in this table: those in another say nothing of it.
    pub(crate) fn attempts(&self, table: &str) -> Attempts {
        let mut attempts = self.0.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, attempts)) = attempts.iter().find(|(name, _)| name == table) {
            return attempts.clone();
        }
        let new = Attempts::default();
        attempts.push((table.to_owned(), new.clone()));
        new
    }
}

/// Counts the attempts that may have been applied.
impl Intercept for Attempts {
    fn name(&self) -> &'static str {
        "dyno::Attempts"
    }

    fn read_before_transmit(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.0.open.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn read_after_attempt(
        &self,
        attempt: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let error = attempt.output_or_error().and_then(Result::err);
        if error.is_some_and(|error| is_unserved(error, attempt.response())) {
            self.0.open.fetch_sub(1, Ordering::SeqCst);
        }
        Ok(())
    }
}

/// Forbids the SDK to send again what may have been applied. What was certainly not, as when DynamoDB is throttling, is
/// sent again as ever.
#[derive(Debug)]
pub(crate) struct Once;

impl ClassifyRetry for Once {
    fn classify_retry(&self, attempt: &InterceptorContext) -> RetryAction {
        match attempt.output_or_error() {
            Some(Err(error)) if !is_unserved(error, attempt.response()) => RetryAction::RetryForbidden,
            _ => RetryAction::NoActionIndicated,
        }
    }

    fn name(&self) -> &'static str {
        "dyno::Once"
    }
}
