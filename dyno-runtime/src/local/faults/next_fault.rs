//! Which fault the next request meets: the one that was asked for, or one that is drawn by the rates.

use super::fault::Fault;
use super::fault_rates::Rates;
use super::network::{Faults, State};
use super::replica::Lag;
use super::sent_request::{SentRequest, is_write};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use fastrand::Rng;
use std::time::Duration;

impl Faults {
    /// Returns what happens to a request, and how long the request and its answer take.
    pub(super) fn decide(&self, request: &HttpRequest) -> (Fault, Duration, Duration) {
        let mut state = self.state();
        let mut sent = SentRequest::new(request, state.elapsed());
        let planned = state.planned(&sent);
        sent.fault = planned.unwrap_or_else(|| state.next(&sent.operation));
        let fault = sent.fault;
        state.is_dead |= fault.is_deadly();
        state.sent.push(sent);
        let (before, after) = state.pauses();
        // A process that has died cannot wait for its request to arrive.
        let before = if fault.is_deadly() { Duration::ZERO } else { before };
        (fault, before, after)
    }

    /// Returns true if the process has died.
    pub(super) fn is_dead(&self) -> bool {
        self.state().is_dead
    }

    /// Takes the answer that was given for a request of this operation: its status and body.
    pub(super) fn given(&self, operation: &str) -> Option<(u16, String)> {
        let answers = &mut self.state().answers;
        let given = answers.iter().position(|(of, ..)| of == operation)?;
        let (_, status, body) = answers.remove(given);
        Some((status, body))
    }

    /// Waits while requests are held.
    pub(super) async fn gate(&self) {
        loop {
            let released = self.0.released.notified();
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
            self.0.held.notify_waiters();
            released.await;
        }
    }

    /// Returns how far the replica is behind that answers the next eventually consistent read; `None` if the engine answers.
    pub(super) fn lag(&self) -> Option<Lag> {
        let mut state = self.state();
        let Rates { stale, stale_by, .. } = state.rates;
        let exact = state.lag;
        match exact {
            Some(_) => exact,
            None if stale > 0.0 && state.random.f64() < stale => {
                let progress = state.random.choice([0.0, 0.5, 0.9]).unwrap_or_default();
                Some(Lag::Random { within: stale_by, progress, seed: state.random.u64(..) })
            }
            None => None,
        }
    }
}

impl State {
    /// Returns the fault that was asked for the next request, or one that is drawn.
    fn next(&mut self, operation: &str) -> Fault {
        while let Some(faults) = self.script.front_mut() {
            match faults.next() {
                Some(fault) => return fault,
                None => self.script.pop_front(),
            };
        }
        draw(&mut self.random, self.rates, operation)
    }

    /// Returns how long the next request takes, and its answer.
    fn pauses(&mut self) -> (Duration, Duration) {
        let (rate, random) = (self.rates.delay, &mut self.random);
        let mut pause = || {
            let slow = rate > 0.0 && random.f64() < rate;
            Duration::from_millis(if slow { random.u64(10..400) } else { u64::from(rate > 0.0) })
        };
        self.delays.pop_front().or(self.latency).unwrap_or_else(|| (pause(), pause()))
    }
}

fn draw(random: &mut Rng, rates: Rates, operation: &str) -> Fault {
    let late = Duration::from_millis(random.u64(1..4000));
    let served = random.bool();
    let status = random.choice([403, 413, 502, 504]).unwrap_or(502);
    let faults = [
        (rates.lose_request, Fault::RequestLost),
        (rates.lose_answer, Fault::AnswerLost),
        (rates.duplicate, Fault::Duplicated(late)),
        (rates.throttle, Fault::Throttled),
        (rates.fail, Fault::ServerError { served }),
        (if is_write(operation) { rates.conflict } else { 0.0 }, Fault::Conflict),
        (rates.unreadable, Fault::Unreadable),
        (rates.proxy, Fault::Proxy { status, served }),
        (rates.refuse, Fault::ErrorCode("AccessDeniedException")),
        (rates.refuse_connection, Fault::ConnectionRefused),
        (rates.late, Fault::Late(late)),
    ];
    let mut chance = random.f64();
    for (rate, fault) in faults {
        if chance < rate {
            return fault;
        }
        chance -= rate;
    }
    Fault::Served
}

#[cfg(test)]
mod tests {
    use super::Faults;
    use std::pin::pin;
    use std::task::{Context, Waker};

    fn is_ready<T>(future: impl Future<Output = T>) -> bool {
        pin!(future).poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    /// Two requests end at once, and only one of them is waited for.
    #[test]
    fn a_restarted_process_is_not_reported_as_stopped() {
        let faults = Faults::new();
        for _ in 0..2 {
            assert!(!is_ready(faults.stopped()));
            assert!(!is_ready(faults.dead()) && !is_ready(faults.dead()));
            assert!(is_ready(faults.stopped()));
            faults.go_on();
        }
    }

    #[test]
    fn a_released_request_is_not_reported_as_held_again() {
        let faults = Faults::new();
        for _ in 0..2 {
            faults.hold_after(0);
            assert!(!is_ready(faults.held()));
            assert!(!is_ready(faults.gate()) && !is_ready(faults.gate()));
            assert!(is_ready(faults.held()));
            faults.release();
        }
    }
}
