//! Decides from an answer, or from the lack of one, whether a request was certainly not served.
//!
//! A request was certainly not served if the answer has status 4xx and a DynamoDB error code (the condition did not hold, the
//! request was throttled, or it was invalid), or if the connection was refused. A status 4xx without an error code proves
//! nothing, because a proxy may have answered after it had passed the request on.

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::operation::batch_get_item::BatchGetItemError;
use aws_sdk_dynamodb::operation::batch_write_item::BatchWriteItemError;
use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::describe_table::DescribeTableError;
use aws_sdk_dynamodb::operation::describe_time_to_live::DescribeTimeToLiveError;
use aws_sdk_dynamodb::operation::get_item::GetItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::query::QueryError;
use aws_sdk_dynamodb::operation::scan::ScanError;
use aws_sdk_dynamodb::operation::search_vectors::SearchVectorsError;
use aws_sdk_dynamodb::operation::transact_get_items::TransactGetItemsError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::operation::update_table::UpdateTableError;
use aws_sdk_dynamodb::operation::update_time_to_live::UpdateTimeToLiveError;
use aws_sdk_dynamodb::types::ThrottlingReason;
use aws_sdk_dynamodb::types::error::{
    ProvisionedThroughputExceededException, RequestLimitExceeded, ThrottlingException,
};
use aws_smithy_runtime_api::client::interceptors::context;
use aws_smithy_runtime_api::client::orchestrator::{HttpResponse, OrchestratorError};
use std::error::Error as StdError;
use std::io;
use std::iter::successors;

/// Returns true if an attempt of a write was certainly not served. A timeout proves nothing: the request may have been served, or may
/// be on its way. `RequestError::may_be_served` decides the same of the error that ends a call.
pub(crate) fn is_unserved(error: &OrchestratorError<context::Error>, response: Option<&HttpResponse>) -> bool {
    match (error.as_operation_error(), error.as_connector_error()) {
        (Some(error), _) => is_denied(response, code(error)),
        (None, Some(error)) => is_refused(error),
        (None, None) => false,
    }
}

/// Returns true if DynamoDB itself answered that it did not serve the request.
pub(super) fn is_denied(response: Option<&HttpResponse>, code: Option<&str>) -> bool {
    code.is_some() && response.is_some_and(|response| response.status().is_client_error())
}

/// An error of DynamoDB's, as an error and with its code.
trait DynamoDbError: ProvideErrorMetadata + StdError {}

impl<E: ProvideErrorMetadata + StdError> DynamoDbError for E {}

/// Returns the error code of any kind of request.
pub(crate) fn code(error: &context::Error) -> Option<&str> {
    of_dynamodb(error).and_then(ProvideErrorMetadata::code)
}

/// Returns why DynamoDB throttled any kind of request.
pub(crate) fn throttling_reasons(error: &context::Error) -> &[ThrottlingReason] {
    of_dynamodb(error).map(|error| reasons_of(error)).unwrap_or_default()
}

/// Returns the reasons of an error, or of the error that caused it.
pub(super) fn reasons_of<'a>(error: &'a (dyn StdError + 'static)) -> &'a [ThrottlingReason] {
    let reasons = successors(Some(error), |&error| error.source()).find_map(|error| {
        let slow = error.downcast_ref().map(ThrottlingException::throttling_reasons);
        let slow =
            slow.or_else(|| error.downcast_ref().map(ProvisionedThroughputExceededException::throttling_reasons));
        slow.or_else(|| error.downcast_ref().map(RequestLimitExceeded::throttling_reasons))
    });
    reasons.unwrap_or_default()
}

/// Returns the error of any kind of request.
fn of_dynamodb(error: &context::Error) -> Option<&(dyn DynamoDbError + 'static)> {
    macro_rules! known {
        ($($error:ty),*) => {
            None$(.or_else(|| error.downcast_ref::<$error>().map(|error| error as &(dyn DynamoDbError + 'static))))*
        };
    }
    known!(
        PutItemError,
        UpdateItemError,
        DeleteItemError,
        TransactWriteItemsError,
        BatchWriteItemError,
        GetItemError,
        QueryError,
        ScanError,
        SearchVectorsError,
        BatchGetItemError,
        TransactGetItemsError,
        CreateTableError,
        UpdateTableError,
        DescribeTableError,
        DescribeTimeToLiveError,
        UpdateTimeToLiveError
    )
}

/// Returns true if the request could not be sent because there was no connection. The operating system reports
/// `ConnectionRefused` only for an attempt to connect.
pub(super) fn is_refused(error: &(dyn StdError + 'static)) -> bool {
    let io = successors(Some(error), |&error| error.source()).find_map(|error| error.downcast_ref::<io::Error>());
    io.is_some_and(|io| io.kind() == io::ErrorKind::ConnectionRefused)
}
