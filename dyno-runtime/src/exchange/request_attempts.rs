//! The request attempts of one write. They tell a refusal by another writer from a refusal that an earlier attempt of the same
//! write caused, whose answer was lost.
//!
//! The SDK retries requests by itself, so an interceptor counts the attempts. Clones of a command are the same write and share
//! its attempts; a clone that is changed becomes another write with no attempts.

use crate::error::{Error, is_unserved};
use crate::exchange::random;
use crate::rule::Expected;
use aws_sdk_dynamodb::config::interceptors::FinalizerInterceptorContextRef;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The request attempts of one write. Clones count together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attempts(Arc<Counted>);

#[derive(Debug, Default)]
struct Counted {
    /// The number of attempts that were, or may have been, applied.
    open: AtomicUsize,
    /// The versions that the attempts expected, the last one last.
    expected: Mutex<Vec<Expected>>,
}

impl Attempts {
    /// Returns the number of attempts that were, or may have been, applied.
    pub(super) fn open(&self) -> usize {
        self.0.open.load(Ordering::SeqCst)
    }

    /// Returns `true` if an attempt was, or may have been, applied.
    pub(crate) fn may_be_applied(&self) -> bool {
        self.open() > 0
    }

    /// Returns `true` if an earlier attempt than the last one, which succeeded, may have been applied, too.
    pub(crate) fn has_lost_earlier(&self) -> bool {
        self.open() > 1
    }

    /// Forgets this many open attempts, because the outcome of the write is known without them.
    pub(super) fn close(&self, open: usize) {
        self.0.open.fetch_sub(open, Ordering::SeqCst);
    }

    /// Returns the error, in doubt if an attempt may have been applied. `hint` says how to learn whether it was.
    pub(crate) fn mark_in_doubt(&self, error: Error, hint: &str) -> Error {
        if self.may_be_applied() { error.in_doubt("write", hint) } else { error }
    }

    /// Returns the versions that this write has expected so far, the last one last. An earlier `send` of the same command may
    /// have expected one of them before its answer was lost, or a clone that is being sent may expect one.
    pub(crate) fn expected(&self) -> Vec<Expected> {
        self.lock().clone()
    }

    /// Notes that the next attempt expects this version.
    pub(crate) fn expect(&self, expected: Expected) {
        let mut all = self.lock();
        all.retain(|earlier| *earlier != expected);
        all.push(expected);
    }

    /// Forgets the expected versions, because the write was refused for good.
    pub(crate) fn restart(&self) {
        self.lock().clear();
    }

    /// Counts an attempt that is about to be sent.
    pub(super) fn before_attempt(&self) {
        self.0.open.fetch_add(1, Ordering::SeqCst);
    }

    /// Takes an attempt back if DynamoDB certainly did not apply it.
    pub(super) fn after_attempt(&self, attempt: &FinalizerInterceptorContextRef<'_>) {
        let error = attempt.output_or_error().and_then(Result::err);
        if error.is_some_and(|error| is_unserved(error, attempt.response())) {
            self.0.open.fetch_sub(1, Ordering::SeqCst);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Expected>> {
        self.0.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The identity of a write, which the clones of its command share: the write id, and the request attempts in each table.
#[derive(Clone, Debug, Default)]
pub(crate) struct WriteIdentity(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    write_id: OnceLock<String>,
    attempts: Mutex<Vec<(String, Attempts)>>,
}

impl WriteIdentity {
    /// Returns the write id, which the first call generates.
    pub(crate) fn write_id(&self) -> Result<String, Error> {
        if let Some(write_id) = self.0.write_id.get() {
            return Ok(write_id.clone());
        }
        let write_id = random::unique_name()?;
        Ok(self.0.write_id.get_or_init(|| write_id).clone())
    }

    /// Returns the attempts in this table. An attempt in one table says nothing about the item in another table.
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
