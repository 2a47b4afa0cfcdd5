//! The entities, the items before a command, and the items as readers see them.

use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::retry::{RetryConfig, RetryPartition, TokenBucket};
use dyno::local::{Engine, Faults};
use dyno::lock::Lock;
use dyno::{Entity, Repository};
use std::fmt::Debug;
use std::time::Duration;

/// An entity without a rule.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
#[index(name = "by_tag", partition = tag)]
pub(super) struct Note {
    #[partition_key]
    pub(super) id: String,
    pub(super) tag: String,
    pub(super) count: u64,
}

/// An entity without a rule, and with a sort key.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "entries")]
pub(super) struct Entry {
    #[partition_key]
    pub(super) book: String,
    #[sort_key]
    pub(super) line: u32,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
pub(super) struct Rating {
    #[partition_key]
    pub(super) id: String,
    pub(super) stars: u8,
    #[ratchet]
    pub(super) at: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "documents")]
#[tombstone(ttl_days = 7)]
#[history_table]
pub(super) struct Document {
    #[partition_key]
    pub(super) id: String,
    pub(super) count: u64,
    #[version]
    pub(super) version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "counters")]
#[idempotency(store = "row", window_secs = 86_400)]
pub(super) struct Counter {
    #[partition_key]
    pub(super) id: String,
    pub(super) count: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
pub(super) struct Account {
    #[partition_key]
    pub(super) id: String,
    pub(super) balance: u64,
    #[version]
    pub(super) version: u64,
}

/// An article whose embedding comes later.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "articles")]
#[index(name = "similar", vector = embedding, of(title), projection = "all")]
pub(super) struct Article {
    #[partition_key]
    pub(super) id: String,
    pub(super) title: String,
    pub(super) embedding: Option<[f32; 2]>,
}

/// An entity with a unique value.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "users")]
pub(super) struct User {
    #[partition_key]
    pub(super) id: String,
    #[unique]
    pub(super) email: Option<String>,
}

/// An entity whose table does not exist yet.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "fresh")]
#[tombstone(ttl_days = 7)]
#[index(name = "by_tag", partition = tag)]
pub(super) struct Fresh {
    #[partition_key]
    pub(super) id: String,
    pub(super) tag: String,
    #[version]
    pub(super) version: u64,
}

/// The entity of an older program, whose table lacks what `Newer` needs.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "grown")]
pub(super) struct Older {
    #[partition_key]
    pub(super) id: String,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "grown")]
#[tombstone(ttl_days = 7)]
#[index(name = "by_tag", partition = tag)]
pub(super) struct Newer {
    #[partition_key]
    pub(super) id: String,
    pub(super) tag: String,
    #[version]
    pub(super) version: u64,
}

/// The kind of the entity that a command works on. Each kind has its own database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    NoRule,
    Ratchet,
    History,
    IdempotencyRows,
    Transactional,
    Vectors,
    UniqueValues,
    Locks,
    Tables,
}

/// A database with a few items, and the process that sends the command.
pub(super) struct Database {
    engine: Engine,
    /// The repository of the process.
    pub(super) repository: Repository,
    /// The network of the process.
    pub(super) faults: Faults,
}

impl Database {
    pub(super) async fn new(kind: Kind) -> Self {
        let engine = Engine::in_memory().expect("an engine");
        let faults = Faults::new();
        let repository = repository(&engine, &faults);
        let database = Self { engine, repository, faults };
        fill(kind, &database.another_process()).await.expect("the first items");
        database
    }

    /// Another process, whose requests take time.
    pub(super) fn another_slow_process(&self) -> Repository {
        let faults = self.faults.of_another_process();
        faults.latency(Duration::from_millis(2), Duration::from_millis(2));
        repository(&self.engine, &faults)
    }

    /// Another process, without faults.
    pub(super) fn another_process(&self) -> Repository {
        repository(&self.engine, &self.faults.of_another_process())
    }
}

fn repository(engine: &Engine, faults: &Faults) -> Repository {
    let config = engine.config().http_client(faults.before(engine.clone()));
    let budget = RetryPartition::custom("test").token_bucket(TokenBucket::unlimited()).build();
    let config = config.retry_config(RetryConfig::standard()).retry_partition(budget);
    Repository::new(Client::from_conf(config.build()))
}

async fn fill(kind: Kind, db: &Repository) -> Result<(), dyno::Error> {
    match kind {
        Kind::NoRule => {
            db.create_table::<Note>().await?;
            db.create_table::<Entry>().await?;
            for id in ["1", "3"] {
                Note { id: id.into(), tag: "t".into(), count: 1 }.put().send(db).await?;
            }
        }
        Kind::Ratchet => {
            db.create_table::<Rating>().await?;
            Rating { id: "1".into(), stars: 1, at: 10 }.put().send(db).await?.applied()?;
            Rating::delete("gone", 10).send(db).await?.applied()?;
        }
        Kind::History => {
            db.create_table::<Document>().await?;
            for id in ["1", "gone"] {
                let mut document = Document { id: id.into(), count: 1, version: 0 };
                document.version = document.create().send(db).await?.applied()?;
                document.count = 2;
                document.put().send(db).await?.applied()?;
            }
            Document::delete("gone", 2).send(db).await?.applied()?;
        }
        Kind::IdempotencyRows => {
            db.create_table::<Counter>().await?;
            Counter { id: "1".into(), count: 0 }.put().send(db).await?;
            let add = Counter::update("1").with(Counter::fields().count.add(1));
            add.idempotency_key("first").send(db).await?.applied()?;
        }
        Kind::Transactional => {
            db.create_table::<Account>().await?;
            db.create_lane_table().await?;
            db.create_request_table().await?;
            for id in ["1", "2"] {
                Account { id: id.into(), balance: 100, version: 0 }.create().send(db).await?.applied()?;
            }
        }
        Kind::Vectors => {
            db.create_table::<Article>().await?;
            let embeddings = [("1", None), ("2", Some([1.0, 0.0]))];
            for (id, embedding) in embeddings {
                Article { id: id.into(), title: "old".into(), embedding }.put().send(db).await?;
            }
        }
        Kind::UniqueValues => {
            db.create_table::<User>().await?;
            for (id, email) in [("1", "a"), ("2", "b"), ("gone", "c")] {
                User { id: id.into(), email: Some(email.into()) }.create().send(db).await?.applied()?;
            }
            User::delete("gone").send(db).await?;
            // A user whose row was written before `email` was unique, so no guard holds the value.
            let row = User { id: "old".into(), email: Some("z".into()) }.to_item()?;
            db.client().put_item().table_name("users").set_item(Some(row)).send().await.expect("a put");
        }
        Kind::Locks => Lock::create_table(db).await?,
        Kind::Tables => {
            db.create_table::<Older>().await?;
            db.create_table::<Rating>().await?;
        }
    }
    Ok(())
}

/// The database as readers see it.
pub(super) async fn seen(kind: Kind, db: &Repository) -> Result<Vec<String>, dyno::Error> {
    fn texts<T: Debug>(items: impl IntoIterator<Item = T>) -> Vec<String> {
        items.into_iter().map(|item| format!("{item:?}")).collect()
    }
    let ids = ["1", "2", "gone"];
    Ok(match kind {
        Kind::NoRule => texts(Note::scan().consistent().send(db).await?.items),
        Kind::Ratchet => {
            let mut all = Vec::new();
            for id in ids {
                all.push(Rating::get(id).consistent().include_deleted().send(db).await?.map(dyno::Found::live));
            }
            texts(all)
        }
        Kind::History => {
            let mut all = texts(Document::batch_get(ids).consistent().send(db).await?);
            for id in ids {
                let revisions = Document::revisions(id).send(db).await?.items;
                all.extend(revisions.iter().map(|revision| format!("{id} {}", revision.version())));
            }
            all
        }
        Kind::IdempotencyRows => texts(Counter::batch_get(ids).consistent().send(db).await?),
        Kind::Transactional => texts(Account::batch_get(ids).consistent().send(db).await?),
        Kind::Vectors => texts(Article::batch_get(ids).consistent().send(db).await?),
        Kind::UniqueValues => {
            let mut all = texts(User::batch_get(["1", "2", "3", "old"]).consistent().send(db).await?);
            for email in ["a", "b", "c", "z"] {
                all.push(format!("{:?}", User::get_by_email(email).send(db).await?));
            }
            all
        }
        Kind::Locks => {
            let inspection = Lock::new("job").inspect(db).await?;
            vec![format!("{:?}", inspection.is_some_and(|inspection| inspection.is_held))]
        }
        Kind::Tables => {
            let mut all = texts(Rating::scan().consistent().send(db).await?.items);
            for verified in [
                db.verify_table::<Newer>().await,
                db.verify_table::<Fresh>().await,
                db.verify_table::<Article>().await,
                db.verify_lane_table().await,
                db.verify_request_table().await,
            ] {
                match verified {
                    Ok(differences) => all.extend(texts(differences)),
                    Err(error) => all.push(error.to_string()),
                }
            }
            all.push(format!("{:?}", Lock::new("job").inspect(db).await.map_err(|error| error.to_string())));
            all
        }
    })
}
