//! The one error type: what went wrong, with which entity, operation and key, and the SDK's error behind it.
//!
//! A write that its condition refused is not an error but an outcome: see `outcome`.

mod answer;
mod codec;
mod display;
mod doubt;
pub(crate) mod shown;
pub(crate) mod text;
mod told;

pub(crate) use answer::is_unserved;
pub(crate) use codec::descriptor;
pub use codec::{DecodeError, EncodeError, Step};

use crate::error::shown::{MESSAGE_BYTES, shown};
use answer::is_lost;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use std::any::Any;
use std::collections::BTreeSet;
use std::error::Error as StdError;
use std::sync::Arc;

/// Anything that kept a command from its outcome.
///
/// `Display` says what, for which entity and key, and what to do about it; `source()` is the SDK's error,
/// where there is one, for [`DisplayErrorContext`](aws_sdk_dynamodb::error::DisplayErrorContext) or a downcast. The error of a
/// closure is in `Display` as well, and in [`closure_error`](Error::closure_error); `source()` is then the source of that one.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    context: Option<Context>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
    fate: Fate,
    /// Whether the program lacks the rights to the request.
    access_denied: bool,
    /// A `Refusal` of some entity, a `TransactionRefusal`, or the failures of a batch.
    detail: Option<Box<dyn Any + Send + Sync>>,
}

/// What is known of the request that an error is of.
#[derive(Clone, Copy, Default)]
struct Fate {
    /// Whether DynamoDB refused the very item: another one it may take.
    of_item: bool,
    /// Whether it may have been served, for all that is known.
    lost: bool,
    /// Whether a write may have been applied: by this request, or by an earlier attempt.
    may_be_applied: bool,
}

/// Which command it was.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) operation: &'static str,
    pub(crate) entity: &'static str,
    pub(crate) key: Option<String>,
}

/// What kind of error it is: what a caller may want to act upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The command was refused before any request: a value that DynamoDB cannot hold, an impossible key, an
    /// expression that is too long. Sending it again is no help.
    InvalidInput,
    /// A stored item is not of the entity's shape.
    Decode,
    /// The write was refused by its condition: [`Refusal`](crate::Refusal) turned into an error.
    Refused,
    /// The table does not exist; or there is no lane table, and a transaction of many requests needs it, or an item that one of
    /// them holds. [`create_lane_table`](crate::Repository::create_lane_table) makes it.
    TableMissing,
    /// The table exists, but is not what the entity declares.
    TableDiffers,
    /// DynamoDB asked to slow down, and the SDK's retries did not outlast it; or it kept leaving a part of a batch
    /// unprocessed, which is the same.
    Throttled,
    /// No answer came from DynamoDB, or one that cannot be read: the request timed out, the connection broke or was
    /// never made, or what answered was not DynamoDB. Of a write, also where a later attempt was answered
    /// (`AccessDenied`, throttling, a conflict, a refusal that need not last) and an earlier one was not. Whether the write may have been applied is
    /// in [`Error::may_be_applied`]. (A clone of a checked write of a versioned entity is the same write: sent again,
    /// it learns which. A `modify`, a `rollback` and an unchecked update without an idempotency key are other writes
    /// each time: they end in [`OutcomeUnknown`](Self::OutcomeUnknown).)
    Unreachable,
    /// A write may or may not have been applied, and nothing tells: it was sent more than once, and others have written
    /// since; or it was an update that would count twice if it were sent again, and its answer was lost; or it was part
    /// of a `modify`, `rollback` or `modify_each`, which sent again would make another change; or a transaction whose
    /// token, and idempotency keys, may be forgotten by now, or whose lane others have taken over eight times since. Load the
    /// entity and decide. An idempotency key, or a history, makes that needless.
    OutcomeUnknown,
    /// Others kept writing to the same item, transactions of others held it, or another region was writing it, until the
    /// attempts ran out; or were faster in each attempt of an interactive transaction, or of one of many requests; or these have
    /// all lanes in use (see [`with_lanes`](crate::Repository::with_lanes)). Nothing was applied. The last refusal is in
    /// [`Error::refusal`], where there was one.
    Contended,
    /// A transaction with this token is still under way, and its outcome not known: sent by an earlier attempt, or by whoever
    /// else has the token. Send the same one again a little later to learn it.
    InProgress,
    /// The transaction's token was used in the last ten minutes for a transaction with other contents: most likely for this
    /// one, as made by an earlier run or another clock, and then it was probably applied. Load the entities and decide.
    TokenMismatch,
    /// An item is held by a transaction on a lane that is not in the repository's lane table, so that nobody can tell here
    /// what is to become of it. It is left as it is. Name the lane table that its writers have, with
    /// [`Repository::with_lane_table`](crate::Repository::with_lane_table), or restore it.
    LaneMissing,
    /// A lock was lost before the work under it was done: a [`Lost`](crate::lock::Lost), which is the source, turned into an
    /// error. What the work had sent may have been applied.
    LockLost,
    /// The closure given to `modify`, or to an interactive transaction, returned an error: see [`Error::closure_error`].
    /// Nothing was written.
    Aborted,
    /// DynamoDB answered with another error. After one of its own failures (`InternalServerError`), a write may or may
    /// not have been applied: see [`Error::may_be_applied`].
    Service,
}

/// What DynamoDB answers where one item is at fault: an index key of another type, more than an item collection holds.
const CODES_OF_ITEMS: &[&str] = &["ValidationException", "ItemCollectionSizeLimitExceededException"];

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: shown(&message.into(), MESSAGE_BYTES).into_owned(),
            context: None,
            source: None,
            fate: Fate::default(),
            access_denied: false,
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
        let (kind, message) = match (&error, error.code()) {
            (SdkError::ConstructionFailure(_), _) => {
                (ErrorKind::Service, "the SDK could not build the request".to_owned())
            }
            (SdkError::TimeoutError(_), _) => (ErrorKind::Unreachable, "the request timed out".to_owned()),
            (SdkError::DispatchFailure(_), _) if !is_lost(&error) => {
                (ErrorKind::Unreachable, "DynamoDB could not be reached: the connection was refused".to_owned())
            }
            (SdkError::DispatchFailure(_), _) => (ErrorKind::Unreachable, "no answer came from DynamoDB".to_owned()),
            (SdkError::ResponseError(_), _) => (ErrorKind::Unreachable, UNREADABLE.to_owned()),
            (_, Some(code)) => answered(code, error.message()),
            (_, None) => (ErrorKind::Unreachable, foreign(error.raw_response())),
        };
        let mut this = Self::new(kind, message);
        this.0.fate.of_item = error.code().is_some_and(|code| CODES_OF_ITEMS.contains(&code));
        this.0.access_denied = error.code() == Some("AccessDeniedException");
        this.0.fate.lost = is_lost(&error);
        this.0.source = Some(Arc::new(error));
        this
    }

    /// Whether the program lacks the rights to the request.
    pub(crate) fn is_access_denied(&self) -> bool {
        self.0.access_denied
    }

    /// Whether the reason is one item, and not the database, the network or the caller's rights: then the next item can fare
    /// better.
    pub(crate) fn is_of_one_item(&self) -> bool {
        let is_own = matches!(
            self.0.kind,
            ErrorKind::InvalidInput
                | ErrorKind::Decode
                | ErrorKind::Refused
                | ErrorKind::Aborted
                | ErrorKind::Contended
                | ErrorKind::LaneMissing
        );
        is_own || self.0.kind == ErrorKind::Service && self.0.fate.of_item
    }

    /// A transaction was cancelled for reasons that pass: others hold its items, or DynamoDB is throttling.
    pub(crate) fn passing(mut self, throttled: bool) -> Self {
        (self.0.kind, self.0.message) = if throttled {
            (ErrorKind::Throttled, "DynamoDB is throttling".to_owned())
        } else {
            (ErrorKind::Contended, "another transaction holds the item".to_owned())
        };
        self
    }

    /// Names the tables, where it is that one is missing.
    pub(crate) fn in_tables<'a>(mut self, tables: impl Iterator<Item = &'a str>) -> Self {
        if !self.is_table_missing() {
            return self;
        }
        let names: BTreeSet<&str> = tables.collect();
        let names: Vec<&str> = names.into_iter().collect();
        self.0.message = match names[..] {
            [name] => format!(
                "the table `{name}` does not exist: create it, or check its name and prefix, the region and the account"
            ),
            _ => format!(
                "one of the tables `{}` does not exist: create it, or check the names and prefix, the region and the account",
                names.join("`, `")
            ),
        };
        self
    }

    /// Says what DynamoDB answered, where it said more than its error does.
    pub(crate) fn answered(mut self, message: String) -> Self {
        self.0.message = shown(&message, MESSAGE_BYTES).into_owned();
        self
    }

    /// Adds which command it was; the innermost context stays.
    pub(crate) fn with_context(mut self, context: impl FnOnce() -> Context) -> Self {
        if self.0.context.is_none() {
            self.0.context = Some(context());
        }
        self
    }

    /// Says of what the message is.
    pub(crate) fn of(mut self, what: &str) -> Self {
        self.0.message = format!("{what}: {}", self.0.message);
        self
    }

    /// The same error once more: of a request that carried several items.
    pub(crate) fn share(&self) -> Self {
        let Inner { kind, message, context, source, fate, access_denied, .. } = &*self.0;
        Self(Box::new(Inner {
            kind: *kind,
            message: message.clone(),
            context: context.clone(),
            source: source.clone(),
            fate: *fate,
            access_denied: *access_denied,
            detail: None,
        }))
    }

    /// Says that it is not the only one.
    pub(crate) fn and_more(mut self, more: usize, of: usize, what: &str) -> Self {
        if more > 0 {
            self.0.message = format!("{}; {more} more of the {of} {what}", self.0.message);
        }
        self
    }

    /// The error that a caller's own code returned.
    pub(crate) fn aborted(source: Box<dyn StdError + Send + Sync>) -> Self {
        let mut this = Self::new(ErrorKind::Aborted, format!("the closure returned an error: {source}"));
        this.0.source = Some(source.into());
        this
    }

    /// The error that the closure given to `modify`, `modify_each` or an interactive transaction returned, if that is what the
    /// error is ([`ErrorKind::Aborted`]). `downcast_ref` has it as the closure's own type.
    ///
    /// [`Transaction::try_interactive`](crate::Transaction::try_interactive) ends in the closure's own type instead.
    #[must_use]
    pub fn closure_error(&self) -> Option<&(dyn StdError + Send + Sync + 'static)> {
        self.0.source.as_deref().filter(|_| self.0.kind == ErrorKind::Aborted)
    }

    /// Adds the error behind it.
    pub(crate) fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    /// Adds what the room of the command knows of it, which it reads again by [`detail`](Self::detail).
    pub(crate) fn with_detail(mut self, detail: Box<dyn Any + Send + Sync>) -> Self {
        self.0.detail = Some(detail);
        self
    }

    pub(crate) fn detail<T: Any>(&self) -> Option<&T> {
        self.0.detail.as_ref()?.downcast_ref()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let source = self.0.source.as_deref()?;
        // `Display` has said what the closure's error says.
        if self.0.kind == ErrorKind::Aborted { source.source() } else { Some(source) }
    }
}

impl From<EncodeError> for Error {
    fn from(error: EncodeError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<DecodeError> for Error {
    fn from(error: DecodeError) -> Self {
        Self::new(ErrorKind::Decode, error.to_string())
    }
}

const UNREADABLE: &str = "DynamoDB's answer could not be read";

/// What an error is that DynamoDB answered.
fn answered(code: &str, message: Option<&str>) -> (ErrorKind, String) {
    match code {
        "ResourceNotFoundException" => (ErrorKind::TableMissing, "the table does not exist".to_owned()),
        "ProvisionedThroughputExceededException" | "RequestLimitExceeded" | "ThrottlingException" => {
            (ErrorKind::Throttled, format!("DynamoDB is throttling ({code})"))
        }
        "TransactionConflictException" => (ErrorKind::Contended, "a transaction holds the item".to_owned()),
        "ReplicatedWriteConflictException" => {
            (ErrorKind::Contended, "a request in another region is writing the item".to_owned())
        }
        "TransactionInProgressException" => (
            ErrorKind::InProgress,
            "a transaction with this token is still under way: send the same one again a little later to learn how it ended".to_owned(),
        ),
        "IdempotentParameterMismatchException" => (
            ErrorKind::TokenMismatch,
            "its token was used in the last ten minutes for other contents, most likely for this transaction as an earlier run made it, which may have been applied: load the entities and decide, and give each transaction a token of its own".to_owned(),
        ),
        code => {
            let message = message.map(|message| format!(": {message}")).unwrap_or_default();
            (ErrorKind::Service, format!("DynamoDB answered {code}{message}"))
        }
    }
}

/// What is said of an answer that names no error of DynamoDB's: its body is cut, or something else has answered.
fn foreign(response: Option<&HttpResponse>) -> String {
    match response.map(HttpResponse::status).filter(|status| !status.is_success()) {
        None => UNREADABLE.to_owned(),
        Some(status) => format!(
            "the answer has status {} and names no error of DynamoDB's: a proxy in between may have given it",
            status.as_u16()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
    use aws_sdk_dynamodb::types::error::TransactionCanceledException;
    use aws_sdk_dynamodb::types::{AttributeValue, CancellationReason};
    use aws_smithy_types::body::SdkBody;

    /// What another writer's item holds is nobody's who reads a log.
    #[test]
    fn a_contended_transaction_shows_no_item() {
        let reason = CancellationReason::builder()
            .code("TransactionConflict")
            .item("password", AttributeValue::S("secret".to_owned()));
        let cancelled =
            TransactionCanceledException::builder().message("cancelled").cancellation_reasons(reason.build());
        let error = TransactWriteItemsError::TransactionCanceledException(cancelled.build());
        let response = HttpResponse::new(400.try_into().expect("a status"), SdkBody::empty());
        let error = Error::sdk(SdkError::service_error(error, response)).passing(false);
        let shown = format!("{error} {error:?} {error:#?}");
        assert!(!shown.contains("secret") && shown.contains("cancelled"), "{shown}");
        assert!(error.source().is_some());
    }

    #[test]
    fn a_message_is_one_line_and_no_longer_than_is_read() {
        let error = Error::new(ErrorKind::Service, format!("DynamoDB answered\r\n{}", "x".repeat(1_000_000)));
        assert!(
            error.to_string().len() < 1600 && error.to_string().starts_with("DynamoDB answered\\r\\nxxx"),
            "{error}"
        );
    }
}
