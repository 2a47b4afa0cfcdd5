//! The HTTP client that lets requests meet their faults.

use super::canned_answer::{answer, cancelled, conflict, page, refusal};
use super::fault::Fault;
use super::network::Faults;
use crate::local::engine::{Engine, operation_of};
use aws_sdk_dynamodb::Client;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use std::io;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::sleep;

/// An HTTP client with faults.
#[derive(Debug)]
struct FaultyClient {
    client: SharedHttpClient,
    faults: Faults,
}

impl Engine {
    /// Returns a client whose requests meet these faults on their way to the engine.
    #[must_use]
    pub fn client_with(&self, faults: &Faults) -> Client {
        Client::from_conf(self.config().http_client(faults.before(self.clone())).build())
    }
}

impl HttpClient for FaultyClient {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let connector = self.client.http_connector(settings, components);
        let faults = self.faults.clone();
        let connector = SharedHttpConnector::new(ReplicatedConnector { connector, faults: faults.clone() });
        SharedHttpConnector::new(FaultyConnector { connector, faults })
    }
}

/// Serves requests by the engine or its replica.
#[derive(Debug)]
struct ReplicatedConnector {
    connector: SharedHttpConnector,
    faults: Faults,
}

impl HttpConnector for ReplicatedConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        if !self.faults.has_replica() {
            return self.connector.call(request);
        }
        let (connector, faults) = (self.connector.clone(), self.faults.clone());
        HttpConnectorFuture::new(async move {
            let mut replica = faults.replica().await;
            replica.serve(&connector, request, || faults.lag()).await
        })
    }
}

#[derive(Debug)]
struct FaultyConnector {
    connector: SharedHttpConnector,
    faults: Faults,
}

impl HttpConnector for FaultyConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (connector, faults) = (self.connector.clone(), self.faults.clone());
        HttpConnectorFuture::new(async move { faults.meet(connector, request).await })
    }
}

impl Faults {
    /// Returns an HTTP client whose requests meet these faults on their way to this one, which reaches an engine: for a
    /// configuration of the SDK that is not of [`Engine::client_with`](crate::local::Engine::client_with).
    pub fn before(&self, client: impl HttpClient + 'static) -> SharedHttpClient {
        SharedHttpClient::new(FaultyClient { client: SharedHttpClient::new(client), faults: self.clone() })
    }

    async fn meet(&self, connector: SharedHttpConnector, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        self.gate().await;
        let operation = operation_of(&request).to_owned();
        if self.is_dead() {
            return std::future::pending().await;
        }
        if let Some((status, body)) = self.given(&operation) {
            return Ok(answer(status, body));
        }
        let (fault, before, after) = self.decide(&request);
        let _in_flight = InFlight::new(self);
        let mut dropped = DroppedRequest::new(self, &connector, &request);
        pause(before).await;
        dropped.has_arrived();
        let answer = match fault {
            Fault::RequestLost => Err(ConnectorError::timeout("the request was lost".into())),
            Fault::Throttled => Ok(refusal(400, "ThrottlingException", "slow down", "")),
            Fault::ServerError { served: false } => Ok(refusal(500, "InternalServerError", "it failed", "")),
            Fault::Conflict => Ok(conflict(&operation, &request)),
            Fault::Cancelled(reasons) => Ok(cancelled(reasons)),
            Fault::ErrorCode(code) => Ok(refusal(status_of(code), code, "refused by a fault", "")),
            Fault::Proxy { status, served: false } => Ok(page(status)),
            Fault::ConnectionRefused => {
                Err(ConnectorError::io(io::Error::from(io::ErrorKind::ConnectionRefused).into()))
            }
            Fault::Late(late) => {
                self.serve_later(connector, request, late);
                Err(ConnectorError::timeout("no answer came".into()))
            }
            Fault::Postponed => {
                self.keep(&connector, &request, fault);
                Err(ConnectorError::timeout("no answer came".into()))
            }
            Fault::DiesBefore => return self.dead().await,
            Fault::DiesPostponed => {
                self.keep(&connector, &request, fault);
                return self.dead().await;
            }
            Fault::DiesAfter => return self.last_served(&connector, request).await,
            Fault::Served
            | Fault::AnswerLost
            | Fault::ServerError { served: true }
            | Fault::Unreadable
            | Fault::Proxy { served: true, .. }
            | Fault::Duplicated(_)
            | Fault::ServedTwice
            | Fault::DuplicateKept => self.serve(fault, &connector, request).await,
        };
        pause(after).await;
        if self.is_dead() {
            return self.dead().await;
        }
        answer
    }

    /// Serves a request, and once more if that is the fault. Returns the answer that the client gets.
    async fn serve(
        &self,
        fault: Fault,
        connector: &SharedHttpConnector,
        request: HttpRequest,
    ) -> Result<HttpResponse, ConnectorError> {
        if fault == Fault::DuplicateKept {
            self.keep(connector, &request, fault);
        }
        let again = match fault {
            Fault::Duplicated(_) | Fault::ServedTwice => request.try_clone(),
            _ => None,
        };
        // The engine executes the request, once or twice.
        let served = self.pass(connector, request).await;
        match (fault, again) {
            (Fault::Duplicated(late), Some(again)) if !Self::is_refused_write(&again, &served) => {
                self.serve_later(connector.clone(), again, late);
            }
            (_, Some(again)) => {
                let _nobody_waits = self.pass(connector, again).await;
            }
            _ => (),
        }
        // The client gets the fault instead of the answer.
        match fault {
            Fault::AnswerLost => Err(ConnectorError::timeout("the answer was lost".into())),
            Fault::ServerError { .. } => Ok(refusal(500, "InternalServerError", "it failed", "")),
            Fault::Unreadable => Ok(answer(200, r#"{"Attributes":{"#.to_owned())),
            Fault::Proxy { status, .. } => Ok(page(status)),
            _ => served,
        }
    }

    /// Returns `true` if the request is a plain write that was refused. The reason of the refusal can pass, and then a late
    /// duplicate would be applied, although nothing tells the client of it. Those of the commit protocol may come at any time.
    fn is_refused_write(request: &HttpRequest, answer: &Result<HttpResponse, ConnectorError>) -> bool {
        let body = request.body().bytes().unwrap_or_default();
        let has = |text: &str| body.windows(text.len()).any(|window| window == text.as_bytes());
        let is_plain = has("attribute_not_exists(") && !has(r#"_x":{"M":"#);
        is_plain && answer.as_ref().is_ok_and(|answer| answer.status().is_client_error())
    }

    /// Serves a request whose client does not wait for the answer.
    fn serve_later(&self, connector: SharedHttpConnector, request: HttpRequest, late: Duration) {
        // A client can be dropped after its runtime.
        let Ok(runtime) = Handle::try_current() else { return };
        let faults = self.clone();
        let pending = Pending::new(self);
        runtime.spawn(async move {
            let _pending = pending;
            sleep(late).await;
            let _nobody_waits = faults.pass(&connector, request).await;
        });
    }
}

/// A request that the client may drop while it is on its way, and that may arrive all the same.
struct DroppedRequest<'a> {
    faults: &'a Faults,
    request: Option<(SharedHttpConnector, HttpRequest)>,
}

impl<'a> DroppedRequest<'a> {
    fn new(faults: &'a Faults, connector: &SharedHttpConnector, request: &HttpRequest) -> Self {
        let mut state = faults.state();
        let rate = state.rates.late_when_dropped;
        let arrives = rate > 0.0 && state.random.f64() < rate;
        let request = if arrives { request.try_clone() } else { None };
        Self { faults, request: request.map(|request| (connector.clone(), request)) }
    }

    fn has_arrived(&mut self) {
        self.request = None;
    }
}

impl Drop for DroppedRequest<'_> {
    fn drop(&mut self) {
        if let Some((connector, request)) = self.request.take() {
            let late = {
                let mut state = self.faults.state();
                let longest = u64::try_from(state.rates.late_when_dropped_by.as_millis()).unwrap_or(u64::MAX).max(1);
                // Some come soon, among the requests of others.
                let longest = if state.random.bool() { longest.min(1000) } else { longest };
                Duration::from_millis(state.random.u64(1..=longest))
            };
            self.faults.serve_later(connector, request, late);
        }
    }
}

/// A request that is still to be served.
struct Pending(Faults);

impl Pending {
    fn new(faults: &Faults) -> Self {
        faults.state().pending += 1;
        Self(faults.clone())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.0.state().pending -= 1;
    }
}

/// A request that is on its way or being served.
struct InFlight(Faults);

impl InFlight {
    fn new(faults: &Faults) -> Self {
        let mut state = faults.state();
        state.in_flight += 1;
        state.most_in_flight = state.most_in_flight.max(state.in_flight);
        Self(faults.clone())
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.state().in_flight -= 1;
    }
}

/// Even an empty sleep would take a turn of the runtime.
async fn pause(time: Duration) {
    if !time.is_zero() {
        sleep(time).await;
    }
}

/// Returns the status with which DynamoDB answers this error code.
fn status_of(code: &str) -> u16 {
    match code {
        "InternalFailure" | "InternalServerError" => 500,
        "ServiceUnavailable" => 503,
        _ => 400,
    }
}
