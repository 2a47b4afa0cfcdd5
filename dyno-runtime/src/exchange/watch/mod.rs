//! What others see of the requests: spans, events, metrics, and what they have used.

pub(super) mod consumed_capacity;
pub(crate) mod metrics;
pub(super) mod span;
pub(crate) mod trace_events;
