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
pub(crate) enum Failure<D> {
    /// What DynamoDB charges for it, and what it is denied for.
    Denied(Usage, D),
    /// Others hold an item.
    Busy(Error),
    Error(Error),
}

impl<D> Failure<D> {
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

    /// What DynamoDB charges for it, as far as that is known.
    pub(super) fn usage(&self) -> Usage {
        match self {
            Self::Denied(usage, _) => *usage,
            Self::Busy(_) | Self::Error(_) => Usage::default(),
        }
    }

    /// Its word in the span of the request.
    pub(super) fn outcome(&self) -> &'static str {
        match self {
            Self::Denied(..) => "refused",
            Self::Busy(_) => "busy",
            Self::Error(error) if error.is_throttled() => "throttled",
            Self::Error(_) => "error",
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

impl Failure<Option<Item>> {
    /// The condition did not hold for this item.
    pub(super) fn refused(item: Option<Item>) -> Self {
        Self::Denied(Usage::refused(item.as_ref().map_or(0, item_size)), item)
    }
}

impl Failure<Cancelled> {
    /// A transaction was cancelled, which costs this.
    pub(super) fn cancelled(reasons: Vec<CancellationReason>, error: Error, usage: Usage) -> Self {
        let cancelled = Cancelled { reasons, error };
        match cancelled.passing() {
            // While others hold an item, nothing is certain: what else refused may be their doing.
            Some(kind) => Self::Busy(cancelled.error.passing(kind)),
            None => Self::Denied(usage, cancelled),
        }
    }
}
