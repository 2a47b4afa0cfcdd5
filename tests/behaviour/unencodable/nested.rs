//! Values that cannot be written within lists, maps, sets and documents, and those of the codecs of users. Each is compared by itself.

use super::{FINE, at, list};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::value::{RawValue, form, kind};
use dyno::{DecodeError, Document, EncodeError, Entity, Item, TextTime, Value};
use dyno_tests::{World, item, n, s, world};
use jiff::Timestamp;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};

type Millis = TextTime<Timestamp, form::Millis>;

/// A number that is written if it is even, and read in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Even(u32);

impl Value for Even {
    type Kind = kind::Number;

    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        if self.0.is_multiple_of(2) { self.0.encode() } else { Err(EncodeError::new(format!("{} is odd", self.0))) }
    }

    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        u32::decode(value).map(Self)
    }
}

mod even {
    use dyno::aws_sdk_dynamodb::types::AttributeValue;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the functions of `with` take references")]
    pub(super) fn encode(number: &u32) -> Result<AttributeValue, String> {
        if number.is_multiple_of(2) {
            Ok(AttributeValue::N(number.to_string()))
        } else {
            Err(format!("{number} is odd"))
        }
    }

    pub(super) fn decode(value: AttributeValue) -> Result<u32, String> {
        value.as_n().map_err(|_| "not N".to_owned())?.parse().map_err(|_| "not a number".to_owned())
    }
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
struct EvenSerde(u32);

impl Serialize for EvenSerde {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 % 2 {
            0 => serializer.serialize_u32(self.0),
            _ => Err(serde::ser::Error::custom(format!("{} is odd", self.0))),
        }
    }
}

#[derive(Document, Clone, Debug, PartialEq)]
struct Stop {
    at: Millis,
    city: String,
}

#[derive(Document, Clone, Debug, PartialEq)]
enum Step {
    Left(Millis),
    Arrived { at: Millis, city: String },
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "trips")]
struct Trip {
    #[partition_key]
    id: String,
    stop: Stop,
    stops: Vec<Stop>,
    steps: Vec<Step>,
    seen: BTreeSet<Millis>,
    odd: BTreeSet<Even>,
    by_time: BTreeMap<Millis, u32>,
    by_name: BTreeMap<String, Millis>,
    maybe: Vec<Option<Millis>>,
    #[attribute(with = "even")]
    with: u32,
    #[attribute(serde)]
    serde: EvenSerde,
    own: Option<Even>,
    float: f64,
    late: chrono::DateTime<chrono::Utc>,
    #[version]
    version: u64,
}

fn m<const N: usize>(members: [(&str, AttributeValue); N]) -> AttributeValue {
    AttributeValue::M(item(members))
}

fn stop(city: &str) -> AttributeValue {
    m([("at", s(FINE)), ("city", s(city)), ("zip", n(7))])
}

/// A time of the year 10000, in UTC.
const LATE: &str = "9999-12-31T23:59:59-01:00";

fn row() -> Item {
    item([
        ("id", s("1")),
        ("stop", stop("Rome")),
        ("stops", list(vec![stop("Bern"), stop("Basel")])),
        ("steps", list(vec![m([("Left", s(FINE))]), m([("Arrived", m([("at", s(FINE)), ("city", s("Rome"))]))])])),
        ("seen", AttributeValue::Ss(vec![FINE.to_owned(), "2024-07-23T21:11:00.120Z".to_owned()])),
        ("odd", AttributeValue::Ns(vec!["1".to_owned(), "2".to_owned()])),
        ("by_time", m([(FINE, n(1)), ("2024-07-23T21:11:00.120Z", n(2))])),
        ("by_name", m([("a", s(FINE)), ("b", s("2024-07-23T21:11:00.120Z"))])),
        ("maybe", list(vec![s(FINE), AttributeValue::Null(true)])),
        ("with", n(1)),
        ("serde", n(1)),
        ("own", n(1)),
        ("float", n("9".repeat(38) + &"0".repeat(88))),
        ("late", s(LATE)),
        ("version", n(1)),
        ("_w", s("0123456789abcdef-")),
    ])
}

/// The stored item, without what each write changes.
async fn stored(world: &World) -> Item {
    let mut item = world.stored::<Trip>().await.pop().expect("an item");
    for name in ["version", "_w"] {
        item.remove(name);
    }
    // An engine returns the elements of a set in any order.
    for value in item.values_mut() {
        match value {
            AttributeValue::Ss(elements) | AttributeValue::Ns(elements) => elements.sort_unstable(),
            _ => {}
        }
    }
    item
}

/// Applies a change to the foreign row, and returns the attributes that have changed.
async fn changed(edit: impl FnMut(&mut Trip) + Send) -> Item {
    let world = world::<Trip>().await;
    world.write_foreign::<Trip>(row()).await;
    applied!(Trip::modify("1", edit), &world.repository);
    let before = row();
    let mut after = stored(&world).await;
    after.retain(|name, value| before.get(name) != Some(value));
    after
}

#[tokio::test]
async fn a_modify_of_nothing_changes_none_of_them() {
    assert_eq!(changed(|_| ()).await, Item::new());
}

#[tokio::test]
async fn a_change_beside_such_a_value_is_written_and_the_value_stays() {
    let edit = |trip: &mut Trip| {
        "Oslo".clone_into(&mut trip.stop.city);
        "Zug".clone_into(&mut trip.stops[1].city);
        if let Step::Arrived { city, .. } = &mut trip.steps[1] {
            "Oslo".clone_into(city);
        }
        trip.seen.remove(&Millis::new(at("2024-07-23T21:11:00.12Z")));
        trip.odd.insert(Even(4));
        trip.by_time.insert(Millis::new(at("2024-07-23T21:11:00.12Z")), 3);
        trip.by_name.remove("b");
        trip.maybe[1] = Some(Millis::new(at("2024-07-23T21:11:00Z")));
    };
    let after = changed(edit).await;
    let arrived = m([("Arrived", m([("at", s(FINE)), ("city", s("Oslo"))]))]);
    let expected = item([
        ("stop", stop("Oslo")),
        ("stops", list(vec![stop("Bern"), stop("Zug")])),
        ("steps", list(vec![m([("Left", s(FINE))]), arrived])),
        ("seen", AttributeValue::Ss(vec![FINE.to_owned()])),
        ("odd", AttributeValue::Ns(["1", "2", "4"].map(str::to_owned).to_vec())),
        ("by_time", m([(FINE, n(1)), ("2024-07-23T21:11:00.120Z", n(3))])),
        ("by_name", m([("a", s(FINE))])),
        ("maybe", list(vec![s(FINE), s("2024-07-23T21:11:00.000Z")])),
    ]);
    assert_eq!(after, expected);
}

#[tokio::test]
async fn each_of_them_can_be_replaced_or_removed() {
    let whole = || Millis::new(at("2024-07-23T21:11:00Z"));
    let edit = |trip: &mut Trip| {
        trip.stop.at = whole();
        trip.stops.remove(0);
        trip.steps[0] = Step::Left(whole());
        trip.seen = [whole()].into();
        trip.odd.remove(&Even(1));
        trip.by_time.remove(&Millis::new(at(FINE)));
        trip.by_name.insert("a".to_owned(), whole());
        trip.maybe[0] = None;
        (trip.with, trip.serde, trip.own) = (2, EvenSerde(2), None);
        (trip.float, trip.late) = (1.5, "2024-07-23T21:11:00Z".parse().expect("a time"));
    };
    let after = changed(edit).await;
    let time = || s("2024-07-23T21:11:00.000Z");
    let expected = item([
        ("stop", m([("at", time()), ("city", s("Rome")), ("zip", n(7))])),
        ("stops", list(vec![stop("Basel")])),
        ("steps", list(vec![m([("Left", time())]), m([("Arrived", m([("at", s(FINE)), ("city", s("Rome"))]))])])),
        ("seen", AttributeValue::Ss(vec!["2024-07-23T21:11:00.000Z".to_owned()])),
        ("odd", AttributeValue::Ns(vec!["2".to_owned()])),
        ("by_time", m([("2024-07-23T21:11:00.120Z", n(2))])),
        ("by_name", m([("a", time()), ("b", s("2024-07-23T21:11:00.120Z"))])),
        ("maybe", list(vec![AttributeValue::Null(true), AttributeValue::Null(true)])),
        ("with", n(2)),
        ("serde", n(2)),
        ("float", n("1.5")),
        ("late", s("2024-07-23T21:11:00.000000000Z")),
    ]);
    assert_eq!(after, expected);
}

/// The closure of a `modify`.
type Edit<'a> = dyn Fn(&mut Trip) + Sync + 'a;

/// A value that cannot be written is an error wherever it is new, with its path.
#[tokio::test]
async fn a_new_one_is_an_error_with_its_path() {
    let world = world::<Trip>().await;
    world.write_foreign::<Trip>(row()).await;
    let fine = || Millis::new(at("2024-07-23T21:11:00.1206Z"));
    let refused = async |edit: &Edit<'_>| {
        let error =
            Trip::modify("1", |trip| edit(trip)).send(&world.repository).await.expect_err("it cannot be written");
        assert!(error.is_invalid_input(), "{error:?}");
        error.to_string()
    };
    let cases: [(&str, &Edit<'_>); 10] = [
        ("`stop.at`: the time is more precise", &|trip| trip.stop.at = fine()),
        ("`stops[1].at`: the time is more precise", &|trip| trip.stops[1].at = fine()),
        ("`steps[0].Left`: the time is more precise", &|trip| trip.steps[0] = Step::Left(fine())),
        ("`seen`: the time is more precise", &|trip| _ = trip.seen.insert(fine())),
        ("`odd`: 3 is odd", &|trip| _ = trip.odd.insert(Even(3))),
        ("`by_time`: the time is more precise", &|trip| _ = trip.by_time.insert(fine(), 1)),
        ("`by_name.b`: the time is more precise", &|trip| _ = trip.by_name.insert("b".to_owned(), fine())),
        ("`with`: 3 is odd", &|trip| trip.with = 3),
        ("`serde`: 3 is odd", &|trip| trip.serde = EvenSerde(3)),
        ("`own`: 3 is odd", &|trip| trip.own = Some(Even(3))),
    ];
    for (expected, edit) in cases {
        let message = refused(edit).await;
        assert!(message.contains(expected), "{message}");
    }
    let mut expected = row();
    expected.retain(|name, _| !["version", "_w"].contains(&name.as_str()));
    assert_eq!(stored(&world).await, expected);
}
