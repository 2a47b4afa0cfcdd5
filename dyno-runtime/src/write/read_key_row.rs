//! Reads the row of an idempotency key, for a write that is not sent.

use super::write_command::WriteCommand;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::{Repository, read_row};
use crate::rule;
use crate::schema::Tables;

/// Returns `true` if the idempotency key of a write has a row.
pub(super) async fn has_key_row(
    repository: &Repository,
    command: &WriteCommand,
    tables: &Tables,
    key: &Item,
    now: EpochMillis,
) -> Result<bool, Error> {
    let schema = command.schema;
    let (Some(keys), Some(id)) = (&tables.keys, command.update.dedup_key.clone().transpose()?) else {
        return Ok(false);
    };
    let mut row = rule::key_row(schema, &id, &tables.main, key, now)?;
    row.retain(|name, _| name == rule::KEY_ROW_ID);
    let found = read_row(repository, ("update", schema.entity), keys, row).await?;
    Ok(found.is_some())
}
