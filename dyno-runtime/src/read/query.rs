//! Queries and scans without their types, and the checks that refuse a condition which a key or an index cannot have.

use super::cursor::Cursor;
use super::entity_set::EntitySet;
use super::read_level::Level;
use crate::attribute::KeyPart;
use crate::error::{Context, EncodeError, Error};
use crate::exchange::Consistency;
use crate::expression::Node;
use crate::key::{PARTITION_KEY_BYTES, Part, SortTerm, Window, check_key, error_context, key_names, key_value};
use crate::schema::{AccessPath, Index, Projected, Schema};
use aws_sdk_dynamodb::types::AttributeValue;
use std::time::Duration;

/// A query or scan, without its types.
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
    /// Whether tombstones and expired items are returned, too.
    pub(crate) include_dead: bool,
    /// The attributes to read; all of them if it is `None`.
    pub(crate) projection: Option<&'static [&'static str]>,
    /// The entities whose items are read, if it is not only the schema's.
    pub(crate) entities: Option<EntitySet>,
    pub(crate) returns: Returns,
    /// The delay of hedges, if it is not that of the repository.
    pub(crate) hedge: Option<Duration>,
}

/// The kind of result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Returns {
    /// The items, up to the limit.
    #[default]
    Items,
    /// The items, up to the limit, and each item that a transaction holds, in any version. The caller resolves it.
    ItemsAndHeld,
    /// The number of items.
    Count,
    /// All rows of the entity, including those that count as absent. The caller applies the filter and the limit, to the
    /// versions that it shows.
    Rows,
}

/// The part of a table or index that a [`ReadCommand`] reads.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Query {
        /// An index, or the table itself.
        index: Option<&'static Index>,
        /// The values of the partition key's fields.
        partition: Result<Vec<AttributeValue>, EncodeError>,
        /// The conditions on the sort key, each with the index of its attribute in that key.
        sort: Vec<(usize, SortTerm)>,
        descending: bool,
    },
    Scan {
        /// An index, or the table itself.
        index: Option<&'static Index>,
        /// The segment, and the number of all segments.
        segment: Option<(u32, u32)>,
    },
}

/// The name of a key attribute, and its value.
pub(super) type KeyValue = (&'static str, AttributeValue);

impl ReadCommand {
    pub(crate) fn new(schema: &'static Schema, source: Source) -> Self {
        Self { schema, source, filter: None, after: None, options: ReadOptions::default() }
    }

    /// Returns the index that is read, if it is not the table itself.
    pub(crate) fn index(&self) -> Option<&'static Index> {
        match self.source {
            Source::Query { index, .. } | Source::Scan { index, .. } => index,
        }
    }

    /// Adds a condition to the filter.
    pub(crate) fn and(&mut self, filter: Result<Node, EncodeError>) {
        self.filter = Some(Node::join(self.filter.take(), filter));
    }

    pub(super) fn operation(&self) -> &'static str {
        match self.source {
            Source::Query { .. } => "query",
            Source::Scan { .. } => "scan",
        }
    }

    /// Returns the context of its errors.
    pub(crate) fn context(&self) -> Context {
        error_context(self.operation(), self.schema, None)
    }
}

/// Returns the attributes of the partition key with these fields.
pub(super) fn partition_key(path: AccessPath, parts: &[Part]) -> Result<Vec<KeyValue>, Error> {
    let parts: Vec<&dyn KeyPart> = parts.iter().map(|part| part as &dyn KeyPart).collect();
    let keys = path.partition.iter().map(|key| {
        let value = key_value(path.fields, key, &parts)?;
        check_key(&value, PARTITION_KEY_BYTES).map_err(|error| error.at_name(key.name))?;
        Ok((key.name, value))
    });
    keys.collect()
}

/// Returns the window of values for each attribute of the sort key.
pub(super) fn windows(
    path: AccessPath,
    partition: &[Part],
    mut terms: Vec<(usize, SortTerm)>,
) -> Result<Vec<(&'static str, Window)>, Error> {
    let windows = path.sort.iter().enumerate().map(|(index, key)| {
        let own = terms.extract_if(.., |(attribute, _)| *attribute == index).map(|(_, term)| term).collect();
        Ok((key.name, Window::new(path.fields, key, partition, own)?))
    });
    windows.collect()
}

/// Refuses a filter that names an attribute of the key by which the query reads, because DynamoDB refuses it, too.
pub(super) fn refuse_key_names(path: AccessPath, filter: Option<&Node>) -> Result<(), Error> {
    let names = filter.map(Node::names).unwrap_or_default();
    match names.into_iter().find(|name| path.keys().any(|key| key.name == *name)) {
        None => Ok(()),
        Some(name) => Err(Error::invalid(format!(
            "`{name}` is a key attribute, which the filter of a query cannot name: use the query's `sort_…` methods"
        ))),
    }
}

/// Refuses a consistent read of an index that cannot be consistent: DynamoDB reads a global index eventually, and a committed change of a
/// transaction comes into an index only when it is applied to the item.
pub(super) fn refuse_inconsistent_index(
    index: Option<&'static Index>,
    level: Level,
    schemas: &[&'static Schema],
) -> Result<(), Error> {
    let Some(index) = index.filter(|_| level.consistency() == Consistency::Consistent) else { return Ok(()) };
    let transactional = schemas.iter().find(|schema| schema.is_transactional);
    match transactional {
        _ if !index.is_local => Err(Error::invalid(format!(
            "the global index `{}` has no consistent reads: leave `consistent` out, or read the table",
            index.name
        ))),
        Some(schema) => Err(Error::invalid(format!(
            "the index `{}` lacks committed changes of `{}` that are not applied yet: leave `consistent` out, or read the table",
            index.name, schema.entity
        ))),
        None => Ok(()),
    }
}

/// Refuses a filter that names an attribute which the index does not hold, because the filter would find it absent in every item.
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
            "the index `{of}` does not hold `{name}`, so a filter would treat it as absent: add it to the index's `projection(…)`, or filter the items after the read"
        ))),
    }
}

/// Refuses a limit of 0, which would return nothing.
pub(super) fn check_limit(limit: Option<usize>) -> Result<(), Error> {
    match limit {
        Some(0) => Err(Error::invalid("a limit of 0 returns nothing: give at least 1, or no limit")),
        _ => Ok(()),
    }
}

/// The most segments of a scan. (API reference, `Scan`: `TotalSegments` is 1 to 1,000,000.)
pub(crate) const SEGMENTS: u32 = 1_000_000;

/// Refuses a segment that does not exist.
pub(crate) fn check_segment(segment: Option<(u32, u32)>) -> Result<Option<(u32, u32)>, Error> {
    match segment {
        Some((segment, of)) if segment >= of || of > SEGMENTS => Err(Error::invalid(format!(
            "there is no segment {segment} of {of}: segments count from 0, and there are at most {SEGMENTS}"
        ))),
        segment => Ok(segment),
    }
}
