//! Values that cannot be read or stored, and their errors.

use super::{Address, Documents, OrderId, Pair, Scalars, Settings, Status, Wrapper, document};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, EpochMillis};
use dyno_tests::{item, n, s, world};
use std::collections::BTreeSet;
use std::fmt::Debug;

#[test]
fn a_decode_error_names_entity_key_path_expected_and_found() {
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
fn numbers_in_any_notation_are_read() {
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
async fn a_value_that_dynamodb_cannot_hold_is_refused_before_the_request() {
    let world = world::<Difficult>().await;
    let before = world.repository.usage();
    let good = Difficult { id: "1".to_owned(), numbers: vec![], wide: 0, raw: s(""), settings: Settings::default() };
    let not_a_number = "is not a number that DynamoDB can store: it must be finite, and 0 or from 1E-130 to 9.99E+125";
    for (bad, message) in [
        (Difficult { numbers: vec![1.0, f64::NAN], ..good.clone() }, format!("`numbers[1]`: NaN {not_a_number}")),
        (Difficult { numbers: vec![f64::INFINITY], ..good.clone() }, format!("`numbers[0]`: inf {not_a_number}")),
        (Difficult { numbers: vec![1e300], ..good.clone() }, format!("`numbers[0]`: 1e300 {not_a_number}")),
        (
            Difficult { wide: u128::MAX, ..good.clone() },
            format!("`wide`: {} has more than 38 digits, which DynamoDB cannot store: store it as a string", u128::MAX),
        ),
        (
            Difficult { raw: AttributeValue::Ss(vec![]), ..good.clone() },
            "`raw`: DynamoDB has no empty set: leave the attribute out instead".to_owned(),
        ),
        // Serde encodes this value, not dyno's own codec.
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
    assert!(error.contains("but DynamoDB stores at most 409600 (names included)"), "{error}");
    let error = Difficult::update("1").with(Difficult::fields().numbers.set(vec![f64::NAN]));
    assert!(error.send(&world.repository).await.expect_err("refused").is_invalid_input());
    assert_eq!(world.repository.usage(), before);
    good.put().send(&world.repository).await.expect("a put");
}
