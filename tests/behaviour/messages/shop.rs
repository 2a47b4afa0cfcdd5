//! The entities of the situations, and an engine with their tables.

use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::local::{Engine, Faults};
use dyno::{Entity, EpochMillis, EpochSeconds, Item, ManualClock, Repository};
use dyno_tests::NOW;
use std::sync::Arc;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "counters", type_name = "counter")]
pub(super) struct Counter {
    #[partition_key]
    pub(super) id: String,
    pub(super) count: u8,
    pub(super) note: Option<String>,
    #[attribute(alias = "labels")]
    pub(super) tags: Vec<String>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
pub(super) struct Rating {
    #[partition_key]
    pub(super) user: String,
    #[sort_key]
    pub(super) movie: String,
    pub(super) stars: u8,
    #[ratchet(max_ahead_secs = 60)]
    pub(super) at: EpochMillis,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "readings")]
pub(super) struct Reading {
    #[partition_key]
    pub(super) id: String,
    #[ratchet]
    pub(super) at: jiff::Timestamp,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "orders")]
#[tombstone(ttl_days = 7)]
#[transactional]
pub(super) struct Order {
    #[partition_key]
    pub(super) id: String,
    #[attribute(immutable)]
    pub(super) customer: String,
    pub(super) total: u64,
    #[version]
    pub(super) version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[history_table]
pub(super) struct Page {
    #[partition_key]
    pub(super) id: String,
    pub(super) text: String,
    #[version]
    pub(super) version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bills")]
#[idempotency(window_secs = 60, max_skew_secs = 60)]
pub(super) struct Bill {
    #[partition_key]
    pub(super) id: String,
    pub(super) total: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "users")]
pub(super) struct User {
    #[partition_key]
    pub(super) id: String,
    #[unique]
    pub(super) email: String,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "jobs")]
#[tombstone(ttl_days = 7)]
pub(super) struct Job {
    #[partition_key]
    pub(super) id: String,
    #[fence]
    pub(super) epoch: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "sessions")]
pub(super) struct Session {
    #[partition_key]
    pub(super) id: String,
    pub(super) hits: u32,
    #[ttl]
    pub(super) expires: Option<EpochSeconds>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "films", schema_version = 2, upgrade = "split")]
pub(super) struct Film {
    #[partition_key]
    pub(super) id: String,
    pub(super) first: String,
    pub(super) last: String,
}

fn split(item: &mut Item, _: u32) -> Result<(), String> {
    let name = item.remove("name").ok_or("there is no name")?;
    item.insert("first".to_owned(), name.clone());
    item.insert("last".to_owned(), name);
    Ok(())
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "lines")]
#[partition_key(name = "PK", template = "Order#{order:04}")]
#[sort_key(name = "SK", template = "Line#{line}#{kind}")]
#[index(name = "by_city", partition(name = "GSI1PK", template = "City#{city}"))]
pub(super) struct Line {
    pub(super) order: u32,
    pub(super) line: u32,
    pub(super) kind: String,
    pub(super) city: String,
}

/// An engine with the tables of all entities, and a network with faults.
pub(super) struct Shop {
    pub(super) repository: Repository,
    /// The same without retries of the SDK.
    pub(super) once: Repository,
    pub(super) faults: Faults,
    pub(super) clock: Arc<ManualClock>,
}

impl Shop {
    pub(super) async fn open() -> Self {
        let (engine, faults) = (Engine::in_memory().expect("an engine"), Faults::new());
        let clock = Arc::new(ManualClock::new(EpochMillis::new(NOW)));
        let client = engine.client_with(&faults);
        let once = client.config().to_builder().retry_config(RetryConfig::disabled()).build();
        let repository = |client| Repository::new(client).with_clock(Arc::clone(&clock));
        let (repository, once) = (repository(client), repository(Client::from_conf(once)));
        macro_rules! create {
            ($($entity:ident)*) => {
                $(repository.create_table::<$entity>().await.expect("a table");)*
            };
        }
        create!(Counter Rating Reading Order Page Bill User Job Session Film Line);
        repository.create_lane_table().await.expect("a lane table");
        Self { repository, once, faults, clock }
    }

    /// Puts an item as another program does.
    pub(super) async fn put(&self, table: &str, item: Item) {
        let put = self.repository.client().put_item().table_name(table).set_item(Some(item));
        put.send().await.expect("a foreign item");
    }
}

pub(super) fn counter(count: u8) -> Counter {
    Counter { id: "1".to_owned(), count, note: None, tags: vec!["a".to_owned()] }
}

pub(super) fn rating(at: i64) -> Rating {
    Rating { user: "ada".to_owned(), movie: "Up".to_owned(), stars: 5, at: EpochMillis::new(at) }
}

pub(super) fn order(id: &str, version: u64) -> Order {
    Order { id: id.to_owned(), customer: "ada".to_owned(), total: 3, version }
}

pub(super) fn page(version: u64) -> Page {
    Page { id: "home".to_owned(), text: "x".to_owned(), version }
}

pub(super) fn bill() -> Bill {
    Bill { id: "1".to_owned(), total: 0 }
}

pub(super) fn user(id: &str) -> User {
    User { id: id.to_owned(), email: "ada@example.com".to_owned() }
}

pub(super) fn line(kind: &str) -> Line {
    Line { order: 7, line: 1, kind: kind.to_owned(), city: "Bern".to_owned() }
}
