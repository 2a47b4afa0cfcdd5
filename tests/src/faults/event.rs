//! What came by: each attempt of each request as it was sent. It is read only when it is asked for.

use super::Fault;
use crate::requests;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::body::SdkBody;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// An attempt of a request that came by, and what happened to it.
#[derive(Clone)]
pub struct Event {
    /// When, in milliseconds since the first one.
    pub at: u128,
    /// Its operation.
    pub operation: String,
    /// Which of the SDK's attempts it was, from 1.
    pub attempt: u32,
    /// What happened to it.
    pub fault: Fault,
    body: Arc<SdkBody>,
}

impl Event {
    /// This request, which came by at this time; nothing has happened to it.
    pub(super) fn new(request: &HttpRequest, at: u128) -> Self {
        let attempt = request.headers().get("amz-sdk-request").and_then(|attempt| attempt.strip_prefix("attempt="));
        let attempt = attempt.and_then(|attempt| attempt.split(';').next()).and_then(|attempt| attempt.parse().ok());
        // What is in memory is shared, and not copied.
        let body = request.body().try_clone().unwrap_or_else(SdkBody::empty);
        let operation = operation(request).to_owned();
        Self { at, operation, attempt: attempt.unwrap_or(1), fault: Fault::None, body: Arc::new(body) }
    }

    /// Whatever it is: for [`Faults::nth`](super::Faults::nth).
    #[must_use]
    pub fn is_any(&self) -> bool {
        true
    }

    /// Whether it can change a row.
    #[must_use]
    pub fn is_write(&self) -> bool {
        let writes = ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"];
        writes.contains(&&*self.operation)
    }

    /// What was sent.
    #[must_use]
    pub fn body(&self) -> Value {
        serde_json::from_slice(self.body.bytes().unwrap_or_default()).unwrap_or_default()
    }

    /// The tables that it names, in their order.
    #[must_use]
    pub fn tables(&self) -> BTreeSet<String> {
        let body = self.body();
        let actions = body["TransactItems"].as_array().into_iter().flatten();
        let actions = actions.flat_map(|action| action.as_object().into_iter().flatten().map(|(_, part)| part));
        let named = std::iter::once(&body).chain(actions).filter_map(|part| part["TableName"].as_str());
        let batch = body["RequestItems"].as_object().into_iter().flatten().map(|(table, _)| table.as_str());
        named.chain(batch).map(str::to_owned).collect()
    }

    /// How many rows it reads or writes, or how many conditions it checks: those of a batch and of a transaction, else 1.
    #[must_use]
    pub fn actions(&self) -> usize {
        let body = self.body();
        if let Some(actions) = body["TransactItems"].as_array() {
            return actions.len();
        }
        let Some(tables) = body["RequestItems"].as_object() else { return 1 };
        let entries = |of: &Value| of.as_array().or_else(|| of["Keys"].as_array()).map_or(0, Vec::len);
        tables.values().map(entries).sum()
    }

    /// The operation, the table, the key or the item, and the expressions with their names and values in place.
    #[must_use]
    pub fn text(&self) -> String {
        requests::text_of(&self.operation, &self.body())
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms, attempt {}, {:?}: {}", self.at, self.attempt, self.fault, self.text())
    }
}

/// What is sent in another order of names is the same: so the bodies are not compared.
impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        (self.at, &self.operation, self.attempt, self.fault) == (other.at, &other.operation, other.attempt, other.fault)
    }
}

/// The operation that a request names.
pub(super) fn operation(request: &HttpRequest) -> &str {
    let target = request.headers().get("x-amz-target").unwrap_or_default();
    target.rsplit_once('.').map_or(target, |(_, operation)| operation)
}

/// How many there are of each operation on each table, in their order: `2 GetItem accounts`, `1 TransactWriteItems a b`.
#[must_use]
pub fn tally(events: &[Event]) -> Vec<String> {
    let mut kinds = BTreeMap::<String, usize>::new();
    for event in events {
        let tables = Vec::from_iter(event.tables()).join(" ");
        *kinds.entry(format!("{} {tables}", event.operation)).or_default() += 1;
    }
    kinds.into_iter().map(|(kind, times)| format!("{times} {kind}")).collect()
}
