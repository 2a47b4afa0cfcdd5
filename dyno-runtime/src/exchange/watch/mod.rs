//! What others see of the requests: spans, events, metrics, and what they have used.

pub(crate) mod metrics;
pub(super) mod span;
pub(crate) mod trace_events;
pub(super) mod usage;
