//! The repository: table names, tables, clocks, usage, spans.

use crate::spans::subscribe;
use dyno::{BatchWrite, Entity, EpochMillis, ErrorKind, ManualClock, Repository};
use dyno_tests::{Engine, NOW, differs, world};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span;
use tracing_subscriber::layer::{Context, Layer};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "secrets")]
#[tombstone(ttl_days = 7)]
struct Secret {
    #[partition_key]
    id: String,
    #[ratchet]
    at: EpochMillis,
    text: String,
}

#[derive(Entity, Clone, Debug, PartialEq)]
struct Unnamed {
    #[partition_key]
    id: String,
}

fn secret(at: i64) -> Secret {
    Secret { id: "key-of-it".to_owned(), at: EpochMillis::new(at), text: "value-of-it".to_owned() }
}

#[tokio::test]
async fn a_table_has_the_configured_prefix_or_name() {
    let repository = Repository::local().await.expect("an engine");
    let error = repository.table_name::<Unnamed>().expect_err("no name");
    assert_eq!(
        error.to_string(),
        "`Unnamed` has no table: write `#[entity(table = \"…\")]` on it, or name the table with `Repository::with_table::<Unnamed>`"
    );
    assert!(Unnamed::get("1").send(&repository).await.expect_err("no name").is_invalid_input());
    let staging = repository.clone().with_table_prefix("staging-").with_table::<Unnamed>("other");
    assert_eq!(staging.table_name::<Secret>().expect("a name"), "staging-secrets");
    assert_eq!(staging.table_name::<Unnamed>().expect("a name"), "other");
    assert_eq!(repository.table_name::<Secret>().expect("a name"), "secrets");
    staging.create_table::<Secret>().await.expect("a table");
    let _applied = secret(1).put().send(&staging).await.expect("a put");
    let error = Secret::get("1").send(&repository).await.expect_err("no such table");
    assert!(error.is_table_missing());
    assert_eq!(
        error.to_string(),
        "get of `Secret` (id = \"1\"): the table `secrets` does not exist: create it, or check its name and prefix, the region and the account"
    );
    assert!(std::error::Error::source(&error).is_some());
    let error = Secret::scan().send(&repository).await.expect_err("no such table");
    assert!(error.to_string().starts_with("scan of `Secret`: the table `secrets` does not exist: "), "{error}");
}

#[tokio::test]
async fn create_table_completes_an_unfinished_table_and_refuses_a_different_one() {
    #[derive(Entity)]
    #[entity(table = "secrets")]
    struct Otherwise {
        #[partition_key]
        id: u64,
        #[sort_key]
        sort: String,
    }
    #[derive(Entity)]
    #[entity(table = "secrets")]
    #[tombstone(ttl_days = 7, ttl = "other")]
    struct OtherTtl {
        #[partition_key]
        id: String,
    }
    #[derive(Entity)]
    #[entity(table = "secrets")]
    struct WithoutTtl {
        #[partition_key]
        id: String,
    }
    let repository = Repository::local().await.expect("an engine");
    repository.create_table::<WithoutTtl>().await.expect("a table");
    // As after a crash between `CreateTable` and the request that enables TTL.
    repository.create_table::<Secret>().await.expect("TTL");
    repository.create_table::<Secret>().await.expect("nothing to do");
    let error = repository.create_table::<Otherwise>().await.expect_err("another key");
    assert_eq!(error.kind(), ErrorKind::TableDiffers);
    assert_eq!(
        error.to_string(),
        "create_table of `Otherwise`: the table `secrets` has the key partition id (S) instead of partition id (N), sort sort (S)"
    );
    let error = repository.create_table::<OtherTtl>().await.expect_err("another TTL");
    assert_eq!(
        error.to_string(),
        "create_table of `OtherTtl`: the table `secrets` has the TTL attribute `ttl` instead of `other`, and a table has one"
    );
}

#[tokio::test]
async fn usage_is_counted_per_handle_and_in_total() {
    let world = world::<Secret>().await;
    let total = &world.repository;
    let before = total.usage().requests;
    let one = total.metered();
    let two = one.metered();
    let _applied = secret(5).put().send(&one).await.expect("a put");
    let _refused = secret(4).put().send(&two).await.expect("a put");
    let _found = Secret::get("key-of-it").send(&two).await.expect("a get");
    let _found = Secret::get("key-of-it").consistent().send(&two).await.expect("a get");
    let usage = two.usage();
    assert_eq!((usage.requests, usage.read_units, usage.write_units), (3, 1.5, 1.0));
    assert_eq!(one.usage().requests, 4);
    assert_eq!(one.usage().write_units, 2.0);
    assert_eq!(total.usage().requests, before + 4);
    assert_eq!((total.usage().read_units, total.usage().write_units), (1.5, 2.0));
    // A refused write is charged for the size of the stored item.
    let large = Secret { text: "x".repeat(3 * 1024), ..secret(6) };
    let _applied = large.put().send(&one).await.expect("a put");
    let three = total.metered();
    let _refused = secret(1).put().send(&three).await.expect("a put");
    assert_eq!(three.usage().write_units, 4.0);
    // A command that is refused before its request is not counted.
    assert!(Secret::get("").send(&three).await.is_err());
    assert_eq!(three.usage().requests, 1);
}

#[tokio::test]
async fn time_comes_from_the_repositorys_clock() {
    let world = world::<Secret>().await;
    assert_eq!(world.repository.now(), EpochMillis::new(NOW));
    let fixed = world.repository.clone().with_clock(ManualClock::new(EpochMillis::new(7)));
    assert_eq!(fixed.now(), EpochMillis::new(7));
    let system = Repository::local().await.expect("an engine");
    assert!(system.now() < EpochMillis::new(NOW));
}

/// The fields of every span, as text.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<BTreeMap<u64, Fields>>>);

#[derive(Default)]
struct Fields(BTreeMap<&'static str, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

impl Spans {
    /// The library's spans, each as a line.
    fn lines(&self) -> Vec<String> {
        let spans = self.0.lock().expect("spans");
        let line = |fields: &Fields| {
            let fields: Vec<String> = fields.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
            fields.join(" ")
        };
        spans.values().filter(|fields| !fields.0.is_empty()).map(line).collect()
    }
}

impl<S: tracing::Subscriber> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &span::Attributes<'_>, id: &span::Id, _: Context<'_, S>) {
        let mut spans = self.0.lock().expect("spans");
        let fields = spans.entry(id.into_u64()).or_default();
        if attributes.metadata().target().starts_with("dyno") {
            attributes.record(fields);
        }
    }

    fn on_record(&self, id: &span::Id, record: &span::Record<'_>, _: Context<'_, S>) {
        let mut spans = self.0.lock().expect("spans");
        // Spans of other libraries were stored without fields, and stay without fields.
        if let Some(fields) = spans.get_mut(&id.into_u64()).filter(|fields| !fields.0.is_empty()) {
            record.record(fields);
        }
    }
}

#[tokio::test]
async fn spans_record_operations_and_outcomes_but_never_keys_or_values() {
    let world = world::<Secret>().await;
    let repository = &world.repository;
    let spans = Spans::default();
    let guard = subscribe(spans.clone());
    let _applied = secret(NOW).put().send(repository).await.expect("a put");
    let _refused = secret(1).put().send(repository).await.expect("a put");
    let _found = Secret::get("key-of-it").send(repository).await.expect("a get");
    let _absent = Secret::get("key-of-nothing").send(repository).await.expect("a get");
    let _page = Secret::scan().filter(Secret::fields().text.eq("value-of-it")).send(repository).await.expect("a scan");
    let _deleted = Secret::delete("key-of-it", EpochMillis::new(NOW)).send(repository).await.expect("a delete");
    assert!(Secret::get("").send(repository).await.is_err());
    let _found = Secret::batch_get(["key-of-it"]).send(repository).await.expect("a batch");
    let _failed = BatchWrite::new().add(Numbered::delete(NOW.unsigned_abs())).send(repository).await.expect("a batch");
    drop(guard);
    let spans = spans.lines();
    let batch_get = if differs(Engine::MiniStack, "`BatchGetItem` reports no units") {
        "entity=\"Secret\" operation=\"batch_get\" outcome=\"processed\""
    } else {
        "entity=\"Secret\" operation=\"batch_get\" outcome=\"processed\" read_units=0.5"
    };
    let expected = [
        "entity=\"Secret\" operation=\"put\" outcome=\"applied\" table=\"secrets\"",
        "entity=\"Secret\" operation=\"put\" outcome=\"answered\" write_units=1.0",
        "entity=\"Secret\" operation=\"put\" outcome=\"refused\" table=\"secrets\"",
        "entity=\"Secret\" operation=\"put\" outcome=\"refused\" write_units=1.0",
        "entity=\"Secret\" operation=\"get\" outcome=\"found\" read_units=0.5",
        "entity=\"Secret\" operation=\"get\" outcome=\"absent\" read_units=0.5",
        "entity=\"Secret\" operation=\"scan\" outcome=\"answered\" read_units=0.5",
        "entity=\"Secret\" operation=\"delete\" outcome=\"applied\" table=\"secrets\"",
        "entity=\"Secret\" operation=\"delete\" outcome=\"answered\" write_units=1.0",
        batch_get,
        "entity=\"Numbered\" operation=\"batch_write\" outcome=\"error\"",
    ];
    // `what_you_see` tests the fields of OpenTelemetry.
    let is_own = |field: &&str| !["aws.", "db.", "error.type", "otel."].iter().any(|prefix| field.starts_with(prefix));
    let own: Vec<_> = spans.iter().map(|line| line.split(' ').filter(is_own).collect::<Vec<_>>().join(" ")).collect();
    for line in expected {
        assert!(own.contains(&line.to_owned()), "{line} is not in {spans:#?}");
    }
    let all = spans.concat();
    for private in ["key-of", "value-of", &NOW.to_string()] {
        assert!(!all.contains(private), "{private} is in {spans:#?}");
    }
}

/// The operations in the spans of a change, without the gets, sorted by name.
async fn operations<T>(change: impl Future<Output = T>) -> Vec<String> {
    let spans = Spans::default();
    let guard = subscribe(spans.clone());
    change.await;
    drop(guard);
    let operation =
        |line: &String| line.split('"').skip_while(|text| !text.ends_with("operation=")).nth(1).map(str::to_owned);
    let mut operations: Vec<_> =
        spans.lines().iter().filter_map(operation).filter(|operation| operation != "get").collect();
    operations.sort_unstable();
    // A write has a span, and each of its requests has a span with the same operation.
    operations.dedup();
    operations
}

/// Entities whose change is an update, or a put together with a row of the history.
macro_rules! tallies {
    ($($name:ident $table:literal $(#[$attribute:meta])?)*) => {$(
        #[derive(Entity, Clone, Debug)]
        #[entity(table = $table)]
        $(#[$attribute])?
        struct $name {
            #[partition_key]
            id: String,
            count: u32,
            #[version]
            version: u64,
        }
    )*};
}

tallies! {
    Tally "tallies"
    Recorded "recorded" #[history_table]
}

#[tokio::test]
async fn the_spans_of_a_write_name_the_command_that_sent_it() {
    let tallies = world::<Tally>().await.repository;
    let recorded = world::<Recorded>().await.repository;
    let tally = Tally { id: "1".to_owned(), count: 0, version: 0 };
    assert!(tally.create().send(&tallies).await.expect("sent").is_applied());
    let record = Recorded { id: "1".to_owned(), count: 0, version: 0 };
    assert!(record.create().send(&recorded).await.expect("sent").is_applied());

    let modify = Box::pin(Tally::modify("1", |tally| tally.count += 1).send(&tallies));
    assert_eq!(operations(async { modify.await.expect("sent").applied().expect("applied") }).await, ["modify"]);
    let modify = Box::pin(Recorded::modify("1", |record| record.count += 1).send(&recorded));
    assert_eq!(operations(async { modify.await.expect("sent").applied().expect("applied") }).await, ["modify"]);
    let each = Box::pin(Tally::scan().modify_each(|tally| tally.count += 1).send(&tallies));
    let each = operations(async { each.await.expect("sent").completed().expect("no failure") }).await;
    assert_eq!(each, ["modify_each", "scan"]);
    let each = Box::pin(Recorded::scan().modify_each(|record| record.count += 1).send(&recorded));
    let each = operations(async { each.await.expect("sent").completed().expect("no failure") }).await;
    assert_eq!(each, ["modify_each", "scan"]);
    let rollback = Box::pin(Recorded::rollback("1", 1).send(&recorded));
    let rollback = operations(async { rollback.await.expect("sent").applied().expect("applied") }).await;
    assert_eq!(rollback, ["revision", "rollback"]);
}

#[tokio::test]
async fn an_engine_in_a_file_keeps_its_tables() {
    let folder = std::env::temp_dir().join(format!("dyno-{}", uuid::Uuid::from_u128(std::process::id().into())));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("engine.db");
    for at in [1, 2] {
        let repository = Repository::local_file(&file).await.expect("an engine");
        repository.create_table::<Secret>().await.expect("a table");
        let found = Secret::get("key-of-it").send(&repository).await.expect("a get");
        assert_eq!(found.map(|found| found.at.get()), (at == 2).then_some(1));
        let _applied = secret(at).put().send(&repository).await.expect("a put");
    }
    std::fs::remove_dir_all(&folder).expect("no folder");
    assert!(Repository::local_file("/no/such/folder/engine.db").await.is_err());
}

/// An entity of the same table with a key of another type.
#[derive(Entity, Debug)]
#[entity(table = "secrets")]
struct Numbered {
    #[partition_key]
    id: u64,
}

#[tokio::test]
async fn an_error_of_dynamodb_has_its_code_and_message() {
    let world = world::<Secret>().await;
    let repository = world.repository.clone().with_table_prefix("no good ");
    let error = Secret::get("1").send(&repository).await.expect_err("no name");
    assert_eq!(
        error.to_string(),
        "`no good secrets` cannot be a table name, which has 3 to 255 letters, digits, `_`, `-` and `.`"
    );
    let repository = world.repository.clone().with_table::<Secret>("arn:aws:dynamodb:eu-west-1:1:table/secrets");
    assert!(repository.table_name::<Secret>().is_ok());
    let error = Numbered::get(7u64).send(&world.repository).await.expect_err("another key");
    assert_eq!(error.kind(), ErrorKind::Service);
    assert!(error.to_string().contains("DynamoDB answered ValidationException: "), "{error}");
}

#[derive(Entity)]
#[entity(table = "letters")]
#[history_table(name = "past")]
struct Letter {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[derive(Entity)]
#[entity(table = "parcels")]
#[history_table(name = "past")]
struct Parcel {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

/// An entity whose keys differ from those of the other entities.
#[derive(Entity)]
#[entity(table = "stamps")]
#[partition_key(name = "PK", template = "Stamp#{id}")]
#[sort_key(name = "SK", template = "Stamp")]
#[history_table(name = "past")]
struct Stamp {
    id: String,
    #[version]
    version: u64,
}

#[tokio::test]
async fn two_tables_can_share_a_history_table_only_if_their_keys_differ() {
    let repository = Repository::local().await.expect("an engine");
    repository.create_table::<Letter>().await.expect("a table");
    repository.create_table::<Stamp>().await.expect("a table");
    let letter = Letter { id: "1".to_owned(), version: 0 };
    letter.put().send(&repository).await.expect("sent").applied().expect("applied");
    let metered = repository.metered();
    let error = Parcel { id: "1".to_owned(), version: 0 }.put().send(&metered).await.expect_err("the letters' history");
    assert!(error.is_invalid_input());
    assert_eq!(
        error.to_string(),
        "the table `past` cannot be the history of `Parcel` in `parcels`: it is already that of `Letter` in `letters`, and items of both can have the same key, which would mix their revisions: name another table with `#[history_table(name = \"…\")]` or `Repository::with_history_table`"
    );
    assert!(repository.create_table::<Parcel>().await.expect_err("the letters' history").is_invalid_input());
    assert_eq!(metered.usage().requests, 0);
    let other = repository.clone().with_history_table::<Parcel>("past-parcels");
    other.create_table::<Parcel>().await.expect("a table");
    let parcel = Parcel { id: "1".to_owned(), version: 0 };
    parcel.put().send(&other).await.expect("sent").applied().expect("applied");
}

#[tokio::test]
async fn a_prefix_that_gives_no_valid_name_or_arn_is_refused() {
    let world = world::<Secret>().await;
    let of = |prefix: &str| world.repository.clone().with_table_prefix(prefix).table_name::<Secret>();
    let arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/staging-";
    assert_eq!(of(arn).expect("an ARN"), format!("{arn}secrets"));
    for prefix in
        ["arn:aws:dynamodb:eu-west-1:1:", "arn:aws:s3:eu-west-1:1:table/", "arn:aws:dynamodb:::table/", "arn:", "a/"]
    {
        let error = of(prefix).expect_err(prefix);
        assert!(error.is_invalid_input() && error.to_string().contains(prefix), "{error}");
    }
    let long = of(&format!("arn:aws:dynamodb:{}:1:table/", "x".repeat(2000))).expect_err("too long");
    assert!(long.to_string().len() < 400, "{long}");
}
