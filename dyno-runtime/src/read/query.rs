//! What a query or scan asks, and what of it can be said of no key or index.

use super::cursor::Cursor;
use super::read_level::Level;
use crate::attribute::KeyPart;
use crate::error::{Context, EncodeError, Error};
use crate::expression::Node;
use crate::key::{PARTITION_KEY_BYTES, Part, SortTerm, Window, check_key, error_context, key_names, key_value};
use crate::schema::{AccessPath, Index, Projected, Schema};
use aws_sdk_dynamodb::types::AttributeValue;
use std::time::Duration;

/// A query or scan, as a typed command holds it.
#[derive(Clone, Debug)]
pub(crate) struct ReadCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) source: Source,
    pub(crate) filter: Option<Result<Node, EncodeError>>,
    pub(crate) after: Option<Cursor>,
    pub(crate) options: ReadOptions,
}

/// The parts of a [`ReadCommand`] that need no check before they are used.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReadOptions {
    pub(crate) limit: Option<usize>,
    pub(crate) level: Level,
    /// Whether items that count as absent are to be returned too.
    pub(crate) include_dead: bool,
    /// The attributes to read, unless it is all of them.
    pub(crate) projection: Option<&'static [&'static str]>,
    /// The entities of which items are wanted, unless it is the schema's alone.
    pub(crate) shared: Option<Shared>,
    pub(crate) returns: Returns,
    /// When a page is hedged, unless its repository says so.
    pub(crate) hedge: Option<Duration>,
}

/// What is returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Returns {
    /// The caller's items, up to the limit.
    #[default]
    Items,
    /// How many there are.
    Count,
    /// All rows of the entity, dead or alive: filter and limit are of what is shown of them.
    Rows,
}

/// The entities of which the items of a partition are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared {
    pub(crate) schemas: &'static [&'static Schema],
    /// Whether items of no one are passed over.
    pub(crate) skip_unknown: bool,
}

/// Where a [`ReadCommand`] reads.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Query {
        /// An index, or the table itself.
        index: Option<&'static Index>,
        /// The values of the partition key's fields.
        partition: Result<Vec<AttributeValue>, EncodeError>,
        /// What is asked of the sort key: of which of its attributes, and what.
        sort: Vec<(usize, SortTerm)>,
        descending: bool,
    },
    Scan {
        /// An index, or the table itself.
        index: Option<&'static Index>,
        /// This segment of so many.
        segment: Option<(u32, u32)>,
    },
}

/// The name of a key attribute, and its value.
pub(super) type KeyValue = (&'static str, AttributeValue);

impl ReadCommand {
    pub(crate) fn new(schema: &'static Schema, source: Source) -> Self {
        Self { schema, source, filter: None, after: None, options: ReadOptions::default() }
    }

    /// The index that it reads, if it does.
    pub(crate) fn index(&self) -> Option<&'static Index> {
        match self.source {
            Source::Query { index, .. } | Source::Scan { index, .. } => index,
        }
    }

    /// Adds a filter to those that are there already.
    pub(crate) fn and(&mut self, filter: Result<Node, EncodeError>) {
        self.filter = Some(Node::join(self.filter.take(), filter));
    }

    pub(super) fn operation(&self) -> &'static str {
        match self.source {
            Source::Query { .. } => "query",
            Source::Scan { .. } => "scan",
        }
    }

    pub(crate) fn context(&self) -> Context {
        error_context(self.operation(), self.schema, None)
    }
}

/// The attributes of a partition key whose fields are known.
pub(super) fn partition_key(path: AccessPath, parts: &[Part]) -> Result<Vec<KeyValue>, Error> {
    let parts: Vec<&dyn KeyPart> = parts.iter().map(|part| part as &dyn KeyPart).collect();
    let keys = path.partition.iter().map(|key| {
        let value = key_value(path.fields, key, &parts)?;
        check_key(&value, PARTITION_KEY_BYTES).map_err(|error| error.at_name(key.name))?;
        Ok((key.name, value))
    });
    keys.collect()
}

/// What is asked of each attribute of a sort key.
pub(super) fn windows(
    path: AccessPath,
    partition: &[Part],
    mut terms: Vec<(usize, SortTerm)>,
) -> Result<Vec<(&'static str, Window)>, Error> {
    let windows = path.sort.iter().enumerate().map(|(index, key)| {
        let of_this = terms.extract_if(.., |(attribute, _)| *attribute == index).map(|(_, term)| term).collect();
        Ok((key.name, Window::new(path.fields, key, partition, of_this)?))
    });
    windows.collect()
}

/// DynamoDB takes no key attribute in a query's filter: no attribute of the key that the query goes by.
pub(super) fn refuse_key_names(path: AccessPath, filter: Option<&Node>) -> Result<(), Error> {
    let names = filter.map(Node::names).unwrap_or_default();
    match names.into_iter().find(|name| path.keys().any(|key| key.name == *name)) {
        None => Ok(()),
        Some(name) => Err(Error::invalid(format!(
            "`{name}` is a key attribute, which the filter of a query cannot name: use the query's `sort_…` methods"
        ))),
    }
}

/// An index knows nothing of what it does not hold: a filter would take it to be absent in every item.
pub(super) fn refuse_names_not_held(
    schema: &'static Schema,
    index: Option<&'static Index>,
    filter: Option<&Node>,
) -> Result<(), Error> {
    let Some(Index { name: of, projection: Projected::Only(held), .. }) = index else { return Ok(()) };
    let is_held = |name: &&str| held.contains(name) || key_names(schema, index).any(|key| key == *name);
    match filter.map(Node::names).unwrap_or_default().into_iter().find(|name| !is_held(name)) {
        None => Ok(()),
        Some(name) => Err(Error::invalid(format!(
            "the index `{of}` does not hold `{name}`, so a filter takes it to be absent: name it in the index's `projection(…)`, or filter what was read"
        ))),
    }
}

/// Of no items, a limit is a mistake.
pub(super) fn check_limit(limit: Option<usize>) -> Result<(), Error> {
    match limit {
        Some(0) => Err(Error::invalid("a limit of 0 returns nothing: give at least 1, or no limit")),
        _ => Ok(()),
    }
}

/// API reference, Scan: `TotalSegments` is 1 to 1,000,000.
pub(crate) const SEGMENTS: u32 = 1_000_000;

pub(crate) fn check_segment(segment: Option<(u32, u32)>) -> Result<Option<(u32, u32)>, Error> {
    match segment {
        Some((segment, of)) if segment >= of || of > SEGMENTS => Err(Error::invalid(format!(
            "there is no segment {segment} of {of}: segments count from 0, and there are at most {SEGMENTS}"
        ))),
        segment => Ok(segment),
    }
}
