//! The span of a write. (Each request has a span of its own: see `About`.)

use crate::schema::Schema;
use tracing::{Span, field};

/// A span for one write, which can take several requests: what came of it in the end.
pub(crate) fn span(schema: &Schema, operation: &'static str, table: &str) -> Span {
    tracing::info_span!("dyno", entity = schema.entity, operation, table, outcome = field::Empty)
}

/// A span for one transaction: how many actions it has.
pub(crate) fn transaction_span(operation: &'static str, actions: usize) -> Span {
    tracing::info_span!("dyno", operation, actions, outcome = field::Empty)
}

/// A span for one interactive transaction: how often its closure was run, and what came of it.
pub(crate) fn interactive_span() -> Span {
    tracing::info_span!("dyno", operation = "interactive", attempts = field::Empty, outcome = field::Empty)
}
