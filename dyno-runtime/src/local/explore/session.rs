//! One run: its network, its decisions, and what became of it.

use super::candidates::Rest;
use super::chart::Chart;
use super::choice::{Candidate, Choice};
use super::decisions::{Decision, Decisions};
use super::fault::{Event, Fault};
use super::network::{Answer, Connection, Network, Phase, RequestId, Waiting};
use super::world::Observer;
use crate::exchange::{Clock, Repository};
use crate::local::engine::{Engine, operation_of};
use crate::local::faults::{conflict, refusal};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::StalledStreamProtectionConfig;
use aws_sdk_dynamodb::config::retry::{RetryPartition, TokenBucket};
use aws_smithy_runtime_api::client::auth::AuthSchemeId;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use tokio::time::Instant;

/// The SDK's scheme of requests without a signature.
const NO_AUTH_SCHEME_ID: AuthSchemeId = AuthSchemeId::new("noAuth");

/// A run ends here if the scenario sends so many requests.
const MOST_REQUESTS: usize = 2_000;

/// The state of a run that its world shares with the exploration.
pub(super) struct Session {
    pub(super) network: Arc<Network>,
    pub(super) decisions: RefCell<Decisions>,
    pub(super) faults: Rc<[Fault]>,
    pub(super) clock: Arc<dyn Clock>,
    /// The process whose request was served last.
    last: Cell<Option<usize>>,
    pub(super) observer: RefCell<Option<Observer>>,
    /// Why the run ended early.
    pub(super) end: RefCell<Option<End>>,
    /// The chart, if the run is recorded. Then its choices have words, too.
    pub(super) chart: Option<RefCell<Chart>>,
    /// The operations and tables of all requests that were decided, to compare two runs.
    pub(super) trace: RefCell<Vec<String>>,
}

/// Why a run ended before its scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Other runs do the same.
    Redundant,
    /// The schedule has a word that fits none of the choices.
    Unknown { word: String, step: usize, choices: Vec<String> },
    /// The scenario is at fault.
    Problem(String),
    /// The scenario's own check of each state has failed.
    Observed(String),
}

impl Session {
    pub(super) fn new(
        engine: Engine,
        decisions: Decisions,
        faults: Rc<[Fault]>,
        clock: Arc<dyn Clock>,
        is_recorded: bool,
    ) -> Self {
        let can_be_stale = faults.contains(&Fault::StaleRead);
        Self {
            network: Arc::new(Network::new(engine, can_be_stale)),
            decisions: decisions.into(),
            faults,
            clock,
            last: Cell::new(None),
            observer: RefCell::new(None),
            end: RefCell::new(None),
            chart: is_recorded.then(RefCell::default),
            trace: RefCell::default(),
        }
    }

    /// Returns a repository of a process, or of the scenario itself.
    pub(super) fn repository(&self, process: Option<usize>) -> Repository {
        let connection = Connection { network: Arc::clone(&self.network), process };
        // Each run has a budget of its own for retries: otherwise, the SDK shares one among all clients.
        let budget = RetryPartition::custom("explore").token_bucket(TokenBucket::default()).build();
        // The engine checks no signature, and to compute one takes longer than to serve most requests. Nor does a stream stall here:
        // the SDK's timers for it would let time pass in small steps.
        let config = self.network.engine.config().allow_no_auth().auth_scheme_preference([NO_AUTH_SCHEME_ID]);
        let config = config
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .http_client(connection)
            .retry_partition(budget);
        Repository::new(Client::from_conf(config.build())).with_clock(Arc::clone(&self.clock))
    }

    /// Ends the run. The scenario is not polled again.
    pub(super) fn end(&self, end: End) {
        self.end.borrow_mut().get_or_insert(end);
    }

    /// Returns the choices at a point of rest, the simplest first.
    fn candidates(&self) -> Vec<Candidate> {
        let mut state = self.network.state();
        state.sort_out_abandoned();
        let faults = if self.decisions.borrow().may_fail() { &*self.faults } else { &[] };
        Rest::new(&state, self.last.get(), self.chart.is_some()).candidates(&self.network.engine, faults)
    }

    /// Decides which choice is made next; `None` if the run ends here.
    pub(super) fn decide(&self) -> Option<Choice> {
        let candidates = self.candidates();
        // If only time can pass, there is no choice.
        if let [Candidate { choice: choice @ Choice::Time, .. }] = &candidates[..] {
            return Some(*choice);
        }
        if self.trace.borrow().len() >= MOST_REQUESTS {
            self.end(End::Problem(format!("the scenario does not end: {MOST_REQUESTS} requests were served")));
            return None;
        }
        let choices = if self.chart.is_some() {
            candidates.iter().map(|candidate| candidate.word.clone()).collect()
        } else {
            Vec::new()
        };
        let mut decisions = self.decisions.borrow_mut();
        match decisions.decide(&candidates) {
            Decision::Made(choice) => Some(choice),
            Decision::Redundant => {
                self.end(End::Redundant);
                None
            }
            Decision::Unknown(word) => {
                self.end(End::Unknown { word, step: decisions.steps + 1, choices });
                None
            }
        }
    }

    /// Lets a waiting request meet its event. Returns the process that dies of it.
    pub(super) fn meet(&self, id: RequestId, event: Event) -> Option<usize> {
        let earlier = match event {
            Event::Stale(back) => self.network.stale_answer(id, back),
            _ => None,
        };
        let waiting = self.network.state().take(id)?;
        self.last.set(Some(id.process));
        let tables = waiting.footprint.tables().join(", ");
        self.trace.borrow_mut().push(format!("{} {tables}", operation_of(&waiting.request)));
        let served = if event.is_served() { Some(self.network.serve(&waiting.request)) } else { earlier };
        if let Some(chart) = &self.chart {
            let name = self.network.state().processes[id.process].name.clone();
            chart.borrow_mut().request(&name, id.process, &waiting.request, served.as_ref(), event);
        }
        let is_applied =
            served.as_ref().is_some_and(|answer| answer.as_ref().is_ok_and(|answer| answer.status().is_success()));
        if matches!(event, Event::Late | Event::DiesLate) || event == Event::Duplicated && is_applied {
            self.network.state().add_late(&waiting);
        }
        if event.is_deadly() {
            self.network.kill(id.process);
            return Some(id.process);
        }
        if let Some(time) = event.stop() {
            self.network.state().processes[id.process].phase = Phase::Stopped(Instant::now() + time);
        }
        if let Some(time) = event.delay() {
            let held = Some((Instant::now() + time, served));
            self.network.state().waiting.push(Waiting { held, ..waiting });
            return None;
        }
        match answer(event, served, &waiting.request) {
            Some(answer) => {
                let _its_client_may_have_given_up = waiting.answer.send(answer);
            }
            // It waits until the process continues.
            None => self.network.state().waiting.push(waiting),
        }
        None
    }

    /// Serves a request that its client does not wait for.
    pub(super) fn serve_late(&self, id: RequestId) {
        let mut network = self.network.state();
        let Some(at) = network.late.iter().position(|late| late.id == id) else { return };
        let late = network.late.remove(at);
        drop(network);
        let answer = self.network.serve(&late.request);
        self.trace.borrow_mut().push(format!("{} (late)", operation_of(&late.request)));
        if let Some(chart) = &self.chart {
            let name = self.network.state().processes[id.process].name.clone();
            chart.borrow_mut().late(&name, id.process, &late.request, &answer);
        }
    }
}

/// Returns the answer that the client gets to a request: the engine's, if it was served; `None` if the request still waits.
fn answer(event: Event, served: Option<Answer>, request: &HttpRequest) -> Option<Answer> {
    let timeout = |what: &str| Some(Err(ConnectorError::timeout(what.into())));
    match event {
        Event::AnswerLost => timeout("the answer was lost"),
        Event::RequestLost => timeout("the request was lost"),
        Event::Late => timeout("no answer came"),
        Event::Throttled => Some(Ok(refusal(400, "ThrottlingException", "slow down", ""))),
        Event::Conflict => Some(Ok(conflict(operation_of(request), request))),
        _ => served,
    }
}
