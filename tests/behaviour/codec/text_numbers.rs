//! Numbers that other programs store as text: the rows that cannot be read, and a type that reads both forms, writes numbers, and
//! can be added to.

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::value::{RawValue, kind};
use dyno::{DecodeError, EncodeError, Entity, Item, Value};
use dyno_tests::{item, n, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "films")]
struct Film {
    #[partition_key]
    series: String,
    #[sort_key]
    part: u32,
    seen: u64,
}

/// A count that other programs store as text. (The documentation has a copy: docs/beside-other-writers.md.)
#[derive(Clone, Copy, Debug, PartialEq)]
struct Count(u64);

impl Value for Count {
    type Kind = kind::Number; // a number to conditions, and to `add`

    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        self.0.encode()
    }

    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        let value = match value.into_attribute_value() {
            AttributeValue::S(text) => AttributeValue::N(text),
            other => other,
        };
        u64::decode(value.into()).map(Self)
    }
}

/// An entity of the same rows that also reads numbers stored as text.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "films")]
struct Tolerant {
    #[partition_key]
    series: String,
    #[sort_key]
    part: u32,
    seen: Count,
    #[version]
    version: u64,
}

async fn films() -> dyno_tests::World {
    let world = world::<Film>().await;
    for (part, seen) in [(1, n(5)), (2, s("7")), (3, n(9))] {
        world.write_foreign::<Film>(item([("series", s("Alien")), ("part", n(part)), ("seen", seen)])).await;
    }
    world
}

#[tokio::test]
async fn a_number_stored_as_text_fails_a_page_and_send_each_skips_it() {
    let world = films().await;
    let repository = &world.repository;
    let error = Film::query("Alien").send(repository).await.expect_err("a text");
    assert!(error.is_decode());
    assert_eq!(
        error.to_string(),
        "decode of `Film` (series = \"Alien\", part = 2): `seen`: expected a whole number from 0 to 18446744073709551615 (N), found S"
    );
    let page = Film::query("Alien").send_each(repository).await.expect("a page");
    let read: Vec<_> = page.items.iter().map(|film| film.as_ref().ok().map(|film| film.seen)).collect();
    assert_eq!(read, [Some(5), None, Some(9)]);
    let failed = page.items[1].as_ref().expect_err("a text").key().map(str::to_owned);
    assert_eq!(failed.as_deref(), Some("series = \"Alien\", part = 2"));
    // A stream also continues after the error.
    let mut stream = Film::query("Alien").stream(repository);
    let mut seen = Vec::new();
    while let Some(film) = stream.next().await {
        seen.push(film.ok().map(|film| film.seen));
    }
    assert_eq!(seen, [Some(5), None, Some(9)]);
}

#[tokio::test]
async fn a_type_that_reads_text_and_numbers_writes_numbers() {
    let world = films().await;
    let repository = &world.repository;
    let page = Tolerant::query("Alien").send(repository).await.expect("a page");
    assert_eq!(page.items.iter().map(|film| film.seen.0).collect::<Vec<_>>(), [5, 7, 9]);
    let add = |part: u32| Tolerant::update(("Alien", part)).unchecked().with(Tolerant::fields().seen.add(Count(1)));
    add(1).send(repository).await.expect("sent").applied().expect("applied");
    // DynamoDB cannot add to a text.
    let error = add(2).send(repository).await.expect_err("a text");
    assert!(error.to_string().contains("incorrect data type"), "{error:?}");
    // A value that is not changed keeps its stored form. `modify` adds to the value, and writes it as a number.
    let run = Tolerant::scan().modify_each(|_| {}).send(repository).await.expect("sent").completed();
    assert_eq!(run.expect("no failure").failed(), 0);
    assert_eq!(seen(&world).await, [n(6), s("7"), n(9)]);
    let counted = Tolerant::modify(("Alien", 2), |film| film.seen.0 += 1).send(repository).await.expect("sent");
    assert_eq!(counted.applied().expect("applied").seen, Count(8));
    add(2).send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(seen(&world).await, [n(6), n(9), n(9)]);
}

/// With an upgrade, the field can be a plain number.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "films", schema_version = 2, upgrade = "seen_as_number")]
struct Upgraded {
    #[partition_key]
    series: String,
    #[sort_key]
    part: u32,
    seen: u64,
}

#[allow(clippy::unnecessary_wraps, reason = "what `upgrade` takes")]
fn seen_as_number(item: &mut Item, _: u32) -> Result<(), String> {
    if let Some(AttributeValue::S(text)) = item.get("seen").cloned() {
        item.insert("seen".to_owned(), AttributeValue::N(text));
    }
    Ok(())
}

#[tokio::test]
async fn an_upgrade_reads_text_and_modify_each_stores_numbers() {
    let world = films().await;
    let repository = &world.repository;
    let page = Upgraded::query("Alien").send(repository).await.expect("a page");
    assert_eq!(page.items.iter().map(|film| film.seen).collect::<Vec<_>>(), [5, 7, 9]);
    let run = Upgraded::scan().modify_each(|_| {}).send(repository).await.expect("sent").completed();
    assert_eq!(run.expect("no failure").changed(), 3);
    let add = Upgraded::update(("Alien", 2)).with(Upgraded::fields().seen.add(1));
    add.send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(seen(&world).await, [n(5), n(8), n(9)]);
}

/// Returns the stored counts, in the order of the parts.
async fn seen(world: &dyno_tests::World) -> Vec<AttributeValue> {
    let mut stored = world.stored::<Film>().await;
    stored.sort_by_key(|film| film["part"].as_n().cloned().expect("a number"));
    stored.into_iter().map(|film| film["seen"].clone()).collect()
}
