//! Reads and conditional writes of single rows: items with intents, and lane rows.

use super::lane_errors::of_lanes;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{About, Answer, Ask, Caller, ItemRef, Repository, RowWrite, read, write_row};
use crate::transaction::record::{Head, Ticket, head_key, missing};
use aws_sdk_dynamodb::types::ReturnConsumedCapacity;

/// The head of a ticket's lane, as it is now. That there is none says nothing of the ticket (M3).
pub(crate) async fn head_of(repository: &Repository, caller: Caller<'_>, ticket: &Ticket) -> Result<Head, Error> {
    let at = ItemRef { table: repository.lane_table()?, key: head_key(&ticket.lane) };
    let item = row(repository, caller, &at).await.map_err(of_lanes)?;
    item.map_or_else(|| Err(missing(ticket)), |item| Head::read(&item))
}

/// The row at a place, as it is now.
pub(crate) async fn row(repository: &Repository, caller: Caller<'_>, at: &ItemRef) -> Result<Option<Item>, Error> {
    let get = repository
        .client()
        .get_item()
        .table_name(&at.table)
        .set_key(Some(at.key.clone()))
        .consistent_read(true)
        .return_consumed_capacity(ReturnConsumedCapacity::Total);
    let about = About::new(caller.operation, caller.entity, &at.table);
    Ok(read(repository, about, get, None).await?.item)
}

/// Sends a write which demands what makes it pass once.
pub(crate) async fn send(
    repository: &Repository,
    caller: Caller<'_>,
    row: RowWrite,
) -> Result<Answer<Option<Item>, Option<Item>>, Error> {
    let table = row.table.clone();
    write_row(repository, Ask::new(About::new(caller.operation, caller.entity, &table)), row).await
}
