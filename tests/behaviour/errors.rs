//! What errors show. Of a stored value that they reject, they show only the type.

use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::{BehaviorVersion, Config, Region};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Document, Entity, EpochMillis, Error, ErrorKind, Outcome, Repository};
use dyno_tests::{item, n, s, world};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Document, Clone, Debug, PartialEq)]
enum Colour {
    Red,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
struct Settings {
    size: u32,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "users")]
#[partition_key(name = "PK", template = "User#{id:04}")]
struct User {
    id: u32,
    age: u8,
    colour: Option<Colour>,
    #[attribute(serde)]
    settings: Option<Settings>,
    scores: Option<BTreeMap<String, u32>>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
struct Note {
    #[partition_key]
    id: String,
    text: String,
    #[ratchet]
    at: EpochMillis,
}

const SECRET: &str = "4111 1111\u{1b}[31m\r\n";

fn shown(error: &Error) -> String {
    format!("{error} {error:?}")
}

fn map(name: &str, value: AttributeValue) -> AttributeValue {
    AttributeValue::M(item([(name, value)]))
}

#[tokio::test]
async fn a_decode_error_does_not_show_stored_values() {
    let world = world::<User>().await;
    let row = |name: &str, value| {
        let mut row = item([("PK", s("User#0001")), ("age", n(1))]);
        row.insert(name.to_owned(), value);
        row
    };
    for (row, expected) in [
        (row("age", n(41_111_111)), "`age`: expected a whole number from 0 to 255 (N), found another number"),
        (row("colour", s(SECRET)), "`colour`: expected one of \"Red\", found another name"),
        (
            row("settings", map("size", s(SECRET))),
            "`settings`: expected a value that the field's codec accepts (expected a serde value (Expected num), found M)",
        ),
        (row("scores", map(SECRET, s(SECRET))), "`scores.4111 1111\\u{1b}[31m\\r\\n`: expected a whole number"),
    ] {
        let error = User::from_item(row).expect_err(expected);
        assert_eq!(error.kind(), ErrorKind::Decode);
        assert!(error.to_string().contains(expected), "{error}");
        let shown = shown(&error);
        assert!(!shown.contains("41111111") && !shown.contains('\u{1b}') && shown.len() < 1000, "{shown}");
    }
    world.repository.create_table::<Note>().await.expect("a table");
    world.write_foreign::<Note>(item([("id", s(&"9".repeat(2000)))])).await;
    let error = Note::scan().send(&world.repository).await.expect_err("no text");
    assert!(shown(&error).len() < 1000 && error.key().expect("a key").contains("… (2000 bytes)"), "{error}");
}

#[tokio::test]
async fn a_refusal_gives_its_item_but_does_not_print_its_values() {
    let world = world::<Note>().await;
    let note = |text: &str, at| Note { id: SECRET.to_owned(), text: text.to_owned(), at: EpochMillis::new(at) };
    note("a secret", 2).put().send(&world.repository).await.expect("a put").applied().expect("applied");
    let Outcome::Refused(refusal) = note("x", 1).put().send(&world.repository).await.expect("sent") else {
        panic!("applied")
    };
    let text = format!("{refusal} {refusal:?}");
    assert!(
        !text.contains("secret") && !text.contains('\u{1b}') && text.contains("{\"at\", \"id\", \"text\"}"),
        "{text}"
    );
    assert_eq!(refusal.item().expect("an item")["text"], s("a secret"));
    let error = Error::from(refusal);
    assert!(!shown(&error).contains("secret") && !shown(&error).contains('\u{1b}'), "{error:?}");
}

#[tokio::test]
async fn arguments_in_error_messages_are_escaped_and_truncated() {
    let world = world::<Note>().await;
    let long = format!("{SECRET}{}", "x".repeat(3000));
    let error = Note::get(&long).send(&world.repository).await.expect_err("too long a key");
    assert!(error.to_string().contains("the key has 3016 bytes"), "{error}");
    let key = format!("{SECRET}{}", "x".repeat(1500));
    let large = Note { id: key, text: "x".repeat(500_000), at: EpochMillis::new(1) };
    let error = large.put().send(&world.repository).await.expect_err("too large");
    assert!(error.to_string().starts_with("put of `Note` (id = \"4111 1111\\u{1b}[31m\\r\\nxxx"), "{error}");
    assert!(shown(&error).len() < 1000, "{error}");
    let error = Note::get("1").send(&world.repository.with_table::<Note>(long)).await.expect_err("no table");
    assert!(error.to_string().len() < 400 && error.to_string().ends_with("`_`, `-` and `.`"), "{error}");
}

/// Missing credentials have their own error message, so that nobody looks for the fault in the network.
#[tokio::test]
async fn missing_credentials_are_not_a_missing_answer() {
    let client = dyno::local::Engine::in_memory().expect("an engine").client();
    let http = client.config().http_client().expect("an engine");
    let config = Config::builder().behavior_version(BehaviorVersion::latest()).region(Region::new("nowhere"));
    let repository = Repository::new(Client::from_conf(config.http_client(http).build()));
    let note = Note { id: "1".to_owned(), text: "x".to_owned(), at: EpochMillis::new(1) };
    let error = note.put().send(&repository).await.expect_err("no credentials");
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert!(!error.may_be_applied(), "{error}");
    let message =
        "put of `Note` (id = \"1\"): the SDK could not send the request (check its credentials and configuration): ";
    assert!(error.to_string().starts_with(message), "{error}");
    let causes = std::iter::successors(std::error::Error::source(&error), |error| error.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    assert!(causes.iter().any(|cause| cause.contains("auth") || cause.contains("credentials")), "{causes:?}");
}

/// The comparison is refused before the request. DynamoDB refuses it too, but its message does not name the field.
#[test]
fn a_field_is_not_compared_with_itself() {
    let f = Note::fields();
    let put = Note { id: "1".to_owned(), text: "x".to_owned(), at: EpochMillis::new(1) }.put();
    let repository = Repository::new(dyno::local::Engine::in_memory().expect("an engine").client());
    let error = put.condition(f.text.eq_field(&f.text)).request(&repository).expect_err("refused");
    assert!(error.is_invalid_input(), "{error}");
    assert!(error.to_string().ends_with("`text`: a field is compared with itself: compare two fields"), "{error}");
}
