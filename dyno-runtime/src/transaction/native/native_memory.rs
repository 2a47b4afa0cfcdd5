//! What is remembered of a transaction between its attempts, and between the `send`s of its clones: the contents, and whether
//! they may have been applied. For as long as DynamoDB knows the token, the same is sent again; then, nothing that could be
//! applied twice.

use super::native_plan::Plan;
use crate::exchange::{Attempts, Moment};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What is remembered of a transaction.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) attempts: Attempts,
    plan: Mutex<Option<Arc<Plan>>>,
    pub(crate) applied: AtomicBool,
}

impl Memory {
    pub(crate) fn plan(&self) -> Option<Arc<Plan>> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps a plan in the place of another; or the one that a clone has kept there meanwhile.
    pub(crate) fn keep(&self, of: Option<&Arc<Plan>>, mut plan: Plan, now: Moment, limit: Duration) -> Arc<Plan> {
        let mut kept = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        let is_expected = |kept: &Arc<Plan>| of.is_some_and(|of| Arc::ptr_eq(of, kept));
        match &*kept {
            Some(other) if !is_expected(other) && other.tables == plan.tables && other.age(now) < limit => {
                Arc::clone(other)
            }
            other => {
                if let Some(other) = other.as_ref().filter(|_| self.attempts.may_be_applied()) {
                    plan.since = other.since;
                }
                Arc::clone(kept.insert(Arc::new(plan)))
            }
        }
    }

    /// It was refused for good: sent again, it starts anew. With a token of the caller's the contents stay as they are, since
    /// DynamoDB may hold them against others; and so they do while an attempt may still be under way.
    pub(crate) fn forget(&self, plan: &Arc<Plan>, has_token: bool) {
        let mut kept = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        let is_kept = kept.as_ref().is_some_and(|kept| Arc::ptr_eq(kept, plan));
        if is_kept && !has_token && !self.attempts.may_be_applied() {
            *kept = None;
        }
    }
}
