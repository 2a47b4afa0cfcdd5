//! What a request meets by its position, how a process dies of it, and requests that are kept to be served later.

use super::{Event, Fault, Faults, State};
use aws_smithy_runtime_api::client::http::{HttpConnector as _, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::byte_stream::ByteStream;

/// What one request is to meet.
#[derive(Debug)]
pub(super) struct Planned {
    /// How many come before it, and it.
    left: usize,
    of: fn(&Event) -> bool,
    fault: Fault,
}

/// A request that nobody waits for.
#[derive(Debug)]
pub(super) struct Kept {
    connector: SharedHttpConnector,
    request: HttpRequest,
    event: Event,
}

/// A request that was served when the test said so, and its answer.
#[derive(Clone, Debug)]
pub struct Delivered {
    /// The request.
    pub request: Event,
    /// The answer's status.
    pub status: u16,
    /// The answer's body.
    pub body: String,
}

impl Faults {
    /// Lets the `position`th (from 1) of these requests meet this fault, counted from now on, attempt by attempt. What is asked
    /// for by position comes before whatever was asked for otherwise; of two that fall on one request, the first asked for
    /// is met.
    ///
    /// # Panics
    /// The position is 0.
    pub fn nth(&self, position: usize, of: fn(&Event) -> bool, fault: Fault) {
        assert!(position > 0, "positions begin at 1");
        self.state().planned.push(Planned { left: position, of, fault });
    }

    /// How many of the faults that were asked for by position were not met: a test of a position that there is not shows
    /// nothing.
    #[must_use]
    pub fn unmet(&self) -> usize {
        self.state().planned.len()
    }

    /// The process dies now: nothing more is sent, and nothing is answered. What is under way is served, unless its future is
    /// dropped before.
    pub fn kill(&self) {
        {
            let mut state = self.state();
            (state.is_dead, state.has_stopped) = (true, true);
        }
        self.stopped.notify_waiters();
    }

    /// Serves the oldest of the requests that were kept or postponed; `None` if there is none. A process that has died, pauses
    /// or is gone does not matter.
    ///
    /// # Panics
    /// The engine does not answer.
    pub async fn deliver(&self) -> Option<Delivered> {
        let Kept { connector, request, event } = self.state().kept.pop_front()?;
        let mut answer = connector.call(request).await.expect("an answer");
        let body = ByteStream::new(answer.take_body()).collect().await.expect("an answer").to_vec();
        let body = String::from_utf8(body).expect("an answer in UTF-8");
        Some(Delivered { request: event, status: answer.status().as_u16(), body })
    }

    /// How many requests were kept or postponed, and not delivered.
    #[must_use]
    pub fn undelivered(&self) -> usize {
        self.state().kept.len()
    }

    /// Keeps a request, to be served when the test says so.
    pub(super) fn keep(&self, connector: &SharedHttpConnector, request: &HttpRequest) {
        let request = request.try_clone().expect("a body in memory");
        let mut state = self.state();
        let event = Event::new(&request, state.elapsed());
        state.kept.push_back(Kept { connector: connector.clone(), request, event });
    }

    /// Serves the last request of a process, also if the process is dropped meanwhile, and lets it die.
    pub(super) async fn last_served(
        &self,
        connector: &SharedHttpConnector,
        request: HttpRequest,
    ) -> Result<HttpResponse, ConnectorError> {
        let _nobody_gets_it = tokio::spawn(connector.call(request)).await;
        self.dead().await
    }

    /// What a process that has died gets.
    pub(super) async fn dead(&self) -> Result<HttpResponse, ConnectorError> {
        self.state().has_stopped = true;
        self.stopped.notify_waiters();
        std::future::pending().await
    }
}

impl State {
    /// What was asked for this request by its position. If it dies of that, nothing is sent behind it.
    pub(super) fn planned(&mut self, event: &Event) -> Option<Fault> {
        // Each one counts, whichever is met.
        for planned in &mut self.planned {
            planned.left = planned.left.saturating_sub(usize::from((planned.of)(event)));
        }
        let met = self.planned.iter().find(|planned| planned.left == 0).map(|planned| planned.fault);
        self.planned.retain(|planned| planned.left > 0);
        self.is_dead |= met.is_some_and(Fault::is_deadly);
        met
    }
}
