//! What a request is about: for its span, and for an error that names the table.

use crate::error::Error;
use std::collections::BTreeSet;
use tracing::{Span, field};

/// The command that a request is a part of, and its entities and tables, by name.
#[derive(Clone, Debug)]
pub(crate) struct About<'a> {
    /// As users call it: `put`, `query`, …
    operation: &'static str,
    whose: Whose<'a>,
}

#[derive(Clone, Debug)]
enum Whose<'a> {
    /// One entity, and its table.
    One(&'a str, &'a str),
    /// Several entities, and tables.
    Several(BTreeSet<&'a str>, BTreeSet<&'a str>),
}

impl<'a> About<'a> {
    pub(crate) fn new(operation: &'static str, entity: &'a str, table: &'a str) -> Self {
        Self { operation, whose: Whose::One(entity, table) }
    }

    /// Of entities and their tables, each of which can be given more than once.
    pub(crate) fn several(operation: &'static str, entries: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let (entities, tables) = entries.unzip();
        Self { operation, whose: Whose::Several(entities, tables) }
    }

    /// The same, of these tables.
    pub(crate) fn of_tables(self, tables: &'a [String]) -> Self {
        let tables = tables.iter().map(String::as_str).collect();
        let whose = match self.whose {
            Whose::One(entity, _) => Whose::Several(BTreeSet::from([entity]), tables),
            Whose::Several(entities, _) => Whose::Several(entities, tables),
        };
        Self { whose, ..self }
    }

    /// A span for one request: what it is about, never keys or values. Units and outcome are recorded when they are known.
    pub(super) fn span(&self, request: &'static str) -> Span {
        match &self.whose {
            Whose::One(entity, table) => span(self.operation, request, entity, table),
            Whose::Several(entities, tables) => span(self.operation, request, &joined(entities), &joined(tables)),
        }
    }

    /// What its latency is that of: the request, and its tables.
    pub(super) fn of(&self, request: &'static str) -> (&'static str, String) {
        match &self.whose {
            Whose::One(_, table) => (request, (*table).to_owned()),
            Whose::Several(_, tables) => (request, joined(tables)),
        }
    }

    /// Names the table, where that is what is wrong.
    pub(super) fn explain(&self, error: Error) -> Error {
        match &self.whose {
            Whose::One(_, table) => error.in_tables(std::iter::once(*table)),
            Whose::Several(_, tables) => error.in_tables(tables.iter().copied()),
        }
    }
}

fn span(operation: &'static str, request: &'static str, entity: &str, table: &str) -> Span {
    tracing::info_span!(
        "dynamodb",
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
