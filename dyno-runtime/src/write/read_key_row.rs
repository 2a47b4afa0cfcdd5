//! Whether the row of an idempotency key is there, for a write that is not sent.

use super::write_command::WriteCommand;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::{About, Repository, read};
use crate::rule;
use crate::schema::Tables;
use aws_sdk_dynamodb::types::ReturnConsumedCapacity;

/// Whether the idempotency key of a write has a row.
pub(super) async fn has_key_row(
    repository: &Repository,
    command: &WriteCommand,
    tables: &Tables,
    key: &Item,
    now: EpochMillis,
) -> Result<bool, Error> {
    let schema = command.schema;
    let (Some(keys), Some(id)) = (&tables.keys, command.key_of_update.clone().transpose()?) else {
        return Ok(false);
    };
    let mut row = rule::key_row(schema, &id, &tables.main, key, now)?;
    row.retain(|name, _| name == rule::KEY_ROW_ID);
    let get = repository
        .client()
        .get_item()
        .table_name(keys)
        .set_key(Some(row))
        .consistent_read(true)
        .return_consumed_capacity(ReturnConsumedCapacity::Total);
    let output = read(repository, About::new("update", schema.entity, keys), get, None).await?;
    Ok(output.item.is_some())
}
