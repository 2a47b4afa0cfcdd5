//! What is remembered of an interactive transaction between the `send`s of its clones, which are one transaction: the attempt
//! that is under way or in doubt, and what the closure has returned with it.

use crate::attribute::time::EpochMillis;
use crate::exchange::{Priority, Repository, Waits};
use crate::transaction::closure::{Attempt, Report};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What clones share.
pub(in crate::command) struct Memory<T> {
    /// When the first of them was sent.
    since: OnceLock<EpochMillis>,
    waits: Waits,
    left: Mutex<Left<T>>,
    /// How to copy what the closure returns: known as soon as there is a clone, which may ask for it, too.
    copy: OnceLock<fn(&T) -> T>,
}

/// What has been left by whoever was there before.
enum Left<T> {
    Nothing,
    /// This may have been applied, or is under way.
    Sent(Arc<Attempt>, Option<T>),
    Applied(Option<T>, Report),
}

/// What is to be gone on with.
pub(super) enum Recalled<T> {
    Nothing,
    Sent(Arc<Attempt>),
    Applied(Option<(T, Report)>),
}

impl<T> Memory<T> {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            since: OnceLock::new(),
            waits: Waits::default(),
            left: Mutex::new(Left::Nothing),
            copy: OnceLock::new(),
        })
    }

    /// How old it is, by this clock: each try of it is as old as the first.
    pub(super) fn age(&self, repository: &Repository) -> Priority {
        let since = *self.since.get_or_init(|| repository.now());
        Priority { since, name: String::new(), waits: self.waits.clone() }
    }

    /// There is a clone now.
    pub(super) fn share(&self, copy: fn(&T) -> T) {
        let _ = self.copy.set(copy);
    }

    fn left(&self) -> MutexGuard<'_, Left<T>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives what the closure has returned: to whoever may ask again, a copy.
    fn give(&self, value: &mut Option<T>) -> Option<T> {
        match self.copy.get() {
            Some(copy) => value.as_ref().map(copy),
            None => value.take(),
        }
    }

    pub(super) fn recall(&self) -> Recalled<T> {
        match &mut *self.left() {
            Left::Nothing => Recalled::Nothing,
            Left::Sent(attempt, _) => Recalled::Sent(Arc::clone(attempt)),
            Left::Applied(value, report) => Recalled::Applied(self.give(value).map(|value| (value, report.clone()))),
        }
    }

    /// Whether an attempt may have been applied, and it is not known.
    pub(super) fn is_open(&self) -> bool {
        matches!(&*self.left(), Left::Sent(attempt, _) if attempt.is_open())
    }

    /// Keeps an attempt that is about to be sent; or says what a clone has put there meanwhile, which goes before it.
    pub(super) fn keep(&self, attempt: Arc<Attempt>, value: T) {
        let mut left = self.left();
        if matches!(*left, Left::Nothing) {
            *left = Left::Sent(attempt, Some(value));
        }
    }

    /// The attempt was applied, and has stored this.
    pub(super) fn applied(&self, attempt: &Arc<Attempt>, report: Report) -> Option<(T, Report)> {
        let mut left = self.left();
        if let Left::Sent(sent, value) = &mut *left
            && Arc::ptr_eq(sent, attempt)
        {
            *left = Left::Applied(value.take(), report);
        }
        match &mut *left {
            Left::Applied(value, report) => self.give(value).map(|value| (value, report.clone())),
            Left::Nothing | Left::Sent(..) => None,
        }
    }

    /// The attempt was not applied: it is forgotten, unless a clone is sending it, too, or an earlier sending may arrive yet.
    pub(super) fn leave(&self, attempt: &Arc<Attempt>) {
        let mut left = self.left();
        // Who asks holds it, and so does the memory.
        let is_alone = Arc::strong_count(attempt) <= 2 && !attempt.is_open();
        if matches!(&*left, Left::Sent(sent, _) if is_alone && Arc::ptr_eq(sent, attempt)) {
            *left = Left::Nothing;
        }
    }

    /// The attempt was not applied, and will not be.
    pub(super) fn forget(&self, attempt: &Arc<Attempt>) {
        let mut left = self.left();
        if matches!(&*left, Left::Sent(sent, _) if Arc::ptr_eq(sent, attempt)) {
            *left = Left::Nothing;
        }
    }
}

/// That of a transaction without a closure: of nothing, there is always a copy.
impl Default for Memory<()> {
    fn default() -> Self {
        let copy: fn(&()) = |()| ();
        Self {
            since: OnceLock::new(),
            waits: Waits::default(),
            left: Mutex::new(Left::Nothing),
            copy: OnceLock::from(copy),
        }
    }
}

impl<T> fmt::Debug for Memory<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}
