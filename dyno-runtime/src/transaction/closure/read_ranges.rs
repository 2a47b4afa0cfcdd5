//! A range of a partition that the closure read: which rows it had, and whether it still has them.
//!
//! Each key up to the end of the range counts as read, also where there was no row. No row returns to an earlier state, and a
//! deleted row leaves a tombstone. So if the same rows are there later, unchanged, and no others, the range was the same all the
//! time in between (M14).

use super::read_write_set::{EntityRef, Row};
use super::row_identity::is_same;
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, compare};
use crate::error::Error;
use crate::exchange::{Caller, ItemRef, Priority, Repository};
use crate::key::distinct;
use crate::read::{Level, Paged as _, Pages, ReadCommand, ReadOptions, Returns, Source};
use crate::rule;
use crate::schema::Schema;
use crate::transaction::record::{TransactionId, has_intent_of, without_intent};
use crate::transaction::resolve::read_when_free;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A range that was read.
pub(crate) struct Range {
    of: EntityRef,
    table: String,
    command: ReadCommand,
    /// The key of the last row that was read, if the range was not read to its end.
    pub(crate) until: Option<Item>,
    /// The indexes of the rows that were there.
    pub(crate) rows: Vec<usize>,
}

impl Range {
    /// The range of a query that has read nothing yet.
    pub(crate) fn new(of: EntityRef, table: String, command: ReadCommand) -> Self {
        let options = ReadOptions { level: Level::Stored, projection: None, returns: Returns::Rows, ..command.options };
        let command = ReadCommand { options, ..command };
        Self { of, table, command, until: None, rows: Vec::new() }
    }

    /// Whether a row can be in the range.
    pub(crate) fn is_of(&self, row: &Row) -> bool {
        row.tables.main == self.table && row.of.entity == self.of.entity
    }

    /// Whether the range is of another table than this repository's.
    pub(crate) fn is_elsewhere(&self, repository: &Repository) -> Result<bool, Error> {
        Ok((self.of.tables)(repository)?.main != self.table)
    }

    /// Returns which row of the range has a key.
    pub(crate) fn name(&self, key: &Item) -> Option<String> {
        distinct(&self.table, self.of.schema, key).ok()
    }

    /// Returns the pages of the range: every row of the entity, dead or alive.
    pub(crate) fn pages(&self, repository: &Repository) -> Result<Pages, Error> {
        Pages::new(repository.clone(), self.table.clone(), self.command.clone())
    }

    /// The order of two keys in the range.
    pub(crate) fn order(&self, one: &Item, other: &Item) -> Ordering {
        let Some(sort) = &self.of.schema.sort else { return Ordering::Equal };
        let order = one.get(sort.name).zip(other.get(sort.name)).and_then(|(one, other)| compare(one, other));
        let order = order.unwrap_or(Ordering::Equal);
        if matches!(self.command.source, Source::Query { descending: true, .. }) { order.reverse() } else { order }
    }

    /// Whether the range has the rows that it had, and no others, and no other transaction holds one of them. `own` are the IDs
    /// under which this transaction holds rows.
    pub(crate) async fn holds(
        &self,
        repository: &Repository,
        rows: &[Row],
        priority: &Priority,
        own: &[&TransactionId],
        now: EpochMillis,
    ) -> Result<bool, Error> {
        let schema = self.of.schema;
        let mut known = BTreeMap::new();
        for place in &self.rows {
            known.insert(distinct(&self.table, schema, &rows[*place].key)?, *place);
        }
        let mut pages = self.pages(repository)?;
        if self.until.is_some() {
            pages.set_request_limit(self.rows.len().max(1));
        }
        let is_beyond = |key: &Item| self.until.as_ref().is_some_and(|until| self.order(key, until).is_gt());
        let is_read = |pages: &Pages| {
            let (reached, until) = (pages.start_key(), self.until.as_ref());
            reached.zip(until).is_some_and(|(reached, until)| self.order(reached, until).is_ge())
        };
        'pages: while !is_read(&pages)
            && let Some(items) = pages.next_page().await?
        {
            for item in items {
                let at = ItemRef { table: self.table.clone(), key: key_of(schema, &item) };
                if is_beyond(&at.key) {
                    break 'pages;
                }
                let place = known.remove(&distinct(&self.table, schema, &at.key)?);
                let there = if own.iter().any(|transaction_id| has_intent_of(Some(&item), transaction_id)) {
                    without_intent(item, &at.key)?
                } else {
                    let caller = Caller { operation: "transaction", entity: schema.entity, priority: Some(priority) };
                    read_when_free(repository, caller, &at, Some(item)).await?
                };
                let read = place.and_then(|place| rows[place].read.as_ref()).and_then(Option::as_ref);
                if !is_same(schema, read, there.as_ref()) {
                    return Ok(false);
                }
            }
        }
        // A tombstone among the missing rows has expired.
        let is_absent = |item: &Item| !rule::state(schema, now, item).is_live();
        Ok(known
            .values()
            .all(|place| rows[*place].read.as_ref().is_some_and(|read| read.as_ref().is_none_or(is_absent))))
    }
}

/// Returns the key of an item.
pub(crate) fn key_of(schema: &Schema, item: &Item) -> Item {
    let keys = schema.keys().filter_map(|key| item.get_key_value(key.name));
    keys.map(|(name, value)| (name.clone(), value.clone())).collect()
}
