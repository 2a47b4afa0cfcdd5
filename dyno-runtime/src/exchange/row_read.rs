//! One consistent `GetItem` of a row, whatever is in it: rows of histories, of idempotency keys and of lanes, and items with intents.

use super::call::read;
use super::repository::Repository;
use super::request_subject::About;
use crate::attribute::Item;
use crate::error::Error;
use aws_sdk_dynamodb::types::ReturnConsumedCapacity;

/// The consistency of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Consistency {
    /// At half the cost, the result may lack writes that were acknowledged before.
    Eventual,
    Consistent,
}

impl Consistency {
    /// Returns the value of the request's parameter `ConsistentRead`.
    pub(crate) fn flag(self) -> Option<bool> {
        (self == Self::Consistent).then_some(true)
    }
}

/// Reads the row at this key of a table, as the last acknowledged write left it.
pub(crate) async fn read_row(
    repository: &Repository,
    (operation, entity): (&'static str, &str),
    table: &str,
    key: Item,
) -> Result<Option<Item>, Error> {
    let get = repository
        .client()
        .get_item()
        .table_name(table)
        .set_key(Some(key))
        .consistent_read(true)
        .return_consumed_capacity(ReturnConsumedCapacity::Total);
    Ok(read(repository, About::new(operation, entity, table), get, None).await?.item)
}
