//! Scalars, collections and documents are stored and read back.

use super::{Address, Documents, Event, OrderId, Pair, Payment, Scalars, Status, Wrapper, document, there_and_back};
use bytes::Bytes;
use dyno::aws_sdk_dynamodb::primitives::Blob;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Document, Entity};
use dyno_tests::{item, n, s};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Debug;

#[tokio::test]
async fn scalars_are_stored_by_their_types_and_read_back() {
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
async fn collections_are_stored_by_their_types_and_read_back() {
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
async fn none_and_empty_sets_are_absent_but_other_empty_values_are_stored() {
    let stored = there_and_back(Collections { id: "1".to_owned(), ..Collections::default() }).await;
    let mut names: Vec<&str> = stored.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["by_number", "bytes", "hash", "list", "map", "numbers", "pair", "shared_bytes"]);
}

#[tokio::test]
async fn documents_are_stored_as_maps_and_read_back() {
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
async fn units_are_null_and_overflowing_floats_and_clashing_members_are_refused() {
    let corners = Corners { id: "1".to_owned(), nothing: (), float: 1.0, tags: BTreeSet::new(), clash: vec![] };
    // A value that serde encodes as NULL is stored as NULL, and not as an absent attribute.
    let stored = there_and_back(corners.clone()).await;
    assert_eq!(stored.get("nothing"), Some(&AttributeValue::Null(true)));
    let mut foreign = corners.to_item().expect("encodes");
    foreign.insert("tags".to_owned(), AttributeValue::Null(true));
    assert_eq!(Corners::from_item(foreign.clone()).expect("NULL is no set"), corners);
    foreign.insert("float".to_owned(), n("1E+100"));
    assert!(Corners::from_item(foreign).expect_err("infinity").is_decode());
    let clash = Corners { clash: vec![Clash::Moved(Kinded { kind: "x".to_owned() })], ..corners };
    let error = clash.to_item().expect_err("two values for one member");
    assert!(error.to_string().contains("the variant \"Moved\" has a member with the tag's name"), "{error}");
}

/// An integer of 39 digits, of which 38 are significant.
const LONG: u128 = 12 * 10u128.pow(37) + 10;

#[tokio::test]
async fn an_integer_of_39_digits_that_ends_in_zero_is_stored_and_read_back() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "integers")]
    #[index(name = "by_signed", partition(name = "PK1", template = "N#{signed}"))]
    struct Integers {
        #[partition_key]
        id: u128,
        unsigned: u128,
        signed: i128,
        set: BTreeSet<u128>,
        list: Vec<i128>,
        note: u32,
        #[version]
        version: u64,
    }

    let world = dyno_tests::world::<Integers>().await;
    let text = LONG.to_string();
    assert_eq!(text.len(), 39);
    let minus = format!("-{text}");
    let row = item([
        ("id", n(&text)),
        ("unsigned", n(&text)),
        ("signed", n(&minus)),
        ("set", AttributeValue::Ns(vec![text.clone()])),
        ("list", AttributeValue::L(vec![n(&minus)])),
        ("note", n(1)),
        ("version", n(1)),
        ("PK1", s(&format!("N#{minus}"))),
    ]);
    world.write_foreign::<Integers>(row).await;
    let signed = -i128::try_from(LONG).expect("it fits");
    let expected = Integers {
        id: LONG,
        unsigned: LONG,
        signed,
        set: BTreeSet::from([LONG]),
        list: vec![signed],
        note: 1,
        version: 1,
    };
    let read = Integers::get(LONG).send(&world.repository).await.expect("a get").expect("an item");
    assert_eq!(read, expected);
    let modified = applied!(Integers::modify(LONG, |integers| integers.note += 1), &world.repository);
    assert_eq!(modified, Integers { note: 2, version: 2, ..expected.clone() });
    applied!(Integers { note: 3, ..modified }.put(), &world.repository);
    let found = Integers::by_signed(signed).send(&world.repository).await.expect("a query").items;
    assert_eq!(found, [Integers { note: 3, version: 3, ..expected.clone() }]);
    let more = Integers { unsigned: LONG + 1, version: 3, ..expected };
    let error = more.put().send(&world.repository).await.expect_err("39 significant digits");
    assert!(error.to_string().contains("more than 38 digits"), "{error}");
}
