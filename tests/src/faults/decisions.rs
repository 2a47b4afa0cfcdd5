//! What happens to the next request: what was asked for, or what the rates draw.

use super::{Event, Fault, Faults, Rates, State};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use std::time::Duration;

impl Faults {
    /// What happens to a request, and how long it and its answer take; `None` if it is never answered.
    pub(super) fn decide(&self, request: &HttpRequest) -> Option<(Fault, Duration, Duration)> {
        let mut state = self.state();
        if state.is_dead {
            return None;
        }
        if let Some((0, _)) = state.left {
            state.has_stopped = true;
            self.stopped.notify_waiters();
            return None;
        }
        let mut event = Event::new(request, state.elapsed());
        event.fault = state.planned(&event).unwrap_or_else(|| state.next(&event.operation));
        let fault = event.fault;
        state.events.push(event);
        let (before, after) = state.pauses();
        // Nobody is left to say when it arrives.
        let before = if fault.is_deadly() { Duration::ZERO } else { before };
        Some((fault, before, after))
    }

    /// Whether the request that was let through last is the last that is served.
    pub(super) fn ends(&self) -> Option<bool> {
        let state = self.state();
        match state.left {
            Some((0, served)) => Some(served),
            _ => state.is_dead.then_some(true),
        }
    }

    /// What a request is to be answered, if that was said.
    pub(super) fn given(&self, operation: &str) -> Option<(u16, String)> {
        let answers = &mut self.state().answers;
        let given = answers.iter().position(|(of, ..)| of == operation)?;
        let (_, status, body) = answers.remove(given);
        Some((status, body))
    }

    /// Waits while requests are held.
    pub(super) async fn gate(&self) {
        loop {
            let released = self.released.notified();
            {
                let mut state = self.state();
                match state.hold {
                    None => return,
                    Some(0) => state.has_held = true,
                    Some(left) => {
                        state.hold = Some(left - 1);
                        return;
                    }
                }
            }
            self.held.notify_waiters();
            released.await;
        }
    }
}

impl State {
    /// What was asked for the next request, or what the rates draw.
    fn next(&mut self, operation: &str) -> Fault {
        if let Some((left, _)) = &mut self.left {
            *left -= 1;
            return Fault::None;
        }
        if let Some(fault) = self.script.pop_front() {
            return fault;
        }
        let asked = [
            (&mut self.losses, Fault::AnswerLost),
            (&mut self.throttled, Fault::Throttled),
            (&mut self.failed, Fault::Failed(true)),
        ];
        for (times, fault) in asked {
            if *times > 0 {
                *times -= 1;
                return fault;
            }
        }
        if operation.starts_with("Transact") && !self.refusals.is_empty() {
            return Fault::Refused;
        }
        draw(self.rates, operation)
    }

    /// How long the next request takes, and its answer.
    fn pauses(&mut self) -> (Duration, Duration) {
        let rate = self.rates.delay;
        let pause = || {
            let slow = rate > 0.0 && fastrand::f64() < rate;
            Duration::from_millis(if slow { fastrand::u64(10..400) } else { u64::from(rate > 0.0) })
        };
        self.delays.pop_front().or(self.latency).unwrap_or_else(|| (pause(), pause()))
    }
}

fn draw(rates: Rates, operation: &str) -> Fault {
    let is_write = !matches!(operation, "GetItem" | "BatchGetItem" | "Query" | "Scan" | "TransactGetItems");
    let faults = [
        (rates.lose_request, Fault::RequestLost),
        (rates.lose_answer, Fault::AnswerLost),
        (rates.duplicate, Fault::Duplicated(0)),
        (rates.throttle, Fault::Throttled),
        (rates.fail, Fault::Failed(true)),
        (if is_write { rates.conflict } else { 0.0 }, Fault::Conflicted),
        (rates.garble, Fault::Garbled),
        (rates.intercept, Fault::Intercepted(0, false)),
        (rates.deny, Fault::Denied("AccessDeniedException")),
        (rates.disconnect, Fault::Disconnected),
        (rates.late, Fault::Late(0)),
    ];
    if faults.iter().all(|(rate, _)| *rate == 0.0) {
        return Fault::None;
    }
    let mut chance = fastrand::f64();
    for (rate, fault) in faults {
        if chance < rate {
            return match fault {
                Fault::Duplicated(_) => Fault::Duplicated(fastrand::u64(1..4000)),
                Fault::Failed(_) => Fault::Failed(fastrand::bool()),
                Fault::Intercepted(..) => {
                    Fault::Intercepted(*fastrand::choice(&[403, 413, 502, 504]).unwrap_or(&502), fastrand::bool())
                }
                Fault::Late(_) => Fault::Late(fastrand::u64(1..4000)),
                fault => fault,
            };
        }
        chance -= rate;
    }
    Fault::None
}
