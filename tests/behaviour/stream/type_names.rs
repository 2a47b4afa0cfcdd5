//! Rows whose type name changes from one entity's to another's.

use super::records::{records, streamed};
use super::{image, record};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::stream::{Changed, Event, Record};
use dyno::{BatchWrite, Entity, EpochMillis, Item};
use dyno_tests::{n, pause, s};

/// An agent can have the key of a `Ticket`: only the type names tell them apart.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "desk", type_name = "agent")]
struct Agent {
    #[partition_key]
    id: String,
    name: String,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "desk", type_name = "ticket")]
#[tombstone(ttl_days = 7)]
struct Ticket {
    #[partition_key]
    id: String,
    subject: String,
    #[ratchet]
    at: EpochMillis,
}

fn agent() -> Agent {
    Agent { id: "1".to_owned(), name: "Ada".to_owned() }
}

fn ticket() -> Ticket {
    Ticket { id: "1".to_owned(), subject: "Rain".to_owned(), at: EpochMillis::new(1) }
}

fn change<E: Entity>(record: &Record) -> Option<Changed<E>> {
    record.change().expect("it decodes")
}

#[expect(clippy::unnecessary_wraps, reason = "what `change` returns")]
fn deleted<E: Entity>(old: E) -> Option<Changed<E>> {
    Some(Changed::Deleted { old, tombstone: None, expired: false })
}

/// The tombstone of a ticket.
fn buried() -> Item {
    let mut item = image(&ticket());
    item.remove("subject");
    item.extend([("deleted".to_owned(), AttributeValue::Bool(true)), ("ttl".to_owned(), n(7))]);
    item
}

#[test]
fn a_changed_type_name_deletes_the_old_entity_and_creates_the_new_one() {
    let record = record(Some(image(&ticket())), Some(image(&agent())));
    assert_eq!(change(&record), deleted(ticket()));
    assert_eq!(change(&record), Some(Changed::Created { new: agent() }));
    assert!(record.is_of::<Agent>() && record.is_of::<Ticket>());
}

#[test]
fn a_changed_type_name_over_a_tombstone_deletes_nothing() {
    let over = record(Some(buried()), Some(image(&agent())));
    assert_eq!(change::<Ticket>(&over), None);
    assert_eq!(change(&over), Some(Changed::Created { new: agent() }));
    // A ticket's tombstone over an agent deletes the agent. For tickets nothing changes, because there was no ticket.
    let under = record(Some(image(&agent())), Some(buried()));
    assert_eq!(change(&under), deleted(agent()));
    assert_eq!(change::<Ticket>(&under), None);
}

/// A row without a type name belongs to the entity by its key.
#[test]
fn another_type_name_given_to_an_untyped_row_deletes_the_entity() {
    let mut unmarked = image(&agent());
    unmarked.remove("_type");
    assert_eq!(change::<Agent>(&record(Some(unmarked.clone()), Some(image(&agent())))), None);
    assert_eq!(change(&record(Some(unmarked.clone()), Some(image(&ticket())))), deleted(agent()));
    assert_eq!(change(&record(Some(image(&ticket())), Some(unmarked))), Some(Changed::Created { new: agent() }));
}

/// A type name of an unknown entity, and a type name that is not a text.
#[test]
fn an_unknown_type_name_deletes_the_entity() {
    for mark in [s("robot"), n(1)] {
        let mut other = image(&agent());
        other.insert("_type".to_owned(), mark);
        assert_eq!(change(&record(Some(image(&agent())), Some(other.clone()))), deleted(agent()));
        assert_eq!(change(&record(Some(other), Some(image(&agent())))), Some(Changed::Created { new: agent() }));
    }
}

#[test]
fn a_record_of_another_type_name_is_skipped() {
    for record in [
        record(None, Some(image(&agent()))),
        record(Some(image(&agent())), Some(image(&Agent { name: "Eve".to_owned(), ..agent() }))),
        record(Some(image(&agent())), None),
    ] {
        assert_eq!(change::<Ticket>(&record), None);
        assert!(record.is_of::<Agent>() && !record.is_of::<Ticket>());
    }
}

/// Without the old image, the record does not show whether the row was a ticket.
#[test]
fn a_record_without_its_old_image_is_refused_despite_another_type_name() {
    let record = Record::new(Event::Modify, image(&agent())).with_new_image(image(&agent()));
    let error = record.change::<Ticket>().expect_err("one image").to_string();
    assert!(error.contains("has no old image"), "{error}");
}

#[tokio::test]
async fn a_stream_reports_a_put_over_another_entity_to_both() {
    pause();
    let world = streamed::<Agent>().await;
    ticket().put().send(&world.repository).await.expect("sent").applied().expect("applied");
    // A put in a batch has no condition: it replaces the ticket.
    let batch = BatchWrite::new().add(agent().put()).send(&world.repository).await.expect("a batch");
    batch.applied().expect("applied");
    let records = records::<Agent>(&world).await;
    let tickets: Vec<_> = records.iter().filter_map(change::<Ticket>).collect();
    let agents: Vec<_> = records.iter().filter_map(change::<Agent>).collect();
    let deleted = Changed::Deleted { old: ticket(), tombstone: None, expired: false };
    assert_eq!(tickets, [Changed::Created { new: ticket() }, deleted]);
    assert_eq!(agents, [Changed::Created { new: agent() }]);
}
