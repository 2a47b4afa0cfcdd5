//! The subject of a request: its command, entities and tables. The request's span names them, and so do the errors of a missing
//! table and of throttling.

use crate::error::Error;
use crate::sorted;
#[cfg(feature = "metrics")]
use metrics::Label;
use std::slice;
use tracing::{Span, field};

/// The subject of a request: the command that sends it, and the names of its entities and tables.
#[derive(Clone, Debug)]
pub(crate) struct About<'a> {
    /// The command, as users call it: `put`, `query`, …
    operation: &'static str,
    names: Names<'a>,
    /// The index that is read.
    index: Option<&'static str>,
}

#[derive(Clone, Debug)]
enum Names<'a> {
    /// An entity and its table.
    One(&'static str, &'a str),
    /// Several entities, and their tables, in their order.
    Several(Vec<&'static str>, Vec<&'a str>),
}

impl<'a> About<'a> {
    pub(crate) fn new(operation: &'static str, entity: &'static str, table: &'a str) -> Self {
        Self { operation, names: Names::One(entity, table), index: None }
    }

    /// Names several entities and their tables. A pair can occur more than once.
    pub(crate) fn several(operation: &'static str, entries: impl Iterator<Item = (&'static str, &'a str)>) -> Self {
        let (entities, tables): (Vec<_>, Vec<_>) = entries.unzip();
        let (entities, tables) = (sorted::names(entities.into_iter()), sorted::names(tables.into_iter()));
        Self { operation, names: Names::Several(entities, tables), index: None }
    }

    /// Names the index that is read, if it is not the table itself.
    pub(crate) fn of_index(self, index: Option<&'static str>) -> Self {
        Self { index, ..self }
    }

    /// Replaces the tables.
    pub(crate) fn of_tables(self, tables: &'a [String]) -> Self {
        let tables = sorted::names(tables.iter().map(String::as_str));
        let names = match self.names {
            Names::One(entity, _) => Names::Several(vec![entity], tables),
            Names::Several(entities, _) => Names::Several(entities, tables),
        };
        Self { names, ..self }
    }

    /// Returns a span for one request. It never has keys or values. Units and outcome are recorded when they are known.
    pub(in crate::exchange) fn span(&self, request: &'static str) -> Span {
        let span = match &self.names {
            Names::One(entity, table) => span(self.operation, request, entity, table),
            Names::Several(entities, tables) => span(self.operation, request, &joined(entities), &joined(tables)),
        };
        if let Some(index) = self.index {
            span.record("aws.dynamodb.index_name", index);
        }
        span
    }

    /// Returns the labels of a metric of this request.
    #[cfg(feature = "metrics")]
    pub(in crate::exchange) fn labels(&self, request: &'static str) -> Vec<Label> {
        match &self.names {
            Names::One(_, table) => self.labels_of_table(request, table),
            Names::Several(_, tables) => self.labels_of_table(request, &joined(tables)),
        }
    }

    /// Returns the labels of a metric of this request and one of its tables.
    #[cfg(feature = "metrics")]
    pub(in crate::exchange) fn labels_of_table(&self, request: &'static str, table: &str) -> Vec<Label> {
        // One more for a label of the caller's.
        let mut labels = Vec::with_capacity(7);
        labels.extend([
            Label::from_static_parts("db.system.name", "aws.dynamodb"),
            Label::from_static_parts("db.operation.name", request),
            Label::from_static_parts("operation", self.operation),
            Label::new("db.collection.name", table.to_owned()),
            match &self.names {
                Names::One(entity, _) => Label::from_static_parts("entity", entity),
                Names::Several(entities, _) => Label::new("entity", joined(entities)),
            },
        ]);
        labels.extend(self.index.map(|index| Label::from_static_parts("aws.dynamodb.index_name", index)));
        labels
    }

    /// Returns the request and its tables, by which latencies are kept.
    pub(in crate::exchange) fn latency_key(&self, request: &'static str) -> (&'static str, String) {
        match &self.names {
            Names::One(_, table) => (request, (*table).to_owned()),
            Names::Several(_, tables) => (request, joined(tables)),
        }
    }

    /// Adds the names of the tables to the error of a missing table or of a throttled request.
    pub(in crate::exchange) fn explain(&self, error: Error) -> Error {
        let tables: &[&str] = match &self.names {
            Names::One(_, table) => slice::from_ref(table),
            Names::Several(_, tables) => tables,
        };
        if !error.is_throttled() {
            return error.in_tables(tables.iter().copied());
        }
        let message = format!("{error}; the request was to {}", list_tables(tables));
        error.with_message(message)
    }
}

/// Returns the names of these tables for a message.
pub(in crate::exchange) fn list_tables(names: &[&str]) -> String {
    format!("the table{} `{}`", if names.len() == 1 { "" } else { "s" }, names.join("`, `"))
}

fn span(operation: &'static str, request: &'static str, entity: &str, table: &str) -> Span {
    tracing::info_span!(
        "dynamodb",
        // OpenTelemetry's names for a client span of DynamoDB (semantic conventions, "Database client calls for DynamoDB").
        otel.name = %format_args!("DynamoDB.{request}"),
        otel.kind = "client",
        db.system.name = "aws.dynamodb",
        db.operation.name = request,
        aws.request_id = field::Empty,
        error.type = field::Empty,
        // Several names in one text: an attribute of an event cannot be a list.
        aws.dynamodb.table_names = table,
        aws.dynamodb.index_name = field::Empty,
        aws.dynamodb.count = field::Empty,
        aws.dynamodb.consumed_capacity = field::Empty,
        entity,
        operation,
        read_units = field::Empty,
        write_units = field::Empty,
        outcome = field::Empty,
        hedge = field::Empty,
    )
}

fn joined(names: &[&str]) -> String {
    names.join(", ")
}
