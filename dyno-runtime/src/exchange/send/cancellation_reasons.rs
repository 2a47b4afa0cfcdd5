//! The reasons for which DynamoDB cancelled a transaction. They are read from the typed list in the answer, with one reason for
//! each action, and never from a message.

use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use crate::exchange::request::request_subject::list_tables;
use crate::sorted;
use aws_sdk_dynamodb::types::CancellationReason;
use aws_sdk_dynamodb::types::error::TransactionCanceledException;
use std::error::Error as StdError;
use std::iter::successors;

/// The answer to a transaction that DynamoDB cancelled.
pub(crate) struct Cancelled {
    /// One reason for each action, in the order of the actions.
    pub(crate) reasons: Vec<CancellationReason>,
    pub(crate) error: Error,
}

/// The item that did not meet an action's condition, or `None` if no item exists.
pub(crate) struct Denied(pub(crate) Option<Item>);

/// The kind of a cancellation reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Another action caused the cancellation.
    None,
    /// The action's condition did not hold.
    Condition,
    /// Another transaction or write was changing the item.
    Conflict,
    Throttling,
    /// DynamoDB cannot execute the action, however often it is sent.
    Other,
}

impl Cause {
    pub(crate) fn of(reason: &CancellationReason) -> Self {
        match reason.code() {
            None | Some("None") => Self::None,
            Some("ConditionalCheckFailed") => Self::Condition,
            Some("TransactionConflict") => Self::Conflict,
            Some("ThrottlingError" | "ProvisionedThroughputExceeded") => Self::Throttling,
            Some(_) => Self::Other,
        }
    }
}

/// Returns DynamoDB's code and message for an action that it cannot execute.
fn reason_text(reason: &CancellationReason) -> String {
    let message = reason.message().map(|message| format!(": {message}")).unwrap_or_default();
    format!("DynamoDB answered {}{message}", reason.code().unwrap_or_default())
}

impl Cancelled {
    pub(crate) fn causes(&self) -> impl Iterator<Item = Cause> {
        self.reasons.iter().map(Cause::of)
    }

    /// Returns the item that did not meet the condition of this action, if the condition was a reason for the cancellation.
    pub(crate) fn refused(&self, action: usize) -> Option<Denied> {
        let reason = self.reasons.get(action).filter(|reason| Cause::of(reason) == Cause::Condition)?;
        Some(Denied(reason.item.clone().filter(|item| !item.is_empty())))
    }

    /// Returns the error of a transaction that DynamoDB cannot execute, with DynamoDB's reason, and the index of the action that
    /// caused it, if one did.
    pub(crate) fn unexecutable(self) -> (Error, Option<usize>) {
        let Some(at) = self.causes().position(|cause| cause == Cause::Other) else { return (self.error, None) };
        (self.error.with_message(reason_text(&self.reasons[at])), Some(at))
    }

    /// Returns the kind of the error if the transaction may pass later: a conflict or throttling was a reason, and DynamoDB
    /// rejects no action as invalid.
    pub(crate) fn temporary_kind(&self) -> Option<ErrorKind> {
        let has = |other| self.causes().any(|cause| cause == other);
        match (has(Cause::Other), has(Cause::Throttling), has(Cause::Conflict)) {
            (false, true, _) => Some(ErrorKind::Throttled),
            (false, false, true) => Some(ErrorKind::Contended),
            _ => None,
        }
    }
}

/// Returns the reasons of a transaction that DynamoDB cancelled for a temporary cause.
fn reasons_in(error: &Error) -> &[CancellationReason] {
    let cancelled = successors(error.source(), |&error| error.source())
        .find_map(|error| error.downcast_ref::<TransactionCanceledException>());
    cancelled.map(TransactionCanceledException::cancellation_reasons).unwrap_or_default()
}

/// Returns the index of the first action of a cancelled transaction whose item another request or transaction was changing.
pub(crate) fn conflicting_action(error: &Error) -> Option<usize> {
    reasons_in(error).iter().position(|reason| Cause::of(reason) == Cause::Conflict).filter(|_| error.is_contended())
}

/// If DynamoDB cancelled a transaction because of throttling, names the tables of the throttled actions in the error. `tables` has
/// the table of each action, in the order of the actions.
pub(crate) fn name_throttled_tables<'a>(error: Error, tables: impl Iterator<Item = Option<&'a str>>) -> Error {
    let throttled = tables.zip(reasons_in(&error)).filter(|(_, reason)| Cause::of(reason) == Cause::Throttling);
    let names = sorted::names(throttled.filter_map(|(table, _)| table));
    if names.is_empty() {
        return error;
    }
    let message = format!("{error}; throttled was {}", list_tables(&names));
    error.with_message(message)
}
