//! The observable side of requests: spans, events, metrics and consumed capacity.

pub(super) mod consumed_capacity;
pub(crate) mod metrics;
pub(super) mod span;
pub(crate) mod trace_events;
