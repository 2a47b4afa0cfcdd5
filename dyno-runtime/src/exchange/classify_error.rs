//! What an error of DynamoDB's comes to: a denial that belongs to the operation, something that passes, or a failure.

use super::cancelled::Cancelled;
use super::usage::Usage;
use crate::attribute::Item;
use crate::error::Error;
use crate::key::item_size;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::CancellationReason;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use std::error::Error as StdError;

/// What an error comes to, of an operation that can be denied for `D`.
pub(crate) enum Heard<D> {
    /// What DynamoDB charges for it, and what it is denied for.
    Denied(Usage, D),
    /// Others hold an item.
    Busy(Error),
    Error(Error),
}

impl<D> Heard<D> {
    pub(super) fn is_denied(&self) -> bool {
        matches!(self, Self::Denied(..))
    }

    /// Whether DynamoDB itself has said why it did not serve the request.
    pub(super) fn is_answer(&self) -> bool {
        match self {
            Self::Denied(..) | Self::Busy(_) => true,
            Self::Error(error) => error.is_answer(),
        }
    }

    /// An error that denies nothing.
    pub(super) fn error<E>(error: SdkError<E, HttpResponse>) -> Self
    where
        E: ProvideErrorMetadata + StdError + Send + Sync + 'static,
    {
        let is_busy = matches!(
            error.code(),
            Some(
                "TransactionConflictException" | "TransactionInProgressException" | "ReplicatedWriteConflictException"
            )
        );
        let error = Error::sdk(error);
        if is_busy { Self::Busy(error) } else { Self::Error(error) }
    }
}

impl Heard<Option<Item>> {
    /// The condition did not hold for this item.
    pub(super) fn refused(item: Option<Item>) -> Self {
        Self::Denied(Usage::refused(item.as_ref().map_or(0, item_size)), item)
    }
}

impl Heard<Cancelled> {
    /// A transaction was cancelled, which costs this.
    pub(super) fn cancelled(reasons: Vec<CancellationReason>, error: Error, usage: Usage) -> Self {
        let cancelled = Cancelled { reasons, error };
        match cancelled.passing() {
            // While others hold an item, nothing is certain: what else refused may be their doing.
            Some(kind) => Self::Busy(cancelled.error.temporary(kind)),
            None => Self::Denied(usage, cancelled),
        }
    }
}
