//! Reads of rows by key, without any evaluation: rows of histories, of idempotency keys and of lanes, and items with intents.

use crate::attribute::{Item, RawItem};
use crate::error::Error;
use crate::exchange::batch::batch_rounds::{BatchOptions, CONCURRENCY};
use crate::exchange::batch::key_batch::{Consistency, KeyBatch};
use crate::exchange::repository::Repository;
use crate::exchange::request::request_subject::About;
use crate::exchange::resolve::Caller;
use crate::exchange::send::call::read;
use aws_sdk_dynamodb::types::ReturnConsumedCapacity;

/// Reads the row at this key of a table, consistently: one `GetItem`.
pub(crate) async fn read_row(
    repository: &Repository,
    (operation, entity): (&'static str, &'static str),
    table: &str,
    key: Item,
) -> Result<Option<Item>, Error> {
    let get = repository
        .sender()
        .get_item()
        .table_name(table)
        .set_key(Some(key))
        .consistent_read(true)
        .return_consumed_capacity(ReturnConsumedCapacity::Total);
    Ok(read(repository, About::new(operation, entity, table), get, None).await?.item)
}

/// Reads the rows at these keys of a table. Returns them in the order of the keys, or the first error.
pub(crate) async fn read_rows(
    repository: &Repository,
    caller: Caller<'_>,
    table: &str,
    keys: &[Item],
    consistency: Consistency,
) -> Result<Vec<Option<Item>>, Error> {
    let mut batch = KeyBatch::new(repository, caller.operation, None);
    let table = batch.table(table.to_owned(), None);
    let add = |key: &Item| batch.key(caller.entity, table, key.clone(), consistency);
    let indexes: Vec<usize> = keys.iter().map(add).collect();
    let mut rows = batch.read(BatchOptions { concurrency: CONCURRENCY, stops: true }).await;
    match rows.error() {
        Some((error, ..)) => Err(error),
        None => {
            let mut take = |index| Ok(rows.take(index)?.map(RawItem::into_item));
            indexes.into_iter().map(&mut take).collect()
        }
    }
}
