//! One native transaction: its request, and DynamoDB's answer to it.

use crate::error::Error;
use crate::exchange::{Answer, Ask, Cancelled, Repository, Usage, call};
use crate::key::item_size;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsFluentBuilder;
use aws_sdk_dynamodb::types::{Put, ReturnConsumedCapacity, TransactWriteItem};

/// Developer guide, "Amazon DynamoDB Transactions: How it works".
pub(crate) const ACTIONS: usize = 100;

/// The same: what all items of a transaction have together.
pub(crate) const BYTES: usize = 4 * 1024 * 1024;

/// The request of these actions.
pub(crate) fn transaction(
    client: &Client,
    actions: Vec<TransactWriteItem>,
    token: String,
) -> TransactWriteItemsFluentBuilder {
    client
        .transact_write_items()
        .set_transact_items(Some(actions))
        .client_request_token(token)
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
}

/// Sends the actions. The same token and actions are applied once, however often they are sent within ten minutes (API
/// reference, `ClientRequestToken`).
pub(crate) async fn exchange(
    repository: &Repository,
    ask: Ask<'_>,
    actions: Vec<TransactWriteItem>,
    token: String,
) -> Result<Answer<(), Cancelled>, Error> {
    let ask = Ask { cancelled: refused_usage(&actions), ..ask };
    let request = transaction(repository.client(), actions, token);
    let kept = request.clone();
    call(repository, ask, request, Some(|| Some(kept.clone()))).await
}

/// What a refused transaction costs: DynamoDB reports nothing for it, but charges for the actions, twice as much as
/// for plain writes. (Developer guide, "Amazon DynamoDB Transactions: How it works", capacity management.)
fn refused_usage(actions: &[TransactWriteItem]) -> Usage {
    let items = actions.iter().filter_map(|action| action.put().map(Put::item));
    let puts = items.map(|item| Usage::refused(item_size(item)).write_units);
    let others = actions.iter().filter(|action| action.put().is_none()).map(|_| 1.0);
    Usage { write_units: 2.0 * puts.chain(others).sum::<f64>(), ..Usage::default() }
}
