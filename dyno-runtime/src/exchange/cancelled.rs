//! Why a transaction was cancelled: read from its typed list of reasons, one per action, and never from a message.

use crate::attribute::Item;
use crate::error::{Error, ErrorKind};
use aws_sdk_dynamodb::types::CancellationReason;

/// A transaction that was cancelled.
pub(crate) struct Cancelled {
    /// One for each action, in their order.
    pub(crate) reasons: Vec<CancellationReason>,
    pub(crate) error: Error,
}

/// The item that did not meet an action's condition; `None` if there was none.
pub(crate) struct Denied(pub(crate) Option<Item>);

/// What a reason says of its action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
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

/// What DynamoDB says of an action that cannot be done.
fn said(reason: &CancellationReason) -> String {
    let message = reason.message().map(|message| format!(": {message}")).unwrap_or_default();
    format!("DynamoDB answered {}{message}", reason.code().unwrap_or_default())
}

impl Cancelled {
    pub(crate) fn causes(&self) -> impl Iterator<Item = Cause> {
        self.reasons.iter().map(Cause::of)
    }

    /// The item that did not meet the condition of this action, if that is why it was cancelled.
    pub(crate) fn refused(&self, action: usize) -> Option<Denied> {
        let reason = self.reasons.get(action).filter(|reason| Cause::of(reason) == Cause::Condition)?;
        Some(Denied(reason.item.clone().filter(|item| !item.is_empty())))
    }

    /// The error of a transaction that cannot be done, with what DynamoDB says of the action that is to blame; and which one
    /// that is, if any.
    pub(crate) fn impossible(self) -> (Error, Option<usize>) {
        let Some(at) = self.causes().position(|cause| cause == Cause::Other) else { return (self.error, None) };
        (self.error.answered(said(&self.reasons[at])), Some(at))
    }

    /// Whether there are reasons that pass and none that stay, and then, whether throttling is among them.
    pub(crate) fn passing(&self) -> Option<ErrorKind> {
        let has = |other| self.causes().any(|cause| cause == other);
        match (has(Cause::Other), has(Cause::Throttling), has(Cause::Conflict)) {
            (false, true, _) => Some(ErrorKind::Throttled),
            (false, false, true) => Some(ErrorKind::Contended),
            _ => None,
        }
    }
}
