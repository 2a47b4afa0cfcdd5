//! An existing table is compared with what the entity needs, and completed.

use super::{Earlier, Order, described, missing, order, verify};
use dyno::aws_sdk_dynamodb::types::StreamViewType;
use dyno::table::{Difference, Differences, Mismatch};
use dyno::{Entity, ErrorKind, TableOptions};
use dyno_tests::{World, pause, world};

/// An entity of the same table with other indexes and another TTL attribute.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "orders")]
#[index(name = "by_status", partition = status, sort = total)]
#[index(name = "by_customer", partition = customer, sort = placed_at, projection = "keys")]
#[index(name = "by_total", partition = total)]
struct Otherwise {
    #[partition_key]
    shop: String,
    #[sort_key]
    id: u64,
    customer: String,
    status: String,
    total: u64,
    placed_at: i64,
    #[ttl]
    until: Option<dyno::EpochSeconds>,
}

#[tokio::test]
async fn missing_parts_of_a_table_are_listed_and_added() {
    let world = world::<Earlier>().await;
    let repository = &world.repository;
    order(1).put().send(repository).await.expect("sent").applied().expect("applied");
    let options = TableOptions::default().stream(StreamViewType::KeysOnly).deletion_protection();
    let differences = verify::<Order>(repository, &options).await;
    assert_eq!(
        differences,
        [
            missing("by_status", false),
            missing("by_customer", false),
            Mismatch::StreamOff { expected: "KEYS_ONLY".to_owned() },
            Mismatch::Unprotected,
            Mismatch::TtlOff { attribute: "ttl".to_owned() },
        ]
    );
    // The next call finishes a creation that was interrupted.
    world.faults.dies_of(5, true);
    let (begun, wanted) = (repository.clone(), options.clone());
    let run = tokio::spawn(async move { begun.create_table_with::<Order>(&wanted).await });
    world.faults.stopped().await;
    run.abort();
    let _aborted = run.await;
    world.faults.go_on();
    repository.create_table_with::<Order>(&options).await.expect("what was missing");
    assert_eq!(verify::<Order>(repository, &options).await, []);
    // The new index contains the existing item.
    let found = Order::by_customer("c").send(repository).await.expect("a page").items;
    assert_eq!(found, [order(1)]);
    let other = TableOptions::default().stream(StreamViewType::NewImage);
    assert_eq!(
        verify::<Order>(repository, &other).await,
        [Mismatch::StreamOther { expected: "NEW_IMAGE".to_owned(), found: "KEYS_ONLY".to_owned() }]
    );
}

#[tokio::test]
async fn a_difference_that_cannot_be_repaired_is_reported_and_left_unchanged() {
    let world = world::<Order>().await;
    let repository = &world.repository;
    let differences = repository.verify_table::<Otherwise>().await.expect("a comparison");
    let texts: Vec<_> = differences.iter().map(Difference::to_string).collect();
    assert_eq!(
        texts,
        [
            "the table `orders` has an index `by_status` with the key partition status (S), sort placed_at (N) instead of partition status (S), sort total (N): give the entity's index another name",
            "the table `orders` has a local index `by_total` instead of a global one",
            "the table `orders` has the TTL attribute `ttl` instead of `until`, and a table has one",
        ]
    );
    let error = repository.create_table::<Otherwise>().await.expect_err("another table");
    assert_eq!(error.kind(), ErrorKind::TableDiffers);
    assert_eq!(error.to_string(), format!("create_table of `Otherwise`: {}; {}", texts[0], texts[1]));

    // The other way round: an index with another key, an index without some attributes, a global instead of a local index,
    // and another TTL attribute.
    let repository = repository.clone().with_table::<Otherwise>("others").with_table::<Order>("others");
    repository.create_table::<Otherwise>().await.expect("a table");
    let texts = |differences: Differences| differences.iter().map(Difference::to_string).collect::<Vec<_>>();
    assert_eq!(
        texts(repository.verify_table::<Order>().await.expect("a comparison")),
        [
            "the table `others` has an index `by_status` with the key partition status (S), sort total (N) instead of partition status (S), sort placed_at (N): give the entity's index another name",
            "the table `others` has an index `by_customer` that does not hold `status`, `total`, `note`, `deleted`, `ttl`",
            "the table `others` has a global index `by_total` instead of a local one",
            "the table `others` has the TTL attribute `until` instead of `ttl`, and a table has one",
        ]
    );
    let bare = repository.with_table::<Bare>("bare").with_table::<Order>("bare");
    bare.create_table::<Bare>().await.expect("a table");
    let found = texts(bare.verify_table::<Order>().await.expect("a comparison"));
    assert_eq!(
        found[..2],
        [
            "the table `bare` has the key partition id (S) instead of partition shop (S), sort id (N)",
            "the table `bare` has no index `by_status`",
        ]
    );
    assert!(found.contains(
        &"the table `bare` has no local index `by_total`, which can only be created with the table".to_owned()
    ));
    assert!(bare.create_table::<Order>().await.expect_err("another table").to_string().contains("has the key"));
    // Nothing was added.
    assert_eq!(described(&bare, "bare").await.global_secondary_indexes().len(), 0);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bare")]
struct Bare {
    #[partition_key]
    id: String,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[history_table(ttl_days = 30)]
struct Page {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "usages")]
#[idempotency(store = "row")]
struct Usage {
    #[partition_key]
    id: String,
    calls: u64,
}

#[tokio::test]
async fn history_and_idempotency_tables_are_verified_too() {
    let world = world_of_bare().await;
    let repository = &world.repository;
    let missing = |table: &str| Difference { table: table.to_owned(), what: Mismatch::TableMissing };
    let differences = repository.verify_table::<Page>().await.expect("a comparison");
    assert_eq!(differences, [missing("pages"), missing("pages-history")]);
    assert_eq!(differences[0].to_string(), "the table `pages` does not exist");
    let differences = repository.verify_table::<Usage>().await.expect("a comparison");
    assert_eq!(differences, [missing("usages"), missing("usages-idempotency")]);
    repository.create_table::<Page>().await.expect("tables");
    repository.create_table::<Usage>().await.expect("tables");
    assert_eq!(repository.verify_table::<Page>().await.expect("a comparison"), []);
    assert_eq!(repository.verify_table::<Usage>().await.expect("a comparison"), []);
    repository.client().delete_table().table_name("pages-history").send().await.expect("deleted");
    assert_eq!(repository.verify_table::<Page>().await.expect("a comparison"), [missing("pages-history")]);
    // The stream option applies to the entity's own table, not to its history table.
    let options = TableOptions::default().stream(StreamViewType::NewImage);
    repository.create_table_with::<Page>(&options).await.expect("tables");
    assert_eq!(verify::<Page>(repository, &options).await, []);
    assert_eq!(described(repository, "pages-history").await.stream_specification(), None);
}

/// DynamoDB's description of a table with replicas, which no local engine supports.
fn with_replicas(keys: &str, definitions: &str, rest: &str) -> String {
    format!(
        r#"{{"Table":{{"TableName":"x","TableStatus":"ACTIVE","KeySchema":[{keys}],"AttributeDefinitions":[{definitions}],
        "Replicas":[{{"RegionName":"eu-west-1"}},{{"RegionName":"us-east-1"}}]{rest}}}}}"#
    )
}

const ID: &str = r#"{"AttributeName":"id","KeyType":"HASH"}"#;

const ID_TYPE: &str = r#"{"AttributeName":"id","AttributeType":"S"}"#;

const HISTORY: &str = r#"{"AttributeName":"_key","KeyType":"HASH"},{"AttributeName":"_version","KeyType":"RANGE"}"#;

const HISTORY_TYPES: &str =
    r#"{"AttributeName":"_key","AttributeType":"S"},{"AttributeName":"_version","AttributeType":"N"}"#;

#[tokio::test]
async fn verify_reports_the_rules_that_fail_in_a_table_with_replicas() {
    let world = world_of_bare().await;
    let repository = &world.repository;
    repository.create_table::<Page>().await.expect("tables");
    let regions = vec!["eu-west-1".to_owned(), "us-east-1".to_owned()];
    world.faults.answer("DescribeTable", 200, &with_replicas(ID, ID_TYPE, ""));
    world.faults.answer("DescribeTable", 200, &with_replicas(HISTORY, HISTORY_TYPES, ""));
    let differences = repository.verify_table::<Page>().await.expect("a comparison");
    let one_region = |table: &str, rules| Difference {
        table: table.to_owned(),
        what: Mismatch::OneRegion { rules, regions: regions.clone() },
    };
    assert_eq!(
        differences,
        [one_region("pages", vec!["version", "history"]), one_region("pages-history", vec!["history"])]
    );
    assert_eq!(
        differences[0].to_string(),
        "the table `pages` has replicas (eu-west-1, us-east-1), and version, history hold within one region only: between regions, the last writer wins"
    );
    // An entity without rules loses nothing by replicas.
    world.faults.answer("DescribeTable", 200, &with_replicas(ID, ID_TYPE, ""));
    assert_eq!(repository.verify_table::<Bare>().await.expect("a comparison"), []);
    // With strong consistency, no rule is lost, either, but there are no transactions.
    let strong = r#","MultiRegionConsistency":"STRONG""#;
    world.faults.answer("DescribeTable", 200, &with_replicas(ID, ID_TYPE, strong));
    world.faults.answer("DescribeTable", 200, &with_replicas(HISTORY, HISTORY_TYPES, strong));
    assert_eq!(
        verify::<Page>(repository, &TableOptions::default()).await,
        [Mismatch::NoTransactions, Mismatch::NoTransactions]
    );
    world.faults.answer("DescribeTable", 200, &with_replicas(ID, ID_TYPE, strong));
    assert_eq!(verify::<Counted>(repository, &TableOptions::default()).await, []);
    // `create_table` does not report the replicas.
    world.faults.answer("CreateTable", 200, "{}");
    world.faults.answer("DescribeTable", 200, &with_replicas(ID, ID_TYPE, ""));
    repository.create_table::<Counted>().await.expect("a table");
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bare")]
struct Counted {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[cfg(feature = "all")]
#[tokio::test]
async fn verify_reports_tables_without_interactive_transactions() {
    let world = world_of_bare().await;
    let strong = r#","MultiRegionConsistency":"STRONG""#;
    world.faults.answer("DescribeTable", 200, &with_replicas(ID, ID_TYPE, strong));
    let found = verify::<Moved>(&world.repository, &TableOptions::default()).await;
    assert!(found.contains(&Mismatch::NoTransactions), "{found:?}");
    world.faults.answer("DescribeTable", 200, &with_replicas(ID, ID_TYPE, ""));
    let found = verify::<Moved>(&world.repository, &TableOptions::default()).await;
    let regions = vec!["eu-west-1".to_owned(), "us-east-1".to_owned()];
    let expected = Mismatch::OneRegion { rules: vec!["version", "transactional"], regions };
    assert!(found.contains(&expected), "{found:?}");
}

#[cfg(feature = "all")]
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bare")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Moved {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bare")]
#[index(name = "by_color", partition = color)]
struct Colored {
    #[partition_key]
    id: String,
    color: String,
}

#[tokio::test]
async fn an_index_under_creation_is_reported_and_waited_for() {
    pause();
    let world = world_of_bare().await;
    let repository = &world.repository;
    let index = |status: &str| {
        format!(
            r#","GlobalSecondaryIndexes":[{{"IndexName":"by_color","IndexStatus":"{status}","Projection":{{"ProjectionType":"ALL"}},
            "KeySchema":[{{"AttributeName":"color","KeyType":"HASH"}}]}}]"#
        )
    };
    let types = format!(r#"{ID_TYPE},{{"AttributeName":"color","AttributeType":"S"}}"#);
    let answer = |status: &str| {
        let answer = with_replicas(ID, &types, &index(status));
        world.faults.answer("DescribeTable", 200, &answer);
    };
    answer("CREATING");
    let not_active = Mismatch::IndexNotActive { index: "by_color".to_owned(), status: "CREATING".to_owned() };
    assert_eq!(verify::<Colored>(repository, &TableOptions::default()).await, [not_active]);
    // `CreateTable` finds the existing table. The table is active. Its index is being created, and then becomes active.
    for status in ["CREATING", "CREATING", "CREATING", "CREATING", "ACTIVE", "ACTIVE", "ACTIVE"] {
        answer(status);
    }
    let before = world.faults.events().len();
    repository.create_table::<Colored>().await.expect("it is active in the end");
    // All other requests got the prepared answers.
    let events = world.faults.events().split_off(before);
    assert_eq!(events.iter().map(|event| event.operation.as_str()).collect::<Vec<_>>(), ["CreateTable"]);
}

/// A world with a table `bare`.
async fn world_of_bare() -> World {
    world::<Counted>().await
}
