//! The span of each request.

use crate::schema::Schema;
use tracing::{Span, field};

/// A span for one request: what it is about, never keys or values. Capacity and outcome are recorded when known.
pub(crate) fn span(schema: &Schema, operation: &'static str, table: &str) -> Span {
    tracing::info_span!(
        "dynamodb",
        entity = schema.entity,
        operation,
        table,
        read_units = field::Empty,
        write_units = field::Empty,
        outcome = field::Empty,
    )
}

/// A span for one request about a table.
pub(crate) fn table_span(operation: &'static str, table: &str) -> Span {
    tracing::info_span!("dynamodb", operation, table, outcome = field::Empty)
}

/// A span for one transaction: how many actions it has.
pub(crate) fn transaction_span(operation: &'static str, actions: usize) -> Span {
    tracing::info_span!(
        "dynamodb",
        operation,
        actions,
        read_units = field::Empty,
        write_units = field::Empty,
        outcome = field::Empty,
    )
}

/// The span of a request that may be about several entities, in several tables.
pub(crate) fn batch_span<'a>(
    operation: &'static str,
    entries: impl Iterator<Item = (&'static Schema, &'a str)>,
) -> Span {
    let (mut entities, mut tables): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for (schema, table) in entries {
        if !entities.contains(&schema.entity) {
            entities.push(schema.entity);
        }
        if !tables.contains(&table) {
            tables.push(table);
        }
    }
    tracing::info_span!(
        "dynamodb",
        entity = entities.join(", "),
        operation,
        table = tables.join(", "),
        read_units = field::Empty,
        write_units = field::Empty,
        outcome = field::Empty,
    )
}
