//! One native transaction: a new revision's row and the write that makes it.
//!
//! Why a transaction was cancelled is read from its typed list of reasons, one per action, and never from a message.

use super::attempts::Attempts;
use super::check::item_size;
use super::transmit::{BoxFuture, WriteRequest};
use crate::Error;
use crate::attribute::Item;
use crate::repository::Repository;
use crate::usage::Usage;
use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::operation::put_item::builders::PutItemInputBuilder;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::error::TransactionCanceledException;
use aws_sdk_dynamodb::types::{CancellationReason, Delete, Put, ReturnConsumedCapacity, TransactWriteItem, Update};

/// DynamoDB's answer to a transaction.
pub(super) enum Transacted {
    Applied(Usage),
    Refused {
        usage: Usage,
        /// Whether it was the item's condition that did not hold, and the item.
        of_item: bool,
        item: Option<Item>,
        /// The row that is there already.
        row: Option<Item>,
    },
    /// Another transaction holds one of the two, or DynamoDB is throttling. Nothing was applied.
    Busy(Error),
}

/// Sends both in one transaction.
pub(super) fn send<'a>(
    repository: &'a Repository,
    row: PutItemInputBuilder,
    item: WriteRequest,
    attempts: &Attempts,
) -> BoxFuture<'a, Result<Transacted, Error>> {
    let attempts = attempts.clone();
    Box::pin(async move {
        let actions = [action(WriteRequest::Put(row)), action(item)];
        let actions: Result<Vec<_>, BuildError> = actions.into_iter().collect();
        let actions = actions.map_err(|error| Error::invalid(error.to_string()))?;
        let usage = refused_usage(&actions);
        repository.count(Usage::REQUEST);
        // The SDK gives each request a token, so that its own retries within ten minutes are one transaction.
        let request = repository
            .client()
            .transact_write_items()
            .set_transact_items(Some(actions))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        match request.customize().interceptor(attempts).send().await {
            Ok(output) => Ok(Transacted::Applied(Usage::transaction(output.consumed_capacity.as_deref()))),
            Err(error) => match error.as_service_error() {
                Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
                    match read_reasons(cancelled, usage) {
                        Some(refused) => Ok(refused),
                        None => match passing(cancelled) {
                            Some(throttled) => Ok(Transacted::Busy(Error::sdk(error).passing(throttled))),
                            None => Err(Error::sdk(error)),
                        },
                    }
                }
                Some(TransactWriteItemsError::TransactionInProgressException(_)) => {
                    Ok(Transacted::Busy(Error::sdk(error)))
                }
                _ => Err(Error::sdk(error)),
            },
        }
    })
}

/// What the reasons say, if a condition is among them. They are in the order of the actions.
fn read_reasons(cancelled: &TransactionCanceledException, usage: Usage) -> Option<Transacted> {
    let failed = |reason: &&CancellationReason| reason.code() == Some("ConditionalCheckFailed");
    let mut reasons = cancelled.cancellation_reasons().iter();
    let (row, item) = (reasons.next(), reasons.next());
    // While another transaction holds the item, nothing is known of it.
    let is_known = item.is_none_or(|item| matches!(item.code(), None | Some("None" | "ConditionalCheckFailed")));
    let (row, item) = (row.filter(failed), item.filter(failed));
    if !is_known || row.is_none() && item.is_none() {
        return None;
    }
    let there = |reason: Option<&CancellationReason>| reason?.item.clone().filter(|item| !item.is_empty());
    Some(Transacted::Refused { usage, of_item: item.is_some(), item: there(item), row: there(row) })
}

/// Whether the reasons are such as pass, and then, whether throttling is among them.
fn passing(cancelled: &TransactionCanceledException) -> Option<bool> {
    let is_throttling = |code: &str| matches!(code, "ThrottlingError" | "ProvisionedThroughputExceeded");
    let passes = |code: &str| is_throttling(code) || matches!(code, "TransactionConflict" | "ConditionalCheckFailed");
    let reasons = cancelled.cancellation_reasons().iter();
    let mut codes = reasons.filter_map(CancellationReason::code).filter(|code| *code != "None").peekable();
    codes.peek()?;
    let mut throttled = false;
    codes
        .all(|code| {
            throttled |= is_throttling(code);
            passes(code)
        })
        .then_some(throttled)
}

/// What a refused transaction costs: DynamoDB reports nothing for it, but charges for the actions, twice as much as
/// for plain writes. (Developer guide, "Amazon DynamoDB Transactions: How it works", capacity management.)
fn refused_usage(actions: &[TransactWriteItem]) -> Usage {
    let items = actions.iter().filter_map(|action| action.put().map(Put::item));
    let puts = items.map(|item| Usage::refused(item_size(item)).write_units);
    let others = actions.iter().filter(|action| action.put().is_none()).map(|_| 1.0);
    Usage { write_units: 2.0 * puts.chain(others).sum::<f64>(), ..Usage::default() }
}

/// A write as an action of a transaction.
fn action(request: WriteRequest) -> Result<TransactWriteItem, BuildError> {
    /// Takes over what the request and the action have in common.
    macro_rules! action {
        ($action:ident, $input:expr, $($set:ident $field:ident),*) => {
            $action::builder()
                $(.$set($input.$field))*
                .set_table_name($input.table_name)
                .set_condition_expression($input.condition_expression)
                .set_expression_attribute_names($input.expression_attribute_names)
                .set_expression_attribute_values($input.expression_attribute_values)
                .set_return_values_on_condition_check_failure($input.return_values_on_condition_check_failure)
                .build()?
        };
    }
    let action = TransactWriteItem::builder();
    Ok(match request {
        WriteRequest::Put(put) => {
            let put = put.build()?;
            action.put(action!(Put, put, set_item item)).build()
        }
        WriteRequest::Delete(delete) => {
            let delete = delete.build()?;
            action.delete(action!(Delete, delete, set_key key)).build()
        }
        WriteRequest::Update(update) => {
            let update = update.build()?;
            action.update(action!(Update, update, set_key key, set_update_expression update_expression)).build()
        }
    })
}
