//! Times as text in the formats of other programs: read, compared, queried, and used as tokens.

mod whole_items;

use chrono::{DateTime, Utc};
use dyno::value::form;
use dyno::{Entity, Item, Reason, TextTime};
use dyno_tests::{World, item, n, reasons, s, world};
use jiff::Timestamp;
use time::OffsetDateTime;

fn at(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "events")]
struct Event {
    #[partition_key]
    id: String,
    #[attribute(format = "seconds")]
    seconds: DateTime<Utc>,
    #[attribute(format = "millis")]
    millis: Timestamp,
    #[attribute(format = "micros")]
    micros: Option<OffsetDateTime>,
    #[attribute(format = "nanos")]
    nanos: Timestamp,
    #[attribute(format = "python")]
    python: Timestamp,
    #[attribute(format = "java")]
    java: Option<Timestamp>,
}

fn event() -> Event {
    Event {
        id: "1".to_owned(),
        seconds: "2024-07-23T21:11:00Z".parse().expect("a time"),
        millis: at("2024-07-23T21:11:00.12Z"),
        micros: Some(OffsetDateTime::from_unix_timestamp_nanos(1_721_769_060_000_001_000).expect("a time")),
        nanos: at("2024-07-23T21:11:00.12Z"),
        python: at("2024-07-23T21:11:00Z"),
        java: Some(at("2024-07-23T21:11:00.1234Z")),
    }
}

fn row() -> Item {
    item([
        ("id", s("1")),
        ("seconds", s("2024-07-23T21:11:00Z")),
        ("millis", s("2024-07-23T21:11:00.120Z")),
        ("micros", s("2024-07-23T21:11:00.000001Z")),
        ("nanos", s("2024-07-23T21:11:00.120000000Z")),
        ("python", s("2024-07-23T21:11:00+00:00")),
        ("java", s("2024-07-23T21:11:00.123400Z")),
    ])
}

#[tokio::test]
async fn a_time_is_written_in_its_format_and_read_in_any_format() {
    let world = world::<Event>().await;
    event().put().send(&world.repository).await.expect("a put");
    assert_eq!(world.stored::<Event>().await, [row()]);
    assert_eq!(Event::get("1").send(&world.repository).await.expect("a get"), Some(event()));
    let mut foreign = row();
    foreign.insert("millis".to_owned(), s("2024-07-23T23:11:00.120000+02:00"));
    foreign.insert("java".to_owned(), s("2024-07-23T21:11:00.1234Z"));
    foreign.remove("micros");
    assert_eq!(Event::from_item(foreign).expect("decodes"), Event { micros: None, ..event() });
}

#[tokio::test]
async fn conditions_and_changes_use_the_field_s_format() {
    let world = world::<Event>().await;
    let repository = &world.repository;
    world.write_foreign::<Event>(row()).await;
    let f = Event::fields;
    let (later, micros) = (at("2024-07-23T21:11:00.121Z"), event().micros.expect("a time"));
    let found = [
        f().seconds.eq(event().seconds),
        f().seconds.le(event().seconds),
        f().millis.between(event().millis, later),
        f().millis.lt(later),
        f().micros.ge(micros),
        f().micros.eq(Some(micros)),
        f().python.is_in([later.round(jiff::Unit::Second).expect("a time")]),
        f().java.eq(event().java),
    ];
    for (index, filter) in found.into_iter().enumerate() {
        let page = Event::scan().filter(filter).send(repository).await.expect("a scan");
        assert_eq!(page.items, [event()], "{index}");
    }
    let passed = Event::scan().filter(f().millis.gt(event().millis)).send(repository).await.expect("a scan");
    assert_eq!(passed.items, []);
    let update = Event::update("1").with([f().millis.set(later), f().java.set(Some(at("2024-07-23T21:11:00Z")))]);
    update.send(repository).await.expect("sent").applied().expect("applied");
    let stored = world.stored::<Event>().await.remove(0);
    assert_eq!(stored["millis"], s("2024-07-23T21:11:00.121Z"));
    assert_eq!(stored["java"], s("2024-07-23T21:11:00Z"));
}

#[tokio::test]
async fn a_time_finer_than_its_format_is_refused() {
    let world = world::<Event>().await;
    let fine = Event { millis: at("2024-07-23T21:11:00.1204Z"), ..event() };
    let error = fine.put().send(&world.repository).await.expect_err("too fine");
    assert!(error.is_invalid_input());
    assert!(error.to_string().contains("`millis`: the time is more precise than the format \"millis\""), "{error}");
    let error = Event::scan().filter(Event::fields().millis.eq(fine.millis)).send(&world.repository).await;
    assert!(error.expect_err("too fine").is_invalid_input());
}

/// A table that JavaScript writes to as well.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
struct Rating {
    #[partition_key]
    id: String,
    rating: u8,
    #[ratchet(tiebreak = "writer", max_ahead_secs = 300)]
    #[attribute(format = "millis")]
    at: Timestamp,
    #[attribute(format = "python")]
    writer: DateTime<Utc>,
}

#[tokio::test]
async fn tokens_in_a_sortable_format_order_writes() {
    let world = world::<Rating>().await;
    let repository = &world.repository;
    let writer: DateTime<Utc> = "2024-07-23T21:11:00.5Z".parse().expect("a time");
    let foreign = |time| {
        item([("id", s("1")), ("rating", n(1)), ("at", s(time)), ("writer", s("2024-07-23T21:11:00.500000+00:00"))])
    };
    let rating = |time| Rating { id: "1".to_owned(), rating: 2, at: at(time), writer };
    world.write_foreign::<Rating>(foreign("2024-07-23T21:11:00.120Z")).await;
    let stale = |tie| vec![Reason::Stale { attribute: "at", tie }];
    let older = rating("2024-07-23T21:11:00.119Z").put().send(repository).await.expect("sent");
    assert_eq!(reasons(&older), stale(false));
    let same = rating("2024-07-23T21:11:00.12Z").put().send(repository).await.expect("sent");
    assert_eq!(reasons(&same), []);
    let older = Rating { writer: "2024-07-23T21:11:00Z".parse().expect("a time"), ..rating("2024-07-23T21:11:00.12Z") };
    assert_eq!(reasons(&older.put().send(repository).await.expect("sent")), stale(false));
    let delete = Rating::delete("1", (at("2024-07-23T21:11:00.121Z"), writer));
    assert_eq!(reasons(&delete.send(repository).await.expect("sent")), []);
    let stored = world.stored::<Rating>().await.remove(0);
    assert_eq!(stored["at"], s("2024-07-23T21:11:00.121Z"));
    assert_eq!(stored["writer"], s("2024-07-23T21:11:00.500000+00:00"));
    let late = rating("2024-07-23T21:11:00.121Z").put().send(repository).await.expect("sent");
    assert_eq!(reasons(&late), [stale(true), vec![Reason::Deleted]].concat());
    let newer = rating("2024-07-23T21:11:01Z").undelete().send(repository).await.expect("sent");
    assert_eq!(reasons(&newer), []);
}

/// An entity whose token has the type's own format, over rows that other programs wrote.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
struct Own {
    #[partition_key]
    id: String,
    rating: u8,
    #[ratchet]
    at: Timestamp,
}

fn own(id: &str, time: &str) -> Own {
    Own { id: id.to_owned(), rating: 2, at: at(time) }
}

async fn foreign(world: &World, id: &str, time: &str) {
    world.write_foreign::<Own>(item([("id", s(id)), ("rating", n(1)), ("at", s(time)), ("note", s("kept"))])).await;
}

const FOREIGN: [(&str, &str, Option<&str>); 6] = [
    ("2024-07-23T21:11:00Z", "9999-99-99T99:99:99Z", Some("seconds")),
    ("2024-07-23T21:11:00.000Z", "9999-99-99T99:99:99.999Z", Some("millis")),
    ("2024-07-23T21:11:00.000000Z", "9999-99-99T99:99:99.999999Z", Some("micros")),
    ("2024-07-23T21:11:00.000000+00:00", "9999-99-99T99:99:99.999999+00:00", Some("python")),
    // Texts with an offset: their times are earlier than the texts suggest. The second one is as long as the type's own
    // format.
    ("2024-07-23T23:11:00+02:00", "9999-99-99T99:99:99+99:99", None),
    ("2024-07-23T23:11:00.0000+02:00", "9999-99-99T99:99:99.9999+99:99", None),
];

#[tokio::test]
async fn a_stored_token_in_another_format_refuses_every_write() {
    let world = world::<Own>().await;
    for (stored, like, format) in FOREIGN {
        foreign(&world, "1", stored).await;
        let expected = Reason::Misspelled {
            attribute: "at",
            expected: "9999-99-99T99:99:99.999999999Z",
            found: Some(like.to_owned()),
        };
        for time in ["2020-01-01T00:00:00Z", "2024-07-23T21:11:00Z", "2024-07-23T22:00:00Z", "2030-01-01T00:00:00Z"] {
            let outcome = own("1", time).put().send(&world.repository).await.expect("sent");
            assert_eq!(reasons(&outcome), std::slice::from_ref(&expected), "{stored} {time}");
            let refusal = outcome.refusal().expect("a refusal");
            assert!(refusal.is_corrupt() && !refusal.is_superseded());
        }
        let said = format.map(|format| format!("`#[attribute(format = \"{format}\")]`"));
        let text = expected.to_string();
        assert!(said.is_none_or(|said| text.contains(&said)) && text.contains("modify_each"), "{text}");
        assert!(!text.contains("2024"), "no value: {text}");
        let found = format!("the stored `at` is a time like `{like}`, not like `9999-99-99T99:99:99.999999999Z`, and");
        assert!(text.starts_with(&found), "{text}");
    }
    foreign(&world, "1", "yesterday").await;
    let outcome = own("1", "2024-07-23T21:11:00Z").put().send(&world.repository).await.expect("sent");
    assert!(matches!(reasons(&outcome)[..], [Reason::Misspelled { found: None, .. }]), "{outcome:?}");
}

#[tokio::test]
async fn modify_each_rewrites_tokens_in_other_formats() {
    let world = world::<Own>().await;
    let repository = &world.repository;
    for (index, (stored, ..)) in FOREIGN.into_iter().enumerate() {
        foreign(&world, &index.to_string(), stored).await;
    }
    let done = Own::scan().modify_each(|_| {}).send(repository).await.expect("a pass").completed().expect("complete");
    assert_eq!(done.changed(), FOREIGN.len() as u64);
    for row in world.stored::<Own>().await {
        assert_eq!(row["at"], s("2024-07-23T21:11:00.000000000Z"));
        assert_eq!((&row["note"], &row["rating"]), (&s("kept"), &n(1)));
    }
    for index in 0..FOREIGN.len() {
        let id = index.to_string();
        let older = own(&id, "2024-07-23T21:10:59.999Z").put().send(repository).await.expect("sent");
        assert_eq!(reasons(&older), [Reason::Stale { attribute: "at", tie: false }]);
        let same = own(&id, "2024-07-23T21:11:00Z").put().send(repository).await.expect("sent");
        assert_eq!(reasons(&same), []);
    }
    // `modify_each` may rewrite the format of a token, but not set the token back.
    foreign(&world, "9", "2024-07-23T21:11:00Z").await;
    let back = Own::scan().modify_each(|own| own.at = at("2020-01-01T00:00:00Z")).send(repository).await;
    assert!(back.expect("a pass").failures().iter().any(|failure| failure.error().to_string().contains("9999-99-99")));
}

/// An entity with a history, whose revisions are whole items.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Recorded {
    #[partition_key]
    id: String,
    rating: u8,
    #[ratchet]
    at: Timestamp,
    #[version]
    version: u64,
}

#[tokio::test]
async fn modify_each_rewrites_tokens_in_rows_with_a_history() {
    let world = world::<Recorded>().await;
    let repository = &world.repository;
    let row = |id, version| {
        let time = s("2024-07-23T21:11:00.000Z");
        item([("id", s(id)), ("rating", n(1)), ("at", time), ("version", n(version))])
    };
    for (id, version) in [("1", 3), ("2", 0), ("3", 3), ("4", 3)] {
        world.write_foreign::<Recorded>(row(id, version)).await;
    }
    let put = Recorded { id: "3".to_owned(), rating: 2, at: at("2030-01-01T00:00:00Z"), version: 3 };
    let outcome = put.put().send(repository).await.expect("sent");
    assert!(matches!(reasons(&outcome)[..], [Reason::Misspelled { .. }]), "{outcome:?}");
    let modified = Recorded::modify("1", |recorded| recorded.rating = 5).send(repository).await.expect("sent");
    modified.applied().expect("applied");
    let done = Recorded::scan().modify_each(|_| {}).send(repository).await.expect("a pass").completed();
    assert_eq!(done.expect("complete").changed(), 3);
    for row in world.stored::<Recorded>().await {
        assert_eq!(row["at"], s("2024-07-23T21:11:00.000000000Z"));
    }
    let put = Recorded { version: 4, ..put };
    assert_eq!(reasons(&put.put().send(repository).await.expect("sent")), []);
}

/// An entity whose older rows have a number of milliseconds as their token, another value, or none.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings", schema_version = 2, upgrade = "Self::upgrade")]
struct Upgraded {
    #[partition_key]
    id: String,
    #[ratchet]
    at: Timestamp,
}

impl Upgraded {
    fn upgrade(item: &mut Item, _: u32) -> Result<(), String> {
        let token = item.get("at").and_then(|token| token.as_n().ok()?.parse().ok());
        let time = Timestamp::from_millisecond(token.unwrap_or_default()).map_err(|error| error.to_string())?;
        item.insert("at".to_owned(), s(&format!("{time:.9}")));
        Ok(())
    }
}

#[tokio::test]
async fn modify_each_stores_upgraded_tokens() {
    let world = world::<Upgraded>().await;
    let repository = &world.repository;
    for (id, token) in [("1", Some(n(1_721_769_060_000_i64))), ("2", Some(s("soon"))), ("3", None)] {
        let mut row = item([("id", s(id))]);
        row.extend(token.map(|token| ("at".to_owned(), token)));
        world.write_foreign::<Upgraded>(row).await;
    }
    let frozen = Upgraded { id: "1".to_owned(), at: at("2030-01-01T00:00:00Z") };
    let outcome = frozen.put().send(repository).await.expect("sent");
    assert!(outcome.refusal().is_some_and(dyno::Refusal::is_corrupt), "{outcome:?}");
    let done = Upgraded::scan().modify_each(|_| {}).send(repository).await.expect("a pass").completed();
    assert_eq!(done.expect("complete").changed(), 3);
    for id in ["1", "2", "3"] {
        let older = Upgraded { id: id.to_owned(), at: at("1969-01-01T00:00:00Z") };
        assert_eq!(
            reasons(&older.put().send(repository).await.expect("sent")),
            [Reason::Stale { attribute: "at", tie: false }]
        );
        let newer = Upgraded { id: id.to_owned(), ..frozen.clone() };
        assert_eq!(reasons(&newer.put().send(repository).await.expect("sent")), []);
    }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "samples")]
#[index(name = "by_kind", partition = kind, sort = at)]
struct Sample {
    #[partition_key]
    device: TextTime<DateTime<Utc>, form::Java>,
    #[sort_key]
    at: TextTime<Timestamp, form::Millis>,
    kind: String,
}

#[tokio::test]
async fn a_key_with_a_time_format_finds_foreign_rows() {
    let world = world::<Sample>().await;
    let repository = &world.repository;
    for time in ["2024-07-23T21:11:00.000Z", "2024-07-23T21:11:00.120Z", "2024-07-23T21:11:01.000Z"] {
        world
            .write_foreign::<Sample>(item([("device", s("2024-01-01T00:00:00Z")), ("at", s(time)), ("kind", s("k"))]))
            .await;
    }
    let device: DateTime<Utc> = "2024-01-01T00:00:00Z".parse().expect("a time");
    let found = Sample::get((device, at("2024-07-23T21:11:00.12Z"))).send(repository).await.expect("a get");
    assert_eq!(found.expect("a sample").at.0, at("2024-07-23T21:11:00.12Z"));
    let range = Sample::query(device).sort_between(at("2024-07-23T21:11:00.1Z"), at("2024-07-23T21:11:01Z"));
    assert_eq!(range.send(repository).await.expect("a query").items.len(), 2);
    let indexed = Sample::by_kind("k").sort_lt(at("2024-07-23T21:11:00.12Z")).send(repository).await.expect("a query");
    assert_eq!(indexed.items.len(), 1);
}
