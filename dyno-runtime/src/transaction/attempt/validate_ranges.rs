//! A range of a partition that the closure read: which rows it had, and whether it still has them.
//!
//! Each key up to the end of the range counts as read, whether or not there was a row. No row returns to an earlier state, and a
//! deleted row leaves a tombstone. So if the range later has the same rows, unchanged, and no others, it did not change in
//! between (M14).

use super::read_write_set::{EntityRef, Row};
use super::row_identity::is_same;
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, RawItem, compare};
use crate::error::Error;
use crate::exchange::{Caller, ItemRef, Priority, Repository};
use crate::key::{distinct, key_of};
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
    pub(crate) last_key: Option<Item>,
    /// The indexes of the rows that the range had.
    pub(crate) rows: Vec<usize>,
}

impl Range {
    /// Returns the range of a query that has read nothing yet.
    pub(crate) fn new(of: EntityRef, table: String, command: ReadCommand) -> Self {
        let options = ReadOptions { level: Level::Stored, projection: None, returns: Returns::Rows, ..command.options };
        let command = ReadCommand { options, ..command };
        Self { of, table, command, last_key: None, rows: Vec::new() }
    }

    /// Returns `true` if a row can be in the range.
    pub(crate) fn may_contain(&self, row: &Row) -> bool {
        row.tables.main == self.table && row.of.entity == self.of.entity
    }

    /// Returns `true` if the range is of another table than this repository's.
    pub(crate) fn is_of_other_table(&self, repository: &Repository) -> Result<bool, Error> {
        Ok((self.of.tables)(repository)?.main != self.table)
    }

    /// Returns a text that tells the row at this key from all others of the range.
    pub(crate) fn row_name(&self, key: &Item) -> Option<String> {
        distinct(&self.table, self.of.schema, key).ok()
    }

    /// Returns the pages of the range, with every row of the entity, dead or alive.
    pub(crate) fn pages(&self, repository: &Repository) -> Result<Pages, Error> {
        Pages::new(repository.clone(), self.table.clone(), self.command.clone())
    }

    /// Returns the order of two keys in the range.
    pub(crate) fn compare(&self, one: &Item, other: &Item) -> Ordering {
        let Some(sort) = &self.of.schema.sort else { return Ordering::Equal };
        let order = one.get(sort.name).zip(other.get(sort.name)).and_then(|(one, other)| compare(one, other));
        let order = order.unwrap_or(Ordering::Equal);
        if matches!(self.command.source, Source::Query { descending: true, .. }) { order.reverse() } else { order }
    }

    /// Returns `true` if the range has the same rows as when it was read, unchanged, and no others, and no other transaction
    /// holds one of them. `own` are the IDs under which this transaction holds rows.
    pub(crate) async fn holds(
        &self,
        repository: &Repository,
        rows: &[Row],
        priority: &Priority,
        own: &[&TransactionId],
        now: EpochMillis,
    ) -> Result<bool, Error> {
        let schema = self.of.schema;
        let mut missing = BTreeMap::new();
        for row in &self.rows {
            missing.insert(distinct(&self.table, schema, &rows[*row].key)?, *row);
        }
        let mut pages = self.pages(repository)?;
        if self.last_key.is_some() {
            pages.set_request_limit(self.rows.len().max(1));
        }
        let is_beyond = |key: &Item| self.last_key.as_ref().is_some_and(|last| self.compare(key, last).is_gt());
        let is_read = |pages: &Pages| {
            let reached = pages.start_key().zip(self.last_key.as_ref());
            reached.is_some_and(|(reached, last)| self.compare(reached, last).is_ge())
        };
        'pages: while !is_read(&pages)
            && let Some(items) = pages.next_page().await?
        {
            for item in items.into_iter().map(RawItem::into_item) {
                let at = ItemRef { table: self.table.clone(), key: key_of(schema, &item) };
                if is_beyond(&at.key) {
                    break 'pages;
                }
                let row = missing.remove(&distinct(&self.table, schema, &at.key)?);
                let item = ignore_or_resolve_intent(repository, schema, &at, Some(item), own, priority).await?;
                let read = row.and_then(|row| rows[row].read.as_ref()).and_then(Option::as_ref);
                if !is_same(schema, read, item.as_ref()) {
                    return Ok(false);
                }
            }
        }
        // A missing row is no change if it was read as absent, or as a tombstone that has expired since.
        let is_absent = |item: &Item| !rule::state(schema, now, item).is_live();
        Ok(missing.values().all(|row| rows[*row].read.as_ref().is_some_and(|read| read.as_ref().is_none_or(is_absent))))
    }
}

/// Returns an item that was read without an intent: one under an ID in `own` is ignored, and another transaction's is resolved
/// first.
pub(super) async fn ignore_or_resolve_intent(
    repository: &Repository,
    schema: &'static Schema,
    at: &ItemRef,
    item: Option<Item>,
    own: &[&TransactionId],
    priority: &Priority,
) -> Result<Option<Item>, Error> {
    match item {
        Some(item) if own.iter().any(|transaction_id| has_intent_of(Some(&item), transaction_id)) => {
            without_intent(item, &at.key)
        }
        item => {
            let caller = Caller { operation: "transaction", entity: schema.entity, priority: Some(priority) };
            read_when_free(repository, caller, at, item).await
        }
    }
}
