//! Accessors of an error for programs.

use super::may_be_applied::reasons_of;
use super::{Denial, Error, ErrorKind};
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::search_vectors::SearchVectorsError;
use aws_sdk_dynamodb::types::ThrottlingReason;
use std::error::Error as StdError;

impl Error {
    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns true if the write, or a part of it, may have been applied despite the error: one of its attempts got no answer,
    /// or an internal error of DynamoDB. (The error itself can come from a later attempt, which DynamoDB answered.)
    ///
    /// `false` means that this `send` applied nothing. It is `false` for a read, for bad input, and for a closure that returned
    /// an error. (If the work of `Lock::run` returned an error of its own, that work knows what it has written.)
    #[must_use]
    pub fn may_be_applied(&self) -> bool {
        use ErrorKind::{InProgress, LockLost, OutcomeUnknown, TokenMismatch};
        self.0.fate.may_be_applied || matches!(self.0.kind, OutcomeUnknown | InProgress | TokenMismatch | LockLost)
    }

    /// Returns true if DynamoDB answered, and its answer says that it did not serve the request. Without such an answer, the
    /// request may have been served, or it never reached DynamoDB.
    pub(crate) fn is_answer(&self) -> bool {
        !self.0.fate.lost && !self.is_unreachable()
    }

    /// Removes the command, which the caller of a lock never wrote: dyno sends it. The message names the lock instead.
    #[cfg(feature = "locks")]
    pub(crate) fn without_command(mut self) -> Self {
        self.0.context = None;
        self
    }

    /// Returns the name of the entity type whose command failed.
    #[must_use]
    pub fn entity(&self) -> Option<&str> {
        self.0.context.as_ref().map(|context| context.entity)
    }

    /// Returns the command that failed: `put`, `query`, …
    #[must_use]
    pub fn operation(&self) -> Option<&str> {
        self.0.context.as_ref().map(|context| context.operation)
    }

    /// Returns true if DynamoDB denied the program the request: it has no right to it, its credentials are expired or unknown, or
    /// the signature is not valid, as when the program's clock is off by minutes. The SDK does not send the request again.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        self.0.fate.denial == Some(Denial::Access)
    }

    /// Returns the id of the request that failed, if DynamoDB answered it. AWS Support finds the request by this id.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.0.request_id.as_deref()
    }

    /// Returns why DynamoDB throttled the request, and the ARN of the table or index: for example
    /// `TableWriteKeyRangeThroughputExceeded` for a hot partition. Empty for all other errors. DynamoDB gives no reasons for a
    /// cancelled transaction, and none for the part of a batch that it leaves unprocessed.
    ///
    /// Source: [Understanding throttling](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TroubleshootingThrottling.html).
    #[must_use]
    pub fn throttling_reasons(&self) -> &[ThrottlingReason] {
        self.source().map(reasons_of).unwrap_or_default()
    }

    /// Returns true if a search was refused because its vector index is still being filled, or because the table has no such index.
    /// A new index of an existing table is filled for minutes, and DynamoDB can refuse searches for some minutes more after it
    /// calls the index active. [`create_table`](crate::Repository::create_table) waits until a search is answered.
    #[must_use]
    pub fn is_index_not_ready(&self) -> bool {
        let refused = self.source().and_then(|source| source.downcast_ref::<SdkError<SearchVectorsError>>());
        let is_invalid = |error: &&SdkError<SearchVectorsError>| error.code() == Some("ValidationException");
        // Neither refusal has a code of its own.
        let is_not_ready = |message: &str| {
            // In some regions, a prefix comes before the text.
            message.contains("Cannot search backfilling vector index")
                || message.contains("does not have the specified index")
        };
        refused.filter(is_invalid).and_then(ProvideErrorMetadata::message).is_some_and(is_not_ready)
    }

    /// Returns the key of the command's item, as text for people.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.0.context.as_ref()?.key.as_deref()
    }
}

/// Predicates for the kinds that programs most often ask for.
macro_rules! kind_predicates {
    ($($name:ident $kind:ident;)*) => {
        impl Error {$(
            #[doc = concat!("Returns true for [`ErrorKind::", stringify!($kind), "`].")]
            #[must_use]
            pub fn $name(&self) -> bool {
                self.kind() == ErrorKind::$kind
            }
        )*}
    };
}

kind_predicates! {
    is_invalid_input InvalidInput;
    is_decode Decode;
    is_refused Refused;
    is_table_missing TableMissing;
    is_outcome_unknown OutcomeUnknown;
    is_contended Contended;
    is_in_progress InProgress;
    is_lane_missing LaneMissing;
    is_lock_lost LockLost;
    is_token_mismatch TokenMismatch;
    is_throttled Throttled;
    is_unreachable Unreachable;
}
