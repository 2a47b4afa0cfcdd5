//! The spans of writes and transactions. (Each of their requests has a span of its own: see `About`.)

use crate::schema::Schema;
use tracing::{Span, field};

/// Returns a span for one write, which can take several requests. Its outcome is recorded when the write ends.
pub(crate) fn span(schema: &Schema, operation: &'static str, table: &str) -> Span {
    tracing::info_span!("dyno", entity = schema.entity, operation, table, outcome = field::Empty)
}

/// Returns a span for one transaction, with the number of its actions.
pub(crate) fn transaction_span(operation: &'static str, actions: usize) -> Span {
    tracing::info_span!("dyno", operation, actions, outcome = field::Empty)
}

/// Returns a span for one interactive transaction. The number of runs of its closure and its outcome are recorded later.
#[cfg(feature = "transactions")]
pub(crate) fn interactive_span() -> Span {
    tracing::info_span!("dyno", operation = "interactive", attempts = field::Empty, outcome = field::Empty)
}
