//! The memory that the clones of an interactive transaction share, because they are one transaction: the attempt that is in
//! progress or in doubt, and the value that the closure returned with it.

use crate::attribute::time::EpochMillis;
use crate::exchange::{Priority, Repository, Waits};
use crate::transaction::attempt::Report;
use crate::transaction::closure::Attempt;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The memory that clones share.
pub(in crate::command) struct Memory<T> {
    /// The time of the first `send`.
    since: OnceLock<EpochMillis>,
    waits: Waits,
    kept: Mutex<Kept<T>>,
    /// Copies the value of the closure. It is set as soon as there is a clone, whose `send` may return the value, too.
    copy: OnceLock<fn(&T) -> T>,
}

struct Kept<T> {
    progress: Progress,
    /// The value that the closure returned with the attempt in `progress`.
    value: Option<T>,
}

/// How far the transaction has come.
#[derive(Clone)]
pub(super) enum Progress {
    /// No attempt was or may be applied.
    Nothing,
    /// This attempt is in progress, or in doubt.
    Sent(Arc<Attempt>),
    Applied(Report),
}

impl<T> Memory<T> {
    /// Returns the transaction's priority: every attempt is as old as the first `send`.
    pub(super) fn priority(&self, repository: &Repository) -> Priority {
        let since = *self.since.get_or_init(|| repository.now());
        Priority { since, name: String::new(), waits: self.waits.clone() }
    }

    /// Lets each `send` have a copy of the closure's value.
    pub(in crate::command) fn share_value(&self, copy: fn(&T) -> T) {
        let _ = self.copy.set(copy);
    }

    fn kept(&self) -> MutexGuard<'_, Kept<T>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn progress(&self) -> Progress {
        self.kept().progress.clone()
    }

    /// Returns `true` if an attempt is in doubt.
    pub(super) fn is_in_doubt(&self) -> bool {
        matches!(&self.kept().progress, Progress::Sent(attempt) if attempt.may_be_applied())
    }

    /// Keeps an attempt that is about to be sent. But if a clone has kept another one meanwhile, the clone's attempt stays.
    pub(super) fn keep(&self, attempt: Arc<Attempt>, value: T) {
        let mut kept = self.kept();
        if matches!(kept.progress, Progress::Nothing) {
            *kept = Kept { progress: Progress::Sent(attempt), value: Some(value) };
        }
    }

    /// Notes that the attempt was applied.
    pub(super) fn note_applied(&self, attempt: &Arc<Attempt>, report: Report) {
        let mut kept = self.kept();
        if kept.has(attempt) {
            kept.progress = Progress::Applied(report);
        }
    }

    /// Returns the value of the closure, and what was stored, if the transaction was applied. The value is returned once, or
    /// copied if there is a clone.
    pub(super) fn applied(&self) -> Option<(T, Report)> {
        let mut kept = self.kept();
        let Progress::Applied(report) = &kept.progress else { return None };
        let report = report.clone();
        let value = match self.copy.get() {
            Some(copy) => kept.value.as_ref().map(copy),
            None => kept.value.take(),
        };
        Some((value?, report))
    }

    /// Forgets an attempt that was not applied, unless it may still be: because a clone is sending it, too, or because an earlier
    /// request of it may still arrive.
    pub(super) fn forget_unless_open(&self, attempt: Arc<Attempt>) {
        let mut kept = self.kept();
        let Progress::Sent(sent) = &mut kept.progress else { return };
        if !Arc::ptr_eq(sent, &attempt) {
            return;
        }
        drop(attempt);
        // A clone that is sending the attempt owns it, too, so the memory is the only owner if no clone is.
        if Arc::get_mut(sent).is_some_and(|attempt| !attempt.may_be_applied()) {
            *kept = Kept::default();
        }
    }

    /// Forgets an attempt that was not applied, and can never be.
    pub(super) fn forget(&self, attempt: &Arc<Attempt>) {
        let mut kept = self.kept();
        if kept.has(attempt) {
            *kept = Kept::default();
        }
    }
}

impl<T> Kept<T> {
    /// Returns `true` if this attempt is in progress or in doubt.
    fn has(&self, attempt: &Arc<Attempt>) -> bool {
        matches!(&self.progress, Progress::Sent(sent) if Arc::ptr_eq(sent, attempt))
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { progress: Progress::Nothing, value: None }
    }
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Self { since: OnceLock::new(), waits: Waits::default(), kept: Mutex::default(), copy: OnceLock::new() }
    }
}

impl<T> fmt::Debug for Memory<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}
