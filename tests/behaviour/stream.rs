//! What streams tell, read as changes of entities: from the engine's own stream, from a Lambda event, and from images.

use aws_lambda_events::event::dynamodb as lambda;
use aws_sdk_dynamodbstreams::config::{BehaviorVersion, Region};
use aws_sdk_dynamodbstreams::types::{self, ShardIteratorType};
use aws_sdk_dynamodbstreams::{Client, Config};
use dyno::aws_sdk_dynamodb::types::{AttributeValue, StreamSpecification, StreamViewType};
use dyno::stream::{Changed, Event, Record};
use dyno::{Document, Entity, EpochMillis, EpochSeconds, Item};
use dyno_tests::{World, endpoint, item, n, s, world};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "User#{user}")]
#[sort_key(name = "SK", template = "Movie#{movie}")]
#[tombstone(ttl_days = 7)]
struct Rating {
    user: String,
    movie: String,
    rating: u8,
    #[ratchet]
    at: EpochMillis,
}

/// In the table of the ratings, with the same partition keys.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "User#{user}")]
#[sort_key(name = "SK", template = "Order#{number}")]
struct Order {
    user: String,
    number: u32,
}

/// With its revisions in its own table, under sort keys that only their beginning tells apart.
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

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "sessions")]
#[idempotency(keys = 10)]
struct Session {
    #[partition_key]
    id: u32,
    tags: BTreeSet<String>,
    data: Option<Vec<u8>>,
    #[ttl]
    expires: EpochSeconds,
}

/// With rows of older shapes.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "films", schema_version = 2, upgrade = "upgrade")]
struct Film {
    #[partition_key]
    id: u32,
    #[attribute(alias = "name", alias = "label")]
    title: String,
    minutes: u32,
    place: Option<Place>,
    #[attribute(default = "later")]
    seen: u64,
}

#[derive(Document, Clone, Debug, PartialEq)]
struct Place {
    city: String,
}

/// Another one each time.
fn later() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::SeqCst)
}

/// The first version counted hours.
fn upgrade(item: &mut Item, _: u32) -> Result<(), String> {
    if let Some(AttributeValue::N(hours)) = item.remove("hours") {
        let hours: u32 = hours.parse().map_err(|_| "no hours".to_owned())?;
        item.insert("minutes".to_owned(), n(60 * hours));
    }
    Ok(())
}

fn film(minutes: u32) -> Film {
    Film { id: 1, title: "Alien".to_owned(), minutes, place: None, seen: 0 }
}

/// A film of the first version.
#[expect(clippy::unnecessary_wraps, reason = "as `change` takes it")]
fn older<const N: usize>(attributes: [(&str, AttributeValue); N]) -> Option<Item> {
    let mut older = item([("id", n(1)), ("seen", n(0)), ("name", s("Alien")), ("hours", n(2))]);
    older.extend(item(attributes));
    Some(older)
}

#[test]
fn a_change_of_a_row_in_an_older_shape_is_one() {
    let updated = |old, new| Some(Changed::Updated { old, new });
    let alien = film(120);
    let aliens = Film { title: "Aliens".to_owned(), ..alien.clone() };
    // Under an alias, the second of two, and of what only `upgrade` reads.
    assert_eq!(change(older([]), older([("name", s("Aliens"))])), updated(alien.clone(), aliens.clone()));
    for name in ["title", "label"] {
        let error = record(older([]), older([(name, s("Aliens"))])).change::<Film>().expect_err("two titles");
        assert!(error.is_decode() && error.to_string().contains("`title`: expected one value"), "{error}");
        assert_eq!(change::<Film>(older([]), older([(name, s("Alien"))])), None, "the same twice");
    }
    assert_eq!(change(older([]), older([("hours", n(3))])), updated(alien.clone(), film(180)));
    assert_eq!(change(older([]), Some(image(&aliens))), updated(alien.clone(), aliens));
    // In a row of the current version, too.
    let named = |name: &str| {
        let mut named = image(&alien);
        named.remove("title");
        named.insert("label".to_owned(), s(name));
        Some(named)
    };
    assert_eq!(change(named("Alien"), named("It")), updated(alien.clone(), Film { title: "It".to_owned(), ..alien }));
}

#[test]
fn a_row_that_is_brought_into_a_newer_shape_is_no_change() {
    let alien = film(120);
    assert_eq!(change::<Film>(older([]), Some(image(&alien))), None);
    assert_eq!(change::<Film>(older([]), older([("minutes", n(1)), ("more", n(1))])), None);
    // What a document does not know, and another spelling, are none either.
    let with = |place: [(&str, AttributeValue); 2]| {
        let mut film = image(&alien);
        film.insert("place".to_owned(), AttributeValue::M(item(place)));
        Some(film)
    };
    let (bern, gone) = (("city", s("Bern")), |text| ("zip", s(text)));
    assert_eq!(change::<Film>(with([bern.clone(), gone("3000")]), with([bern, gone("3001")])), None);
    // A default that is another one each time is no change of a row that has none.
    let bare = |more: &str| {
        let mut bare = image(&alien);
        bare.remove("seen");
        bare.insert("of_another_program".to_owned(), s(more));
        Some(bare)
    };
    assert_eq!(change::<Film>(bare("1"), bare("2")), None);
}

fn rating(rating: u8, at: i64) -> Rating {
    Rating { user: "1".to_owned(), movie: "A".to_owned(), rating, at: EpochMillis::new(at) }
}

fn session(expires: i64) -> Session {
    Session { id: 1, tags: BTreeSet::new(), data: None, expires: EpochSeconds::new(expires) }
}

fn image(entity: &impl Entity) -> Item {
    entity.to_item().expect("an item")
}

/// As the rule makes it: the flag and a TTL, beside the key and the tokens.
fn tombstone(at: i64) -> Item {
    let mut item = image(&rating(0, at));
    item.remove("rating");
    item.extend([("deleted".to_owned(), AttributeValue::Bool(true)), ("ttl".to_owned(), n(7))]);
    item
}

/// A record of a write to the item that has these images.
fn record(old: Option<Item>, new: Option<Item>) -> Record {
    let event = match (&old, &new) {
        (None, _) => Event::Insert,
        (_, None) => Event::Remove,
        _ => Event::Modify,
    };
    let keys = old.as_ref().or(new.as_ref()).expect("an image").clone();
    let record = Record::new(event, keys);
    let record = old.into_iter().fold(record, Record::with_old_image);
    new.into_iter().fold(record, Record::with_new_image)
}

fn change<E: Entity>(old: Option<Item>, new: Option<Item>) -> Option<Changed<E>> {
    record(old, new).change().expect("it decodes")
}

#[test]
fn a_tombstone_is_a_deletion_when_it_is_written_and_nothing_when_it_goes() {
    let (one, two) = (rating(1, 1), rating(2, 2));
    let (live, newer) = (|| Some(image(&one)), || Some(image(&two)));
    let dead = || Some(tombstone(3));
    assert_eq!(change(None, live()), Some(Changed::Created { new: one.clone() }));
    assert_eq!(change(live(), newer()), Some(Changed::Updated { old: one.clone(), new: two.clone() }));
    let Some(Changed::Deleted { old, tombstone: Some(stone), expired: false }) = change::<Rating>(newer(), dead())
    else {
        panic!("no deletion");
    };
    // The deletion's own token, for those who have an order to keep as well.
    assert_eq!((old, stone.item().get("at")), (two.clone(), Some(&n(3))));
    assert_eq!(change(dead(), live()), Some(Changed::Created { new: one.clone() }));
    assert_eq!(change::<Rating>(None, dead()), None);
    assert_eq!(change::<Rating>(dead(), Some(tombstone(4))), None);
    assert_eq!(change::<Rating>(dead(), None), None);
    assert_eq!(change(live(), None), Some(Changed::Deleted { old: one, tombstone: None, expired: false }));
}

#[test]
fn a_removal_by_ttl_is_told_from_others() {
    let by = |kind: &str, who: &str| record(Some(image(&session(5))), None).with_identity(kind, who);
    for (record, expected) in [
        (by("Service", "dynamodb.amazonaws.com"), true),
        (by("Service", "replication.dynamodb.amazonaws.com"), false),
        (by("AssumedRole", "dynamodb.amazonaws.com"), false),
        (record(Some(image(&session(5))), None), false),
    ] {
        assert_eq!(record.is_expired(), expected);
        let deleted = Changed::Deleted { old: session(5), tombstone: None, expired: expected };
        assert_eq!(record.change::<Session>().expect("decodes"), Some(deleted));
    }
    // Whatever else a service does.
    let update = record(Some(image(&session(5))), Some(image(&session(6))));
    assert!(!update.with_identity("Service", "dynamodb.amazonaws.com").is_expired());
    // An entity that has expired is there until it is removed; so each is deleted once.
    assert_eq!(change(None, Some(image(&session(0)))), Some(Changed::Created { new: session(0) }));
}

#[test]
fn what_the_entity_does_not_know_is_no_change() {
    let with = |attribute: &str, value: AttributeValue| {
        let mut item = image(&session(5));
        item.insert(attribute.to_owned(), value);
        Some(item)
    };
    let plain = || Some(image(&session(5)));
    assert_eq!(change::<Session>(plain(), with("unknown", s("x"))), None);
    assert_eq!(change::<Session>(with("_k", s("x")), with("_k", s("y"))), None);
    // The order of a set is none.
    let tags = |tags: [&str; 2]| with("tags", AttributeValue::Ss(tags.map(str::to_owned).into()));
    assert_eq!(change::<Session>(tags(["a", "b"]), tags(["b", "a"])), None);
    assert!(matches!(change::<Session>(plain(), tags(["b", "a"])), Some(Changed::Updated { .. })));
}

#[test]
fn records_of_others_are_passed_over() {
    let order = Order { user: "1".to_owned(), number: 7 };
    let of_order = || record(None, Some(image(&order)));
    assert_eq!(of_order().change::<Rating>().expect("no rating"), None);
    assert_eq!(of_order().change().expect("an order"), Some(Changed::Created { new: order.clone() }));
    assert!(of_order().is_of::<Order>() && !of_order().is_of::<Rating>() && !of_order().is_of::<Session>());
    // A key of the same name and another type, or of another template.
    for keys in [item([("id", s("1"))]), item([]), item([("PK", s("User#1"))])] {
        let record = Record::new(Event::Remove, keys);
        assert!(!record.is_of::<Session>() && !record.is_of::<Rating>());
        assert_eq!(record.change::<Session>().expect("no session"), None);
    }
}

#[test]
fn an_image_that_is_not_there_is_asked_for() {
    let new = image(&rating(1, 1));
    for (event, which) in [(Event::Insert, "new"), (Event::Modify, "old"), (Event::Remove, "old")] {
        let error = Record::new(event, new.clone()).change::<Rating>().expect_err("keys only");
        assert!(error.is_invalid_input());
        assert_eq!(
            error.to_string(),
            format!(
                "stream change of `Rating` (PK = \"User#1\", SK = \"Movie#A\"): the stream's record has no {which} image: give the table's stream the StreamViewType NEW_AND_OLD_IMAGES"
            )
        );
    }
    // What an insert needs, a stream of new images has.
    let insert = Record::new(Event::Insert, new.clone()).with_new_image(new.clone());
    assert!(insert.change::<Rating>().expect("an insert").is_some());
    let modify = Record::new(Event::Modify, new.clone()).with_new_image(new);
    assert!(modify.change::<Rating>().is_err());
}

#[test]
fn an_image_of_another_shape_is_an_error_with_its_key() {
    let keys = item([("PK", s("User#1")), ("SK", s("Movie#A"))]);
    let error = record(None, Some(keys)).change::<Rating>().expect_err("no rating");
    assert!(error.is_decode());
    assert_eq!(error.key(), Some("PK = \"User#1\", SK = \"Movie#A\""));
}

/// What Lambda hands over, in all types.
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
fn a_record_that_is_none_is_refused() {
    let lambda = lambda::EventRecord::default();
    let error = Record::try_from(lambda).expect_err("no event");
    assert_eq!(
        error.to_string(),
        "the stream's record is of the event \"\", which is none of INSERT, MODIFY and REMOVE"
    );
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

/// Every type there is, as the streams' SDK has it.
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

/// All records of the stream of `E`'s table so far, from the engine.
async fn records<E: Entity>(world: &World) -> Vec<Record> {
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
        let read = client.get_records().set_shard_iterator(iterator.shard_iterator).send().await.expect("records");
        records.extend(read.records.unwrap_or_default());
    }
    records.into_iter().map(|record| Record::try_from(record).expect("a record")).collect()
}

/// Surroundings whose table has a stream.
async fn streamed<E: Entity>() -> World {
    let world = world::<E>().await;
    let stream = StreamSpecification::builder().stream_enabled(true).stream_view_type(StreamViewType::NewAndOldImages);
    let update = world.repository.client().update_table().stream_specification(stream.build().expect("complete"));
    let table = world.repository.table_name::<E>().expect("a table");
    update.table_name(table).send().await.expect("a stream");
    world
}

#[tokio::test(start_paused = true)]
async fn the_stream_of_a_life_is_that_life() {
    let world = streamed::<Rating>().await;
    let repository = &world.repository;
    let (one, two, again) = (rating(1, 1), rating(2, 2), rating(4, 4));
    one.put().send(repository).await.expect("sent").applied().expect("applied");
    two.put().send(repository).await.expect("sent").applied().expect("applied");
    // Refused, so nothing is told of it.
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

#[tokio::test(start_paused = true)]
async fn revisions_are_no_changes_of_the_entity() {
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
