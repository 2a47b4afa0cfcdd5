//! What Rust values become in DynamoDB, and what is read back: through the engine, and from items of other writers.

use bytes::Bytes;
use dyno::aws_sdk_dynamodb::primitives::Blob;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Document, Entity, EpochMillis, Item};
use dyno_tests::{item, n, s, world};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Debug;
use std::sync::Arc;

/// An item of an entity without its key.
fn attributes<E: Entity>(entity: &E) -> Item {
    let mut item = entity.to_item().expect("encodes");
    item.remove("id");
    item
}

fn document<const N: usize>(members: [(&str, AttributeValue); N]) -> AttributeValue {
    AttributeValue::M(item(members))
}

/// Writes the entity, reads it back, and returns what was stored.
async fn there_and_back<E: Entity<Key = String> + dyno::Overwritable + Debug + PartialEq>(entity: E) -> Item {
    let world = world::<E>().await;
    let written = dyno::Put::new(&entity).send(&world.repository).await;
    assert!(written.is_ok());
    let read = dyno::Get::<E>::new(entity.key()).send(&world.repository).await.expect("a get");
    let stored = attributes(&entity);
    assert_eq!(read, Some(entity));
    stored
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
struct Scalars {
    #[partition_key]
    id: String,
    byte: u8,
    small: i16,
    large: i128,
    size: usize,
    float: f32,
    double: f64,
    flag: bool,
    letter: char,
    empty: String,
    boxed: Box<str>,
    shared: Arc<str>,
    cow: Cow<'static, str>,
    nested: Box<u64>,
}

#[tokio::test]
async fn scalars() {
    let stored = there_and_back(Scalars {
        id: "1".to_owned(),
        byte: 255,
        small: -300,
        large: -(10i128.pow(37)),
        size: 7,
        float: 0.1,
        double: 1.5e-20,
        flag: true,
        letter: 'ß',
        empty: String::new(),
        boxed: "b".into(),
        shared: "s".into(),
        cow: "c".into(),
        nested: Box::new(9),
    })
    .await;
    let expected = item([
        ("byte", n(255)),
        ("small", n(-300)),
        ("large", n("-10000000000000000000000000000000000000")),
        ("size", n(7)),
        ("float", n("0.1")),
        ("double", n("1.5e-20")),
        ("flag", AttributeValue::Bool(true)),
        ("letter", s("ß")),
        ("empty", s("")),
        ("boxed", s("b")),
        ("shared", s("s")),
        ("cow", s("c")),
        ("nested", n(9)),
    ]);
    assert_eq!(stored, expected);
}

#[derive(Entity, Clone, Debug, Default, PartialEq)]
#[entity(table = "things")]
struct Collections {
    #[partition_key]
    id: String,
    note: Option<String>,
    list: Vec<String>,
    numbers: Vec<u16>,
    bytes: Vec<u8>,
    shared_bytes: Bytes,
    hash: [u8; 4],
    pair: [i8; 2],
    words: BTreeSet<String>,
    counts: HashSet<u8>,
    keys: BTreeSet<Vec<u8>>,
    map: BTreeMap<String, u8>,
    by_number: HashMap<u32, Vec<u8>>,
}

#[tokio::test]
async fn collections() {
    let stored = there_and_back(Collections {
        id: "1".to_owned(),
        note: Some("x".to_owned()),
        list: vec!["a".to_owned(), String::new()],
        numbers: vec![1, 2],
        bytes: vec![0, 255],
        shared_bytes: Bytes::from_static(&[1]),
        hash: [1, 2, 3, 4],
        pair: [-1, 1],
        words: ["b".to_owned(), "a".to_owned()].into(),
        counts: [7].into(),
        keys: [vec![1, 2]].into(),
        map: [("k".to_owned(), 1)].into(),
        by_number: [(5, vec![6])].into(),
    })
    .await;
    let blob = |bytes: &[u8]| AttributeValue::B(Blob::new(bytes));
    let expected = item([
        ("note", s("x")),
        ("list", AttributeValue::L(vec![s("a"), s("")])),
        ("numbers", AttributeValue::L(vec![n(1), n(2)])),
        ("bytes", blob(&[0, 255])),
        ("shared_bytes", blob(&[1])),
        ("hash", blob(&[1, 2, 3, 4])),
        ("pair", AttributeValue::L(vec![n(-1), n(1)])),
        ("words", AttributeValue::Ss(vec!["a".to_owned(), "b".to_owned()])),
        ("counts", AttributeValue::Ns(vec!["7".to_owned()])),
        ("keys", AttributeValue::Bs(vec![Blob::new([1u8, 2])])),
        ("map", document([("k", n(1))])),
        ("by_number", document([("5", blob(&[6]))])),
    ]);
    assert_eq!(stored, expected);
}

#[tokio::test]
async fn none_and_the_empty_set_are_absent_and_other_empties_are_not() {
    let stored = there_and_back(Collections { id: "1".to_owned(), ..Collections::default() }).await;
    let mut names: Vec<&str> = stored.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["by_number", "bytes", "hash", "list", "map", "numbers", "pair", "shared_bytes"]);
}

#[derive(Document, Clone, Debug, PartialEq)]
#[document(rename_all = "camelCase")]
struct Address {
    street_name: String,
    #[attribute(rename = "no")]
    number: u32,
    notes: Option<String>,
    tags: BTreeSet<String>,
    #[attribute(default)]
    floor: u8,
    #[attribute(skip)]
    cached: bool,
}

#[derive(Document, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[document(rename_all = "kebab-case")]
enum Status {
    InTransit,
    #[attribute(rename = "DONE")]
    Delivered,
}

#[derive(Document, Clone, Debug, PartialEq)]
enum Payment {
    Cash,
    Voucher(u32),
    Card { number: String, item: Option<u8> },
}

#[derive(Document, Clone, Debug, PartialEq)]
#[document(tag = "type")]
enum Event {
    Opened,
    Moved(Address),
    Renamed { to: String },
}

#[derive(Document, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OrderId(u64);

#[derive(Document, Clone, Debug, PartialEq)]
struct Wrapper<T>(T);

#[derive(Document, Clone, Debug, PartialEq)]
struct Pair<T> {
    one: T,
    other: Vec<T>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
struct Documents {
    #[partition_key]
    id: String,
    address: Address,
    addresses: Vec<Address>,
    status: Status,
    statuses: BTreeSet<Status>,
    payments: Vec<Payment>,
    events: Vec<Event>,
    order: OrderId,
    orders: BTreeSet<OrderId>,
    wrapper: Wrapper<String>,
    pair: Pair<u8>,
    raw: AttributeValue,
}

#[tokio::test]
async fn documents() {
    let address = Address {
        street_name: "Main".to_owned(),
        number: 7,
        notes: None,
        tags: BTreeSet::new(),
        floor: 2,
        cached: false,
    };
    let stored = there_and_back(Documents {
        id: "1".to_owned(),
        address: address.clone(),
        addresses: vec![address.clone()],
        status: Status::InTransit,
        statuses: [Status::InTransit, Status::Delivered].into(),
        payments: vec![Payment::Cash, Payment::Voucher(5), Payment::Card { number: "1".to_owned(), item: None }],
        events: vec![Event::Opened, Event::Moved(address), Event::Renamed { to: "x".to_owned() }],
        order: OrderId(9),
        orders: [OrderId(1)].into(),
        wrapper: Wrapper("w".to_owned()),
        pair: Pair { one: 1, other: vec![2] },
        raw: AttributeValue::Null(true),
    })
    .await;
    let address = || document([("streetName", s("Main")), ("no", n(7)), ("floor", n(2))]);
    let expected = item([
        ("address", address()),
        ("addresses", AttributeValue::L(vec![address()])),
        ("status", s("in-transit")),
        ("statuses", AttributeValue::Ss(vec!["in-transit".to_owned(), "DONE".to_owned()])),
        (
            "payments",
            AttributeValue::L(vec![
                s("Cash"),
                document([("Voucher", n(5))]),
                document([("Card", document([("number", s("1"))]))]),
            ]),
        ),
        (
            "events",
            AttributeValue::L(vec![
                document([("type", s("Opened"))]),
                document([("type", s("Moved")), ("streetName", s("Main")), ("no", n(7)), ("floor", n(2))]),
                document([("type", s("Renamed")), ("to", s("x"))]),
            ]),
        ),
        ("order", n(9)),
        ("orders", AttributeValue::Ns(vec!["1".to_owned()])),
        ("wrapper", s("w")),
        ("pair", document([("one", n(1)), ("other", AttributeValue::B(Blob::new([2u8])))])),
        ("raw", AttributeValue::Null(true)),
    ]);
    assert_eq!(stored, expected);
}

#[allow(clippy::unnecessary_wraps, reason = "the signature of a codec")]
mod upper {
    use super::AttributeValue;

    pub(super) fn encode(text: &str) -> Result<AttributeValue, std::convert::Infallible> {
        Ok(AttributeValue::S(text.to_uppercase()))
    }

    pub(super) fn decode(value: AttributeValue) -> Result<String, String> {
        match value {
            AttributeValue::S(text) => Ok(text.to_lowercase()),
            _ => Err("not a text".to_owned()),
        }
    }
}

#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
struct Settings {
    theme: String,
    sizes: Vec<f64>,
    seen: EpochMillis,
}

fn fallback() -> u8 {
    3
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things", rename_all = "SCREAMING_SNAKE_CASE")]
struct Attributes {
    #[partition_key]
    #[attribute(rename = "id")]
    key: String,
    #[attribute(with = "upper")]
    shout: String,
    #[attribute(with = "upper")]
    murmur: Option<String>,
    #[attribute(serde)]
    settings: Settings,
    #[attribute(serde, default)]
    more_settings: Settings,
    #[attribute(serde)]
    other: Option<Settings>,
    #[attribute(default = "fallback")]
    size: u8,
    #[attribute(rename = "type")]
    r#type: String,
    #[attribute(skip)]
    skipped: Vec<std::time::Duration>,
}

fn with_attributes() -> Attributes {
    Attributes {
        key: "1".to_owned(),
        shout: "hey".to_owned(),
        murmur: None,
        settings: Settings { theme: "dark".to_owned(), sizes: vec![1.5], seen: EpochMillis::new(7) },
        more_settings: Settings::default(),
        other: None,
        size: 4,
        r#type: "t".to_owned(),
        skipped: Vec::new(),
    }
}

#[tokio::test]
async fn codecs_of_the_users_own() {
    let stored = there_and_back(with_attributes()).await;
    let settings = document([("theme", s("dark")), ("sizes", AttributeValue::L(vec![n("1.5")])), ("seen", n(7))]);
    let nothing = document([("theme", s("")), ("sizes", AttributeValue::L(vec![])), ("seen", n(0))]);
    let expected = item([
        ("SHOUT", s("HEY")),
        ("SETTINGS", settings),
        ("MORE_SETTINGS", nothing),
        ("SIZE", n(4)),
        ("type", s("t")),
    ]);
    assert_eq!(stored, expected);
}

#[test]
fn absent_attributes_have_defaults_where_they_are_given() {
    let mut stored = with_attributes().to_item().expect("encodes");
    for name in ["MORE_SETTINGS", "SIZE"] {
        stored.remove(name);
    }
    stored.insert("MURMUR".to_owned(), AttributeValue::Null(true));
    stored.insert("unknown".to_owned(), s("passed over"));
    let read = Attributes::from_item(stored).expect("decodes");
    assert_eq!(read, Attributes { size: 3, ..with_attributes() });
}

#[test]
fn an_error_names_entity_key_path_expected_and_found() {
    let address = |number| document([("streetName", s("x")), ("no", number)]);
    let base = |name: &str, value| {
        let documents = Documents {
            id: "7".to_owned(),
            address: Address {
                street_name: String::new(),
                number: 1,
                notes: None,
                tags: BTreeSet::new(),
                floor: 0,
                cached: false,
            },
            addresses: vec![],
            status: Status::Delivered,
            statuses: BTreeSet::new(),
            payments: vec![],
            events: vec![],
            order: OrderId(1),
            orders: BTreeSet::new(),
            wrapper: Wrapper(String::new()),
            pair: Pair { one: 1, other: vec![] },
            raw: AttributeValue::Null(true),
        };
        let mut item = documents.to_item().expect("encodes");
        item.insert(name.to_owned(), value);
        let error = Documents::from_item(item).expect_err("another shape");
        assert!(error.is_decode());
        assert_eq!(error.entity(), Some("Documents"));
        assert_eq!(error.key(), Some("id = \"7\""));
        error.to_string().replace("decode of `Documents` (id = \"7\"): ", "")
    };
    let list = |values| AttributeValue::L(values);
    for (name, value, message) in [
        ("address", s("x"), "`address`: expected a map (M), found S"),
        ("address", address(s("7")), "`address.no`: expected a whole number from 0 to 4294967295 (N), found S"),
        (
            "address",
            address(n(-1)),
            "`address.no`: expected a whole number from 0 to 4294967295 (N), found another number",
        ),
        (
            "addresses",
            list(vec![address(n(1)), document([])]),
            "`addresses[1].streetName`: expected a string (S), found no attribute",
        ),
        ("status", s("lost"), "`status`: expected one of \"in-transit\", \"DONE\", found another name"),
        ("statuses", list(vec![s("DONE")]), "`statuses`: expected a set of strings (SS), found L"),
        (
            "payments",
            list(vec![document([])]),
            "`payments[0]`: expected a variant's name (S), or a map of it (M), found a map of 0 members",
        ),
        (
            "payments",
            list(vec![document([("Voucher", s("5"))])]),
            "`payments[0].Voucher`: expected a whole number from 0 to 4294967295 (N), found S",
        ),
        (
            "payments",
            list(vec![document([("Card", document([]))])]),
            "`payments[0].Card.number`: expected a string (S), found no attribute",
        ),
        ("events", list(vec![document([])]), "`events[0].type`: expected a variant's name (S), found no attribute"),
        (
            "events",
            list(vec![document([("type", s("Closed"))])]),
            "`events[0].type`: expected one of \"Opened\", \"Moved\", \"Renamed\", found another name",
        ),
        ("orders", AttributeValue::Ss(vec!["1".to_owned()]), "`orders`: expected a set of numbers (NS), found SS"),
        ("pair", document([("one", n(1)), ("other", list(vec![]))]), "`pair.other`: expected bytes (B), found L"),
    ] {
        assert_eq!(base(name, value), message);
    }
}

#[test]
fn numbers_of_other_writers_are_numbers() {
    for (spelling, number) in [("7.0", 7), ("7E+0", 7), ("1E+2", 100), ("0.2E2", 20)] {
        let read = Scalars::from_item(item([
            ("id", s("1")),
            ("byte", n(spelling)),
            ("small", n(spelling)),
            ("large", n(spelling)),
            ("size", n(spelling)),
            ("float", n(spelling)),
            ("double", n(spelling)),
            ("flag", AttributeValue::Bool(true)),
            ("letter", s("x")),
            ("empty", s("")),
            ("boxed", s("")),
            ("shared", s("")),
            ("cow", s("")),
            ("nested", n(spelling)),
        ]));
        let read = read.expect("decodes");
        assert_eq!((read.byte, read.small, read.large), (number, number.into(), number.into()));
        assert_eq!(read.double, f64::from(number));
    }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
struct Difficult {
    #[partition_key]
    id: String,
    numbers: Vec<f64>,
    wide: u128,
    raw: AttributeValue,
    #[attribute(serde)]
    settings: Settings,
}

#[tokio::test]
async fn what_dynamodb_cannot_hold_is_refused_before_the_request() {
    let world = world::<Difficult>().await;
    let before = world.repository.usage();
    let good = Difficult { id: "1".to_owned(), numbers: vec![], wide: 0, raw: s(""), settings: Settings::default() };
    let not_a_number = "is not a number that DynamoDB can keep: it must be finite, and 0 or from 1E-130 to 9.99E+125";
    for (bad, message) in [
        (Difficult { numbers: vec![1.0, f64::NAN], ..good.clone() }, format!("`numbers[1]`: NaN {not_a_number}")),
        (Difficult { numbers: vec![f64::INFINITY], ..good.clone() }, format!("`numbers[0]`: inf {not_a_number}")),
        (Difficult { numbers: vec![1e300], ..good.clone() }, format!("`numbers[0]`: 1e300 {not_a_number}")),
        (
            Difficult { wide: u128::MAX, ..good.clone() },
            format!("`wide`: {} has more than 38 digits, which DynamoDB cannot keep: store it as a string", u128::MAX),
        ),
        (
            Difficult { raw: AttributeValue::Ss(vec![]), ..good.clone() },
            "`raw`: DynamoDB has no empty set: leave the attribute out instead".to_owned(),
        ),
        // Past our own codec, by serde.
        (
            Difficult {
                settings: Settings { theme: String::new(), sizes: vec![f64::NAN], seen: EpochMillis::default() },
                ..good.clone()
            },
            format!("`settings.sizes[0]`: NaN {not_a_number}"),
        ),
    ] {
        let error = bad.put().send(&world.repository).await.expect_err("refused");
        assert!(error.is_invalid_input());
        assert_eq!(error.to_string(), format!("put of `Difficult` (id = \"1\"): {message}"));
    }
    let large = Difficult { raw: s(&"x".repeat(400 * 1024)), ..good.clone() };
    let error = large.put().send(&world.repository).await.expect_err("refused").to_string();
    assert!(error.contains("but DynamoDB keeps at most 409600 (names included)"), "{error}");
    let error = Difficult::update("1").with(Difficult::fields().numbers.set(vec![f64::NAN]));
    assert!(error.send(&world.repository).await.expect_err("refused").is_invalid_input());
    assert_eq!(world.repository.usage(), before);
    good.put().send(&world.repository).await.expect("a put");
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
struct Others {
    #[partition_key]
    id: String,
    uuid: uuid::Uuid,
    ulid: ulid::Ulid,
    url: url::Url,
    decimal: rust_decimal::Decimal,
    jiff: jiff::Timestamp,
    jiff_date: jiff::civil::Date,
    chrono: chrono::DateTime<chrono::Utc>,
    chrono_date: chrono::NaiveDate,
    time: time::OffsetDateTime,
    time_date: time::Date,
}

#[tokio::test]
async fn types_of_other_crates() {
    let uuid = uuid::Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_00AB);
    let stored = there_and_back(Others {
        id: "1".to_owned(),
        uuid,
        ulid: ulid::Ulid::from_parts(1, 2),
        url: "https://example.com/a?b".parse().expect("a URL"),
        decimal: "-12345678901234567890.1234567".parse().expect("a number"),
        jiff: "2024-07-23T21:11:00.5Z".parse().expect("a time"),
        jiff_date: "2024-07-23".parse().expect("a date"),
        chrono: "2024-07-23T21:11:00Z".parse().expect("a time"),
        chrono_date: "2024-07-23".parse().expect("a date"),
        time: time::OffsetDateTime::from_unix_timestamp_nanos(1_721_769_060_000_000_001).expect("a time"),
        time_date: time::Date::from_calendar_date(2024, time::Month::July, 3).expect("a date"),
    })
    .await;
    let expected = item([
        ("uuid", s("01900000-0000-7000-8000-0000000000ab")),
        ("ulid", s("00000000010000000000000002")),
        ("url", s("https://example.com/a?b")),
        ("decimal", n("-12345678901234567890.1234567")),
        ("jiff", s("2024-07-23T21:11:00.500000000Z")),
        ("jiff_date", s("2024-07-23")),
        ("chrono", s("2024-07-23T21:11:00.000000000Z")),
        ("chrono_date", s("2024-07-23")),
        ("time", s("2024-07-23T21:11:00.000000001Z")),
        ("time_date", s("2024-07-03")),
    ]);
    assert_eq!(stored, expected);
    let mut foreign = stored;
    foreign.insert("id".to_owned(), s("1"));
    foreign.insert("chrono".to_owned(), s("2024-07-23T23:11:00+02:00"));
    foreign.insert("time".to_owned(), s("2024-07-23T23:11:00.5+02:00"));
    foreign.insert("decimal".to_owned(), n("1.5E+3"));
    let read = Others::from_item(foreign).expect("decodes");
    assert_eq!(read.chrono.timestamp(), 1_721_769_060);
    assert_eq!(read.time.unix_timestamp(), 1_721_769_060);
    assert_eq!(read.decimal, 1500.into());
}

/// A value that is cut when it is read would be written back as another.
#[test]
fn what_a_type_of_another_crate_cannot_hold_is_refused_and_not_cut() {
    let others = item([
        ("id", s("1")),
        ("uuid", s("01900000-0000-7000-8000-0000000000ab")),
        ("ulid", s("7ZZZZZZZZZZZZZZZZZZZZZZZZZ")),
        ("url", s("https://example.com/")),
        ("decimal", n("79228162514264337593543950335")),
        ("jiff", s("2024-07-23T21:11:00.123456789Z")),
        ("jiff_date", s("2024-07-23")),
        ("chrono", s("2024-07-23T21:11:00.1234567890Z")),
        ("chrono_date", s("2024-07-23")),
        ("time", s("2024-07-23T21:11:00.123456789Z")),
        ("time_date", s("2024-07-03")),
    ]);
    Others::from_item(others.clone()).expect("all of these fit");
    for (name, value) in [
        ("decimal", n("0.12345678901234567890123456789012345678")),
        ("decimal", n("79228162514264337593543950336")),
        ("decimal", n("1E-40")),
        ("decimal", n("1.00000000000000000000000000000000000001E+0")),
        ("ulid", s("8ZZZZZZZZZZZZZZZZZZZZZZZZZ")),
        ("ulid", s("ZZZZZZZZZZZZZZZZZZZZZZZZZZ")),
        ("ulid", s("z0000000000000000000000000")),
        ("chrono", s("2024-07-23T21:11:00.1234567891Z")),
        ("jiff", s("2024-07-23T21:11:00.1234567891Z")),
        ("time", s("2024-07-23T21:11:00.1234567891Z")),
    ] {
        let mut row = others.clone();
        row.insert(name.to_owned(), value.clone());
        let error = Others::from_item(row).expect_err("it does not fit");
        assert!(error.is_decode() && error.to_string().contains(&format!("`{name}`: expected ")), "{value:?}: {error}");
    }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
struct Named {
    #[partition_key]
    id: String,
    #[attribute(default)]
    numbers: BTreeMap<String, u32>,
}

#[tokio::test]
async fn names_that_no_map_can_have_are_refused_beforehand() {
    let world = world::<Named>().await;
    let named = |name: &str| Named { id: "1".to_owned(), numbers: [(name.to_owned(), 1)].into() };
    let repository = world.repository.metered();
    for (name, expected) in [("", "an empty key"), (&*"x".repeat(65_536), "64 KB or more")] {
        let field = Named::fields().numbers;
        let errors = [
            named(name).put().send(&repository).await.expect_err("a put"),
            Named::scan().filter(field.eq(named(name).numbers)).send(&repository).await.expect_err("a filter"),
            Named::scan().filter(field.entry(name.to_owned()).eq(1)).send(&repository).await.expect_err("a filter"),
            Named::update("1").with(field.entry(name.to_owned()).set(1)).send(&repository).await.expect_err("a place"),
            Named::update("1").with(field.set(named(name).numbers)).send(&repository).await.expect_err("a map"),
        ];
        for error in errors {
            assert!(error.is_invalid_input() && error.to_string().contains(expected), "{error}");
            assert!(error.to_string().len() < 1000, "{error}");
        }
    }
    assert_eq!(repository.usage().requests, 0);
    named(&"x".repeat(65_535)).put().send(&repository).await.expect("the longest");
}

#[derive(Document, Clone, Debug, PartialEq)]
struct Kinded {
    kind: String,
}

#[derive(Document, Clone, Debug, PartialEq)]
#[document(tag = "kind")]
enum Clash<T> {
    Moved(T),
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
struct Corners {
    #[partition_key]
    id: String,
    #[attribute(serde)]
    nothing: (),
    float: f32,
    tags: BTreeSet<String>,
    #[attribute(default)]
    clash: Vec<Clash<Kinded>>,
}

#[tokio::test]
async fn corners() {
    let corners = Corners { id: "1".to_owned(), nothing: (), float: 1.0, tags: BTreeSet::new(), clash: vec![] };
    // What serde makes NULL of is NULL, and not an absent attribute.
    let stored = there_and_back(corners.clone()).await;
    assert_eq!(stored.get("nothing"), Some(&AttributeValue::Null(true)));
    let mut foreign = corners.to_item().expect("encodes");
    foreign.insert("tags".to_owned(), AttributeValue::Null(true));
    assert_eq!(Corners::from_item(foreign.clone()).expect("NULL is no set"), corners);
    foreign.insert("float".to_owned(), n("1E+100"));
    assert!(Corners::from_item(foreign).expect_err("infinity").is_decode());
    let clash = Corners { clash: vec![Clash::Moved(Kinded { kind: "x".to_owned() })], ..corners };
    let error = clash.to_item().expect_err("two values for one member");
    assert!(error.to_string().contains("the variant \"Moved\" has a member of this name itself"), "{error}");
}
