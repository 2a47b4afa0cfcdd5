//! The HTTP client that lets requests meet their faults.

use super::answers::{answer, cancelled, conflict, page, refusal};
use super::{Fault, Faults, TransactionFault, event};
use crate::unprocessed;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// An HTTP client with faults.
#[derive(Clone, Debug)]
pub struct Network {
    client: SharedHttpClient,
    faults: Arc<Faults>,
}

impl Network {
    /// Faults in front of this client.
    pub fn new(client: impl HttpClient + 'static, faults: &Arc<Faults>) -> Self {
        Self { client: SharedHttpClient::new(client), faults: Arc::clone(faults) }
    }
}

impl HttpClient for Network {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let connector = self.client.http_connector(settings, components);
        SharedHttpConnector::new(Connector { connector, faults: Arc::clone(&self.faults) })
    }
}

#[derive(Debug)]
struct Connector {
    connector: SharedHttpConnector,
    faults: Arc<Faults>,
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (connector, faults) = (self.connector.clone(), Arc::clone(&self.faults));
        let operation = event::operation(&request).to_owned();
        HttpConnectorFuture::new(async move {
            faults.gate().await;
            if operation.starts_with("Transact") {
                faults.state().transactions.push(request.body().bytes().unwrap_or_default().to_vec());
            }
            if let Some((status, body)) = faults.given(&operation) {
                return Ok(answer(status, body));
            }
            let Some((fault, before, after)) = faults.decide(&request) else {
                return std::future::pending().await;
            };
            let _under_way = UnderWay::new(&faults);
            let mut straggler = Straggler::new(&faults, &connector, &request);
            pause(before).await;
            straggler.has_arrived();
            let answer = match fault {
                Fault::RequestLost => Err(ConnectorError::timeout("the request was lost".into())),
                Fault::Throttled => Ok(refusal(400, "ThrottlingException", "slow down", "")),
                Fault::Failed(false) => Ok(refusal(500, "InternalServerError", "it failed", "")),
                Fault::Conflicted => Ok(conflict(&operation, &request)),
                Fault::Refused => faults.refusal(),
                Fault::Denied(code) => Ok(refusal(400, code, "not for you", "")),
                Fault::Intercepted(status, false) => Ok(page(status)),
                Fault::Disconnected => {
                    Err(ConnectorError::io(std::io::Error::from(std::io::ErrorKind::ConnectionRefused).into()))
                }
                Fault::Late(millis) => {
                    faults.serve_later(connector.clone(), request, millis);
                    Err(ConnectorError::timeout("no answer came".into()))
                }
                Fault::Postponed => {
                    faults.keep(&connector, &request);
                    Err(ConnectorError::timeout("no answer came".into()))
                }
                Fault::DiesBefore => return faults.dead().await,
                Fault::DiesPostponed => {
                    faults.keep(&connector, &request);
                    return faults.dead().await;
                }
                Fault::DiesAfter => return faults.last_served(&connector, request).await,
                Fault::None if faults.ends() == Some(false) => return faults.dead().await,
                Fault::None
                | Fault::AnswerLost
                | Fault::Duplicated(_)
                | Fault::Failed(true)
                | Fault::Garbled
                | Fault::Twice
                | Fault::Kept
                | Fault::Intercepted(_, true) => {
                    if fault == Fault::Kept {
                        faults.keep(&connector, &request);
                    }
                    let again = match fault {
                        Fault::Duplicated(millis) => request.try_clone().zip(Some(millis)),
                        _ => None,
                    };
                    let twice = if fault == Fault::Twice { request.try_clone() } else { None };
                    let leave = faults.state().leave.clone();
                    let answer = unprocessed::call(&connector, request, &leave).await;
                    if let Some(twice) = twice {
                        let _nobody_waits = connector.call(twice).await;
                    }
                    if let Some((again, millis)) = again {
                        if faults.state().rates.final_refusals && is_refused(&again, &answer) {
                            let _nobody_waits = connector.call(again).await;
                        } else {
                            faults.serve_later(connector.clone(), again, millis);
                        }
                    }
                    match fault {
                        Fault::AnswerLost => Err(ConnectorError::timeout("the answer was lost".into())),
                        Fault::Failed(_) => Ok(refusal(500, "InternalServerError", "it failed", "")),
                        Fault::Garbled => Ok(self::answer(200, r#"{"Attributes":{"#.to_owned())),
                        Fault::Intercepted(status, _) => Ok(page(status)),
                        _ if faults.ends().is_some() => return faults.dead().await,
                        _ => answer,
                    }
                }
            };
            pause(after).await;
            answer
        })
    }
}

/// Whether it is the refusal of a plain write, or of a native transaction. (What transactions by intents send is refused for
/// good, whatever copies come.)
fn is_refused(request: &HttpRequest, answer: &Result<HttpResponse, ConnectorError>) -> bool {
    let body = request.body().bytes().unwrap_or_default();
    let has = |text: &str| body.windows(text.len()).any(|window| window == text.as_bytes());
    let is_plain = has("attribute_not_exists(") && !has(r#"_x":{"M":"#);
    is_plain && answer.as_ref().is_ok_and(|answer| answer.status().is_client_error())
}

/// A request on its way: dropped before it has arrived, it may arrive all the same.
struct Straggler<'a> {
    faults: &'a Arc<Faults>,
    request: Option<(SharedHttpConnector, HttpRequest)>,
}

impl<'a> Straggler<'a> {
    fn new(faults: &'a Arc<Faults>, connector: &SharedHttpConnector, request: &HttpRequest) -> Self {
        let rate = faults.state().rates.straggle;
        let straggles = rate > 0.0 && fastrand::f64() < rate;
        let request = straggles.then(|| request.try_clone()).flatten();
        Self { faults, request: request.map(|request| (connector.clone(), request)) }
    }

    fn has_arrived(&mut self) {
        self.request = None;
    }
}

impl Drop for Straggler<'_> {
    fn drop(&mut self) {
        if let Some((connector, request)) = self.request.take() {
            let longest = self.faults.state().rates.straggle_millis;
            // Some come soon, among what others do.
            let millis = if fastrand::bool() { fastrand::u64(1..1000) } else { fastrand::u64(1..=longest) };
            self.faults.serve_later(connector, request, millis);
        }
    }
}

impl Faults {
    /// The next refusal of a transaction.
    fn refusal(&self) -> Result<HttpResponse, ConnectorError> {
        match self.state().refusals.pop_front() {
            Some(TransactionFault::Cancelled(reasons)) => Ok(cancelled(reasons)),
            Some(TransactionFault::Lost) => Err(ConnectorError::timeout("the request was lost".into())),
            _ => Ok(refusal(400, "TransactionInProgressException", "it is under way", "")),
        }
    }

    /// Serves a request whose answer nobody waits for.
    fn serve_later(self: &Arc<Self>, connector: SharedHttpConnector, request: HttpRequest, millis: u64) {
        let faults = Arc::clone(self);
        // Not before: until here, the caller can drop the request.
        faults.state().pending += 1;
        tokio::spawn(async move {
            sleep(Duration::from_millis(millis)).await;
            let _nobody_waits = connector.call(request).await;
            faults.state().pending -= 1;
        });
    }
}

/// A request that is under way.
struct UnderWay(Arc<Faults>);

impl UnderWay {
    fn new(faults: &Arc<Faults>) -> Self {
        let mut state = faults.state();
        state.under_way += 1;
        state.most_under_way = state.most_under_way.max(state.under_way);
        Self(Arc::clone(faults))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.state().under_way -= 1;
    }
}

/// Even an empty sleep would cost a turn.
async fn pause(time: Duration) {
    if !time.is_zero() {
        sleep(time).await;
    }
}
