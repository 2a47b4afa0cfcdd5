//! A deadline for the attempts of a request. The SDK retries on its own and signs each attempt anew, so even an attempt that it
//! sends after the process has slept for hours would be accepted. (M6 in `docs/internals/protocol.md` says why that must not happen.)

use crate::exchange::repository::clock::{Clock, Moment};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The time after which no attempt of a request is sent.
#[derive(Clone)]
pub(crate) struct SendDeadline(Arc<Limit>);

struct Limit {
    clock: Arc<dyn Clock>,
    begun: Moment,
    limit: Duration,
}

impl SendDeadline {
    #[cfg(feature = "transactions")]
    pub(crate) fn new(clock: &Arc<dyn Clock>, begun: Moment, limit: Duration) -> Self {
        Self(Arc::new(Limit { clock: Arc::clone(clock), begun, limit }))
    }

    /// Returns `true` if the deadline has passed.
    pub(crate) fn is_over(&self) -> bool {
        let Limit { clock, begun, limit } = &*self.0;
        begun.until(Moment::now(&**clock)) >= *limit
    }
}

impl fmt::Debug for SendDeadline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Limit { clock: _, begun, limit } = &*self.0;
        f.debug_struct("SendDeadline").field("begun", begun).field("limit", limit).finish_non_exhaustive()
    }
}
