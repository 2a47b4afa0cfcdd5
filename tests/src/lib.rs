//! The harness of the test suites: an engine for each test, a clock that stands still, a network with faults, and more
//! processes.

#[cfg(feature = "calls")]
pub mod calls;
pub mod canned;
pub mod clock;
#[cfg(feature = "calls")]
pub mod composed;
#[cfg(feature = "all")]
pub mod costs;
pub mod customer;
mod databases;
mod engine;
pub mod faults;
#[cfg_attr(not(feature = "all"), expect(dead_code, reason = "the light build compares no costs"))]
mod in_the_way;
pub mod journal;
pub mod lanes;
pub mod process;
pub mod requests;
pub mod turns;
pub mod witness;

pub use databases::access_key;
pub use engine::{Engine, batch_get_units, differs, endpoint, engine, is_remote};

#[cfg(doctest)]
mod pages;

use crate::faults::Faults;
use crate::journal::{Attributed, Journal};
use crate::requests::Requests;
use crate::witness::Witness;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::retry::{RetryConfig, RetryPartition, TokenBucket};
use dyno::aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use dyno::aws_sdk_dynamodb::config::{self, Config, Credentials, StalledStreamProtectionConfig};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::local;
use dyno::{Clock as _, Entity, EpochMillis, Item, ManualClock, Outcome, Reason, Repository};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::Instant;

/// 2100-01-01 00:00 UTC, in milliseconds: the time that the clocks of the tests show. It is in the future, so an engine that
/// removes expired items by its own clock does not remove the items of the tests.
pub const NOW: i64 = 4_102_444_800_000;

/// The environment of a test: a repository with an engine of its own, and the table of `E`.
#[derive(Debug)]
pub struct World {
    /// The repository.
    pub repository: Repository,
    /// The clock of the repository.
    pub clock: Arc<ManualClock>,
    /// The faults of the repository's network.
    pub faults: Faults,
    config: config::Builder,
    /// The configuration of a client without faults.
    quiet: config::Builder,
    /// The HTTP client that reaches the engine without faults.
    http: SharedHttpClient,
    credentials: Credentials,
    /// The start of the clocks that advance with the runtime's clock.
    beginning: Arc<OnceLock<Instant>>,
    /// The requests that the world sends. They are compared with the recorded requests when the world is dropped.
    requests: Requests,
}

/// Pauses the runtime's clock, so that time passes only when all tasks wait. The clock is not paused if the engine
/// [is in another process](is_remote): there, the time would jump while the engine works, and a transaction that waits up to
/// some minutes would not wait at all.
pub fn pause() {
    if !is_remote() {
        tokio::time::pause();
    }
}

/// A world with the table of `E`, in the [`engine`].
///
/// # Panics
/// The engine does not start.
pub async fn world<E: Entity>() -> World {
    let (quiet, http, credentials) = database().await;
    World::new::<E>(Faults::default(), quiet, http, credentials).await
}

/// A world and a witness, which counts the events of client-side transactions.
///
/// # Panics
/// The engine does not start.
pub async fn witnessed_world<E: Entity>() -> (World, Witness) {
    let witness = Witness::default();
    let (quiet, http, credentials) = database().await;
    let http = witness.before(http);
    let quiet = quiet.http_client(http.clone());
    (World::new::<E>(Faults::default(), quiet, http, credentials).await, witness)
}

/// The configuration, the HTTP client and the credentials of an empty database in the [`engine`].
async fn database() -> (config::Builder, SharedHttpClient, Credentials) {
    let embedded = local::Engine::in_memory().expect("an engine in memory");
    match endpoint() {
        Some(endpoint) => Box::pin(remote_database(embedded.config().endpoint_url(endpoint))).await,
        None => {
            let credentials = Credentials::new("local", "local", None, None, "tests");
            (embedded.config(), SharedHttpClient::new(embedded), credentials)
        }
    }
}

/// A world in the embedded engine, and a journal of all changes and the writes that made them.
///
/// # Panics
/// The engine does not start.
pub async fn journaled_world<E: Entity>() -> (World, Journal) {
    let journal = Journal::default();
    let engine = local::Engine::in_memory().expect("an engine in memory");
    let quiet = engine.config();
    let http = SharedHttpClient::new(Attributed(journal.before(engine)));
    let quiet = quiet.http_client(http.clone());
    let credentials = Credentials::new("local", "local", None, None, "tests");
    (World::new::<E>(Faults::default(), quiet, http, credentials).await, journal)
}

impl World {
    async fn new<E: Entity>(
        faults: Faults,
        quiet: config::Builder,
        http: SharedHttpClient,
        credentials: Credentials,
    ) -> Self {
        let requests = Requests::of_this_test();
        let network = faults.before(http.clone());
        let config = quiet.clone().http_client(requests.noting(SharedHttpClient::new(Attributed(network))));
        // Writes of the client without faults reach the replica, too.
        let around = faults.of_another_process().before(http.clone());
        let quiet = quiet.http_client(requests.noting(around));
        let client = Client::from_conf(config.clone().build());
        let clock = Arc::new(ManualClock::new(EpochMillis::new(NOW)));
        let repository = Repository::new(client.clone()).with_clock(Arc::clone(&clock));
        // Another repository creates the table, so that the counts of the test's repository contain only the test's
        // requests.
        Repository::new(client).create_table::<E>().await.expect("a new table");
        requests.begin();
        in_the_way::begin();
        Self { repository, clock, faults, config, quiet, http, credentials, beginning: Arc::default(), requests }
    }

    /// Loses the answers to this many of the next requests: the engine applies the requests, and the SDK sends them again.
    pub fn lose_answers(&self, answers: usize) {
        self.faults.lose_answers(answers);
    }

    /// A client of another process, for the same database on the same network. It has this retry configuration and an
    /// unlimited budget for retries.
    #[must_use]
    pub fn client(&self, retries: RetryConfig) -> Client {
        Client::from_conf(unlimited(self.config.clone(), retries))
    }

    /// The repository of another process, for the same database and without faults.
    #[must_use]
    pub fn other(&self) -> Repository {
        Repository::new(Client::from_conf(self.quiet.clone().build())).with_clock(Arc::clone(&self.clock))
    }

    /// The credentials of the client, which select the database. A client of another service needs them to reach the same
    /// database.
    #[must_use]
    pub fn credentials(&self) -> Credentials {
        self.credentials.clone()
    }

    /// Takes what DynamoDB refuses in the requests so far: for a test that sends such requests by itself. In all other tests, they
    /// fail the test.
    #[must_use]
    pub fn take_faults_of_requests(&self) -> Vec<String> {
        self.requests.take_faults()
    }

    /// Sends a write whose first attempt is served but not answered. Runs `other` before the SDK sends the write again.
    ///
    /// # Panics
    /// The write panics.
    pub async fn meanwhile<T: Send + 'static>(
        &self,
        write: impl Future<Output = T> + Send + 'static,
        other: impl Future<Output = ()>,
    ) -> T {
        self.lose_answers(1);
        self.faults.hold_after(1);
        let write = tokio::spawn(write);
        self.faults.held().await;
        other.await;
        self.faults.release();
        write.await.expect("no panic")
    }

    /// The time of the clock, in seconds.
    #[must_use]
    pub fn clock_seconds(&self) -> i64 {
        self.clock.now().get() / 1000
    }

    /// Puts an item as another program does, without dyno's conditions.
    ///
    /// # Panics
    /// The engine refuses it.
    pub async fn write_foreign<E: Entity>(&self, item: Item) {
        let table = self.repository.table_name::<E>().expect("a table");
        let put = self.repository.client().put_item().table_name(table);
        put.set_item(Some(item)).send().await.expect("a foreign item");
    }

    /// Every item of `E`'s table as it is stored.
    ///
    /// # Panics
    /// The engine refuses to scan.
    pub async fn stored<E: Entity>(&self) -> Vec<Item> {
        let table = self.repository.table_name::<E>().expect("a table");
        let scan = self.repository.client().scan().table_name(table).consistent_read(true);
        scan.send().await.expect("a scan").items.unwrap_or_default()
    }
}

/// The configuration with these retries and an unlimited budget for them.
fn unlimited(config: config::Builder, retries: RetryConfig) -> Config {
    let budget = RetryPartition::custom("test").token_bucket(TokenBucket::unlimited()).build();
    config.retry_config(retries).retry_partition(budget).build()
}

/// The reasons why a write was refused; empty if the write was applied.
#[must_use]
pub fn reasons<E, T>(outcome: &Outcome<E, T>) -> Vec<Reason> {
    outcome.refusal().map(|refusal| refusal.reasons().to_vec()).unwrap_or_default()
}

/// An item of these attributes.
pub fn item<const N: usize>(attributes: [(&str, AttributeValue); N]) -> Item {
    attributes.map(|(name, value)| (name.to_owned(), value)).into()
}

/// A string.
#[must_use]
pub fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// A number.
pub fn n(number: impl ToString) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// A database in an engine of another process. Its credentials have an access key of this test's own.
async fn remote_database(config: config::Builder) -> (config::Builder, SharedHttpClient, Credentials) {
    // The engine closes a connection that rests for 75 seconds.
    let http = aws_smithy_http_client::Builder::new().pool_idle_timeout(Duration::from_secs(30)).build_http();
    // A paused clock of the runtime jumps to the next timer when no task can run, even if a task waits for another process.
    // So no timer may run while a request waits for the network.
    let config = config
        .timeout_config(TimeoutConfig::disabled())
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .http_client(http.clone());
    let credentials = databases::empty(&config).await;
    (config.credentials_provider(credentials.clone()), http, credentials)
}
