//! Answers that do not come from the engine.

use super::json_body::json_of;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;

pub(in crate::local) fn conflict(operation: &str, request: &HttpRequest) -> HttpResponse {
    if operation.starts_with("Transact") {
        let others = json_of(request)["TransactItems"].as_array().map_or(0, |actions| actions.len().saturating_sub(1));
        let reasons: Vec<_> = std::iter::repeat_n("None", others).chain(["TransactionConflict"]).collect();
        cancelled(&reasons)
    } else {
        refusal(400, "TransactionConflictException", "Transaction is ongoing for the item", "")
    }
}

pub(super) fn cancelled(reasons: &[&str]) -> HttpResponse {
    let reasons: Vec<String> = reasons.iter().map(|code| format!(r#"{{"Code":"{code}"}}"#)).collect();
    let reasons = format!(r#","CancellationReasons":[{}]"#, reasons.join(","));
    refusal(400, "TransactionCanceledException", "Transaction cancelled", &reasons)
}

/// Returns an error of DynamoDB.
pub(in crate::local) fn refusal(status: u16, name: &str, message: &str, rest: &str) -> HttpResponse {
    answer(status, format!(r#"{{"__type":"com.amazonaws.dynamodb.v20120810#{name}","message":"{message}"{rest}}}"#))
}

/// Returns an error page of a proxy.
pub(super) fn page(status: u16) -> HttpResponse {
    let mut page = answer(status, format!("<html><body><h1>{status}</h1></body></html>"));
    page.headers_mut().insert("content-type", "text/html");
    page
}

/// The request id of these answers.
pub(super) const REQUEST_ID: &str = "ANSWERED-BY-NO-ENGINE";

/// Returns an answer with this body.
///
/// # Panics
/// Panics if the status is none of HTTP's.
pub(super) fn answer(status: u16, body: String) -> HttpResponse {
    let status = status.try_into().expect("a status of HTTP");
    let mut response = HttpResponse::new(status, SdkBody::from(body));
    response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
    response.headers_mut().insert("x-amzn-requestid", REQUEST_ID);
    response
}
