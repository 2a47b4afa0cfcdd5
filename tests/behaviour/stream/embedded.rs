//! The records of the embedded engine's streams, read without a client of DynamoDB Streams.

use dyno::aws_sdk_dynamodb::types::StreamViewType;
use dyno::local::Engine;
use dyno::stream::{Changed, Event};
use dyno::{Entity, ErrorKind, Repository, TableOptions};
use dyno_tests::is_remote;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "users")]
#[tombstone(ttl_days = 7)]
struct User {
    #[partition_key]
    id: u64,
    name: String,
    #[version]
    version: u64,
}

#[tokio::test]
async fn the_records_of_a_table_are_its_changes_in_their_order() {
    if is_remote() {
        return; // It is about the embedded engine.
    }
    let engine = Engine::in_memory().expect("an engine");
    let repository = Repository::new(engine.client());
    let options = TableOptions::default().stream(StreamViewType::NewAndOldImages);
    repository.create_table_with::<User>(&options).await.expect("a table");
    let user = |name: &str, version| User { id: 1, name: name.to_owned(), version };
    applied!(user("Ada", 0).create(), &repository);
    applied!(user("Eve", 1).put(), &repository);
    applied!(User::delete(1, 2), &repository);
    // A refused write changes nothing.
    let _refused = refused!(User::delete(1, 1), &repository);

    let records = engine.stream_records("users").expect("records");
    let events: Vec<_> = records.iter().map(|record| (record.event(), record.table())).collect();
    let table = Some("users");
    assert_eq!(events, [(Event::Insert, table), (Event::Modify, table), (Event::Modify, table)]);
    let numbers: Vec<_> = records.iter().map(|record| record.sequence_number().expect("a number")).collect();
    assert!(numbers.is_sorted() && numbers[0] != numbers[1], "{numbers:?}");
    let changes: Vec<_> = records.iter().map(|record| record.change::<User>().expect("a change")).collect();
    assert_eq!(changes[0], Some(Changed::Created { new: user("Ada", 1) }));
    assert_eq!(changes[1], Some(Changed::Updated { old: user("Ada", 1), new: user("Eve", 2) }));
    let Some(Changed::Deleted { old, tombstone, expired }) = &changes[2] else { panic!("{changes:?}") };
    assert_eq!((old, *expired), (&user("Eve", 2), false));
    assert_eq!(tombstone.as_ref().map(dyno::Tombstone::version), Some(3));
    // Reading the records does not remove them.
    assert_eq!(engine.stream_records("users").expect("records").len(), 3);
}

#[tokio::test]
async fn more_records_than_a_page_has_are_all_returned() {
    if is_remote() {
        return;
    }
    let engine = Engine::in_memory().expect("an engine");
    let repository = Repository::new(engine.client());
    let options = TableOptions::default().stream(StreamViewType::NewAndOldImages);
    repository.create_table_with::<User>(&options).await.expect("a table");
    for id in 0..1_100 {
        applied!(User { id, name: "a".to_owned(), version: 0 }.create(), &repository);
    }
    assert_eq!(engine.stream_records("users").expect("records").len(), 1_100);
}

#[tokio::test]
async fn a_table_without_a_stream_is_an_error_that_says_how_to_enable_it() {
    let engine = Engine::in_memory().expect("an engine");
    let repository = Repository::new(engine.client());
    repository.create_table::<User>().await.expect("a table");
    for table in ["users", "nobody"] {
        let error = engine.stream_records(table).expect_err("no stream");
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains("TableOptions::default().stream"), "{error}");
    }
}
