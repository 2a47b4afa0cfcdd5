//! Reads of rows by key, without any evaluation: rows of histories, of idempotency keys and of lanes, and items with intents.

use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::repository::Repository;
use crate::exchange::request::request_subject::About;
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
