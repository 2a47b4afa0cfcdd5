//! What happens to the next request: what was asked for, or what the rates draw.

use super::{Fault, Faults, Rates};
use std::time::Duration;
use tokio::time::Instant;

impl Faults {
    /// What happens to a request, and how long it and its answer take; `None` if it is never answered.
    pub(super) fn decide(&self, operation: &str) -> Option<(Fault, Duration, Duration)> {
        let mut state = self.state();
        let rates = state.rates;
        let fault = match state.left {
            Some((0, _)) => {
                state.has_stopped = true;
                self.stopped.notify_waiters();
                return None;
            }
            Some((left, served)) => {
                state.left = Some((left - 1, served));
                Fault::None
            }
            None if !state.script.is_empty() => state.script.pop_front().unwrap_or(Fault::None),
            None if state.losses > 0 => {
                state.losses -= 1;
                Fault::AnswerLost
            }
            None if state.throttled > 0 => {
                state.throttled -= 1;
                Fault::Throttled
            }
            None if state.failed > 0 => {
                state.failed -= 1;
                Fault::Failed(true)
            }
            None if operation.starts_with("Transact") && !state.refusals.is_empty() => Fault::Refused,
            None => Self::draw(rates, operation),
        };
        let pause = || {
            let slow = rates.delay > 0.0 && fastrand::f64() < rates.delay;
            Duration::from_millis(if slow { fastrand::u64(10..400) } else { u64::from(rates.delay > 0.0) })
        };
        let (before, after) = state.delays.pop_front().unwrap_or_else(|| (pause(), pause()));
        let start = *state.start.get_or_insert_with(Instant::now);
        state.events.push((start.elapsed().as_millis(), operation.to_owned(), fault));
        Some((fault, before, after))
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

    /// Whether the request that was let through last is the last that is served.
    pub(super) fn ends(&self) -> Option<bool> {
        match self.state().left {
            Some((0, served)) => Some(served),
            _ => None,
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
