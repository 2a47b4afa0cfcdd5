//! Records: of a Lambda event, of the SDK, and of the engine's own stream.

use super::{Order, Rating, Session, rating, session};
use aws_lambda_events::event::dynamodb as lambda;
use aws_sdk_dynamodbstreams::config::{BehaviorVersion, Region};
use aws_sdk_dynamodbstreams::types::{self, ShardIteratorType};
use aws_sdk_dynamodbstreams::{Client, Config};
use dyno::aws_sdk_dynamodb::types::{AttributeValue, StreamSpecification, StreamViewType};
use dyno::stream::{Changed, Event, Record};
use dyno::{Entity, EpochMillis, Item};
use dyno_tests::{Engine, World, endpoint, engine, is_remote, item, n, pause, s, world};
use std::collections::BTreeSet;

/// An entity whose revisions are in its own table. Only a prefix of the sort key distinguishes them from items.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[history_table(layout = "same_table")]
struct Paper {
    #[partition_key]
    #[attribute(rename = "PK")]
    folder: String,
    #[sort_key]
    #[attribute(rename = "SK")]
    name: String,
    text: String,
    #[version]
    version: u64,
}

/// An event as Lambda delivers it, with values of all types.
#[test]
fn a_lambda_event_is_read() {
    let event = r#"{"Records": [{
        "eventID": "c4ca4238a0b923820dcc509a6f75849b", "eventName": "MODIFY", "eventVersion": "1.1",
        "eventSource": "aws:dynamodb", "awsRegion": "eu-west-1",
        "dynamodb": {
            "ApproximateCreationDateTime": 1721757900,
            "Keys": {"id": {"N": "1"}},
            "OldImage": {"id": {"N": "1"}, "expires": {"N": "5"}},
            "NewImage": {
                "id": {"N": "1"}, "expires": {"N": "6"}, "data": {"B": "AAEqQQ=="}, "tags": {"SS": ["b", "a"]},
                "more": {"M": {
                    "bool": {"BOOL": true}, "null": {"NULL": true}, "numbers": {"NS": ["1", "3.14"]},
                    "bytes": {"BS": ["AAEqQQ==", "QSoBAA=="]}, "list": {"L": [{"S": ""}, {"N": "-7"}, {"L": []}, {"M": {}}]}
                }}
            },
            "SequenceNumber": "4421584500000000017450439091", "SizeBytes": 112, "StreamViewType": "NEW_AND_OLD_IMAGES"
        },
        "eventSourceARN": "arn:aws:dynamodb:eu-west-1:123456789012:table/sessions/stream/2024-07-23T18:05:00.000"
    }, {
        "eventID": "c81e728d9d4c2f636f067f89cc14862c", "eventName": "REMOVE", "eventVersion": "1.1",
        "eventSource": "aws:dynamodb", "awsRegion": "eu-west-1",
        "userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"},
        "dynamodb": {
            "Keys": {"id": {"N": "1"}}, "OldImage": {"id": {"N": "1"}, "expires": {"N": "6"}}, "NewImage": null,
            "SequenceNumber": "4421584500000000017450439092", "SizeBytes": 20, "StreamViewType": "NEW_AND_OLD_IMAGES"
        },
        "eventSourceARN": "arn:aws:dynamodb:eu-west-1:123456789012:table/sessions/stream/2024-07-23T18:05:00.000"
    }, {
        "eventID": "eccbc87e4b5ce2fe28308fd9f2a7baf3", "eventName": "REMOVE", "awsRegion": "eu-west-1",
        "dynamodb": {"Keys": {"id": {"N": "1"}}, "SizeBytes": 3, "StreamViewType": "KEYS_ONLY"}
    }]}"#;
    let event: lambda::Event = serde_json::from_str(event).expect("a Lambda event");
    let records: Result<Vec<Record>, _> = event.records.into_iter().map(Record::try_from).collect();
    let [modified, removed, keys_only] = <[Record; 3]>::try_from(records.expect("records")).expect("three records");

    assert_eq!(modified.sequence_number(), Some("4421584500000000017450439091"));
    assert_eq!((modified.table(), modified.event()), (Some("sessions"), Event::Modify));
    let new = Session { tags: ["a".to_owned(), "b".to_owned()].into(), data: Some(vec![0, 1, 42, 65]), ..session(6) };
    assert_eq!(modified.change().expect("decodes"), Some(Changed::Updated { old: session(5), new }));
    let more = modified.new_image().and_then(|image| image.get("more"));
    let blob = |bytes: [u8; 4]| dyno::aws_sdk_dynamodb::primitives::Blob::new(bytes);
    let expected = item([
        ("bool", AttributeValue::Bool(true)),
        ("null", AttributeValue::Null(true)),
        ("numbers", AttributeValue::Ns(vec!["1".to_owned(), "3.14".to_owned()])),
        ("bytes", AttributeValue::Bs(vec![blob([0, 1, 42, 65]), blob([65, 42, 1, 0])])),
        ("list", AttributeValue::L(vec![s(""), n(-7), AttributeValue::L(vec![]), AttributeValue::M(Item::new())])),
    ]);
    assert_eq!(more, Some(&AttributeValue::M(expected)));

    assert_eq!((removed.new_image(), removed.is_expired()), (None, true));
    let deleted = Changed::Deleted { old: session(6), tombstone: None, expired: true };
    assert_eq!(removed.change().expect("decodes"), Some(deleted));

    let error = keys_only.change::<Session>().expect_err("no image");
    assert_eq!(
        error.to_string(),
        "stream change of `Session` (id = 1): the stream's record has no old image: give the table's stream the StreamViewType NEW_AND_OLD_IMAGES, and not KEYS_ONLY"
    );
}

#[test]
fn an_incomplete_record_is_refused() {
    let lambda = lambda::EventRecord::default();
    let error = Record::try_from(lambda).expect_err("no event");
    assert_eq!(error.to_string(), "the stream's record has the event \"\", which is none of INSERT, MODIFY and REMOVE");
    for (record, what) in [
        (types::Record::builder().build(), "event name"),
        (types::Record::builder().event_name(types::OperationType::Insert).build(), "body"),
        (
            types::Record::builder()
                .event_name(types::OperationType::Insert)
                .dynamodb(types::StreamRecord::builder().build())
                .build(),
            "keys",
        ),
    ] {
        let error = Record::try_from(record).expect_err("half a record");
        assert_eq!(error.to_string(), format!("the stream's record has no {what}"));
    }
}

/// A record with values of all types, as the SDK for DynamoDB Streams has them.
#[test]
fn a_record_of_the_sdk_is_read() {
    use types::AttributeValue as Streamed;
    let text = || "x".to_owned();
    let blob = || aws_sdk_dynamodbstreams::primitives::Blob::new([1, 2]);
    let values = [
        ("S", Streamed::S(text()), AttributeValue::S(text())),
        ("N", Streamed::N("7".to_owned()), n(7)),
        ("B", Streamed::B(blob()), AttributeValue::B(blob())),
        ("BOOL", Streamed::Bool(true), AttributeValue::Bool(true)),
        ("NULL", Streamed::Null(true), AttributeValue::Null(true)),
        ("SS", Streamed::Ss(vec![text()]), AttributeValue::Ss(vec![text()])),
        ("NS", Streamed::Ns(vec![text()]), AttributeValue::Ns(vec![text()])),
        ("BS", Streamed::Bs(vec![blob()]), AttributeValue::Bs(vec![blob()])),
        ("L", Streamed::L(vec![Streamed::S(text())]), AttributeValue::L(vec![s("x")])),
        (
            "M",
            Streamed::M([(text(), Streamed::Bool(false))].into()),
            AttributeValue::M(item([("x", AttributeValue::Bool(false))])),
        ),
    ];
    let mut body = types::StreamRecord::builder().keys("id", Streamed::N("1".to_owned())).sequence_number("7");
    for (name, streamed, _) in &values {
        body = body.old_image(*name, streamed.clone());
    }
    let identity = types::Identity::builder().r#type("Service").principal_id("dynamodb.amazonaws.com").build();
    let record = types::Record::builder().event_name(types::OperationType::Remove).user_identity(identity);
    let body = body.stream_view_type(types::StreamViewType::OldImage).build();
    let record = Record::try_from(record.dynamodb(body).build()).expect("a record");
    let expected: Item = values.into_iter().map(|(name, _, value)| (name.to_owned(), value)).collect();
    assert_eq!((record.old_image(), record.new_image()), (Some(&expected), None));
    assert_eq!((record.event(), record.is_expired(), record.sequence_number()), (Event::Remove, true, Some("7")));
    assert_eq!((record.keys(), record.table()), (&item([("id", n(1))]), None));
}

/// The number of empty answers of a shard after which it is read to its end. DynamoDB has a record a moment after its write.
fn patience() -> usize {
    if engine() == Engine::Aws { 10 } else { 1 }
}

/// All records of the stream of `E`'s table so far, from the engine.
pub(super) async fn records<E: Entity>(world: &World) -> Vec<Record> {
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("local"))
        .credentials_provider(world.credentials())
        .http_client(world.other().client().config().http_client().expect("an engine"));
    let config = match endpoint() {
        Some(endpoint) => config.endpoint_url(endpoint),
        None => config,
    };
    let client = Client::from_conf(config.build());
    let table = world.repository.table_name::<E>().expect("a table");
    let table = world.repository.client().describe_table().table_name(table).send().await.expect("a table");
    let arn = table.table().and_then(|table| table.latest_stream_arn()).expect("a stream");
    let stream = client.describe_stream().stream_arn(arn).send().await.expect("a stream");
    let mut records = Vec::new();
    for shard in stream.stream_description().expect("a stream").shards() {
        let iterator = client.get_shard_iterator().stream_arn(arn).shard_id(shard.shard_id().expect("an id"));
        let iterator = iterator.shard_iterator_type(ShardIteratorType::TrimHorizon).send().await.expect("an iterator");
        let (mut next, mut empty) = (iterator.shard_iterator, 0);
        while let Some(iterator) = next.filter(|_| empty < patience()) {
            let read = client.get_records().shard_iterator(iterator).send().await.expect("records");
            empty += usize::from(read.records().is_empty());
            records.extend(read.records.unwrap_or_default());
            next = read.next_shard_iterator;
        }
    }
    records.into_iter().map(|record| Record::try_from(record).expect("a record")).collect()
}

/// A world whose table has a stream.
pub(super) async fn streamed<E: Entity>() -> World {
    let world = world::<E>().await;
    let stream = StreamSpecification::builder().stream_enabled(true).stream_view_type(StreamViewType::NewAndOldImages);
    let update = world.repository.client().update_table().stream_specification(stream.build().expect("complete"));
    let table = world.repository.table_name::<E>().expect("a table");
    update.table_name(table).send().await.expect("a stream");
    if is_remote() {
        // It waits until the table is active again.
        world.repository.create_table::<E>().await.expect("a table with its stream");
    }
    world
}

#[tokio::test]
async fn a_stream_reports_every_change_of_an_item() {
    pause();
    let world = streamed::<Rating>().await;
    let repository = &world.repository;
    let (one, two, again) = (rating(1, 1), rating(2, 2), rating(4, 4));
    one.put().send(repository).await.expect("sent").applied().expect("applied");
    two.put().send(repository).await.expect("sent").applied().expect("applied");
    // The write is refused, so the stream has no record of it.
    assert!(!one.put().send(repository).await.expect("sent").is_applied());
    Order { user: "1".to_owned(), number: 1 }.put().send(repository).await.expect("a put");
    Rating::delete(("1", "A"), EpochMillis::new(3)).send(repository).await.expect("sent").applied().expect("applied");
    again.put().send(repository).await.expect("sent").applied().expect("applied");
    let records = records::<Rating>(&world).await;
    let changes: Vec<_> = records.iter().filter_map(|record| record.change::<Rating>().expect("decodes")).collect();
    let [created, updated, Changed::Deleted { old, tombstone: Some(_), expired: false }, created_again] = &changes[..]
    else {
        panic!("{changes:?}");
    };
    assert_eq!(created, &Changed::Created { new: one.clone() });
    assert_eq!(updated, &Changed::Updated { old: one, new: two.clone() });
    assert_eq!((old, created_again), (&two, &Changed::Created { new: again }));
    assert_eq!((created.before(), updated.before().is_some(), updated.after()), (None, true, Some(&two)));
    let orders = records.iter().filter_map(|record| record.change::<Order>().expect("decodes"));
    assert_eq!(orders.count(), 1);
    let numbers: BTreeSet<_> = records.iter().filter_map(Record::sequence_number).collect();
    assert_eq!(numbers.len(), 5, "each has its own");
}

#[tokio::test]
async fn revisions_are_not_changes_of_the_entity() {
    pause();
    let world = streamed::<Paper>().await;
    let document =
        |text: &str, version| Paper { folder: "1".to_owned(), name: "A".to_owned(), text: text.to_owned(), version };
    let first = document("x", 0).put().send(&world.repository).await.expect("sent").applied().expect("applied");
    document("y", first).put().send(&world.repository).await.expect("sent").applied().expect("applied");
    let records = records::<Paper>(&world).await;
    assert_eq!(records.len(), 4, "two of the item, two revisions");
    let changes: Vec<_> = records.iter().filter_map(|record| record.change::<Paper>().expect("decodes")).collect();
    let expected =
        [Changed::Created { new: document("x", 1) }, Changed::Updated { old: document("x", 1), new: document("y", 2) }];
    assert_eq!(changes, expected);
}
