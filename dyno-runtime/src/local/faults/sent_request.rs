//! The requests that were sent, attempt by attempt. Their bodies are parsed only when they are asked for.

use super::fault::Fault;
use crate::local::engine::operation_of;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::body::SdkBody;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// One attempt of a request, and what happened to it.
#[derive(Clone)]
#[non_exhaustive]
pub struct SentRequest {
    /// When it was sent, counted from the first request.
    pub at: Duration,
    /// Its operation, such as `PutItem`.
    pub operation: String,
    /// Which of the SDK's attempts it was, from 1.
    pub attempt: u32,
    /// The fault that the network gave it.
    pub fault: Fault,
    body: Arc<SdkBody>,
}

impl SentRequest {
    pub(super) fn new(request: &HttpRequest, at: Duration) -> Self {
        // `ttl=20261126T000000Z; attempt=2; max=3`
        let mut parts = request.headers().get("amz-sdk-request").unwrap_or_default().split(';');
        let attempt = parts.find_map(|part| part.trim().strip_prefix("attempt=")?.parse().ok());
        // A body in memory is shared, and not copied.
        let body = request.body().try_clone().unwrap_or_else(SdkBody::empty);
        let operation = operation_of(request).to_owned();
        Self { at, operation, attempt: attempt.unwrap_or(1), fault: Fault::Served, body: Arc::new(body) }
    }

    /// Returns true: for [`Faults::on_request`](super::Faults::on_request), which takes a function that chooses requests.
    #[must_use]
    pub fn is_any(&self) -> bool {
        true
    }

    /// Returns whether the request can change an item.
    #[must_use]
    pub fn is_write(&self) -> bool {
        is_write(&self.operation)
    }

    /// Returns the body as it was sent, in DynamoDB's JSON.
    #[must_use]
    pub fn body(&self) -> &str {
        std::str::from_utf8(self.body.bytes().unwrap_or_default()).unwrap_or_default()
    }

    /// Returns the names of the tables that the request reads or writes.
    #[must_use]
    pub fn tables(&self) -> BTreeSet<String> {
        let body: Value = serde_json::from_str(self.body()).unwrap_or_default();
        tables_of(&body).map(str::to_owned).collect()
    }
}

impl fmt::Debug for SentRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, operation, attempt, fault, .. } = self;
        write!(f, "{} ms, attempt {attempt}, {fault:?}: {operation} {}", at.as_millis(), self.body())
    }
}

pub(in crate::local) fn is_write(operation: &str) -> bool {
    matches!(operation, "PutItem" | "UpdateItem" | "DeleteItem" | "BatchWriteItem" | "TransactWriteItems")
}

/// Returns the tables that the body of a request names, more than once if it names them so.
pub(in crate::local) fn tables_of(body: &Value) -> impl Iterator<Item = &str> {
    let actions = body["TransactItems"].as_array().into_iter().flatten();
    let actions = actions.flat_map(|action| action.as_object().into_iter().flatten().map(|(_, part)| part));
    let named = std::iter::once(body).chain(actions).filter_map(|part| part["TableName"].as_str());
    let batch = body["RequestItems"].as_object().into_iter().flatten().map(|(table, _)| table.as_str());
    named.chain(batch)
}
