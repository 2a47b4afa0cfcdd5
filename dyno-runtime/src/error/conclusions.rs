//! Conclusions from an answer, or from the lack of one, about a request: it was certainly not served, or nothing is known.
//!
//! A request was certainly not served if DynamoDB itself names an error with status 4xx (the condition did not hold, the
//! request was throttled, or it was wrong), or if the connection was refused. A status 4xx without a name proves nothing,
//! because a proxy that has passed the request on may have sent it.

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::batch_write_item::BatchWriteItemError;
use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_smithy_runtime_api::client::interceptors::context;
use aws_smithy_runtime_api::client::orchestrator::{HttpResponse, OrchestratorError};
use std::error::Error as StdError;
use std::io;

/// Returns true if the request of this error may have been served.
pub(crate) fn is_lost<E>(error: &SdkError<E, HttpResponse>) -> bool
where
    E: ProvideErrorMetadata + StdError + 'static,
{
    match error {
        SdkError::ConstructionFailure(_) => false,
        SdkError::DispatchFailure(failure) => !failure.as_connector_error().is_some_and(|error| is_refused(error)),
        SdkError::ServiceError(answer) => !is_named(Some(answer.raw()), answer.err().code()),
        _ => true,
    }
}

/// Returns true if an attempt of a write was certainly not served.
pub(crate) fn is_unserved(error: &OrchestratorError<context::Error>, response: Option<&HttpResponse>) -> bool {
    match (error.as_operation_error(), error.as_connector_error()) {
        (Some(error), _) => is_named(response, code(error)),
        (None, Some(error)) => is_refused(error),
        (None, None) => false,
    }
}

/// Returns true if DynamoDB has named the error of a request.
fn is_named(response: Option<&HttpResponse>, code: Option<&str>) -> bool {
    code.is_some() && response.is_some_and(|response| response.status().is_client_error())
}

/// Returns the code of an error of any write.
fn code(error: &context::Error) -> Option<&str> {
    macro_rules! code {
        ($($error:ty),*) => {
            None$(.or_else(|| error.downcast_ref::<$error>().and_then(ProvideErrorMetadata::code)))*
        };
    }
    code!(PutItemError, UpdateItemError, DeleteItemError, TransactWriteItemsError, BatchWriteItemError)
}

/// Returns true if there was no connection to send the request through. The operating system reports `ConnectionRefused` only
/// for an attempt to connect.
fn is_refused(error: &(dyn StdError + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(io) = error.downcast_ref::<io::Error>() {
            return io.kind() == io::ErrorKind::ConnectionRefused;
        }
        next = error.source();
    }
    false
}
