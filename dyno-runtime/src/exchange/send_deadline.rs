//! For how long attempts of a request are sent. The SDK makes attempts of its own, and signs each anew: what it sends after a
//! process has slept for hours is as good as what it sent first. (M6 in `docs/protocol.md` says why that matters.)

use super::clock::{Clock, Moment};
use aws_sdk_dynamodb::config::interceptors::BeforeTransmitInterceptorContextRef;
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The time until which attempts are sent.
#[derive(Clone)]
pub(crate) struct Until {
    clock: Arc<dyn Clock>,
    begun: Moment,
    limit: Duration,
}

impl Until {
    pub(crate) fn new(clock: &Arc<dyn Clock>, begun: Moment, limit: Duration) -> Self {
        Self { clock: Arc::clone(clock), begun, limit }
    }

    /// Whether it is later.
    pub(crate) fn is_over(&self) -> bool {
        self.begun.until(Moment::now(&*self.clock)) >= self.limit
    }
}

impl fmt::Debug for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Until").field("begun", &self.begun).field("limit", &self.limit).finish_non_exhaustive()
    }
}

impl Intercept for Until {
    fn name(&self) -> &'static str {
        "dyno::Until"
    }

    fn read_before_signing(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        if self.is_over() { Err("it is too late to send the request".into()) } else { Ok(()) }
    }
}
