//! What stood in the way of a command, as the network of its test has seen it: other requests, client-side transactions, lost
//! answers, and programs without dyno. `costs` compares no such command, because `cost` leaves out what others cause.

use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

thread_local! {
    static SEEN: RefCell<Seen> = RefCell::default();
}

/// The requests of the last world that this thread's test has created.
#[derive(Default)]
struct Seen {
    requests: u64,
    /// The requests that have no answer yet.
    open: u64,
    /// The requests for the lane table.
    lanes: u64,
    /// The writes that were sent before, as a clone of a command does.
    repeated: u64,
    /// The hashes of the writes.
    writes: HashSet<u64>,
    is_answer_lost: bool,
    /// A program without dyno has written.
    is_foreign: bool,
}

/// A position among the requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Since {
    requests: u64,
    open: u64,
    lanes: u64,
    repeated: u64,
}

/// Forgets the requests of an earlier world, whose database was another.
pub(crate) fn begin() {
    SEEN.with_borrow_mut(|seen| *seen = Seen { open: seen.open, ..Seen::default() });
}

/// Notes a request.
pub(crate) fn note(operation: &str, body: &Value, request: &HttpRequest) {
    SEEN.with_borrow_mut(|seen| {
        seen.requests += 1;
        seen.lanes += u64::from(body["TableName"] == crate::lanes::LANES);
        if ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"].contains(&operation) {
            let mut hasher = DefaultHasher::new();
            request.body().bytes().hash(&mut hasher);
            seen.repeated += u64::from(!seen.writes.insert(hasher.finish()));
            // Each write of dyno asks for what it consumes.
            seen.is_foreign |= body["ReturnConsumedCapacity"].is_null();
        }
    });
}

/// A request whose answer is awaited.
pub(crate) struct Awaited {
    has_answer: bool,
}

impl Awaited {
    /// Notes that a request is under way.
    pub(crate) fn begin() -> Self {
        SEEN.with_borrow_mut(|seen| seen.open += 1);
        Self { has_answer: false }
    }

    /// Notes the end of the request.
    pub(crate) fn end(mut self, answer: &Result<HttpResponse, ConnectorError>) {
        let is_fault = |answer: &HttpResponse| {
            answer.headers().get("x-amzn-requestid").is_some_and(|id| id == crate::faults::REQUEST_ID)
        };
        self.has_answer = answer.as_ref().is_ok_and(|answer| !is_fault(answer));
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        SEEN.with_borrow_mut(|seen| {
            seen.open = seen.open.saturating_sub(1);
            seen.is_answer_lost |= !self.has_answer;
        });
    }
}

impl Since {
    pub(crate) fn now() -> Self {
        SEEN.with_borrow(|seen| {
            let Seen { requests, open, lanes, repeated, .. } = *seen;
            Self { requests, open, lanes, repeated }
        })
    }

    /// Returns `true` if a command that was sent since then, with this many requests, had something in its way.
    pub(crate) fn is_disturbed(self, requests: u64) -> bool {
        SEEN.with_borrow(|seen| {
            // The SDK's retries are other requests, too.
            let has_others = self.open > 0 || seen.requests - self.requests > requests;
            let has_lanes = seen.lanes > self.lanes;
            has_others || has_lanes || seen.repeated > self.repeated || seen.is_answer_lost || seen.is_foreign
        })
    }
}
