//! A witness of client-side transactions: a layer in front of the engine that inspects each request and its answer, and
//! counts what happened.
//!
//! A simulation proves nothing about events that did not occur. So it asks the witness which events did occur.

mod seen;
mod tally;

pub use tally::Tally;

use crate::faults::Event;
use crate::journal::WRITE;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::byte_stream::{AggregatedBytes, ByteStream};
use seen::Seen;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An attempt of a transaction, as far as requests have shown it.
#[derive(Debug, Default)]
struct Try {
    /// The process that placed its intents; `None` after this process has died or dropped the transaction.
    by: Option<usize>,
    lane: String,
    number: u64,
    /// The number of its intents that are in items now.
    standing: usize,
    is_committed: bool,
    is_void: bool,
}

/// A request that was served.
#[derive(Debug)]
struct Line {
    by: Option<usize>,
    operation: String,
    body: Value,
    status: u16,
    answer: Value,
}

#[derive(Debug, Default)]
struct State {
    tries: BTreeMap<String, Try>,
    tally: Tally,
    /// The requests and their answers, if [`Witness::keep`] was called.
    lines: Option<Vec<Line>>,
}

/// A witness that inspects all requests.
#[derive(Clone, Debug, Default)]
pub struct Witness(Arc<Mutex<State>>);

impl Witness {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps all requests from now on, for [`shown`](Self::shown).
    pub fn keep(&self) {
        self.state().lines = Some(Vec::new());
    }

    /// The counts so far.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.state().tally.clone()
    }

    /// Counts the death of this process, which does not complete its attempts.
    pub fn died(&self, process: usize) {
        let mut state = self.state();
        state.tally.deaths += 1;
        let (undecided, unapplied) = state.leave(process);
        state.tally.died_undecided += usize::from(undecided);
        state.tally.died_unapplied += usize::from(unapplied);
    }

    /// Counts that this process has dropped its transaction for good.
    pub fn dropped(&self, process: usize) {
        let mut state = self.state();
        let (undecided, unapplied) = state.leave(process);
        state.tally.dropped_undecided += usize::from(undecided);
        state.tally.dropped_unapplied += usize::from(unapplied);
    }

    /// The requests that contain one of these texts, or whose answers do, in the order in which they were served.
    #[must_use]
    pub fn shown(&self, of: &[&str]) -> String {
        let mut shown = String::new();
        for (at, line) in self.state().lines.iter().flatten().enumerate() {
            let Line { by, operation, body, status, answer } = line;
            let by = by.map_or_else(|| "-".to_owned(), |by| by.to_string());
            let text = format!("{at} by {by}: {operation} {} -> {status} {answer}\n", seen::short(body));
            if of.iter().any(|of| text.contains(of)) {
                _ = shown.write_str(&text);
            }
        }
        shown
    }

    fn note(&self, by: Option<usize>, operation: &str, body: Value, status: u16, answer: &[u8]) {
        let mut state = self.state();
        let is_of_rows = operation.starts_with("Transact") || operation.ends_with("Item");
        let has_met = is_of_rows && contains(answer, b"\"_x\"");
        for seen in seen::seen(operation, &body, status, has_met) {
            state.take_up(by, seen);
        }
        if let Some(lines) = &mut state.lines {
            let answer = serde_json::from_slice(answer).unwrap_or_default();
            lines.push(Line { by, operation: operation.to_owned(), body, status, answer });
        }
    }

    /// A client that passes all requests on and inspects them.
    #[must_use]
    pub(crate) fn before(&self, http: SharedHttpClient) -> SharedHttpClient {
        SharedHttpClient::new(Watched { http, witness: self.clone() })
    }
}

impl State {
    /// Ends the process's work on its attempts. Returns whether it left intents of an open attempt, and whether it left
    /// intents of a committed one.
    fn leave(&mut self, process: usize) -> (bool, bool) {
        let (mut undecided, mut unapplied) = (false, false);
        for tried in self.tries.values_mut().filter(|tried| tried.by == Some(process)) {
            tried.by = None;
            if tried.standing > 0 {
                unapplied |= tried.is_committed;
                undecided |= !tried.is_committed && !tried.is_void;
            }
        }
        (undecided, unapplied)
    }

    fn take_up(&mut self, by: Option<usize>, seen: Seen) {
        let Self { tries, tally, .. } = self;
        match seen {
            Seen::Placed { lane, number, name, is_new } => {
                tally.placed += 1;
                tally.places += usize::from(is_new);
                let tried = tries.entry(name).or_insert_with(|| Try { by, lane, number, ..Try::default() });
                tried.standing += 1;
            }
            Seen::Committed { name } => {
                tally.committed += 1;
                if let Some(tried) = tries.get_mut(&name) {
                    tried.is_committed = true;
                }
            }
            Seen::Voided { lane, number } => {
                tally.voided += 1;
                for tried in tries.values_mut().filter(|tried| tried.lane == lane && tried.number <= number) {
                    tried.is_void |= !tried.is_committed;
                }
            }
            Seen::Ended { name } => {
                let Some(tried) = tries.get_mut(&name) else { return };
                tried.standing = tried.standing.saturating_sub(1);
                let is_others = by.is_none() || tried.by != by;
                match (tried.is_committed, is_others) {
                    (true, false) => tally.applied += 1,
                    (true, true) => tally.applied_by_others += 1,
                    (false, false) => tally.removed += 1,
                    (false, true) => tally.removed_by_others += 1,
                }
            }
            Seen::Made => tally.lanes += 1,
            Seen::Adopted => tally.adopted += 1,
            Seen::Native => tally.native += 1,
            Seen::MetByWrite => tally.met_by_writes += 1,
            Seen::MetByNative => tally.met_by_native += 1,
            Seen::MetByIntent => tally.met_by_intents += 1,
            Seen::MetByRead => tally.met_by_reads += 1,
        }
    }
}

/// Whether a request would place an intent.
#[must_use]
pub fn is_place(event: &Event) -> bool {
    is(event, |seen| matches!(seen, Seen::Placed { .. }))
}

/// Whether a request would commit.
#[must_use]
pub fn is_commit(event: &Event) -> bool {
    is(event, |seen| matches!(seen, Seen::Committed { .. }))
}

/// Whether a request would apply or remove an intent.
#[must_use]
pub fn is_end(event: &Event) -> bool {
    is(event, |seen| matches!(seen, Seen::Ended { .. }))
}

fn is(event: &Event, what: fn(&Seen) -> bool) -> bool {
    seen::seen(&event.operation, &event.json(), 200, false).iter().any(what)
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[derive(Clone, Debug)]
struct Watched {
    http: SharedHttpClient,
    witness: Witness,
}

impl HttpClient for Watched {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let connector = self.http.http_connector(settings, components);
        SharedHttpConnector::new(WatchedConnector { connector, witness: self.witness.clone() })
    }
}

#[derive(Debug)]
struct WatchedConnector {
    connector: SharedHttpConnector,
    witness: Witness,
}

impl HttpConnector for WatchedConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (connector, witness) = (self.connector.clone(), self.witness.clone());
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit_once('.').map_or(target, |(_, operation)| operation).to_owned();
        let by = request.headers().get(WRITE).and_then(|by| by.parse().ok());
        let body = serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default();
        HttpConnectorFuture::new(async move {
            let mut answer: HttpResponse = connector.call(request).await?;
            let status = answer.status().as_u16();
            // A body in memory is read without waiting, so the request cannot be dropped after it is served and before it is
            // noted.
            match answer.body().bytes() {
                Some(bytes) => witness.note(by, &operation, body, status, bytes),
                None => {
                    let bytes = ByteStream::new(answer.take_body()).collect().await.map(AggregatedBytes::to_vec);
                    let bytes = bytes.unwrap_or_default();
                    witness.note(by, &operation, body, status, &bytes);
                    *answer.body_mut() = bytes.into();
                }
            }
            Ok(answer)
        })
    }
}
