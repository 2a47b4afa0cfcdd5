//! Reads of revisions in their table, with one request each.

use super::get_item::GetCommand;
use super::query::KeyValue;
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, Peek as _};
use crate::error::Error;
use crate::exchange::{About, Repository, read, read_row};
use crate::expression::{Node, Operator, Placeholders};
use crate::key::{PARTITION_KEY_BYTES, SORT_KEY_BYTES, check_key};
use crate::rule::{RawRevision, has_passed};
use crate::schema::{History, Mode, Schema, Tables};
use aws_sdk_dynamodb::types::ReturnConsumedCapacity;

/// The table with the revisions of an entity.
pub(crate) struct HistoryTable<'a> {
    pub(crate) schema: &'static Schema,
    pub(crate) history: &'static History,
    pub(crate) name: String,
    pub(crate) repository: &'a Repository,
}

impl<'a> HistoryTable<'a> {
    /// Returns the history of an entity, if it has one.
    pub(crate) fn of(schema: &'static Schema, tables: &Tables, repository: &'a Repository) -> Option<Self> {
        let (history, name) = schema.history.as_ref().zip(tables.history.clone())?;
        Some(Self { schema, history, name, repository })
    }

    /// Returns the key of the row with this version of the item. It is longer than the item's own key, so it is checked.
    pub(crate) fn key(&self, item: &Item, version: u64) -> Result<[KeyValue; 2], Error> {
        let key = [self.history.partition(self.schema, item)?, self.history.sort(self.schema, item, version)?];
        for ((name, value), limit) in key.iter().zip([PARTITION_KEY_BYTES, SORT_KEY_BYTES]) {
            check_key(value, limit)
                .map_err(|error| Error::from(error.at_name(*name)).of("the revision in the history"))?;
        }
        Ok(key)
    }

    /// Reads the row with this version of the item at this key.
    pub(crate) async fn row(&self, key: &Item, version: u64) -> Result<Option<Item>, Error> {
        let key = self.key(key, version)?.map(|(name, value)| (name.to_owned(), value)).into();
        read_row(self.repository, ("revision", self.schema.entity), &self.name, key).await
    }

    /// Reads the newest revision in the history of the item at this key.
    pub(crate) async fn newest(&self, key: &Item) -> Result<Option<RawRevision>, Error> {
        let (rows, _) = self.rows(key, None, Some(1), None).await?;
        rows.into_iter().next().map(RawRevision::read).transpose().map_err(Error::from)
    }

    /// Returns the highest version that a write can have assigned, given the newest row. In an ordered history, the newest
    /// version may have no row yet.
    pub(crate) fn last_given(&self, newest: &RawRevision) -> u64 {
        newest.version.saturating_add(u64::from(self.history.mode == Mode::Ordered))
    }

    /// Reads a page of the rows of the item at this key with versions below `before`, newest first. Returns the key to continue
    /// behind as well.
    pub(crate) async fn rows(
        &self,
        key: &Item,
        before: Option<u64>,
        limit: Option<i32>,
        after: Option<Item>,
    ) -> Result<(Vec<Item>, Option<Item>), Error> {
        // No version is below 0.
        let Some(last) = before.map_or(Some(u64::MAX), |before| before.checked_sub(1)) else {
            return Ok((Vec::new(), None));
        };
        let [(partition, value), (sort, first)] = self.key(key, 0)?;
        let [_, (_, last)] = self.key(key, last)?;
        let mut placeholders = Placeholders::default();
        // The sort keys of revisions order them by version.
        let window = Node::And(vec![
            Node::Compare(partition.into(), Operator::Eq, value),
            Node::Between(sort.into(), first, last),
        ]);
        let condition = window.render(&mut placeholders);
        let (names, values) = placeholders.into_parts();
        let query = self
            .repository
            .sender()
            .query()
            .table_name(&self.name)
            .key_condition_expression(condition)
            .set_expression_attribute_names(names)
            .set_expression_attribute_values(values)
            .scan_index_forward(false)
            .consistent_read(true)
            .set_limit(limit)
            .set_exclusive_start_key(after)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let about = About::new("revisions", self.schema.entity, &self.name);
        Ok(read(self.repository, about, query, None).await?.into_maps())
    }

    /// Reads the item itself, consistently.
    pub(crate) async fn item(&self, table: &str, key: Item) -> Result<Option<Item>, Error> {
        let get = GetCommand::consistent(self.schema, Ok(key));
        get.send(self.repository, table.to_owned()).await
    }

    /// Returns `true` if a row has expired, although DynamoDB has not removed it yet.
    pub(crate) fn is_expired(&self, row: &Item, now: EpochMillis) -> bool {
        self.history.ttl_days.is_some() && has_passed(row.peek(self.history.ttl(self.schema)), now)
    }
}
