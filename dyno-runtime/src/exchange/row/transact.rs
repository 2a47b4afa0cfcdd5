//! The request of one native transaction, and DynamoDB's answer to it.

use crate::error::Error;
use crate::exchange::{Again, Answer, Ask, Cancelled, Repository, Usage, call, capacity, name_throttled_tables};
use crate::key::item_size;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsFluentBuilder;
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put, TransactWriteItem, Update};

/// The most actions of one transaction. (Developer guide, "Amazon DynamoDB Transactions: How it works".)
pub(crate) const ACTIONS: usize = 100;

/// The largest total size of a transaction's items. (The same page.)
pub(crate) const BYTES: usize = 4 * 1024 * 1024;

/// Returns the request of these actions. `reports_indexes` tells whether DynamoDB is asked for the cost of each index.
pub(crate) fn transaction(
    client: &Client,
    actions: Vec<TransactWriteItem>,
    token: String,
    reports_indexes: bool,
) -> TransactWriteItemsFluentBuilder {
    client
        .transact_write_items()
        .set_transact_items(Some(actions))
        .client_request_token(token)
        .return_consumed_capacity(capacity(reports_indexes))
}

/// Sends the actions as one transaction. DynamoDB applies a transaction with the same token and actions only once, however
/// often it is sent within ten minutes (API reference, `ClientRequestToken`).
pub(crate) async fn send_transaction(
    repository: &Repository,
    ask: Ask<'_>,
    actions: &[TransactWriteItem],
    token: String,
    reports_indexes: bool,
) -> Result<Answer<(), Cancelled>, Error> {
    let ask = Ask { cancelled_units: refused_units(actions), ..ask };
    // A clone of a map has the map's order, so the second request of a hedge has the same text as the first.
    let request = || transaction(repository.sender(), actions.to_vec(), token.clone(), reports_indexes);
    let answer = call(repository, ask, request(), Again::Made(Box::new(|| Some(request())))).await;
    answer.map_err(|error| name_throttled_tables(error, actions.iter().map(table_of)))
}

/// Returns the table of an action.
fn table_of(action: &TransactWriteItem) -> Option<&str> {
    let written = action.put().map(Put::table_name).or_else(|| action.update().map(Update::table_name));
    let written = written.or_else(|| action.delete().map(Delete::table_name));
    written.or_else(|| action.condition_check().map(ConditionCheck::table_name))
}

/// Estimates the write units of a refused transaction. DynamoDB charges for its actions, twice as much as for plain writes, but
/// does not report that. (Developer guide, "Amazon DynamoDB Transactions: How it works", capacity management.)
fn refused_units(actions: &[TransactWriteItem]) -> f64 {
    let items = actions.iter().filter_map(|action| action.put().map(Put::item));
    let puts = items.map(|item| Usage::refused(item_size(item)).write_units);
    let others = actions.iter().filter(|action| action.put().is_none()).map(|_| 1.0);
    2.0 * puts.chain(others).sum::<f64>()
}
