//! The `tracing` events of requests and writes, and their counters. A plain `tracing_subscriber::fmt()` shows them. While every
//! request is served at the first attempt and no write is refused, there are none.
//!
//! Each kind of event has a target of its own, so that a filter can choose: `dyno::attempt`, `dyno::conflict`, `dyno::hedge`,
//! `dyno::in_doubt`, `dyno::lock` and `dyno::refusal`. No event contains a key or a value of an item, but for the
//! name of a lock. (The events of the commit protocol are in `transaction::resolve::trace_events`.)

use super::metrics;
use crate::error::{Error, code, is_denial, is_throttling, throttling_reasons};
use crate::exchange::request::request_subject::About;
use crate::rule::{Reason, Refused};
use aws_sdk_dynamodb::config::interceptors::FinalizerInterceptorContextRef;
use aws_sdk_dynamodb::operation::RequestId;
#[cfg(feature = "locks")]
use std::fmt::Display;

/// An attempt of a request failed: DynamoDB throttled it, failed, or did not answer, and the SDK may retry it; or it denied it, or
/// does not find the table. The number of the attempt begins at 1.
pub(in crate::exchange) fn attempt_failed(number: u32, request: &str, attempt: &FinalizerInterceptorContextRef<'_>) {
    let Some(Err(error)) = attempt.output_or_error() else { return };
    let response = attempt.response();
    let status = response.map(|response| response.status().as_u16());
    let of_dynamodb = error.as_operation_error();
    let code = of_dynamodb.and_then(code);
    let is_throttled = code.is_some_and(is_throttling);
    let is_answered = status.is_some_and(|status| status < 500) && code.is_some();
    let is_denied = code.is_some_and(is_denial);
    // `DescribeTable` asks whether there is a table.
    let is_missing = code == Some("ResourceNotFoundException") && !request.starts_with("Describe");
    if is_answered && !is_throttled && !is_denied && !is_missing {
        return;
    }
    let request_id = response.and_then(RequestId::request_id);
    let message = match status {
        _ if is_throttled => "DynamoDB throttled a request attempt: if it goes on, raise the capacity",
        _ if is_denied => "DynamoDB denied a request: check the program's permissions, credentials and clock",
        _ if is_missing => "DynamoDB does not find the table or index of a request: check its name and the region",
        Some(_) => "a request attempt failed, and the SDK may send another one",
        None => "a request attempt got no answer, and the SDK may send another one",
    };
    let reasons = of_dynamodb.map(throttling_reasons).unwrap_or_default();
    metrics::attempt_failed(
        request,
        code.unwrap_or(if status.is_some() { "unreadable" } else { "no answer" }),
        reasons,
    );
    tracing::warn!(target: "dyno::attempt", attempt = number, status, code, request_id, "{message}");
}

/// Another request or transaction holds an item of the request, which is sent again after a pause.
pub(in crate::exchange) fn held() {
    metrics::conflict("request");
    tracing::info!(target: "dyno::conflict", "another request or transaction holds an item: sending the request again");
}

/// A request is late, so a second one was sent.
pub(in crate::exchange) fn hedged(about: &About<'_>, request: &'static str) {
    metrics::hedged(about, request);
    tracing::info!(target: "dyno::hedge", "the request is late: sent a second one");
}

/// An attempt of an interactive or client-side transaction lost to another writer, so the transaction begins again. The number of
/// the attempt begins at 1.
#[cfg(feature = "transactions")]
pub(crate) fn attempt_lost(number: u32) {
    metrics::conflict("transaction");
    tracing::info!(target: "dyno::conflict", attempt = number, "another writer changed an item first: the transaction starts again");
}

/// A write of this entity ended with an error; a transaction has no entity.
pub(crate) fn failed(entity: &'static str, operation: &'static str, error: &Error) {
    if error.may_be_applied() {
        metrics::in_doubt(entity, operation);
        tracing::warn!(target: "dyno::in_doubt", "a write ended with an error and may have been applied: the returned error names the item and says what to do");
    }
}

/// This lock was lost before it was released.
#[cfg(feature = "locks")]
pub(crate) fn lock_lost(name: &str, fence: u64, lost: &dyn Display) {
    metrics::count("dyno.locks_lost");
    tracing::warn!(target: "dyno::lock", lock = name, fence, "{lost}");
}

/// A write was refused, or several writes of a transaction were.
pub(crate) fn refused<'a>(writes: impl IntoIterator<Item = &'a Refused> + Clone) {
    for Refused { context, reasons, .. } in writes.clone() {
        metrics::refused(context.entity, context.operation, reasons);
    }
    if tracing::enabled!(target: "dyno::refusal", tracing::Level::INFO) {
        let mut names = Vec::new();
        // A transaction can refuse a hundred writes for the same reason.
        for name in writes.into_iter().flat_map(|refused| &refused.reasons).map(Reason::name) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        tracing::info!(target: "dyno::refusal", reasons = names.join(", "), "the write was refused");
    }
}
