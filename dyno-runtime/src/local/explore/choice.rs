//! The choices of a run, and the text of a schedule.

use super::fault::Event;
use super::footprint::Footprint;
use super::network::RequestId;
use std::sync::Arc;

/// The step of the schedule at a point of rest, where every process waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// A request meets this event.
    Request(RequestId, Event),
    /// A request whose client does not wait for it is served.
    Late(RequestId),
    /// Time passes until a process goes on.
    Time,
}

/// The deviation of a run from the simplest one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cost {
    pub(super) faults: usize,
    /// The switches away from a process that could go on.
    pub(super) preemptions: usize,
}

impl Cost {
    pub(super) fn plus(self, other: Self) -> Self {
        Self { faults: self.faults + other.faults, preemptions: self.preemptions + other.preemptions }
    }

    /// Returns the order in which runs are tried: few deviations first.
    pub(super) fn rank(self) -> (usize, usize) {
        (self.faults + self.preemptions, self.faults)
    }
}

/// A choice that can be made at a point of rest.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) choice: Choice,
    pub(super) cost: Cost,
    /// The items that the request touches; `None` if the choice commutes with nothing.
    pub(super) footprint: Option<Arc<Footprint>>,
    /// The word of the choice in a schedule.
    pub(super) word: String,
}

impl Candidate {
    /// Returns `true` if the order of two choices makes no difference. If intermediate states are observed, two writes have an order.
    pub(super) fn commutes_with(&self, other: &Self, observed: bool) -> bool {
        let actor = |choice| match choice {
            // A late request is of the network, and no longer of its process.
            Choice::Request(id, _) => Some(id.process),
            Choice::Late(_) | Choice::Time => None,
        };
        let is_of_one = actor(self.choice).is_some() && actor(self.choice) == actor(other.choice);
        let (Some(own), Some(others)) = (&self.footprint, &other.footprint) else { return false };
        let are_seen = observed && own.is_writing() && others.is_writing();
        !is_of_one && !are_seen && own.commutes_with(others)
    }
}

/// Returns the words of a schedule.
pub(super) fn schedule_text(words: &[String]) -> String {
    if words.is_empty() { "default".to_owned() } else { words.join(".") }
}

/// Returns the words of the text of a schedule.
pub(super) fn schedule_words(text: &str) -> Vec<String> {
    if text == "default" { Vec::new() } else { text.split('.').map(str::to_owned).collect() }
}
