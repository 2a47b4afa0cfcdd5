//! The network of a run: requests wait here until the schedule serves them.

use super::footprint::{Footprint, KeyNames};
use crate::local::engine::{Engine, operation_of};
use crate::local::faults::{is_write, json_of};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use futures_channel::oneshot;
use futures_util::task::AtomicWaker;
use serde_json::{Value, json};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

pub(super) type Answer = Result<HttpResponse, ConnectorError>;

/// A request by its process, and by its number among the requests of that process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RequestId {
    pub(super) process: usize,
    pub(super) number: usize,
}

/// A request that waits to be served.
pub(super) struct Waiting {
    pub(super) id: RequestId,
    pub(super) request: HttpRequest,
    pub(super) answer: oneshot::Sender<Answer>,
    pub(super) footprint: Arc<Footprint>,
    /// Until when the request or its answer is on its way, and the answer, if the request was served.
    pub(super) held: Option<(Instant, Option<Answer>)>,
}

/// A request whose client does not wait for it.
pub(super) struct LateRequest {
    pub(super) id: RequestId,
    pub(super) request: HttpRequest,
    pub(super) footprint: Arc<Footprint>,
}

/// The state of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It has not been run.
    New,
    Running,
    /// It is not polled, and neither are its requests served, until then.
    Stopped(Instant),
    Ended,
    Dead,
}

#[derive(Debug)]
pub(super) struct ProcessState {
    pub(super) name: String,
    pub(super) phase: Phase,
    /// How many requests it has sent.
    requests: usize,
}

/// The state of a run's network.
#[derive(Default)]
pub(super) struct State {
    pub(super) processes: Vec<ProcessState>,
    pub(super) waiting: Vec<Waiting>,
    pub(super) late: Vec<LateRequest>,
    /// The successful writes and new tables so far, if reads can be stale: operation and body.
    pub(super) writes: Option<Vec<(String, Vec<u8>)>>,
    /// A request of a process that has ended: its name and the operation.
    pub(super) outlived: Option<(String, String)>,
    keys: KeyNames,
}

/// A run's network.
pub(super) struct Network {
    pub(super) engine: Engine,
    /// Wakes the scheduler when a request comes.
    pub(super) scheduler: AtomicWaker,
    state: Mutex<State>,
}

/// The way of one process's requests to the engine; of the scenario's own, which are served at once, if it is `None`.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    pub(super) network: Arc<Network>,
    pub(super) process: Option<usize>,
}

impl Network {
    pub(super) fn new(engine: Engine, can_be_stale: bool) -> Self {
        let writes = can_be_stale.then(Vec::new);
        Self { engine, scheduler: AtomicWaker::new(), state: State { writes, ..State::default() }.into() }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a process. Returns its index.
    pub(super) fn add(&self, name: &str) -> usize {
        let mut state = self.state();
        state.processes.push(ProcessState { name: name.to_owned(), phase: Phase::New, requests: 0 });
        state.processes.len() - 1
    }

    /// Serves a request now.
    pub(super) fn serve(&self, request: &HttpRequest) -> Answer {
        let answer = self.engine.answer(request);
        let operation = operation_of(request);
        let changes = is_write(operation) || matches!(operation, "CreateTable" | "UpdateTable" | "DeleteTable");
        if changes && answer.as_ref().is_ok_and(|answer| answer.status().is_success()) {
            let mut state = self.state();
            if !is_write(operation) {
                state.keys.clear();
            }
            if let Some(writes) = &mut state.writes {
                writes.push((operation.to_owned(), request.body().bytes().unwrap_or_default().to_vec()));
            }
        }
        answer
    }

    /// Returns the answer to a waiting read from the state before this many writes.
    pub(super) fn stale_answer(&self, id: RequestId, back: usize) -> Option<Answer> {
        let state = self.state();
        let waiting = state.waiting.iter().find(|waiting| waiting.id == id)?;
        let answers = state.stale_answers(&self.engine, &waiting.request);
        answers.into_iter().find_map(|(of, answer)| (of == back).then_some(answer))
    }

    /// Returns what a request touches.
    fn footprint(&self, request: &HttpRequest) -> Footprint {
        let body = json_of(request);
        let operation = operation_of(request);
        let mut state = self.state();
        for table in crate::local::faults::tables_of(&body) {
            if !state.keys.contains_key(table) {
                let names = self.key_names(table);
                state.keys.insert(table.to_owned(), names);
            }
        }
        Footprint::new(operation, &body, &state.keys)
    }

    fn key_names(&self, table: &str) -> Vec<String> {
        let described = self.engine.run("DescribeTable", json!({ "TableName": table }).to_string().as_bytes());
        let described: Value = described.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let parts = described["Table"]["KeySchema"].as_array().into_iter().flatten();
        let mut names: Vec<_> = parts.filter_map(|part| part["AttributeName"].as_str()).map(str::to_owned).collect();
        names.sort();
        names
    }

    /// Lets a request of a process wait to be served.
    fn enter(&self, process: usize, request: HttpRequest) -> Option<oneshot::Receiver<Answer>> {
        let footprint = Arc::new(self.footprint(&request));
        let mut state = self.state();
        let of = &mut state.processes[process];
        of.requests += 1;
        let id = RequestId { process, number: of.requests };
        match of.phase {
            Phase::Dead => return None,
            Phase::Ended => {
                let outlived = Some((of.name.clone(), operation_of(&request).to_owned()));
                state.outlived = state.outlived.take().or(outlived);
                return None;
            }
            Phase::New | Phase::Running | Phase::Stopped(_) => {}
        }
        let (answer, answered) = oneshot::channel();
        state.waiting.push(Waiting { id, request, answer, footprint, held: None });
        self.scheduler.wake();
        Some(answered)
    }

    /// Lets a process die: its requests are lost.
    pub(super) fn kill(&self, process: usize) {
        let mut state = self.state();
        state.processes[process].phase = Phase::Dead;
        state.waiting.retain(|waiting| waiting.id.process != process);
    }
}

impl State {
    /// Turns the writes that their clients have given up into late ones: DynamoDB gets them all the same.
    pub(super) fn sort_out_abandoned(&mut self) {
        let abandoned = self.waiting.extract_if(.., |waiting| waiting.answer.is_canceled());
        let is_open = |waiting: &Waiting| !matches!(waiting.held, Some((_, Some(_))));
        let writes = abandoned.filter(|waiting| waiting.footprint.is_writing() && is_open(waiting));
        self.late.extend(writes.map(|Waiting { id, request, footprint, .. }| LateRequest { id, request, footprint }));
    }

    /// Lets the stopped processes and the slow requests go on whose time has come. Returns `true` if there were any.
    pub(super) fn go_on(&mut self, now: Instant) -> bool {
        let mut has_any = false;
        for process in &mut self.processes {
            if matches!(process.phase, Phase::Stopped(until) if until <= now) {
                process.phase = Phase::Running;
                has_any = true;
            }
        }
        let is_due = |waiting: &mut Waiting| waiting.held.as_ref().is_some_and(|(until, _)| *until <= now);
        for mut waiting in self.waiting.extract_if(.., is_due).collect::<Vec<_>>() {
            has_any = true;
            match waiting.held.take() {
                Some((_, Some(answer))) => {
                    let _its_client_may_have_given_up = waiting.answer.send(answer);
                }
                _ => self.waiting.push(waiting),
            }
        }
        has_any
    }

    /// Returns when the first stopped process or slow request goes on.
    pub(super) fn next_time(&self) -> Option<Instant> {
        let stopped = self.processes.iter().filter_map(|process| match process.phase {
            Phase::Stopped(until) => Some(until),
            _ => None,
        });
        let held = self.waiting.iter().filter_map(|waiting| waiting.held.as_ref().map(|(until, _)| *until));
        stopped.chain(held).min()
    }

    /// Returns the first of the late requests.
    pub(super) fn next_late(&mut self) -> Option<RequestId> {
        self.sort_out_abandoned();
        self.late.first().map(|late| late.id)
    }

    /// Returns how many requests have come.
    pub(super) fn requests(&self) -> usize {
        self.processes.iter().map(|process| process.requests).sum()
    }

    /// Returns the names of the processes that run.
    pub(super) fn running(&self) -> Vec<String> {
        let running = self.processes.iter().filter(|process| process.phase == Phase::Running);
        running.map(|process| format!("{:?}", process.name)).collect()
    }

    /// Returns the answers to a read from earlier states, each with the number of writes that it lacks, if they differ from the answer
    /// now and from each other.
    pub(super) fn stale_answers(&self, engine: &Engine, request: &HttpRequest) -> Vec<(usize, Answer)> {
        let operation = operation_of(request);
        let body = json_of(request);
        let is_consistent = |of: &Value| of["ConsistentRead"] == true;
        let is_eventual = match operation {
            "GetItem" | "Query" | "Scan" => !is_consistent(&body),
            "BatchGetItem" => !body["RequestItems"].as_object().into_iter().flatten().any(|(_, of)| is_consistent(of)),
            _ => false,
        };
        let writes = self.writes.as_deref().unwrap_or_default();
        if !is_eventual || writes.is_empty() {
            return Vec::new();
        }
        let text = |answer: &Answer| answer.as_ref().ok().and_then(|answer| answer.body().bytes()).map(<[u8]>::to_vec);
        let mut seen = vec![text(&engine.answer(request))];
        let Ok(replica) = Engine::in_memory() else { return Vec::new() };
        let mut answers = Vec::new();
        for (at, (operation, body)) in writes.iter().enumerate() {
            let answer = replica.answer(request);
            // Before its table was created, a read is an error.
            let is_answer = answer.as_ref().is_ok_and(|answer| answer.status().is_success());
            if is_answer && !seen.contains(&text(&answer)) {
                seen.push(text(&answer));
                answers.push((writes.len() - at, answer));
            }
            let _the_same_as_then = replica.run(operation, body);
        }
        answers.reverse();
        answers
    }

    /// Lets a request arrive later.
    pub(super) fn add_late(&mut self, waiting: &Waiting) {
        let Some(request) = waiting.request.try_clone() else { return };
        self.late.push(LateRequest { id: waiting.id, request, footprint: Arc::clone(&waiting.footprint) });
    }

    /// Takes a waiting request.
    pub(super) fn take(&mut self, id: RequestId) -> Option<Waiting> {
        let at = self.waiting.iter().position(|waiting| waiting.id == id)?;
        Some(self.waiting.remove(at))
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Network")
    }
}

impl HttpClient for Connection {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Connection {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let Some(process) = self.process else { return HttpConnectorFuture::ready(self.network.serve(&request)) };
        let answered = self.network.enter(process, request);
        HttpConnectorFuture::new(async move {
            if let Some(answered) = answered
                && let Ok(answer) = answered.await
            {
                return answer;
            }
            // The process has died.
            std::future::pending().await
        })
    }
}
