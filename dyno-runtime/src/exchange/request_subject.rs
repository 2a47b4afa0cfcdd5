//! The subject of a request: its command, entities and tables. The request's span and a missing table's error name them.

use crate::error::Error;
use std::collections::BTreeSet;
use tracing::{Span, field};

/// The subject of a request: the command that sends it, and the names of its entities and tables.
#[derive(Clone, Debug)]
pub(crate) struct About<'a> {
    /// The command, as users call it: `put`, `query`, …
    operation: &'static str,
    names: Names<'a>,
}

#[derive(Clone, Debug)]
enum Names<'a> {
    /// An entity and its table.
    One(&'a str, &'a str),
    /// Several entities, and their tables.
    Several(BTreeSet<&'a str>, BTreeSet<&'a str>),
}

impl<'a> About<'a> {
    pub(crate) fn new(operation: &'static str, entity: &'a str, table: &'a str) -> Self {
        Self { operation, names: Names::One(entity, table) }
    }

    /// Names several entities and their tables. A pair can occur more than once.
    pub(crate) fn several(operation: &'static str, entries: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let (entities, tables) = entries.unzip();
        Self { operation, names: Names::Several(entities, tables) }
    }

    /// Replaces the tables.
    pub(crate) fn of_tables(self, tables: &'a [String]) -> Self {
        let tables = tables.iter().map(String::as_str).collect();
        let names = match self.names {
            Names::One(entity, _) => Names::Several(BTreeSet::from([entity]), tables),
            Names::Several(entities, _) => Names::Several(entities, tables),
        };
        Self { names, ..self }
    }

    /// Returns a span for one request. It never has keys or values. Units and outcome are recorded when they are known.
    pub(super) fn span(&self, request: &'static str) -> Span {
        match &self.names {
            Names::One(entity, table) => span(self.operation, request, entity, table),
            Names::Several(entities, tables) => span(self.operation, request, &joined(entities), &joined(tables)),
        }
    }

    /// Returns the request and its tables, by which latencies are kept.
    pub(super) fn latency_key(&self, request: &'static str) -> (&'static str, String) {
        match &self.names {
            Names::One(_, table) => (request, (*table).to_owned()),
            Names::Several(_, tables) => (request, joined(tables)),
        }
    }

    /// Adds the names of the tables to an error that a table is missing.
    pub(super) fn explain(&self, error: Error) -> Error {
        match &self.names {
            Names::One(_, table) => error.in_tables(std::iter::once(*table)),
            Names::Several(_, tables) => error.in_tables(tables.iter().copied()),
        }
    }
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
        entity,
        operation,
        request,
        table,
        read_units = field::Empty,
        write_units = field::Empty,
        outcome = field::Empty,
        hedge = field::Empty,
    )
}

fn joined(names: &BTreeSet<&str>) -> String {
    names.iter().copied().collect::<Vec<_>>().join(", ")
}
