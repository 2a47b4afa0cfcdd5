//! Compares the requests that each behaviour test sends with the recorded ones.
//!
//! A [`World`](crate::World) notes its requests from the creation of its first table until it is dropped, and then compares
//! them with `behaviour/requests/<module>.txt`. With `UPDATE_EXPECT=1` it writes them there (`scripts/bless` does so for all
//! tests). With `DYNO_SHOW_REQUESTS=1` it prints them in full. Only the suite `behaviour` on the embedded engine records.
//!
//! On every engine, and in the simulations, `validator` looks in each request for what DynamoDB refuses and an engine may serve.
//! A world that has sent such a request fails its test.
//!
//! `text` turns a request into text, `catalogue` gives each form of a request an id, `entry` writes the requests of a world
//! as ids and a hash, and `file` reads and writes the files. `order` names the tests that send in no certain order, `flows`
//! those whose requests the files show in full.

mod catalogue;
mod entry;
mod file;
mod flows;
mod order;
mod text;
mod validator;

use crate::in_the_way::{self, Awaited};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use entry::Request;
use file::Heading;
use order::Order;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use text::{Random, Text};
use validator::Tables;

/// The separator between the parts of a request.
const BELOW: &str = "\n    ";

thread_local! {
    /// The test that this thread runs, and the number of worlds that the test has created.
    static WORLDS: RefCell<(String, usize)> = RefCell::default();
}

/// The requests of one world.
#[derive(Debug)]
pub(crate) struct Requests {
    /// The test's path; `None` where nothing is recorded.
    test: Option<String>,
    is_checked: bool,
    /// Which of the test's worlds it is, from 1.
    world: usize,
    noted: Arc<Mutex<Noted>>,
}

#[derive(Debug)]
struct Noted {
    /// Whether the requests are recorded.
    is_on: bool,
    tables: Tables,
    /// What DynamoDB refuses in the requests.
    faults: Vec<String>,
    random: Random,
    requests: Vec<Request>,
}

impl Requests {
    /// The requests of the world that this thread's test is creating.
    pub(crate) fn of_this_test() -> Self {
        let thread = std::thread::current();
        // The thread of a test has the test's path as its name.
        let test = thread.name().filter(|name| name.contains("::") && is_suite("behaviour") && !crate::is_remote());
        if test.is_some() {
            draw_as_in_other_tests();
        }
        let world = WORLDS.with_borrow_mut(|(of, worlds)| {
            if test != Some(of.as_str()) {
                (*of, *worlds) = (test.unwrap_or_default().to_owned(), 0);
            }
            *worlds += 1;
            *worlds
        });
        let is_ordered = test.is_none_or(|test| order::of(test) == Order::Sent);
        let random = Random::new(is_ordered);
        let noted = Noted { is_on: false, tables: Tables::default(), faults: Vec::new(), random, requests: Vec::new() };
        let is_checked = is_suite("behaviour") || is_suite("simulation");
        Self { test: test.map(str::to_owned), is_checked, world, noted: Arc::new(Mutex::new(noted)) }
    }

    /// This client, which notes its requests once they are [begun](Self::begin).
    pub(crate) fn noting(&self, client: SharedHttpClient) -> SharedHttpClient {
        if !self.is_checked {
            return client;
        }
        SharedHttpClient::new(Recorded { client, noted: Arc::clone(&self.noted) })
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what DynamoDB refuses in the requests so far.
    pub(crate) fn take_faults(&self) -> Vec<String> {
        mem::take(&mut self.noted().faults)
    }

    /// Notes the requests that are sent from now on.
    pub(crate) fn begin(&self) {
        self.noted().is_on = self.test.is_some();
    }
}

impl Drop for Requests {
    fn drop(&mut self) {
        let faults = self.take_faults();
        assert!(
            faults.is_empty() || std::thread::panicking(),
            "DynamoDB refuses what was sent:\n{}",
            faults.join("\n")
        );
        let Some(test) = self.test.as_deref() else { return };
        let heading = Heading(test.to_owned(), self.world);
        let requests = mem::take(&mut self.noted().requests);
        let texts: Vec<_> = requests.iter().map(|request| request.text.clone()).collect();
        if std::env::var_os("DYNO_SHOW_REQUESTS").is_some() {
            // The test harness does not capture this.
            let _shown = writeln!(std::io::stderr().lock(), "{heading}:\n{}", list(&texts));
        }
        if std::thread::panicking() {
            return;
        }
        let shown = if flows::is_shown(test, self.world) { texts.clone() } else { Vec::new() };
        let requests = entry::Requests::new(order::of(test), requests);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            file::write(heading, requests, shown);
        } else if let Some(difference) = file::difference(&heading, &requests, &shown) {
            panic!("{heading}: {difference}\nall requests as sent:\n{}\n{ADVICE}", list(&texts));
        }
    }
}

const ADVICE: &str = "\
- If you meant to change the requests, run `scripts/bless` (or this test with UPDATE_EXPECT=1) and commit the difference.
- To see the old requests with their values, run this test at the parent commit with DYNO_SHOW_REQUESTS=1.
- If the test sends its requests in no certain order, name it in tests/src/requests/order.rs.";

/// Requests as numbered lines.
fn list(texts: &[String]) -> String {
    let numbered = texts.iter().enumerate().map(|(before, text)| format!("{:>4} {text}", before + 1));
    numbered.collect::<Vec<_>>().join("\n")
}

/// The headings and ids of the files and the names of the lists that belong to none of these tests. With
/// `UPDATE_EXPECT=1`, such headings and ids are removed.
///
/// # Panics
/// The files cannot be read.
#[must_use]
pub fn stale(tests: &BTreeSet<String>) -> Vec<String> {
    let names = order::stale(tests).chain(flows::stale(tests)).map(str::to_owned);
    file::stale(tests).into_iter().chain(names).collect()
}

/// A request as text, its random texts without their numbers.
pub(crate) fn text_of(operation: &str, body: &serde_json::Value) -> String {
    Text::new(Some(&mut Random::new(false))).parts(operation, body).join(BELOW)
}

/// Whether this process is this suite. Only `behaviour` is recorded: the requests of the other suites depend on a seed.
fn is_suite(name: &str) -> bool {
    let program = std::env::current_exe().ok();
    let program = program.as_ref().and_then(|program| program.file_name()?.to_str()?.rsplit_once('-'));
    program.is_some_and(|(program, _)| program == name)
}

/// Makes a test draw the same random numbers whether it runs alone or beside other tests. Once a process has a tracing
/// subscriber, the SDK draws a number for each span, also in later tests. So this function installs a subscriber from the
/// beginning.
fn draw_as_in_other_tests() {
    // This fails if another test has already set the subscriber.
    let _set = tracing::subscriber::set_global_default(tracing_subscriber::registry());
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
        let (awaited, answer) = (Awaited::begin(), self.connector.call(request));
        HttpConnectorFuture::new(async move {
            let answer = answer.await;
            awaited.end(&answer);
            answer
        })
    }
}

impl Noted {
    fn note(&mut self, request: &HttpRequest) {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit_once('.').map_or(target, |(_, operation)| operation);
        let body = serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default();
        self.faults.extend(validator::faults(&self.tables, operation, &body));
        self.tables.note(operation, &body);
        in_the_way::note(operation, &body, request);
        if !self.is_on {
            return;
        }
        let attempt = request.headers().get("amz-sdk-request").unwrap_or_default();
        let mut full = Text::new(Some(&mut self.random));
        let text = full.parts(operation, &body).join(BELOW);
        let values = full.values;
        let forms = Text::new(None).parts(operation, &body);
        // A request that the SDK sends again is the same, so its operation is enough.
        let is_again = !attempt.starts_with("attempt=1;") && self.requests.iter().any(|request| request.text == text);
        self.requests.push(if is_again {
            let forms = Err(operation.to_owned());
            Request { text: format!("again {operation}"), forms, values: String::new() }
        } else {
            Request { text, forms: Ok(forms), values }
        });
    }
}
