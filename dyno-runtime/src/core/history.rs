//! Revisions in their table: one request each.

use super::read::GetCommand;
use super::request::put_new;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::{Repository, Usage, span};
use crate::expression::{Node, Operator, Placeholders};
use crate::key::{PARTITION_KEY_BYTES, SORT_KEY_BYTES, check_key, check_size, item_size};
use crate::rule::{RawRevision, has_passed, same_row};
use crate::schema::{History, Mode, Schema};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::get_item::GetItemInput;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::put_item::builders::PutItemInputBuilder;
use aws_sdk_dynamodb::operation::query::QueryInput;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use tracing::Instrument as _;

/// Where the revisions of an entity are.
pub(crate) struct Table<'a> {
    pub(crate) schema: &'static Schema,
    pub(crate) history: &'static History,
    pub(crate) name: String,
    pub(crate) repository: &'a Repository,
}

/// The name of a key attribute, and its value.
type KeyValue = (&'static str, AttributeValue);

impl Table<'_> {
    /// The key of the row of a version of this item, which is longer than the item's own.
    fn key(&self, item: &Item, version: u64) -> Result<[KeyValue; 2], Error> {
        let key = [self.history.partition(self.schema, item)?, self.history.sort(self.schema, item, version)?];
        for ((name, value), limit) in key.iter().zip([PARTITION_KEY_BYTES, SORT_KEY_BYTES]) {
            check_key(value, limit)
                .map_err(|error| Error::from(error.at_name(*name)).of("the revision in the history"))?;
        }
        Ok(key)
    }

    /// The request that puts a revision where none is.
    pub(super) fn put_request(&self, revision: RawRevision, now: EpochMillis) -> Result<PutItemInputBuilder, Error> {
        let [(partition, _), _] = self.key(&revision.image, revision.version)?;
        let row = self.history.row(self.schema, revision, now)?;
        check_size(&row).map_err(|error| error.of("the revision in the history"))?;
        Ok(put_new(&self.name, row, partition))
    }

    /// The request that puts a superseded revision where none is, or over itself, so that it is kept from now on.
    pub(super) fn put_same_request(
        &self,
        revision: RawRevision,
        now: EpochMillis,
    ) -> Result<PutItemInputBuilder, Error> {
        let [(partition, _), _] = self.key(&revision.image, revision.version)?;
        let write_id = self.schema.version.as_ref().and_then(|version| version.write_id);
        let mut placeholders = Placeholders::default();
        let condition = same_row(partition, &revision.image, write_id).render(&mut placeholders);
        Ok(self
            .put_request(revision, now)?
            .condition_expression(condition)
            .set_expression_attribute_names(placeholders.names())
            .set_expression_attribute_values(placeholders.into_values()))
    }

    /// Puts a revision where none is; what is there already, if something is. Sent twice, it is put once.
    pub(super) async fn put(&self, revision: RawRevision, now: EpochMillis) -> Result<Option<RawRevision>, Error> {
        let put = self.put_request(revision, now)?;
        let there = self.request("record", async |client| match put.send_with(client).await {
            Ok(output) => Ok((None, Usage::write(output.consumed_capacity.as_ref()))),
            Err(error) => match error.as_service_error() {
                Some(PutItemError::ConditionalCheckFailedException(refused)) => {
                    let there = refused.item.clone().unwrap_or_default();
                    let usage = Usage::refused(item_size(&there));
                    Ok((Some(there), usage))
                }
                _ => Err(Error::sdk(error)),
            },
        });
        there.await?.map(RawRevision::read).transpose().map_err(Error::from)
    }

    /// Puts a revision that is there already once more, so that it is kept from now on.
    pub(super) async fn refresh(&self, revision: RawRevision, now: EpochMillis) -> Result<(), Error> {
        let put = self.put_request(revision, now)?;
        let put = put.set_condition_expression(None).set_expression_attribute_names(None);
        let put = put.set_return_values_on_condition_check_failure(None);
        let refreshed = self.request("record", async |client| {
            let output = put.send_with(client).await.map_err(Error::sdk)?;
            Ok(((), Usage::write(output.consumed_capacity.as_ref())))
        });
        refreshed.await
    }

    /// The row of a version of the item with this key.
    pub(crate) async fn row(&self, key: &Item, version: u64) -> Result<Option<Item>, Error> {
        let get = GetItemInput::builder()
            .table_name(&self.name)
            .set_key(Some(self.key(key, version)?.map(|(name, value)| (name.to_owned(), value)).into()))
            .consistent_read(true)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let row = self.request("revision", async |client| {
            let output = get.send_with(client).await.map_err(Error::sdk)?;
            let usage = Usage::read(output.consumed_capacity());
            Ok((output.item, usage))
        });
        row.await
    }

    /// The newest revision of the item with this key.
    pub(super) async fn newest(&self, key: &Item) -> Result<Option<RawRevision>, Error> {
        let (rows, _) = self.rows(key, None, Some(1), None).await?;
        rows.into_iter().next().map(RawRevision::read).transpose().map_err(Error::from)
    }

    /// The last number that a write can have got, given the newest row. In an ordered history, the newest version has none yet.
    pub(super) fn last_given(&self, newest: &RawRevision) -> u64 {
        newest.version.saturating_add(u64::from(self.history.mode == Mode::Ordered))
    }

    /// Rows of the item with this key, newest first, older than `before`: up to a page of them, and where to go on.
    pub(crate) async fn rows(
        &self,
        key: &Item,
        before: Option<u64>,
        limit: Option<i32>,
        after: Option<Item>,
    ) -> Result<(Vec<Item>, Option<Item>), Error> {
        let Some(last) = before.map_or(Some(u64::MAX), |before| before.checked_sub(1)) else {
            return Ok((Vec::new(), None));
        };
        let [(partition, value), (sort, first)] = self.key(key, 0)?;
        let [_, (_, last)] = self.key(key, last)?;
        let mut placeholders = Placeholders::default();
        let window = Node::And(vec![
            Node::Compare(partition.into(), Operator::Eq, value),
            Node::Between(sort.into(), first, last),
        ]);
        let query = QueryInput::builder()
            .table_name(&self.name)
            .key_condition_expression(window.render(&mut placeholders))
            .set_expression_attribute_names(placeholders.names())
            .set_expression_attribute_values(placeholders.into_values())
            .scan_index_forward(false)
            .consistent_read(true)
            .set_limit(limit)
            .set_exclusive_start_key(after)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let rows = self.request("revisions", async |client| {
            let output = query.send_with(client).await.map_err(Error::sdk)?;
            let usage = Usage::read(output.consumed_capacity());
            Ok(((output.items.unwrap_or_default(), output.last_evaluated_key), usage))
        });
        rows.await
    }

    /// The item itself, as every acknowledged write has left it.
    pub(crate) async fn item(&self, table: &str, key: Item) -> Result<Option<Item>, Error> {
        let get = GetCommand::consistent(self.schema, Ok(key));
        get.send(self.repository, table.to_owned()).await
    }

    /// Whether a row's time has passed, though DynamoDB has not removed it yet.
    pub(crate) fn is_expired(&self, row: &Item, now: EpochMillis) -> bool {
        self.history.ttl_days.is_some() && has_passed(row.get(self.history.ttl(self.schema)), now)
    }

    /// Sends a request in a span of its own, and counts it.
    async fn request<T>(
        &self,
        operation: &'static str,
        send: impl AsyncFnOnce(&Client) -> Result<(T, Usage), Error>,
    ) -> Result<T, Error> {
        let span = span(self.schema, operation, &self.name);
        self.repository.count(Usage::REQUEST);
        // Boxed, as in `write`.
        let result = Box::pin(send(self.repository.client())).instrument(span.clone()).await;
        let (answer, usage) = result.map_err(|error| {
            span.record("outcome", "error");
            error.in_table(|| Ok(self.name.clone()))
        })?;
        self.repository.count(usage);
        usage.record(&span);
        span.record("outcome", "answered");
        Ok(answer)
    }
}
