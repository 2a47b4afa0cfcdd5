//! Decides whether an error of the SDK leaves open that its request was served, and what the error says to the caller.

use super::may_be_applied::{is_denied, is_refused, reasons_of};
use super::{CONFLICT, ErrorKind, is_throttling};
use aws_sdk_dynamodb::error::{ConnectorError, ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::RequestId as _;
use aws_sdk_dynamodb::types::ThrottlingReason;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use std::error::Error as StdError;
use std::iter::successors;

/// An error of a request.
pub(super) struct RequestError<'a> {
    stage: Stage<'a>,
    pub(super) code: Option<&'a str>,
    message: Option<&'a str>,
    /// The SDK's error, for its innermost source and its throttling reasons.
    error: &'a (dyn StdError + 'static),
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
    pub(super) fn new<E: ProvideErrorMetadata + StdError + 'static>(error: &'a SdkError<E, HttpResponse>) -> Self {
        let stage = match error {
            SdkError::ConstructionFailure(_) => Stage::Built,
            SdkError::TimeoutError(_) => Stage::TimedOut,
            SdkError::DispatchFailure(failure) => Stage::Sent(failure.as_connector_error()),
            SdkError::ResponseError(_) => Stage::Read,
            _ => Stage::Answered,
        };
        let (code, message) = (error.code(), error.message());
        Self { stage, code, message, error, response: error.raw_response(), request_id: error.request_id() }
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
        let problem = match (&self.stage, self.code) {
            (Stage::Answered, Some(code)) => return self.of_code(code),
            (Stage::Answered, None) => return (ErrorKind::Unreachable, unnamed(self.response)),
            (Stage::Built, _) => "the SDK could not build the request",
            (Stage::TimedOut, _) => "DynamoDB did not answer in time",
            (Stage::Sent(_), _) if !self.may_be_served() => {
                "DynamoDB could not be reached (check the endpoint and the network)"
            }
            // Neither of the connection nor of a deadline.
            (Stage::Sent(Some(failure)), _) if failure.is_other() => {
                "the SDK could not send the request (check its credentials and configuration)"
            }
            (Stage::Sent(_), _) => "DynamoDB did not answer",
            (Stage::Read, _) => UNREADABLE,
        };
        let kind = if matches!(self.stage, Stage::Built) { ErrorKind::Service } else { ErrorKind::Unreachable };
        // Few programs log an error's sources.
        let cause = successors(Some(self.error), |&error| error.source()).last().unwrap_or(self.error);
        (kind, format!("{problem}: {cause}"))
    }

    /// Returns the kind and the message for an error code of DynamoDB.
    fn of_code(&self, code: &str) -> (ErrorKind, String) {
        match code {
            "ResourceNotFoundException" => (ErrorKind::TableMissing, "the table does not exist".to_owned()),
            code if is_throttling(code) => {
                let reason = |reason: &ThrottlingReason| {
                    format!(", {} of {}", reason.reason().unwrap_or_default(), reason.resource().unwrap_or_default())
                };
                let reasons: String = reasons_of(self.error).iter().map(reason).collect();
                let advice = "try again later, or give the table or index more capacity";
                (ErrorKind::Throttled, format!("DynamoDB throttled the request ({code}{reasons}): {advice}"))
            }
            "TransactionConflictException" => (ErrorKind::Contended, CONFLICT.to_owned()),
            "ReplicatedWriteConflictException" => (ErrorKind::Contended, OTHER_REGION.to_owned()),
            "TransactionInProgressException" => (ErrorKind::InProgress, IN_PROGRESS.to_owned()),
            "IdempotentParameterMismatchException" => (ErrorKind::TokenMismatch, OTHER_CONTENTS.to_owned()),
            code => {
                let message = self.message.map(|message| format!(": {message}")).unwrap_or_default();
                (ErrorKind::Service, format!("DynamoDB answered {code}{message}"))
            }
        }
    }
}

const UNREADABLE: &str = "DynamoDB's answer could not be read";
const OTHER_REGION: &str = "a request in another region was writing the item: send it again later";
const IN_PROGRESS: &str = "a transaction with this token was still in progress: send the same transaction again a little later to learn its outcome";
const OTHER_CONTENTS: &str = "its token was used in the last ten minutes with other contents, most likely by an earlier run of this transaction, which may have been applied: load the items and decide, and give each transaction its own token";

/// Returns the message for an answer without an error code of DynamoDB: its body was cut, or a proxy gave it.
fn unnamed(response: Option<&HttpResponse>) -> String {
    match response.map(HttpResponse::status).filter(|status| !status.is_success()) {
        None => UNREADABLE.to_owned(),
        Some(status) => format!(
            "the answer has status {} and no DynamoDB error code, so it may come from a proxy: check the endpoint and the network",
            status.as_u16()
        ),
    }
}
