//! One native transaction: its request, and DynamoDB's answer to it. `transaction` is what callers put together; here, too,
//! is the small one that a history or an idempotency key makes of a write: a row, and the write itself.
//!
//! Why a transaction was cancelled is read from its typed list of reasons, one per action, and never from a message.

use super::attempts::Attempts;
use super::transmit::{BoxFuture, WriteRequest};
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Repository, Usage};
use crate::key::item_size;
use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::operation::put_item::builders::PutItemInputBuilder;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{CancellationReason, Delete, Put, ReturnConsumedCapacity, TransactWriteItem, Update};

/// DynamoDB's answer to a transaction.
pub(super) enum Exchanged {
    Applied(Usage),
    /// Nothing was applied.
    Cancelled(Cancelled),
    /// An earlier attempt with this token is under way, and may yet be applied.
    InProgress(Error),
}

/// A transaction that was cancelled.
pub(super) struct Cancelled {
    /// One for each action, in their order.
    pub(super) reasons: Vec<CancellationReason>,
    pub(super) usage: Usage,
    pub(super) error: Error,
}

/// The item that did not meet an action's condition; `None` if there was none.
pub(super) struct Denied(pub(super) Option<Item>);

/// What a reason says of its action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// Nothing: it was for another action's sake.
    None,
    /// Its condition did not hold.
    Condition,
    /// Another transaction or write holds the item.
    Conflict,
    Throttling,
    /// It cannot be done at all.
    Other,
}

impl Cause {
    pub(super) fn of(reason: &CancellationReason) -> Self {
        match reason.code() {
            None | Some("None") => Self::None,
            Some("ConditionalCheckFailed") => Self::Condition,
            Some("TransactionConflict") => Self::Conflict,
            Some("ThrottlingError" | "ProvisionedThroughputExceeded") => Self::Throttling,
            Some(_) => Self::Other,
        }
    }
}

/// What DynamoDB says of an action that cannot be done.
pub(super) fn said(reason: &CancellationReason) -> String {
    let message = reason.message().map(|message| format!(": {message}")).unwrap_or_default();
    format!("DynamoDB answered {}{message}", reason.code().unwrap_or_default())
}

impl Cancelled {
    pub(super) fn causes(&self) -> impl Iterator<Item = Cause> {
        self.reasons.iter().map(Cause::of)
    }

    /// The item that did not meet the condition of this action, if that is why it was cancelled.
    pub(super) fn refused(&self, action: usize) -> Option<Denied> {
        let reason = self.reasons.get(action).filter(|reason| Cause::of(reason) == Cause::Condition)?;
        Some(Denied(reason.item.clone().filter(|item| !item.is_empty())))
    }

    /// Whether there are reasons that pass and none that stay, and then, whether throttling is among them.
    pub(super) fn passing(&self) -> Option<bool> {
        let passes = |cause| matches!(cause, Cause::Conflict | Cause::Throttling);
        let is_passing = self.causes().any(passes) && !self.causes().any(|cause| cause == Cause::Other);
        is_passing.then(|| self.causes().any(|cause| cause == Cause::Throttling))
    }
}

/// Sends the actions. The same token and actions are applied once, however often they are sent within ten minutes (API
/// reference, `ClientRequestToken`); without a token, the SDK makes one for its own retries.
pub(super) fn exchange<'a>(
    repository: &'a Repository,
    actions: Vec<TransactWriteItem>,
    token: Option<String>,
    attempts: &Attempts,
) -> BoxFuture<'a, Result<Exchanged, Error>> {
    let attempts = attempts.clone();
    // Boxed, as in `transmit`.
    Box::pin(async move {
        let usage = refused_usage(&actions);
        repository.count(Usage::REQUEST);
        let request = repository
            .client()
            .transact_write_items()
            .set_transact_items(Some(actions))
            .set_client_request_token(token)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        match request.customize().interceptor(attempts).send().await {
            Ok(output) => Ok(Exchanged::Applied(Usage::transaction(output.consumed_capacity.as_deref()))),
            Err(error) => match error.as_service_error() {
                Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
                    let reasons = cancelled.cancellation_reasons().to_vec();
                    Ok(Exchanged::Cancelled(Cancelled { reasons, usage, error: Error::sdk(error) }))
                }
                Some(TransactWriteItemsError::TransactionInProgressException(_)) => {
                    Ok(Exchanged::InProgress(Error::sdk(error)))
                }
                _ => Err(Error::sdk(error)),
            },
        }
    })
}

/// DynamoDB's answer to a row and a write.
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

/// The actions of both.
pub(super) fn actions(row: PutItemInputBuilder, item: WriteRequest) -> Result<Vec<TransactWriteItem>, Error> {
    Ok(vec![action(WriteRequest::Put(row))?, action(item)?])
}

/// Sends both in one transaction.
pub(super) fn send<'a>(
    repository: &'a Repository,
    row: PutItemInputBuilder,
    item: WriteRequest,
    attempts: &Attempts,
) -> BoxFuture<'a, Result<Transacted, Error>> {
    let actions = actions(row, item);
    let attempts = attempts.clone();
    Box::pin(async move {
        match exchange(repository, actions?, None, &attempts).await? {
            Exchanged::Applied(usage) => Ok(Transacted::Applied(usage)),
            Exchanged::InProgress(error) => Ok(Transacted::Busy(error.passing(false))),
            Exchanged::Cancelled(cancelled) => match read_pair(&cancelled) {
                Some(refused) => Ok(refused),
                None => match cancelled.passing() {
                    Some(throttled) => Ok(Transacted::Busy(cancelled.error.passing(throttled))),
                    None => Err(cancelled.error),
                },
            },
        }
    })
}

/// What the reasons of a row and a write say, if a condition is among them.
fn read_pair(cancelled: &Cancelled) -> Option<Transacted> {
    // While another transaction holds the item, nothing is known of it.
    let is_known = cancelled.causes().nth(1).is_none_or(|cause| matches!(cause, Cause::None | Cause::Condition));
    let (row, item) = (cancelled.refused(0), cancelled.refused(1));
    if !is_known || row.is_none() && item.is_none() {
        return None;
    }
    let (of_item, there) = (item.is_some(), |Denied(item)| item);
    Some(Transacted::Refused { usage: cancelled.usage, of_item, item: item.and_then(there), row: row.and_then(there) })
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
pub(super) fn action(request: WriteRequest) -> Result<TransactWriteItem, Error> {
    build(request).map_err(|error| Error::invalid(error.to_string()))
}

fn build(request: WriteRequest) -> Result<TransactWriteItem, BuildError> {
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
