//! Faults: an HTTP client in front of any engine that loses, delays, repeats and refuses requests, as a seed says.
//!
//! (What a batch leaves unprocessed is in `unprocessed`.)
//!
//! The same seed gives the same run where the engine is in this process: the runtime has one thread, its clock is
//! paused, and all random numbers are the thread's.

use crate::unprocessed::{self, Leave};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

/// How likely each fault is.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// The request never arrives.
    pub lose_request: f64,
    /// The request is served, and its answer is lost.
    pub lose_answer: f64,
    /// The request is served, and once more later.
    pub duplicate: f64,
    /// The request, and then its answer, take longer than usual.
    pub delay: f64,
    /// DynamoDB asks to slow down.
    pub throttle: f64,
    /// DynamoDB answers 500; whether it has served the request is left to chance.
    pub fail: f64,
    /// Another transaction holds the item.
    pub conflict: f64,
    /// The request is served, and the body of its answer cut.
    pub garble: f64,
    /// Something between answers in its own words; whether it has passed the request on is left to chance.
    pub intercept: f64,
    /// DynamoDB answers that the caller may not do that.
    pub deny: f64,
    /// Nobody is there to connect to.
    pub disconnect: f64,
    /// The request is not answered, and served later.
    pub late: f64,
}

impl Rates {
    /// No faults.
    pub const NONE: Self = Self {
        lose_request: 0.0,
        lose_answer: 0.0,
        duplicate: 0.0,
        delay: 0.0,
        throttle: 0.0,
        fail: 0.0,
        conflict: 0.0,
        garble: 0.0,
        intercept: 0.0,
        deny: 0.0,
        disconnect: 0.0,
        late: 0.0,
    };

    /// Every third request or so meets one.
    pub const MANY: Self = Self {
        lose_request: 0.05,
        lose_answer: 0.08,
        duplicate: 0.07,
        delay: 0.3,
        throttle: 0.04,
        fail: 0.05,
        conflict: 0.04,
        ..Self::NONE
    };

    /// Those, and everything else that can come between a client and DynamoDB.
    pub const ALL: Self =
        Self { garble: 0.03, intercept: 0.03, deny: 0.02, disconnect: 0.03, late: 0.04, ..Self::MANY };
}

/// What happens to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// It never arrives.
    RequestLost,
    /// It is served, and the answer is lost.
    AnswerLost,
    /// It is served again so many milliseconds later.
    Duplicated(u64),
    /// It is not served, by a 400 that says to slow down.
    Throttled,
    /// It is answered by a 500; whether it was served.
    Failed(bool),
    /// It is not served, by a 400 that says that a transaction holds the item.
    Conflicted,
    /// It is not served, as was asked for.
    Refused,
    /// It is served, and the body of the answer cut.
    Garbled,
    /// It is answered by a page of a proxy's with this status; whether it was served.
    Intercepted(u16, bool),
    /// It is not served, by a 400 with this code.
    Denied(&'static str),
    /// It is not served: the connection is refused.
    Disconnected,
    /// It is not answered, and served so many milliseconds later.
    Late(u64),
}

/// What happens to a transaction that an engine cannot be made to do.
#[derive(Clone, Debug)]
pub enum TransactionFault {
    /// It is cancelled for these reasons, one for each action.
    Cancelled(Vec<&'static str>),
    /// An attempt with its token is still under way.
    InProgress,
    /// It never arrives.
    Lost,
}

/// A request that came by: when, in milliseconds since the start, what it was, and what happened to it.
pub type Event = (u128, String, Fault);

/// The state of a network.
#[derive(Debug)]
pub struct Faults {
    state: Mutex<State>,
    stopped: Notify,
    held: Notify,
    released: Notify,
}

#[derive(Debug)]
struct State {
    rates: Rates,
    /// How many of the next requests lose their answers, whatever the rates.
    losses: usize,
    /// How many of the next requests are throttled, and how many fail, after they were served.
    throttled: usize,
    failed: usize,
    /// How the next transactions are refused, whatever the rates.
    refusals: VecDeque<TransactionFault>,
    /// What the next requests meet, whatever the rates.
    script: VecDeque<Fault>,
    /// How many requests are still let through, and whether the last one is served.
    left: Option<(usize, bool)>,
    /// How many requests are let through before the others have to wait.
    hold: Option<usize>,
    /// What of each batch is not served.
    leave: Leave,
    /// Requests that are being served, and the most there ever were.
    under_way: usize,
    most_under_way: usize,
    /// Operations, and what they are answered, by nobody: status and body.
    answers: Vec<(String, u16, String)>,
    events: Vec<Event>,
    /// What the transactions were that came by.
    transactions: Vec<Vec<u8>>,
    start: Option<Instant>,
    /// Requests that are to be served again.
    pending: usize,
}

impl Default for Faults {
    fn default() -> Self {
        let state = State {
            rates: Rates::NONE,
            losses: 0,
            throttled: 0,
            failed: 0,
            refusals: VecDeque::new(),
            script: VecDeque::new(),
            left: None,
            hold: None,
            leave: Leave::Nothing,
            under_way: 0,
            most_under_way: 0,
            answers: Vec::new(),
            events: Vec::new(),
            transactions: Vec::new(),
            start: None,
            pending: 0,
        };
        Self { state: Mutex::new(state), stopped: Notify::new(), held: Notify::new(), released: Notify::new() }
    }
}

impl Faults {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on, faults come at these rates, drawn from this seed.
    pub fn seed(&self, seed: u64, rates: Rates) {
        fastrand::seed(seed);
        self.state().rates = rates;
    }

    /// No more faults.
    pub fn calm(&self) {
        self.state().rates = Rates::NONE;
    }

    /// Loses the answers to the next requests: they are served, and the SDK sends them again.
    pub fn lose_answers(&self, answers: usize) {
        self.state().losses = answers;
    }

    /// Answers the next requests by asking to slow down: they are not served.
    pub fn throttle(&self, requests: usize) {
        self.state().throttled = requests;
    }

    /// Answers the next requests by a 500: they are served.
    pub fn fail(&self, requests: usize) {
        self.state().failed = requests;
    }

    /// Lets the next requests meet these, one after the other.
    pub fn meet(&self, faults: impl IntoIterator<Item = Fault>) {
        self.state().script.extend(faults);
    }

    /// Refuses the next transactions, one after the other, which are not served.
    pub fn refuse(&self, refusals: impl IntoIterator<Item = TransactionFault>) {
        self.state().refusals.extend(refusals);
    }

    /// The bodies of the transactions that came by, attempt by attempt.
    #[must_use]
    pub fn transactions(&self) -> Vec<Vec<u8>> {
        self.state().transactions.clone()
    }

    /// From now on, leaves this of each batch unprocessed.
    pub fn leave_unprocessed(&self, leave: Leave) {
        self.state().leave = leave;
    }

    /// The most requests that were under way at once since this was last asked.
    pub fn most_under_way(&self) -> usize {
        std::mem::take(&mut self.state().most_under_way)
    }

    /// Answers the next request of this operation by this JSON: it is not served. For what no engine answers.
    pub fn answer(&self, operation: &str, body: &str) {
        self.answer_with(operation, 200, body);
    }

    /// The same with this status.
    pub fn answer_with(&self, operation: &str, status: u16, body: &str) {
        self.state().answers.push((operation.to_owned(), status, body.to_owned()));
    }

    /// What a request is to be answered, if that was said.
    fn given(&self, operation: &str) -> Option<(u16, String)> {
        let answers = &mut self.state().answers;
        let given = answers.iter().position(|(of, ..)| of == operation)?;
        let (_, status, body) = answers.remove(given);
        Some((status, body))
    }

    /// Lets so many requests through and answers no more, as if the process that sends them had died: the last one is
    /// served, or not even that.
    pub fn stop_after(&self, requests: usize, served: bool) {
        self.state().left = Some((requests, served));
    }

    /// The process lives again.
    pub fn go_on(&self) {
        self.state().left = None;
    }

    /// Waits until a request was not answered because of [`stop_after`](Self::stop_after).
    pub async fn stopped(&self) {
        self.stopped.notified().await;
    }

    /// Lets so many requests through, those that are held first, and holds the next ones.
    pub fn hold_after(&self, requests: usize) {
        self.state().hold = Some(requests);
        self.released.notify_waiters();
    }

    /// Waits until a request is held.
    pub async fn held(&self) {
        self.held.notified().await;
    }

    /// Lets the requests go on that were held.
    pub fn release(&self) {
        self.state().hold = None;
        self.released.notify_waiters();
    }

    /// Waits while requests are held.
    async fn gate(&self) {
        loop {
            let released = self.released.notified();
            {
                let mut state = self.state();
                match state.hold {
                    None => return,
                    Some(0) => {}
                    Some(left) => {
                        state.hold = Some(left - 1);
                        return;
                    }
                }
            }
            self.held.notify_one();
            released.await;
        }
    }

    /// Waits until every request that was to be served again has been.
    pub async fn quiet(&self) {
        while self.state().pending > 0 {
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// What came by.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        self.state().events.clone()
    }

    /// What happens to a request, and how long it and its answer take; `None` if it is never answered.
    fn decide(&self, operation: &str) -> Option<(Fault, Duration, Duration)> {
        let mut state = self.state();
        let rates = state.rates;
        let fault = match state.left {
            Some((0, _)) => {
                self.stopped.notify_one();
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
        let (before, after) = (pause(), pause());
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
    fn ends(&self) -> Option<bool> {
        match self.state().left {
            Some((0, served)) => Some(served),
            _ => None,
        }
    }
}

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
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit_once('.').map_or(target, |(_, operation)| operation).to_owned();
        HttpConnectorFuture::new(async move {
            faults.gate().await;
            if operation.starts_with("Transact") {
                faults.state().transactions.push(request.body().bytes().unwrap_or_default().to_vec());
            }
            if let Some((status, body)) = faults.given(&operation) {
                return Ok(answer(status, body));
            }
            let Some((fault, before, after)) = faults.decide(&operation) else {
                return std::future::pending().await;
            };
            let _under_way = UnderWay::new(&faults);
            pause(before).await;
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
                Fault::None if faults.ends() == Some(false) => return faults.dead().await,
                Fault::None
                | Fault::AnswerLost
                | Fault::Duplicated(_)
                | Fault::Failed(true)
                | Fault::Garbled
                | Fault::Intercepted(_, true) => {
                    let again = if let Fault::Duplicated(millis) = fault {
                        request.try_clone().zip(Some(millis))
                    } else {
                        None
                    };
                    let leave = faults.state().leave.clone();
                    let answer = unprocessed::call(&connector, request, &leave).await;
                    if let Some((again, millis)) = again {
                        faults.serve_later(connector.clone(), again, millis);
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

    /// What a process that has died gets.
    async fn dead(&self) -> Result<HttpResponse, ConnectorError> {
        self.stopped.notify_one();
        std::future::pending().await
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

fn conflict(operation: &str, request: &HttpRequest) -> HttpResponse {
    if operation.starts_with("Transact") {
        // Each action names its table once.
        let body = String::from_utf8_lossy(request.body().bytes().unwrap_or_default());
        let others = body.matches(r#""TableName""#).count().saturating_sub(1);
        cancelled(std::iter::repeat_n("None", others).chain(["TransactionConflict"]))
    } else {
        refusal(400, "TransactionConflictException", "Transaction is ongoing for the item", "")
    }
}

fn cancelled<'a>(reasons: impl IntoIterator<Item = &'a str>) -> HttpResponse {
    let reasons: Vec<String> = reasons.into_iter().map(|code| format!(r#"{{"Code":"{code}"}}"#)).collect();
    let reasons = format!(r#","CancellationReasons":[{}]"#, reasons.join(","));
    refusal(400, "TransactionCanceledException", "Transaction cancelled", &reasons)
}

/// An answer that is none.
fn refusal(status: u16, name: &str, message: &str, rest: &str) -> HttpResponse {
    answer(status, format!(r#"{{"__type":"com.amazonaws.dynamodb.v20120810#{name}","message":"{message}"{rest}}}"#))
}

/// What a proxy says.
fn page(status: u16) -> HttpResponse {
    let mut page = answer(status, format!("<html><body><h1>{status}</h1></body></html>"));
    page.headers_mut().insert("content-type", "text/html");
    page
}

/// An answer of this body.
fn answer(status: u16, body: String) -> HttpResponse {
    let status = status.try_into().expect("a status");
    let mut response = HttpResponse::new(status, SdkBody::from(body));
    response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
    response
}
