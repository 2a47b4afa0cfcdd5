//! Items with times are rolled back, and changed by closures.

use super::{Upgraded, at};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Document, Entity};
use dyno_tests::{item, n, s, world};
use jiff::Timestamp;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "upgraded", schema_version = 2, upgrade = "Upgraded::upgrade")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Report {
    #[partition_key]
    id: String,
    #[ratchet]
    at: Timestamp,
    text: String,
    #[version]
    version: u64,
}

/// The revision has its token in the form of schema version 1, and `upgrade` converts it. The new token is not converted.
#[tokio::test]
async fn a_rollback_to_a_revision_of_an_older_shape_stores_its_own_token() {
    let world = world::<Report>().await;
    let repository = &world.repository;
    let now = Report { id: "1".to_owned(), at: at("2029-01-01T00:00:00Z"), text: "now".to_owned(), version: 0 };
    applied!(now.put(), repository);
    let older = [("id", s("1")), ("at", n(7)), ("text", s("old")), ("version", n(1)), ("_v", n(1))];
    let row = item([("_key", s("1")), ("_version", n(1)), ("_image", AttributeValue::M(item(older)))]);
    let history = repository.history_table_name::<Report>().expect("a name");
    repository.client().put_item().table_name(history).set_item(Some(row)).send().await.expect("a row");
    applied!(Report::modify("1", |report| report.text.push('!')), repository);
    let restored = applied!(Report::rollback("1", 1u64, at("2030-01-01T00:00:00Z")), repository);
    assert_eq!((restored.at, restored.text.as_str()), (at("2030-01-01T00:00:00Z"), "old"));
}

#[derive(Document, Clone, Debug, PartialEq)]
struct Place {
    city: String,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "visits")]
struct Visit {
    #[partition_key]
    id: String,
    #[attribute(format = "millis")]
    at: Timestamp,
    note: Option<String>,
    place: Place,
}

/// The stored time can be read and not written. The closure rounds it, and changes nothing else but the note.
#[tokio::test]
async fn a_row_that_cannot_be_encoded_is_changed_only_where_the_closure_changes_it() {
    let world = world::<Visit>().await;
    let place = AttributeValue::M(item([("city", s("Rome")), ("zip", s("00100"))]));
    for id in ["1", "2"] {
        let row = [("id", s(id)), ("at", s("2024-07-23T21:11:00.1204Z")), ("note", s("x")), ("place", place.clone())];
        world.write_foreign::<Visit>(item(row)).await;
    }
    let round = |visit: &mut Visit| (visit.at, visit.note) = (at("2024-07-23T21:11:00.12Z"), None);
    let run = Visit::scan().modify_each(round).send(&world.repository).await.expect("sent");
    assert_eq!(run.completed().expect("no failure").changed(), 2);
    for stored in world.stored::<Visit>().await {
        assert_eq!((stored.get("note"), &stored["place"]), (None, &place));
        assert_eq!(stored["at"], s("2024-07-23T21:11:00.120Z"));
    }
}
