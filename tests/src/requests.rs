//! What each behaviour test sends, compared with what it sent when that was recorded.
//!
//! The requests of each [`World`](crate::World) are noted from when its first table is there until the world is dropped, and then compared
//! with `behaviour/requests/<module>.txt`, where each test has an entry of its own. With `UPDATE_EXPECT=1` the entry is
//! written anew (`scripts/bless` does so for all). Only in the suite `behaviour` and in front of the embedded engine.
//!
//! How a request is written is in `text`, which tests send in no certain order in `order`, the files in `file`.

mod file;
mod order;
mod text;

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use order::Order;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use text::{Random, Text};

/// So many requests of a world are written in full; the others are counted by their form.
const IN_FULL: usize = 24;

/// So many worlds of a test are written; of the others, only how many requests there are, and whether they are the same.
const WORLDS_IN_FULL: usize = 6;

thread_local! {
    /// The test that this thread runs, and how many worlds it has made.
    static WORLDS: RefCell<(String, usize)> = RefCell::default();
}

/// The requests of one world.
#[derive(Debug)]
pub(crate) struct Requests {
    /// The test's path; `None` where nothing is recorded.
    test: Option<String>,
    /// Which of the test's worlds it is, from 1.
    world: usize,
    noted: Arc<Mutex<Noted>>,
}

#[derive(Debug)]
struct Noted {
    is_on: bool,
    random: Random,
    requests: Vec<Request>,
}

/// A request: with its values, and without.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Request {
    text: String,
    form: String,
}

impl Requests {
    /// Of the world that this thread's test is making.
    pub(crate) fn of_this_test() -> Self {
        let thread = std::thread::current();
        // The thread of a test has the test's path as its name.
        let test = thread.name().filter(|name| name.contains("::") && is_behaviour() && crate::endpoint().is_none());
        let world = WORLDS.with_borrow_mut(|(of, worlds)| {
            if test != Some(of.as_str()) {
                (*of, *worlds) = (test.unwrap_or_default().to_owned(), 0);
            }
            *worlds += 1;
            *worlds
        });
        let is_ordered = test.is_none_or(|test| order::of(test) == Order::Sent);
        let noted = Noted { is_on: false, random: Random::new(is_ordered), requests: Vec::new() };
        Self { test: test.map(str::to_owned), world, noted: Arc::new(Mutex::new(noted)) }
    }

    /// This client, with its requests noted once they are [begun](Self::begin).
    pub(crate) fn noting(&self, client: SharedHttpClient) -> SharedHttpClient {
        match self.test {
            Some(_) => SharedHttpClient::new(Recorded { client, noted: Arc::clone(&self.noted) }),
            None => client,
        }
    }

    /// From now on, notes what is sent.
    pub(crate) fn begin(&self) {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).is_on = true;
    }
}

impl Drop for Requests {
    fn drop(&mut self) {
        let Some(test) = self.test.as_deref().filter(|_| !std::thread::panicking()) else { return };
        let requests = mem::take(&mut self.noted.lock().unwrap_or_else(PoisonError::into_inner).requests);
        let heading = if self.world == 1 { test.to_owned() } else { format!("{test}, world {}", self.world) };
        let (order, sent) = (order::of(test), requests.len());
        let mut entry = entry(order, requests);
        if self.world > WORLDS_IN_FULL && order != Order::Forms && !entry.is_empty() {
            let digits = text::hash(&entry.join("\n"));
            entry = vec![format!("{sent} requests, {digits}")];
        }
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            file::write(test, heading, entry);
        } else {
            compare(&heading, &file::read(test, &heading), &entry);
        }
    }
}

/// The headings of the files and the names of the list that are of none of these tests. With `UPDATE_EXPECT=1`, such headings
/// are removed.
///
/// # Panics
/// The files cannot be read.
#[must_use]
pub fn stale(tests: &BTreeSet<String>) -> Vec<String> {
    file::stale(tests).into_iter().chain(order::stale(tests).map(str::to_owned)).collect()
}

/// A request as text, its random texts without their numbers.
pub(crate) fn text_of(operation: &str, body: &serde_json::Value) -> String {
    Text(Some(&mut Random::new(false))).request(operation, body)
}

/// Whether this process is the suite of behaviours: the others send what a seed says.
fn is_behaviour() -> bool {
    let program = std::env::current_exe().ok();
    program
        .is_some_and(|program| program.file_name().is_some_and(|name| name.to_string_lossy().starts_with("behaviour-")))
}

/// What the file says of these requests.
fn entry(order: Order, mut requests: Vec<Request>) -> Vec<String> {
    match order {
        Order::Sent => {}
        Order::Any => requests.sort(),
        Order::Forms => {
            let forms: BTreeSet<_> = requests.into_iter().map(|request| request.form).collect();
            return forms.into_iter().collect();
        }
    }
    let rest = requests.split_off(requests.len().min(IN_FULL));
    let mut entry: Vec<String> = requests.into_iter().map(|request| request.text).collect();
    if !rest.is_empty() {
        let texts: Vec<_> = rest.iter().map(|request| request.text.as_str()).collect();
        entry.push(format!("and {} more, {}:", rest.len(), text::hash(&texts.join("\n"))));
        let mut forms = BTreeMap::<String, usize>::new();
        for request in rest {
            *forms.entry(request.form).or_default() += 1;
        }
        entry.extend(forms.into_iter().map(|(form, times)| format!("{times} × {form}")));
    }
    entry
}

/// Panics if they differ.
fn compare(heading: &str, expected: &[String], sent: &[String]) {
    if expected == sent {
        return;
    }
    let first = expected.iter().zip(sent).take_while(|(expected, sent)| expected == sent).count();
    let mut message = format!("{heading}: request {} is not the one that is recorded", first + 1);
    for (whose, requests) in [("recorded", expected), ("sent", sent)] {
        let request = requests.get(first).map_or("nothing", String::as_str);
        let _infallible = write!(message, "\n{whose} ({} in all):\n  {request}", requests.len());
    }
    panic!(
        "{message}\nIf that is meant, run `scripts/bless` (or this test with UPDATE_EXPECT=1) and commit the difference; if the order is not certain, name the test in tests/src/requests/order.rs"
    );
}

/// A client whose requests are noted.
#[derive(Clone, Debug)]
struct Recorded {
    client: SharedHttpClient,
    noted: Arc<Mutex<Noted>>,
}

impl HttpClient for Recorded {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let connector = self.client.http_connector(settings, components);
        SharedHttpConnector::new(RecordedConnector { connector, noted: Arc::clone(&self.noted) })
    }
}

#[derive(Debug)]
struct RecordedConnector {
    connector: SharedHttpConnector,
    noted: Arc<Mutex<Noted>>,
}

impl HttpConnector for RecordedConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).note(&request);
        self.connector.call(request)
    }
}

impl Noted {
    fn note(&mut self, request: &HttpRequest) {
        if !self.is_on {
            return;
        }
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit_once('.').map_or(target, |(_, operation)| operation);
        let attempt = request.headers().get("amz-sdk-request").unwrap_or_default();
        let body = serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default();
        let text = Text(Some(&mut self.random)).request(operation, &body);
        let form = Text(None).request(operation, &body);
        // Of what the SDK sends again, only that it does so: it is to be the same.
        let is_again = !attempt.starts_with("attempt=1;") && self.requests.iter().any(|request| request.text == text);
        let text = if is_again { format!("again {operation}") } else { text };
        self.requests.push(Request { text, form });
    }
}
