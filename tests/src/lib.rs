//! What the test suites share: an engine each, a clock that stands still, a network with faults, and further processes.

pub mod calls;
pub mod canned;
pub mod clock;
pub mod customer;
mod databases;
pub mod faults;
pub mod journal;
pub mod lanes;
pub mod process;
pub mod requests;
pub mod turns;
pub mod witness;

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
use dyno::local::Engine;
use dyno::{Clock as _, Entity, EpochMillis, Item, ManualClock, Outcome, Reason, Repository};
use std::sync::{Arc, OnceLock};
use tokio::time::Instant;

/// 2100-01-01 00:00 UTC, in milliseconds: what the clocks of the tests show. An engine that removes what has expired by
/// its own clock leaves the tests' items alone.
pub const NOW: i64 = 4_102_444_800_000;

/// A test's surroundings: a repository in an engine of its own, with `E`'s table.
#[derive(Debug)]
pub struct World {
    /// The repository.
    pub repository: Repository,
    /// Its clock.
    pub clock: Arc<ManualClock>,
    /// Its network's.
    pub faults: Faults,
    config: config::Builder,
    /// The same without faults.
    quiet: config::Builder,
    /// What reaches the engine without faults.
    http: SharedHttpClient,
    credentials: Credentials,
    /// When the clocks began that go along.
    beginning: Arc<OnceLock<Instant>>,
    /// What it sends, and what it is to send: compared when the world ends.
    requests: Requests,
}

/// Where the engine is, if it is not the embedded one: what the environment variable `DYNO_ENDPOINT` says. It must keep a
/// database for each access key, as DynamoDB Local does.
#[must_use]
pub fn endpoint() -> Option<String> {
    std::env::var("DYNO_ENDPOINT").ok()
}

/// Stops the runtime's clock, so that it goes on only where everything waits for it. Not where the engine is behind a network
/// of its own: time would pass while the engine works, and a transaction that waits for minutes at most would not wait at all.
pub fn pause() {
    if endpoint().is_none() {
        tokio::time::pause();
    }
}

/// Surroundings with the table of `E`: in the embedded engine, or at the [`endpoint`].
///
/// # Panics
/// The engine does not start.
pub async fn world<E: Entity>() -> World {
    let (quiet, http, credentials) = engine().await;
    World::new::<E>(Faults::default(), quiet, http, credentials).await
}

/// The same in the embedded engine, also if there is an [`endpoint`]: for what DynamoDB Local does not serve.
///
/// # Panics
/// The engine does not start.
pub async fn embedded_world<E: Entity>() -> World {
    let engine = Engine::in_memory().expect("an engine in memory");
    let (quiet, http) = (engine.config(), SharedHttpClient::new(engine));
    World::new::<E>(Faults::default(), quiet, http, Credentials::new("local", "local", None, None, "tests")).await
}

/// The same, with a witness of what becomes of transactions by intents.
///
/// # Panics
/// The engine does not start.
pub async fn witnessed_world<E: Entity>() -> (World, Witness) {
    let witness = Witness::default();
    let (quiet, http, credentials) = engine().await;
    let http = witness.before(http);
    let quiet = quiet.http_client(http.clone());
    (World::new::<E>(Faults::default(), quiet, http, credentials).await, witness)
}

/// An engine of its own, or the one at the [`endpoint`].
async fn engine() -> (config::Builder, SharedHttpClient, Credentials) {
    let engine = Engine::in_memory().expect("an engine in memory");
    match endpoint() {
        Some(endpoint) => Box::pin(other_engine(engine.config().endpoint_url(endpoint))).await,
        None => {
            (engine.config(), SharedHttpClient::new(engine), Credentials::new("local", "local", None, None, "tests"))
        }
    }
}

/// The same in the embedded engine, with every change noted, and the write that made it.
///
/// # Panics
/// The engine does not start.
pub async fn journaled_world<E: Entity>() -> (World, Journal) {
    let journal = Journal::default();
    let engine = Engine::in_memory().expect("an engine in memory");
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
        // What is written around the faults reaches the replica, too.
        let around = faults.of_another_process().before(http.clone());
        let quiet = quiet.http_client(requests.noting(around));
        let client = Client::from_conf(config.clone().build());
        let clock = Arc::new(ManualClock::new(EpochMillis::new(NOW)));
        let repository = Repository::new(client.clone()).with_clock(Arc::clone(&clock));
        // By another handle: what this one counts is the test's.
        Repository::new(client).create_table::<E>().await.expect("a new table");
        requests.begin();
        Self { repository, clock, faults, config, quiet, http, credentials, beginning: Arc::default(), requests }
    }

    /// Loses the answers to the next requests: they are applied, and the SDK sends them again.
    pub fn lose_answers(&self, answers: usize) {
        self.faults.lose_answers(answers);
    }

    /// The same database for another process, whose requests meet the same network; its client has this retry
    /// configuration and a budget for retries that does not run out.
    #[must_use]
    pub fn client(&self, retries: RetryConfig) -> Client {
        Client::from_conf(unlimited(self.config.clone(), retries))
    }

    /// The same database without faults in between, as another process sees it.
    #[must_use]
    pub fn other(&self) -> Repository {
        Repository::new(Client::from_conf(self.quiet.clone().build())).with_clock(Arc::clone(&self.clock))
    }

    /// Who the engine takes the client for: what another service's client for the same database needs.
    #[must_use]
    pub fn credentials(&self) -> Credentials {
        self.credentials.clone()
    }

    /// Sends a write whose first attempt is served and not answered; before the SDK sends it again, something else
    /// happens.
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

    /// What the clock shows, in seconds.
    #[must_use]
    pub fn clock_seconds(&self) -> i64 {
        self.clock.now().get() / 1000
    }

    /// Writes an item as another writer would: past all rules.
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

/// With this retry configuration, and a budget that does not run out.
fn unlimited(config: config::Builder, retries: RetryConfig) -> Config {
    let budget = RetryPartition::custom("test").token_bucket(TokenBucket::unlimited()).build();
    config.retry_config(retries).retry_partition(budget).build()
}

/// Why a write was refused; nothing, if it was applied.
#[must_use]
pub fn reasons<E, T>(outcome: &Outcome<E, T>) -> Vec<Reason> {
    outcome.refusal().map(|refusal| refusal.reasons().to_vec()).unwrap_or_default()
}

/// An item of these attributes.
pub fn item<const N: usize>(attributes: [(&str, AttributeValue); N]) -> Item {
    attributes.map(|(name, value)| (name.to_owned(), value)).into()
}

/// S
#[must_use]
pub fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// N
pub fn n(number: impl ToString) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// An endpoint, with an access key of this test's own, and the client to reach it.
async fn other_engine(config: config::Builder) -> (config::Builder, SharedHttpClient, Credentials) {
    let http = aws_smithy_http_client::Builder::new().build_http();
    // Where the runtime's clock stands still it jumps to the next timer whenever nothing else is to be done, and waiting for
    // another process is nothing. So no timer may wait for the network.
    let config = config
        .timeout_config(TimeoutConfig::disabled())
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .http_client(http.clone());
    let credentials = databases::empty(&config).await;
    (config.credentials_provider(credentials.clone()), http, credentials)
}
