//! The classification of DynamoDB's errors: a denial that the operation expects, a conflict that passes by waiting, or an error.

use super::cancellation_reasons::Cancelled;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::watch::consumed_capacity::Usage;
use crate::key::item_size;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::CancellationReason;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use std::error::Error as StdError;

/// A request that had no success, classified.
pub(crate) enum Failure {
    /// DynamoDB refused the request for a reason that its operation expects, and charges this for it.
    Denied(Usage),
    /// Other requests or transactions hold an item.
    Busy(Error),
    Error(Error),
}

impl Failure {
    pub(in crate::exchange) fn is_denied(&self) -> bool {
        matches!(self, Self::Denied(_))
    }

    /// Returns `true` if DynamoDB itself answered with the reason why it did not serve the request.
    pub(in crate::exchange) fn is_answer(&self) -> bool {
        match self {
            Self::Denied(_) | Self::Busy(_) => true,
            Self::Error(error) => error.is_answer(),
        }
    }

    /// Returns the cost of the request, as far as it is known.
    pub(in crate::exchange) fn usage(&self) -> Usage {
        match self {
            Self::Denied(usage) => *usage,
            Self::Busy(_) | Self::Error(_) => Usage::default(),
        }
    }

    /// Returns the error, unless the request was denied.
    pub(in crate::exchange) fn as_error(&self) -> Option<&Error> {
        match self {
            Self::Denied(_) => None,
            Self::Busy(error) | Self::Error(error) => Some(error),
        }
    }

    /// Returns the outcome that is recorded in the request's span.
    pub(in crate::exchange) fn outcome(&self) -> &'static str {
        match self {
            Self::Denied(_) => "refused",
            Self::Busy(_) => "busy",
            Self::Error(error) if error.is_throttled() => "throttled",
            Self::Error(_) => "error",
        }
    }

    /// Classifies an error that is not a denial.
    pub(in crate::exchange) fn error<E>(error: SdkError<E, HttpResponse>) -> Self
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

    /// Returns the denial of a write whose condition did not hold for this item.
    pub(in crate::exchange) fn refused(item: Option<&Item>) -> Self {
        Self::Denied(Usage::refused(item.map_or(0, item_size)))
    }

    /// Classifies the cancellation of a transaction, which costs this. Returns the denial, if it is one.
    pub(in crate::exchange) fn cancelled(
        reasons: Vec<CancellationReason>,
        error: Error,
        write_units: f64,
    ) -> (Self, Option<Cancelled>) {
        let cancelled = Cancelled { reasons, error };
        match cancelled.temporary_kind() {
            // While another request changes an item, a condition may have failed only because of that change.
            Some(kind) => (Self::Busy(cancelled.error.temporary(kind)), None),
            None => (Self::Denied(Usage { write_units, ..Usage::default() }), Some(cancelled)),
        }
    }
}
