//! A deadline for the attempts of a request. The SDK retries by itself and signs each attempt anew, so even an attempt that it
//! sends after the process has slept for hours would be accepted. (M6 in `docs/protocol.md` says why that must not happen.)

use super::clock::{Clock, Moment};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The time after which no attempt of a request is sent.
#[derive(Clone)]
pub(crate) struct SendDeadline {
    clock: Arc<dyn Clock>,
    begun: Moment,
    limit: Duration,
}

impl SendDeadline {
    pub(crate) fn new(clock: &Arc<dyn Clock>, begun: Moment, limit: Duration) -> Self {
        Self { clock: Arc::clone(clock), begun, limit }
    }

    /// Returns `true` if the deadline has passed.
    pub(crate) fn is_over(&self) -> bool {
        self.begun.until(Moment::now(&*self.clock)) >= self.limit
    }
}

impl fmt::Debug for SendDeadline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendDeadline").field("begun", &self.begun).field("limit", &self.limit).finish_non_exhaustive()
    }
}
