//! Faults of a request by its position, the death of a process at a request, and requests that are kept to be served later.

use super::fault::Fault;
use super::json_body::text_of;
use super::network::{Faults, State};
use super::pending::{KeptRequest, PlannedFault};
use super::sent_request::SentRequest;
use super::unprocessed;
use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;

/// A request that [`Faults::deliver`] has served, and its answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Delivered {
    /// The request.
    pub request: SentRequest,
    /// The status of the answer.
    pub status: u16,
    /// The body of the answer.
    pub body: String,
}

impl Faults {
    /// Lets one request meet this fault: the `position`th (from 1), counted from now on, of the requests that `of` chooses. Each
    /// attempt counts. A fault that was asked for by position comes before all others, and of two for the same request, the
    /// first that was asked for. The function must not use these faults itself.
    ///
    /// # Panics
    /// Panics if the position is 0.
    pub fn on_request(&self, position: usize, of: impl Fn(&SentRequest) -> bool + Send + 'static, fault: Fault) {
        assert!(position > 0, "positions begin at 1");
        self.state().planned.push(PlannedFault { left: position, of: Box::new(of), fault });
    }

    /// Returns how many faults that were asked for by position have not come. A test whose request was never sent shows nothing,
    /// so check this at its end.
    #[must_use]
    pub fn unmet(&self) -> usize {
        self.state().planned.len()
    }

    /// Lets the client's process die now: no request is sent or answered any more. A request on its way is served, unless its
    /// future is dropped before.
    pub fn kill(&self) {
        {
            let mut state = self.state();
            (state.is_dead, state.has_stopped) = (true, true);
        }
        self.0.stopped.notify_waiters();
    }

    /// Serves the oldest request that was kept or postponed; `None` if there is none. It is served even if the client's process
    /// has died.
    ///
    /// # Panics
    /// Panics if the engine does not answer in UTF-8.
    pub async fn deliver(&self) -> Option<Delivered> {
        let KeptRequest { connector, request, sent } = self.state().kept.pop_front()?;
        let answer = self.pass(&connector, request).await.expect("the engine answers");
        Some(Delivered { request: sent, status: answer.status().as_u16(), body: text_of(answer).await })
    }

    /// Returns how many requests are kept.
    #[must_use]
    pub fn undelivered(&self) -> usize {
        self.state().kept.len()
    }

    /// Keeps a request for [`deliver`](Self::deliver).
    pub(super) fn keep(&self, connector: &SharedHttpConnector, request: &HttpRequest, fault: Fault) {
        let request = request.try_clone().expect("a body in memory");
        let mut state = self.state();
        let mut sent = SentRequest::new(&request, state.elapsed());
        sent.fault = fault;
        state.kept.push_back(KeptRequest { connector: connector.clone(), request, sent });
    }

    /// Serves the last request of a process, even if its future is dropped meanwhile, and lets the process die.
    pub(super) async fn last_served(
        &self,
        connector: &SharedHttpConnector,
        request: HttpRequest,
    ) -> Result<HttpResponse, ConnectorError> {
        let (faults, connector) = (self.clone(), connector.clone());
        let _nobody_gets_it = tokio::spawn(async move { faults.pass(&connector, request).await }).await;
        self.dead().await
    }

    /// Serves a request, but for the part of a batch that is to be left unprocessed.
    pub(super) async fn pass(
        &self,
        connector: &SharedHttpConnector,
        request: HttpRequest,
    ) -> Result<HttpResponse, ConnectorError> {
        let unprocessed = self.state().unprocessed.clone();
        unprocessed::call(connector, request, &unprocessed).await
    }

    /// Never answers: the process has died.
    pub(super) async fn dead(&self) -> Result<HttpResponse, ConnectorError> {
        self.state().has_stopped = true;
        self.0.stopped.notify_waiters();
        std::future::pending().await
    }
}

impl State {
    /// Returns the fault that was asked for by this request's position.
    pub(super) fn planned(&mut self, request: &SentRequest) -> Option<Fault> {
        // The request counts for each of them.
        for planned in &mut self.planned {
            planned.left = planned.left.saturating_sub(usize::from((planned.of)(request)));
        }
        let met = self.planned.iter().find(|planned| planned.left == 0).map(|planned| planned.fault);
        self.planned.retain(|planned| planned.left > 0);
        met
    }
}
