//! What the test suites share: an engine each, a clock that stands still, and a network that loses answers.

pub mod customer;

/// The README's code compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::{self, Credentials};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::local::Engine;
use dyno::{Clock as _, Entity, EpochMillis, Item, ManualClock, Repository};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// 2024-07-24 00:00 UTC, in milliseconds: what the clocks of the tests show.
pub const NOW: i64 = 1_721_779_200_000;

/// A test's surroundings: a repository in an engine of its own, with `E`'s table.
#[derive(Debug)]
pub struct World {
    /// The repository.
    pub repository: Repository,
    /// Its clock.
    pub clock: Arc<ManualClock>,
    /// How many answers the network will lose.
    pub losses: Arc<AtomicUsize>,
}

/// Surroundings with the table of `E`: in the embedded engine or, to run the suite on another, at the endpoint that the
/// environment variable `DYNO_TEST_ENDPOINT` names. It must keep a database for each access key, as DynamoDB Local does.
///
/// # Panics
/// The engine does not start.
pub async fn world<E: Entity>() -> World {
    let losses = Arc::new(AtomicUsize::new(0));
    let engine = Engine::in_memory().expect("an engine in memory");
    let config = match std::env::var("DYNO_TEST_ENDPOINT") {
        Ok(endpoint) => other_engine(engine.config().endpoint_url(endpoint), &losses),
        Err(_) => engine.config().http_client(Network::new(engine, &losses)),
    };
    let client = Client::from_conf(config.build());
    let clock = Arc::new(ManualClock::new(EpochMillis::new(NOW)));
    let repository = Repository::new(client).with_clock(Arc::clone(&clock));
    repository.create_table::<E>().await.expect("a new table");
    World { repository, clock, losses }
}

impl World {
    /// Loses the answers to the next requests: they are applied, and the SDK sends them again.
    pub fn lose_answers(&self, answers: usize) {
        self.losses.store(answers, Ordering::SeqCst);
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
        let scan = self.repository.client().scan().table_name(table);
        scan.send().await.expect("a scan").items.unwrap_or_default()
    }
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

/// An endpoint, with an access key of this test's own.
fn other_engine(config: config::Builder, losses: &Arc<AtomicUsize>) -> config::Builder {
    static TESTS: AtomicUsize = AtomicUsize::new(0);
    let test = TESTS.fetch_add(1, Ordering::SeqCst);
    let key = format!("test{}x{test}", std::process::id());
    let http = aws_smithy_http_client::Builder::new().build_http();
    config
        .credentials_provider(Credentials::new(key, "secret", None, None, "tests"))
        .http_client(Network::new(http, losses))
}

/// An HTTP client that loses answers.
#[derive(Clone, Debug)]
struct Network {
    client: SharedHttpClient,
    losses: Arc<AtomicUsize>,
}

impl Network {
    fn new(client: impl HttpClient + 'static, losses: &Arc<AtomicUsize>) -> Self {
        Self { client: SharedHttpClient::new(client), losses: Arc::clone(losses) }
    }
}

impl HttpClient for Network {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let connector = self.client.http_connector(settings, components);
        SharedHttpConnector::new(LosingConnector { connector, losses: Arc::clone(&self.losses) })
    }
}

#[derive(Debug)]
struct LosingConnector {
    connector: SharedHttpConnector,
    losses: Arc<AtomicUsize>,
}

impl HttpConnector for LosingConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let answer = self.connector.call(request);
        let one_less = |losses: usize| losses.checked_sub(1);
        let lost = self.losses.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok();
        HttpConnectorFuture::new(async move {
            let answer = answer.await;
            if lost { Err(ConnectorError::timeout("the answer was lost".into())) } else { answer }
        })
    }
}
