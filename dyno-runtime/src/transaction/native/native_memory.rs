//! The memory of a native transaction between the `send`s of its clones: its plan, and whether the plan may have been applied.
//! While DynamoDB remembers the token, the same plan is sent again. After that, nothing is sent that could be applied twice.

use super::native_plan::Plan;
use crate::exchange::{Attempts, Moment};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The shared memory of a transaction and its clones.
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

    /// Replaces the plan `earlier` by this one, and returns it. But if a clone has replaced `earlier` already, returns the
    /// clone's plan.
    pub(crate) fn replace(
        &self,
        earlier: Option<&Arc<Plan>>,
        mut plan: Plan,
        now: Moment,
        limit: Duration,
    ) -> Arc<Plan> {
        let mut kept = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        let is_expected = |kept: &Arc<Plan>| earlier.is_some_and(|earlier| Arc::ptr_eq(earlier, kept));
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

    /// Forgets a plan that was refused, so that the next `send` makes another. But the plan stays if the caller has set the
    /// token, because DynamoDB may compare the contents; and it stays while a request attempt of it may still be applied.
    pub(crate) fn forget(&self, plan: &Arc<Plan>, has_token: bool) {
        let mut kept = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        let is_kept = kept.as_ref().is_some_and(|kept| Arc::ptr_eq(kept, plan));
        if is_kept && !has_token && !self.attempts.may_be_applied() {
            *kept = None;
        }
    }
}
