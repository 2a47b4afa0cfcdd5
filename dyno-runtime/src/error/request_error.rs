//! Decides whether an error of the SDK leaves open that its request was served, and what the error says to the caller.

use super::may_be_applied::{is_denied, is_refused};
use super::{ErrorKind, is_throttling};
use aws_sdk_dynamodb::error::{ConnectorError, ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::RequestId as _;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;

/// An error of a request.
pub(super) struct RequestError<'a> {
    stage: Stage<'a>,
    pub(super) code: Option<&'a str>,
    message: Option<&'a str>,
    response: Option<&'a HttpResponse>,
    pub(super) request_id: Option<&'a str>,
}

/// The stage at which a request failed.
enum Stage<'a> {
    Built,
    TimedOut,
    Sent(Option<&'a ConnectorError>),
    Read,
    Answered,
}

impl<'a> RequestError<'a> {
    pub(super) fn new<E: ProvideErrorMetadata>(error: &'a SdkError<E, HttpResponse>) -> Self {
        let stage = match error {
            SdkError::ConstructionFailure(_) => Stage::Built,
            SdkError::TimeoutError(_) => Stage::TimedOut,
            SdkError::DispatchFailure(failure) => Stage::Sent(failure.as_connector_error()),
            SdkError::ResponseError(_) => Stage::Read,
            _ => Stage::Answered,
        };
        let (code, message) = (error.code(), error.message());
        Self { stage, code, message, response: error.raw_response(), request_id: error.request_id() }
    }

    /// Returns true if the request may have been served.
    pub(super) fn may_be_served(&self) -> bool {
        match self.stage {
            Stage::Built => false,
            Stage::Sent(error) => !error.is_some_and(|error| is_refused(error)),
            Stage::Answered => !is_denied(self.response, self.code),
            Stage::TimedOut | Stage::Read => true,
        }
    }

    pub(super) fn kind_and_message(&self) -> (ErrorKind, String) {
        match (&self.stage, self.code) {
            (Stage::Built, _) => (ErrorKind::Service, "the SDK could not build the request".to_owned()),
            (Stage::TimedOut, _) => (ErrorKind::Unreachable, "the request timed out".to_owned()),
            (Stage::Sent(_), _) if !self.may_be_served() => {
                (ErrorKind::Unreachable, "DynamoDB could not be reached: the connection was refused".to_owned())
            }
            // Neither of the connection nor of a deadline.
            (Stage::Sent(Some(failure)), _) if failure.is_other() => {
                let message = "the SDK could not send the request: the error's source says why, for example that there are no credentials";
                (ErrorKind::Unreachable, message.to_owned())
            }
            (Stage::Sent(_), _) => (ErrorKind::Unreachable, "no answer came from DynamoDB".to_owned()),
            (Stage::Read, _) => (ErrorKind::Unreachable, UNREADABLE.to_owned()),
            (Stage::Answered, Some(code)) => of_code(code, self.message),
            (Stage::Answered, None) => (ErrorKind::Unreachable, unnamed(self.response)),
        }
    }
}

const UNREADABLE: &str = "DynamoDB's answer could not be read";

/// Returns the kind and the message for an error code of DynamoDB.
fn of_code(code: &str, message: Option<&str>) -> (ErrorKind, String) {
    match code {
        "ResourceNotFoundException" => (ErrorKind::TableMissing, "the table does not exist".to_owned()),
        code if is_throttling(code) => (ErrorKind::Throttled, format!("DynamoDB is throttling ({code})")),
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

/// Returns the message for an answer without an error code of DynamoDB: its body was cut, or a proxy gave it.
fn unnamed(response: Option<&HttpResponse>) -> String {
    match response.map(HttpResponse::status).filter(|status| !status.is_success()) {
        None => UNREADABLE.to_owned(),
        Some(status) => format!(
            "the answer has status {} and names no error of DynamoDB's: a proxy in between may have given it",
            status.as_u16()
        ),
    }
}
