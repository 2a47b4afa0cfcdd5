//! The faults that an exploration tries, and what each of them does to a request.

use std::time::Duration;

/// A fault that an [`Explore`](super::Explore) tries at each request in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The request is served, and the client's attempt ends in a timeout.
    AnswerLost,
    /// The request is not served, and the client's attempt ends in a timeout.
    RequestLost,
    /// The client's attempt ends in a timeout, and the write is served later: at each later point in turn, and when all processes have
    /// ended. Where a process could go on, the arrival counts as a preemption.
    Late,
    /// The write is served and answered, and once more later, as [`Late`](Self::Late). A refused write is not repeated: later, the
    /// copy could be applied, and no client can know of it.
    Duplicated,
    /// The process dies: before the request is served, after that, or before the write is served as [`Late`](Self::Late).
    Crash,
    /// DynamoDB throttles the request.
    Throttled,
    /// DynamoDB refuses the write, because another transaction holds one of its items.
    Conflict,
    /// The process stops for this time, before the request is served or after that: a long collection of garbage, a function that is
    /// frozen, `SIGSTOP`. Other processes go on.
    Stop(Duration),
    /// The request or its answer takes this long. All processes go on: also the timers of the one that waits, such as hedges and
    /// heartbeats.
    Slow(Duration),
    /// An eventually consistent read is answered from each earlier state that gives another answer.
    StaleRead,
}

impl Fault {
    /// The faults that every network has, and crashes: those that are tried by default.
    pub const COMMON: [Self; 5] = [Self::AnswerLost, Self::RequestLost, Self::Late, Self::Duplicated, Self::Crash];
}

/// The fault that a request meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Served,
    AnswerLost,
    RequestLost,
    Late,
    Duplicated,
    DiesBefore,
    DiesAfter,
    DiesLate,
    Throttled,
    Conflict,
    StopsBefore(Duration),
    StopsAfter(Duration),
    SlowBefore(Duration),
    SlowAfter(Duration),
    /// Answered from the state before this many writes.
    Stale(usize),
}

impl Event {
    /// Returns what this fault can do to a request. A read changes nothing, so a read that is lost after it was served is like one
    /// that is lost before.
    pub(super) fn of(fault: Fault, is_write: bool) -> Vec<Self> {
        match fault {
            Fault::AnswerLost if is_write => vec![Self::AnswerLost],
            Fault::RequestLost => vec![Self::RequestLost],
            Fault::Late if is_write => vec![Self::Late],
            Fault::Duplicated if is_write => vec![Self::Duplicated],
            Fault::Crash if is_write => vec![Self::DiesBefore, Self::DiesAfter, Self::DiesLate],
            Fault::Crash => vec![Self::DiesBefore],
            Fault::Throttled => vec![Self::Throttled],
            Fault::Conflict if is_write => vec![Self::Conflict],
            Fault::Stop(time) => vec![Self::StopsBefore(time), Self::StopsAfter(time)],
            Fault::Slow(time) => vec![Self::SlowBefore(time), Self::SlowAfter(time)],
            // Which states a stale read can be of, is found at the read.
            Fault::AnswerLost | Fault::Late | Fault::Duplicated | Fault::Conflict | Fault::StaleRead => Vec::new(),
        }
    }

    /// Returns `true` if the engine executes the request now.
    pub(super) fn is_served(self) -> bool {
        matches!(
            self,
            Self::Served
                | Self::AnswerLost
                | Self::Duplicated
                | Self::DiesAfter
                | Self::StopsAfter(_)
                | Self::SlowAfter(_)
        )
    }

    /// Returns `true` if the process dies.
    pub(super) fn is_deadly(self) -> bool {
        matches!(self, Self::DiesBefore | Self::DiesAfter | Self::DiesLate)
    }

    /// Returns `true` if the order of time matters to the event, so that it commutes with nothing.
    pub(super) fn is_of_time(self) -> bool {
        self.stop().is_some() || self.delay().is_some() || matches!(self, Self::Stale(_))
    }

    /// Returns how long the process stops.
    pub(super) fn stop(self) -> Option<Duration> {
        match self {
            Self::StopsBefore(time) | Self::StopsAfter(time) => Some(time),
            _ => None,
        }
    }

    /// Returns how long the request or its answer takes.
    pub(super) fn delay(self) -> Option<Duration> {
        match self {
            Self::SlowBefore(time) | Self::SlowAfter(time) => Some(time),
            _ => None,
        }
    }

    /// Returns the word of a schedule for a fault.
    pub(super) fn word(self) -> String {
        match self {
            Self::Served => String::new(),
            Self::AnswerLost => "answer-lost".to_owned(),
            Self::RequestLost => "request-lost".to_owned(),
            Self::Late => "late".to_owned(),
            Self::Duplicated => "duplicated".to_owned(),
            Self::DiesBefore => "dies-before".to_owned(),
            Self::DiesAfter => "dies-after".to_owned(),
            Self::DiesLate => "dies-late".to_owned(),
            Self::Throttled => "throttled".to_owned(),
            Self::Conflict => "conflict".to_owned(),
            Self::StopsBefore(time) => format!("stops-before-{}ms", time.as_millis()),
            Self::StopsAfter(time) => format!("stops-after-{}ms", time.as_millis()),
            Self::SlowBefore(time) => format!("slow-before-{}ms", time.as_millis()),
            Self::SlowAfter(time) => format!("slow-after-{}ms", time.as_millis()),
            Self::Stale(back) => format!("stale-{back}"),
        }
    }

    /// Returns the words of a chart for a fault.
    pub(super) fn description(self) -> String {
        match self {
            Self::Served => String::new(),
            Self::AnswerLost => "its answer is lost".to_owned(),
            Self::RequestLost => "the request is lost".to_owned(),
            Self::Late => "a timeout; the request arrives later".to_owned(),
            Self::Duplicated => "the network duplicates it".to_owned(),
            Self::DiesBefore => "the process dies before the request is served".to_owned(),
            Self::DiesAfter => "the process dies before it has the answer".to_owned(),
            Self::DiesLate => "the process dies; the request arrives later".to_owned(),
            Self::Throttled => "throttled".to_owned(),
            Self::Conflict => "refused: a transaction holds the item".to_owned(),
            Self::StopsBefore(time) => format!("the process stops for {time:?} before the request is served"),
            Self::StopsAfter(time) => format!("the process stops for {time:?} before it has the answer"),
            Self::SlowBefore(time) => format!("the request takes {time:?}"),
            Self::SlowAfter(time) => format!("the answer takes {time:?}"),
            Self::Stale(1) => "answered from the state before the last write".to_owned(),
            Self::Stale(back) => format!("answered from the state before the last {back} writes"),
        }
    }
}
