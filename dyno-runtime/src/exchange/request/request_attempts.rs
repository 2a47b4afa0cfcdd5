//! The request attempts of one write. They tell a refusal by another writer from a refusal that an earlier attempt of the same
//! write caused, whose answer was lost.
//!
//! The SDK retries requests on its own, so an interceptor counts the attempts. Clones of a command are the same write and share
//! its attempts; a clone that is changed becomes another write with no attempts.

use crate::error::{Error, is_unserved};
use crate::exchange::{Clock, random};
use crate::rule::{Expected, LATEST_SECS};
use aws_sdk_dynamodb::config::interceptors::FinalizerInterceptorContextRef;
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

/// The request attempts of one write. Clones count together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attempts(Arc<Counted>);

#[derive(Debug, Default)]
struct Counted {
    /// The number of attempts that were, or may have been, applied.
    open: AtomicUsize,
    /// The versions that the attempts expected, the last one last.
    expected: Mutex<Vec<Expected>>,
    /// When the last attempt was sent, in milliseconds of the clock's monotonic time.
    last_sent: AtomicU64,
    /// The sends of the command and of all its clones, if these are the attempts of a write without a version.
    sends: Mutex<Vec<Attempts>>,
    /// The write, if these are the attempts of one `send` alone.
    write: Option<Whole>,
}

/// The attempts of all sends of a write, and the clock by which they end. The write owns its sends, so they do not own the write.
struct Whole {
    attempts: Weak<Counted>,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for Whole {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Whole").finish_non_exhaustive()
    }
}

impl Attempts {
    /// Returns the attempts of one `send` of this write. The other sends of the write see them, too.
    pub(crate) fn of(write: &Self, clock: &Arc<dyn Clock>) -> Self {
        let whole = Some(Whole { attempts: Arc::downgrade(&write.0), clock: Arc::clone(clock) });
        let send = Self(Arc::new(Counted { write: whole, ..Counted::default() }));
        let mut sends = write.0.sends.lock().unwrap_or_else(PoisonError::into_inner);
        // A send that is over and has learnt its outcome has no attempts to see.
        sends.retain(|send| send.own() > 0 || Arc::strong_count(&send.0) > 1);
        sends.push(send.clone());
        drop(sends);
        send
    }

    /// Returns the number of attempts of the whole write that were, or may have been, applied. Those of other sends count for as
    /// long as they can arrive.
    pub(in crate::exchange) fn open(&self) -> usize {
        let Some(Whole { attempts, clock }) = &self.0.write else { return self.own() };
        let Some(attempts) = attempts.upgrade() else { return self.own() };
        let (now, limit) = (millis(clock.monotonic()), u64::from(LATEST_SECS) * 1000);
        let sends = attempts.sends.lock().unwrap_or_else(PoisonError::into_inner);
        let others = sends.iter().filter(|send| !Arc::ptr_eq(&send.0, &self.0));
        let arriving = others.filter(|send| now.saturating_sub(send.0.last_sent.load(Ordering::SeqCst)) <= limit);
        self.own() + arriving.map(Self::own).sum::<usize>()
    }

    /// Returns the number of these attempts alone.
    fn own(&self) -> usize {
        self.0.open.load(Ordering::SeqCst)
    }

    /// Forgets the attempts of this `send`, because it has learnt the outcome of the write. Those of other sends stay open.
    pub(crate) fn settle(&self) {
        if self.0.write.is_some() {
            self.0.open.store(0, Ordering::SeqCst);
        }
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
    pub(in crate::exchange) fn close(&self, open: usize) {
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
    pub(in crate::exchange) fn before_attempt(&self) {
        self.0.open.fetch_add(1, Ordering::SeqCst);
        if let Some(Whole { clock, .. }) = &self.0.write {
            self.0.last_sent.store(millis(clock.monotonic()), Ordering::SeqCst);
        }
    }

    /// Takes an attempt back if DynamoDB certainly did not apply it.
    pub(in crate::exchange) fn after_attempt(&self, attempt: &FinalizerInterceptorContextRef<'_>) {
        let error = attempt.output_or_error().and_then(Result::err);
        if error.is_some_and(|error| is_unserved(error, attempt.response())) {
            self.close(1);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Expected>> {
        self.0.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn millis(duration: Duration) -> u64 {
    duration.as_millis().try_into().unwrap_or(u64::MAX)
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
    /// Returns `true` if a clone of the command exists, or had attempts while it did.
    pub(crate) fn is_shared(&self) -> bool {
        // In this order: a clone that is dropped meanwhile has left its attempts before.
        Arc::strong_count(&self.0) > 1 || !self.0.attempts.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

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
