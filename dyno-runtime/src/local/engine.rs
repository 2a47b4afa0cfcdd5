//! The embedded engine.
//!
//! The database is `dynoxide-rs`, which keeps its items in SQLite. This module is only the adapter that replaces the SDK's HTTP
//! client: the engine gets the requests that the SDK has serialized, and the SDK parses the engine's answers and errors. There is
//! no socket and no other process.

use super::unprojected;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Clock, Repository};
use aws_sdk_dynamodb::config::http::{HttpRequest, HttpResponse};
use aws_sdk_dynamodb::config::retry::{ReconnectMode, RetryConfig};
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, HttpClient, Region, RuntimeComponents};
use aws_sdk_dynamodb::{Client, Config, config};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use dynoxide::{Database, DynoxideError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A database engine in this process. Clones share the same engine.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), dyno::Error> {
/// let engine = dyno::local::Engine::in_memory()?;
/// let client = engine.client(); // an `aws_sdk_dynamodb::Client` like any other
/// client.list_tables().send().await.expect("the engine answers");
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Engine {
    database: Database,
    /// The number of requests of the SDK.
    requests: Arc<AtomicU64>,
}

impl Engine {
    /// Creates an engine that keeps its tables in memory.
    ///
    /// # Errors
    /// Fails if SQLite could not be started.
    pub fn in_memory() -> Result<Self, Error> {
        Database::memory().map(Self::of).map_err(engine_error)
    }

    /// Creates an engine that keeps its tables in memory, and takes the time from this clock: for the records of streams, for the
    /// removal of expired items, and for a vector index that is added to a table, which answers no search for half a minute.
    ///
    /// # Errors
    /// Fails if SQLite could not be started.
    pub fn in_memory_with_clock(clock: Arc<dyn Clock>) -> Result<Self, Error> {
        Database::memory_with_clock(Arc::new(EngineClock(clock))).map(Self::of).map_err(engine_error)
    }

    /// Creates an engine that keeps its tables in this file. The file is created if it does not exist.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, or was not written by the engine.
    pub fn in_file(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let path = path
            .to_str()
            .ok_or_else(|| Error::invalid(format!("the path {} is not UTF-8, which SQLite needs", path.display())))?;
        Database::new(path).map(Self::of).map_err(engine_error)
    }

    fn of(database: Database) -> Self {
        Self { database, requests: Arc::default() }
    }

    pub(super) fn database(&self) -> &Database {
        &self.database
    }

    /// Returns a client of this engine.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::from_conf(self.config().build())
    }

    /// Returns the configuration of [`client`](Self::client), which you can change: for example its retries, or its HTTP
    /// client. The engine is an HTTP client itself, so another one can wrap it.
    #[must_use]
    pub fn config(&self) -> config::Builder {
        Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("local"))
            .credentials_provider(Credentials::new("local", "local", None, None, "dyno::local"))
            .http_client(self.clone())
            // There are no connections. The SDK would log an error after each fault, because it finds none to close.
            .retry_config(RetryConfig::standard().with_reconnect_mode(ReconnectMode::ReuseAllConnections))
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Engine")
    }
}

/// A clock of dyno's as the engine's.
struct EngineClock(Arc<dyn Clock>);

impl dynoxide::storage_backend::Clock for EngineClock {
    fn now_unix_secs(&self) -> u64 {
        u64::try_from(self.0.now().get() / 1000).unwrap_or_default()
    }

    #[expect(clippy::cast_precision_loss, reason = "an f64 holds the milliseconds of every year until 287396")]
    fn now_unix_secs_f64(&self) -> f64 {
        self.0.now().get() as f64 / 1000.0
    }
}

pub(super) fn service_error(error: DynoxideError) -> Error {
    Error::new(ErrorKind::Service, format!("the embedded engine: {error}"))
}

fn engine_error(error: DynoxideError) -> Error {
    Error::new(ErrorKind::Service, format!("the embedded engine did not start: {error}"))
}

impl Repository {
    /// Creates a repository in an embedded engine of its own, which keeps its tables in memory.
    ///
    /// # Errors
    /// Fails if the engine could not be started.
    #[expect(clippy::unused_async, reason = "opening a store is asynchronous elsewhere, and may become so here")]
    pub async fn local() -> Result<Self, Error> {
        Engine::in_memory().map(|engine| Self::new(engine.client()))
    }

    /// Creates a repository in an embedded engine that keeps its tables in this file.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, or was not written by the engine.
    #[expect(clippy::unused_async, reason = "opening a store is asynchronous elsewhere, and may become so here")]
    pub async fn local_file(path: impl AsRef<Path>) -> Result<Self, Error> {
        Engine::in_file(path).map(|engine| Self::new(engine.client()))
    }
}

/// The number of the next request. DynamoDB gives each request an id, too.
static REQUESTS: AtomicU64 = AtomicU64::new(1);

impl HttpClient for Engine {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Engine {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let answer = self.answer(&request);
        if !self.requests.fetch_add(1, Ordering::Relaxed).is_multiple_of(PAUSE_EACH) {
            return HttpConnectorFuture::ready(answer);
        }
        HttpConnectorFuture::new(async move {
            tokio::task::yield_now().await;
            answer
        })
    }
}

/// One of so many requests lets other tasks and timers run. Otherwise a task that only sends requests would never pause, and a lock that
/// it holds would get no heartbeats.
const PAUSE_EACH: u64 = 128;

impl Engine {
    pub(super) fn answer(&self, request: &HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let body = request.body().bytes().unwrap_or_default();
        let (status, body) = match self.run(operation_of(request), body) {
            Ok(body) => (200, body),
            Err(error) => (error.status_code(), error.to_json()),
        };
        let status = status.try_into().map_err(|error| ConnectorError::other(Box::new(error), None))?;
        let mut response = HttpResponse::new(status, SdkBody::from(body));
        response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
        let id = REQUESTS.fetch_add(1, Ordering::Relaxed);
        response.headers_mut().insert("x-amzn-requestid", format!("EMBEDDED-ENGINE-{id}"));
        Ok(response)
    }

    pub(super) fn run(&self, operation: &str, body: &[u8]) -> Result<String, DynoxideError> {
        let db = &self.database;
        match operation {
            "BatchGetItem" => call(body, |request| db.batch_get_item(request)),
            "BatchWriteItem" => call(body, |request| db.batch_write_item(request)),
            "CreateTable" => call(body, |request| db.create_table(request)),
            "DeleteItem" => call(body, |request| db.delete_item(request)),
            "DeleteTable" => call(body, |request| db.delete_table(request)),
            "DescribeStream" => call(body, |request| db.describe_stream(request)),
            "DescribeTable" => call(body, |request| db.describe_table(request)),
            "DescribeTimeToLive" => call(body, |request| db.describe_time_to_live(request)),
            "GetItem" => call(body, |request| db.get_item(request)),
            "GetRecords" => call(body, |request| db.get_records(request)),
            "GetShardIterator" => call(body, |request| db.get_shard_iterator(request)),
            "ListStreams" => call(body, |request| db.list_streams(request)),
            "ListTables" => call(body, |request| db.list_tables(request)),
            "PutItem" => call(body, |request| db.put_item(request)),
            "Query" => {
                let answer = call(body, |request| db.query(request))?;
                unprojected::check(self, body)?;
                Ok(answer)
            }
            "Scan" => call(body, |request| db.scan(request)),
            "SearchVectors" => call(body, |request| db.search_vectors(request)),
            "TransactGetItems" => call(body, |request| db.transact_get_items(request)),
            "TransactWriteItems" => call(body, |request| db.transact_write_items(request)),
            "UpdateItem" => call(body, |request| db.update_item(request)),
            "UpdateTable" => call(body, |request| db.update_table(request)),
            "UpdateTimeToLive" => call(body, |request| db.update_time_to_live(request)),
            other => Err(DynoxideError::ValidationException(format!("the embedded engine does not serve {other}"))),
        }
    }
}

/// Returns the operation of a request, such as `PutItem`.
pub(super) fn operation_of(request: &HttpRequest) -> &str {
    let target = request.headers().get("x-amz-target").unwrap_or_default();
    target.rsplit_once('.').map_or(target, |(_, operation)| operation)
}

fn call<Q: DeserializeOwned, A: Serialize>(
    body: &[u8],
    operation: impl FnOnce(Q) -> Result<A, DynoxideError>,
) -> Result<String, DynoxideError> {
    let request = serde_json::from_slice(body).map_err(|error| malformed(&error))?;
    let answer = operation(request)?;
    serde_json::to_string(&answer).map_err(|error| DynoxideError::InternalServerError(error.to_string()))
}

/// Returns the error for a malformed request. The engine's request types mark an invalid value, such as an empty set, by a word
/// in front of the message. DynamoDB's message does not have this word.
fn malformed(error: &serde_json::Error) -> DynoxideError {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message);
    for marker in ["VALIDATION_REQUEST:", "VALIDATION_AS_READ:", "VALIDATION:"] {
        if let Some(message) = message.strip_prefix(marker) {
            return DynoxideError::ValidationException(message.to_owned());
        }
    }
    for marker in ["SERIALIZATION_AS_READ:", "SERIALIZATION:"] {
        if let Some(message) = message.strip_prefix(marker) {
            return DynoxideError::SerializationException(message.to_owned());
        }
    }
    DynoxideError::ValidationException(message.to_owned())
}
