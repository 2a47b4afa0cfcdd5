//! The small transaction that a history or an idempotency key makes of a write: a row, and the write itself.

use super::row::RowWrite;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::transact::{Exchanged, exchange, transaction};
use crate::exchange::{About, Attempts, Cancelled, Cause, Denied, Repository, random};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsInputBuilder;
use aws_sdk_dynamodb::types::TransactWriteItem;

/// DynamoDB's answer to a row and a write.
pub(super) enum Transacted {
    Applied,
    Refused {
        /// Whether it was the item's condition that did not hold, and the item.
        of_item: bool,
        item: Option<Item>,
        /// The row that is there already.
        row: Option<Item>,
    },
}

/// The actions of a row and a write, and a token: with it, the same is applied once, however often it is sent.
fn pair(rows: [RowWrite; 2]) -> Result<(Vec<TransactWriteItem>, String), Error> {
    let actions: Result<Vec<_>, Error> = rows.into_iter().map(RowWrite::action).collect();
    Ok((actions?, random::text::<24>()?))
}

/// The transaction of both, to be shown or sent by hand.
pub(super) fn request(client: &Client, rows: [RowWrite; 2]) -> Result<TransactWriteItemsInputBuilder, Error> {
    let (actions, token) = pair(rows)?;
    Ok(transaction(client, actions, token).as_input().clone())
}

/// Sends both in one transaction, as a part of `operation`.
pub(super) async fn send(
    repository: &Repository,
    (operation, entity): (&'static str, &'static str),
    [row, item]: [RowWrite; 2],
    attempts: &Attempts,
) -> Result<Transacted, Error> {
    let tables = [row.table.clone(), item.table.clone()];
    let about = About::several(operation, tables.iter().map(|table| (entity, &**table)));
    let (actions, token) = pair([row, item])?;
    match exchange(repository, about, actions, token, attempts).await {
        Ok(Exchanged::Applied) => Ok(Transacted::Applied),
        Ok(Exchanged::Cancelled(cancelled)) => read_pair(&cancelled).ok_or(cancelled.error),
        // The token is nobody's who could send it again.
        Err(error) if error.is_in_progress() => Err(error.passing(false)),
        Err(error) => Err(error),
    }
}

/// What the reasons of a row and a write say, if a condition is among them.
fn read_pair(cancelled: &Cancelled) -> Option<Transacted> {
    // An item that DynamoDB would not take as it is has its own error.
    let is_known = cancelled.causes().nth(1).is_none_or(|cause| matches!(cause, Cause::None | Cause::Condition));
    let (row, item) = (cancelled.refused(0), cancelled.refused(1));
    if !is_known || row.is_none() && item.is_none() {
        return None;
    }
    let (of_item, there) = (item.is_some(), |Denied(item)| item);
    Some(Transacted::Refused { of_item, item: item.and_then(there), row: row.and_then(there) })
}
