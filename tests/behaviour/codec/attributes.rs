//! Attributes of fields: custom codecs, defaults, names.

use super::{Settings, document, there_and_back};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, EpochMillis};
use dyno_tests::{item, n, s, world};
use std::collections::BTreeMap;
use std::fmt::Debug;

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
async fn fields_are_stored_by_custom_codecs() {
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
fn absent_attributes_take_their_declared_defaults() {
    let mut stored = with_attributes().to_item().expect("encodes");
    for name in ["MORE_SETTINGS", "SIZE"] {
        stored.remove(name);
    }
    stored.insert("MURMUR".to_owned(), AttributeValue::Null(true));
    stored.insert("unknown".to_owned(), s("passed over"));
    let read = Attributes::from_item(stored).expect("decodes");
    assert_eq!(read, Attributes { size: 3, ..with_attributes() });
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
async fn map_keys_of_invalid_length_are_refused_before_the_request() {
    let world = world::<Named>().await;
    let named = |name: &str| Named { id: "1".to_owned(), numbers: [(name.to_owned(), 1)].into() };
    let repository = world.repository.metered();
    for (name, expected) in [("", "key is empty"), (&*"x".repeat(65_536), "64 KB or more")] {
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
