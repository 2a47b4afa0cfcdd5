//! The one error type of the library: the problem, the entity, the operation and the key. The SDK's error is its source.
//!
//! A write that its condition refused is not an error but an outcome: see `entity::outcome`.

mod accessors;
mod codec_errors;
mod display;
pub(crate) mod foreign_text;
mod in_doubt_errors;
mod may_be_applied;
mod request_error;
pub(crate) mod text;

pub(crate) use codec_errors::descriptor;
pub use codec_errors::{DecodeError, EncodeError, Step};
pub(crate) use may_be_applied::{code, is_unserved, throttling_reasons};

use crate::error::foreign_text::{MESSAGE_BYTES, one_line};
use crate::sorted;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use request_error::RequestError;
use std::any::Any;
use std::error::Error as StdError;
use std::sync::Arc;

/// An error that kept a command from its outcome.
///
/// `Display` shows the problem, the entity and the key, and what to do about it. `source()` is the SDK's error, if there is
/// one, for [`DisplayErrorContext`](aws_sdk_dynamodb::error::DisplayErrorContext) or a downcast. If your closure returned the
/// error, `Display` includes its text, [`closure_error`](Error::closure_error) returns it, and `source()` is its source.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    context: Option<Context>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
    fate: Fate,
    request_id: Option<Box<str>>,
    /// A `Refusal` of some entity, a `TransactionRefusal`, or the failures of a batch.
    detail: Option<Box<dyn Any + Send + Sync>>,
}

/// The conclusions about the request that failed: why DynamoDB did not serve it, or that DynamoDB may have served it.
#[derive(Clone, Copy, Default)]
struct Fate {
    denial: Option<Denial>,
    /// True if no answer proves that DynamoDB did not serve the request.
    lost: bool,
    /// True if a write may have been applied, by this request or by an earlier attempt.
    may_be_applied: bool,
}

/// A cause of [`ErrorKind::Service`] that decides what the library does next.
#[derive(Clone, Copy, PartialEq)]
enum Denial {
    /// DynamoDB refused this item. It may accept the next one.
    Item,
    /// DynamoDB denied the program the request.
    Access,
}

/// The command that failed.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) operation: &'static str,
    pub(crate) entity: &'static str,
    pub(crate) key: Option<String>,
}

/// The kind of an error, for a program that acts upon it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The command was refused before any request: a value or a key that DynamoDB cannot store, or an expression that is too
    /// long. Sending it again does not help.
    InvalidInput,
    /// A stored item does not have the entity's shape.
    Decode,
    /// The write was refused by its condition: [`Refusal`](crate::Refusal) turned into an error.
    Refused,
    /// The table does not exist. It can also be the lane table, which client-side transactions need, and so does an item that one
    /// of them holds: [`create_lane_table`](crate::Repository::create_lane_table) creates it.
    TableMissing,
    /// The table exists, but is not what the entity declares.
    TableDiffers,
    /// DynamoDB was throttling for longer than the SDK's retries lasted, or it kept leaving part of a batch unprocessed, which
    /// is the same.
    Throttled,
    /// DynamoDB did not answer, or its answer could not be read: the request timed out, the connection broke or was never
    /// established, or something other than DynamoDB answered. A write also ends in this error if an earlier attempt got no
    /// answer and a later one did (`AccessDenied`, throttling, a conflict, a refusal that need not last).
    /// [`Error::may_be_applied`] reports whether the write may have been applied. (A clone of a checked write of a versioned
    /// entity is the same write: send it again to find out. A `modify`, a `rollback`, a `restore` and an unchecked update
    /// without an idempotency key are a new write each time, so they end in [`OutcomeUnknown`](Self::OutcomeUnknown).)
    Unreachable,
    /// A write may or may not have been applied, and dyno cannot find out:
    /// - a write was sent more than once, and other writers have written since;
    /// - the answer to an update was lost that would count twice if it were sent again;
    /// - the write was part of a `modify`, `rollback`, `restore` or `modify_each`: sent again, it could make another change;
    /// - a transaction's token and idempotency keys may be forgotten by now, or other processes have taken over its lane eight
    ///   times since.
    ///
    /// Load the entity and decide. With an idempotency key or a history, you need not.
    OutcomeUnknown,
    /// Until the attempts ran out, other writers kept writing to the same item, other transactions held it, or another region
    /// was writing it. Or each attempt of an interactive or client-side transaction lost to a faster one. Or such transactions
    /// have all lanes in use (see [`with_lanes`](crate::Repository::with_lanes)). Nothing was applied. [`Error::refusal`] has
    /// the last refusal, if there was one.
    Contended,
    /// A transaction with this token is still under way, and its outcome is not known yet. An earlier attempt sent it, or
    /// another process with the same token. To learn the outcome, send the same transaction again a little later.
    InProgress,
    /// The transaction's token was used in the last ten minutes for a transaction with other contents. Most likely that was
    /// this transaction, built by an earlier run or with another clock, and then it was probably applied. Load the entities and
    /// decide.
    TokenMismatch,
    /// A transaction holds an item, on a lane that is not in the repository's lane table. So this program cannot find out
    /// whether the transaction committed, and leaves the item as it is. Name the lane table of the item's writers, with
    /// [`Repository::with_lane_table`](crate::Repository::with_lane_table), or restore it.
    LaneMissing,
    /// A lock was lost before the work under it was done: a [`Lost`](crate::lock::Lost), which is the source, as an error. The
    /// writes that the work had sent may have been applied.
    LockLost,
    /// The closure given to `modify`, or to an interactive transaction, returned an error: see [`Error::closure_error`].
    /// Nothing was written. Or the work under a lock, given to `Lock::run`, returned an error: what it had sent stays applied.
    Aborted,
    /// DynamoDB answered with another error. After one of its own failures (`InternalServerError`), a write may or may
    /// not have been applied: see [`Error::may_be_applied`].
    Service,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: one_line(&message.into(), MESSAGE_BYTES).into_owned(),
            context: None,
            source: None,
            fate: Fate::default(),
            request_id: None,
            detail: None,
        }))
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidInput, message)
    }

    pub(crate) fn sdk<E>(error: SdkError<E, HttpResponse>) -> Self
    where
        E: ProvideErrorMetadata + StdError + Send + Sync + 'static,
    {
        let mut this = Self::of_request(&RequestError::new(&error));
        this.0.source = Some(Arc::new(error));
        this
    }

    /// Makes the error of a request. This part is compiled once for all operations.
    fn of_request(error: &RequestError<'_>) -> Self {
        let (kind, message) = error.kind_and_message();
        let mut this = Self::new(kind, message);
        this.0.fate.denial = match error.code {
            // An index key of another type, or an item collection that is too large.
            Some("ValidationException" | "ItemCollectionSizeLimitExceededException") => Some(Denial::Item),
            Some(code) if is_denial(code) => Some(Denial::Access),
            _ => None,
        };
        this.0.fate.lost = error.may_be_served();
        this.0.request_id = error.request_id.map(Box::from);
        this
    }

    /// Returns true if the cause is in one item, and not in the database, the network or the caller's rights. Then a request for
    /// the next item may succeed.
    pub(crate) fn is_of_one_item(&self) -> bool {
        let is_by_kind = matches!(
            self.0.kind,
            ErrorKind::InvalidInput
                | ErrorKind::Decode
                | ErrorKind::Refused
                | ErrorKind::Aborted
                | ErrorKind::Contended
                | ErrorKind::LaneMissing
        );
        is_by_kind || self.0.kind == ErrorKind::Service && self.0.fate.denial == Some(Denial::Item)
    }

    /// Gives the error of a native transaction the kind of the temporary cause for which DynamoDB cancelled it:
    /// [`Throttled`](ErrorKind::Throttled) or [`Contended`](ErrorKind::Contended).
    pub(crate) fn temporary(mut self, kind: ErrorKind) -> Self {
        self.0.kind = kind;
        let message = if kind == ErrorKind::Throttled { THROTTLED } else { CONFLICT };
        self.with_message(message.to_owned())
    }

    /// Adds how many attempts ended in the error.
    pub(crate) fn after_attempts(self, attempts: u32) -> Self {
        if attempts < 2 { self } else { self.prefixed(&format!("in each of {attempts} attempts, ")) }
    }

    /// Names the entities of a transaction, unless the error names one of its items.
    pub(crate) fn of_entities<'a>(self, operation: &str, entities: impl Iterator<Item = &'a str>) -> Self {
        let names = sorted::names(entities);
        if self.0.context.is_some() || names.is_empty() {
            return self;
        }
        self.of(&format!("{operation} of `{}`", names.join("`, `")))
    }

    /// If the error is a missing table, lists the tables of the request in the message.
    pub(crate) fn in_tables<'a>(self, tables: impl Iterator<Item = &'a str>) -> Self {
        if !self.is_table_missing() {
            return self;
        }
        let names = sorted::names(tables);
        let which = if names.len() == 1 { "the table" } else { "one of the tables" };
        self.with_message(format!(
            "{which} `{}` does not exist: create it, or check its name and prefix, the region and the account",
            names.join("`, `")
        ))
    }

    /// Replaces the message.
    pub(crate) fn with_message(mut self, message: String) -> Self {
        self.0.message = one_line(&message, MESSAGE_BYTES).into_owned();
        self
    }

    /// Adds the command that failed, unless the error already has one.
    pub(crate) fn with_context(mut self, context: impl FnOnce() -> Context) -> Self {
        if self.0.context.is_none() {
            self.0.context = Some(context());
        }
        self
    }

    /// Puts the subject in front of the message.
    pub(crate) fn of(self, what: &str) -> Self {
        self.prefixed(&format!("{what}: "))
    }

    fn prefixed(mut self, text: &str) -> Self {
        self.0.message.insert_str(0, text);
        self
    }

    /// Returns a copy of the error for another item of the same request, without the detail, which cannot be cloned.
    pub(crate) fn share(&self) -> Self {
        let Inner { kind, message, context, source, fate, request_id, detail: _ } = &*self.0;
        Self(Box::new(Inner {
            kind: *kind,
            message: message.clone(),
            context: context.clone(),
            source: source.clone(),
            fate: *fate,
            request_id: request_id.clone(),
            detail: None,
        }))
    }

    /// Adds to the message how many more failures there are.
    pub(crate) fn and_more(mut self, more: usize, of: usize, what: &str) -> Self {
        if more > 0 {
            self.0.message = format!("{}; {more} more of the {of} {what}", self.0.message);
        }
        self
    }

    /// Adds another error that happened after this one.
    #[cfg(any(feature = "bulk", feature = "locks"))]
    pub(crate) fn and(mut self, other: &Self) -> Self {
        self.0.message = format!("{}; and {}", self.0.message, one_line(&other.to_string(), foreign_text::PART_BYTES));
        self
    }

    /// Returns the error that a closure has returned, if it is one of this library, and otherwise wraps it.
    #[cfg(any(feature = "locks", feature = "transactions"))]
    pub(crate) fn of_closure(error: Box<dyn StdError + Send + Sync>) -> Self {
        error.downcast().map_or_else(|error| Self::aborted("the closure", error), |error| *error)
    }

    /// Creates the error for an error that a caller's own code returned: "the closure", or "the input".
    pub(crate) fn aborted(by: &str, source: Box<dyn StdError + Send + Sync>) -> Self {
        let mut this = Self::new(ErrorKind::Aborted, format!("{by} returned an error: {source}"));
        this.0.source = Some(source.into());
        this
    }

    /// Returns the error of the closure given to `modify`, `modify_each`, an interactive transaction or `Lock::run`, if the closure
    /// caused this error ([`ErrorKind::Aborted`]). `downcast_ref` returns it as the closure's own type.
    ///
    /// [`Transaction::try_interactive`](crate::Transaction::try_interactive) returns the closure's own error type instead.
    #[must_use]
    pub fn closure_error(&self) -> Option<&(dyn StdError + Send + Sync + 'static)> {
        self.0.source.as_deref().filter(|_| self.0.kind == ErrorKind::Aborted)
    }

    /// Adds the source of the error.
    #[cfg(any(feature = "locks", feature = "transactions"))]
    pub(crate) fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    /// Adds data that the command's room reads back with [`detail`](Self::detail).
    pub(crate) fn with_detail(mut self, detail: Box<dyn Any + Send + Sync>) -> Self {
        self.0.detail = Some(detail);
        self
    }

    pub(crate) fn detail<T: Any>(&self) -> Option<&T> {
        self.0.detail.as_ref()?.downcast_ref()
    }
}

const THROTTLED: &str = "DynamoDB throttled the transaction: try again later, or give the tables more capacity";
const CONFLICT: &str = "another request or transaction was changing the item: send it again later";

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let source = self.0.source.as_deref()?;
        // `Display` already has the text of the closure's error.
        if self.0.kind == ErrorKind::Aborted { source.source() } else { Some(source) }
    }
}

/// Returns true if DynamoDB denies the program the request by this error code: it has no right to it, its credentials are expired
/// or unknown, or the signature is not valid, for example because the clock is wrong.
///
/// Source: [Common error types](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/CommonErrors.html) and [Error handling
/// with DynamoDB](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html).
pub(crate) fn is_denial(code: &str) -> bool {
    matches!(
        code,
        "AccessDeniedException"
            | "ExpiredTokenException"
            | "IncompleteSignature"
            | "IncompleteSignatureException"
            | "InvalidSignatureException"
            | "MissingAuthenticationToken"
            | "MissingAuthenticationTokenException"
            | "NotAuthorized"
            | "OptInRequired"
            | "RequestExpired"
            | "UnrecognizedClientException"
    )
}

/// Returns true if DynamoDB throttles by this error code.
pub(crate) fn is_throttling(code: &str) -> bool {
    matches!(code, "ProvisionedThroughputExceededException" | "RequestLimitExceeded" | "ThrottlingException")
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
    use aws_sdk_dynamodb::types::error::TransactionCanceledException;
    use aws_sdk_dynamodb::types::{AttributeValue, CancellationReason};
    use aws_smithy_types::body::SdkBody;

    /// People who read a log may not be allowed to read the item.
    #[test]
    fn a_contended_transaction_shows_no_item() {
        let reason = CancellationReason::builder()
            .code("TransactionConflict")
            .item("password", AttributeValue::S("secret".to_owned()));
        let cancelled =
            TransactionCanceledException::builder().message("cancelled").cancellation_reasons(reason.build());
        let error = TransactWriteItemsError::TransactionCanceledException(cancelled.build());
        let response = HttpResponse::new(400.try_into().expect("a status"), SdkBody::empty());
        let error = Error::sdk(SdkError::service_error(error, response)).temporary(ErrorKind::Contended);
        let shown = format!("{error} {error:?} {error:#?}");
        assert!(!shown.contains("secret") && shown.contains("cancelled"), "{shown}");
        assert!(error.source().is_some());
    }

    #[test]
    fn a_message_is_one_line_of_bounded_length() {
        let error = Error::new(ErrorKind::Service, format!("DynamoDB answered\r\n{}", "x".repeat(1_000_000)));
        assert!(
            error.to_string().len() < 1600 && error.to_string().starts_with("DynamoDB answered\\r\\nxxx"),
            "{error}"
        );
    }
}
