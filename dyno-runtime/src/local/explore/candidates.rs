//! The choices at a point of rest, the simplest first.

use super::choice::{Candidate, Choice, Cost};
use super::fault::{Event, Fault};
use super::footprint::Footprint;
use super::network::{Phase, RequestId, State, Waiting};
use crate::local::engine::{Engine, operation_of};
use crate::local::faults::is_write;
use std::sync::Arc;

/// The word of a schedule for time that passes. No process has this name.
pub(super) const TIME: &str = "time";

/// A point of rest: every process waits.
pub(super) struct Rest<'a> {
    state: &'a State,
    /// The requests that can be served. Those of the process that was served last come first.
    ready: Vec<&'a Waiting>,
    /// The process that was served last, if it can go on.
    goes_on: Option<usize>,
    has_words: bool,
    candidates: Vec<Candidate>,
}

impl<'a> Rest<'a> {
    /// `last` is the process that was served last.
    pub(super) fn new(state: &'a State, last: Option<usize>, has_words: bool) -> Self {
        let is_running = |waiting: &Waiting| state.processes[waiting.id.process].phase == Phase::Running;
        let is_ready = |waiting: &&Waiting| is_running(waiting) && waiting.held.is_none();
        let mut ready: Vec<&Waiting> = state.waiting.iter().filter(is_ready).collect();
        let count = state.processes.len();
        let turn = |process: usize| (process + count - last.unwrap_or_default()) % count.max(1);
        ready.sort_by_key(|waiting| (turn(waiting.id.process), waiting.id.number));
        let goes_on = last.filter(|last| ready.iter().any(|waiting| waiting.id.process == *last));
        Self { state, ready, goes_on, has_words, candidates: Vec::new() }
    }

    /// Returns all choices. `faults` is empty if no further fault is within the bounds.
    pub(super) fn candidates(mut self, engine: &Engine, faults: &[Fault]) -> Vec<Candidate> {
        for at in 0..self.ready.len() {
            self.add_request(at, Event::Served);
        }
        // A late request, or time, comes before what a process could do now.
        let switch = Cost { preemptions: usize::from(!self.ready.is_empty()), faults: 0 };
        if self.is_any_asleep() {
            self.add(Choice::Time, switch, None);
        }
        for late in &self.state.late {
            self.add(Choice::Late(late.id), switch, Some(Arc::clone(&late.footprint)));
        }
        for at in 0..self.ready.len() {
            let is_write = is_write(operation_of(&self.ready[at].request));
            for event in faults.iter().flat_map(|fault| Event::of(*fault, is_write)) {
                self.add_request(at, event);
            }
        }
        if faults.contains(&Fault::StaleRead) {
            for at in 0..self.ready.len() {
                for (back, _) in self.state.stale_answers(engine, &self.ready[at].request) {
                    self.add_request(at, Event::Stale(back));
                }
            }
        }
        self.candidates
    }

    /// Returns `true` if a process waits for something else than a request.
    fn is_any_asleep(&self) -> bool {
        let is_asleep = |(process, phase): (usize, Phase)| match phase {
            Phase::Running => !self.ready.iter().any(|waiting| waiting.id.process == process),
            Phase::Stopped(_) => true,
            Phase::New | Phase::Ended | Phase::Dead => false,
        };
        self.state.processes.iter().map(|process| process.phase).enumerate().any(is_asleep)
    }

    fn add_request(&mut self, at: usize, event: Event) {
        let waiting = self.ready[at];
        let is_switch = self.goes_on.is_some_and(|process| process != waiting.id.process);
        // Requests that a process sends at once are served in their order, unless one overtakes: else n of them would be n! runs.
        let is_first = self.ready[..at].iter().all(|earlier| earlier.id.process != waiting.id.process);
        let preemptions = usize::from(is_switch) + usize::from(!is_first);
        let cost = Cost { faults: usize::from(event != Event::Served), preemptions };
        let footprint = (!event.is_of_time()).then(|| Arc::clone(&waiting.footprint));
        self.add(Choice::Request(waiting.id, event), cost, footprint);
    }

    fn add(&mut self, choice: Choice, cost: Cost, footprint: Option<Arc<Footprint>>) {
        let word = if self.has_words { self.word(choice) } else { String::new() };
        self.candidates.push(Candidate { choice, cost, footprint, word });
    }

    /// Returns the word of a choice in a schedule.
    fn word(&self, choice: Choice) -> String {
        let name = |id: RequestId| &*self.state.processes[id.process].name;
        let which = |position: Option<usize>| match position {
            None | Some(0) => String::new(),
            Some(position) => format!("+{position}"),
        };
        match choice {
            Choice::Request(id, event) => {
                let mut of_process = self.state.waiting.iter().filter(|waiting| waiting.id.process == id.process);
                let which = which(of_process.position(|waiting| waiting.id == id));
                let fault = if event == Event::Served { String::new() } else { format!(":{}", event.word()) };
                format!("{}{which}{fault}", name(id))
            }
            Choice::Late(id) => {
                let which = which(self.state.late.iter().position(|late| late.id == id));
                format!("{}:arrives{which}", name(id))
            }
            Choice::Time => TIME.to_owned(),
        }
    }
}
