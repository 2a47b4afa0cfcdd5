//! `modify`, `modify_each`, `rollback`, and puts over what was loaded; and what `inspect_table` says of such rows.

use super::{FINE, Visit, assert_kept, at, foreign, row, stored};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::table::{Remedy, RowFinding};
use dyno::{Entity, Loaded, Repository};
use dyno_tests::{item, n, s, world};
use jiff::Timestamp;

async fn loaded(repository: &Repository) -> Loaded<Visit> {
    Visit::get("1").consistent().loaded().send(repository).await.expect("a get").expect("a visit")
}

#[tokio::test]
async fn a_modify_keeps_what_it_does_not_change() {
    let world = foreign().await;
    let visit = applied!(Visit::modify("1", |visit| visit.notes += 1), &world.repository);
    assert_eq!(
        (visit.at, visit.created, visit.notes),
        (at(FINE), at(FINE), 2),
        "the entity is returned as it was stored"
    );
    assert_kept(&world, 2).await;
}

#[tokio::test]
async fn a_modify_of_nothing_changes_nothing() {
    let world = foreign().await;
    applied!(Visit::modify("1", |_| ()), &world.repository);
    let mut item = stored(&world).await;
    let mut expected = row();
    for name in ["version", "_w"] {
        item.remove(name);
        expected.remove(name);
    }
    assert_eq!(item, expected);
}

#[tokio::test]
async fn modify_each_keeps_what_it_does_not_change() {
    let world = foreign().await;
    let none = Visit::scan().modify_each(|_| ()).send(&world.repository).await.expect("sent");
    assert_eq!(none.completed().expect("no failure").changed(), 0);
    assert_eq!(stored(&world).await, row());
    let each = Visit::scan().modify_each(|visit| visit.notes += 1).send(&world.repository).await.expect("sent");
    assert_eq!(each.completed().expect("no failure").changed(), 1);
    assert_kept(&world, 2).await;
}

#[tokio::test]
async fn a_put_over_what_was_loaded_keeps_what_cannot_be_written() {
    let world = foreign().await;
    let mut read = loaded(&world.repository).await;
    read.entity.notes = 2;
    applied!(read.entity.put().over(&read), &world.repository);
    assert_kept(&world, 2).await;
    let mut read = loaded(&world.repository).await;
    read.entity.notes = 3;
    applied!(read.entity.replace().over(&read), &world.repository);
    assert_kept(&world, 3).await;
}

/// What the caller has changed is written, and what it has changed to something that cannot be written is an error.
#[tokio::test]
async fn a_changed_value_is_never_replaced_by_the_stored_one() {
    let world = foreign().await;
    let repository = &world.repository;
    let finer = at("2024-07-23T21:11:00.1205Z");
    let error = Visit::modify("1", |visit| visit.at = finer).send(repository).await.expect_err("finer than its format");
    assert!(error.is_invalid_input() && error.to_string().contains("`at`: the time is more precise"), "{error}");
    let mut read = loaded(repository).await;
    read.entity.at = finer;
    let error = read.entity.put().over(&read).send(repository).await.expect_err("finer than its format");
    assert!(error.is_invalid_input() && error.to_string().contains("`at`: the time is more precise"), "{error}");
    assert_eq!(stored(&world).await, row());
    let round = |visit: &mut Visit| visit.at = at("2024-07-23T21:11:00.12Z");
    applied!(Visit::modify("1", round), repository);
    let item = stored(&world).await;
    assert_eq!((&item["at"], &item["booked"]), (&s("2024-07-23T21:11:00.120Z"), &s(FINE)));
    let error = Visit::modify("1", |visit| visit.at = finer).send(repository).await.expect_err("finer than its format");
    assert!(error.to_string().contains("`at`: the time is more precise"), "{error}");
}

/// The key of an index that cannot be made of its fields stays as it is stored, unless a field of it is changed.
#[tokio::test]
async fn the_key_of_an_index_stays_unless_its_fields_change() {
    let world = foreign().await;
    let mut foreign = row();
    foreign.insert("day_key".to_owned(), s("DAY#none"));
    world.write_foreign::<Visit>(foreign).await;
    applied!(Visit::modify("1", |visit| visit.notes += 1), &world.repository);
    assert_eq!(stored(&world).await["day_key"], s("DAY#none"));
    applied!(Visit::modify("1", |visit| visit.day = "tue".to_owned()), &world.repository);
    assert_eq!(stored(&world).await["day_key"], s("DAY#tue"));
    let empty = Visit::modify("1", |visit| visit.day.clear()).send(&world.repository).await;
    let error = empty.expect_err("no key is empty").to_string();
    assert!(error.contains("it is part of a key or of an index's key, and cannot be empty"), "{error}");
}

/// The rule writes the time of the last write, so a put does not fail for it. Without the loaded item, a put cannot keep a value.
#[tokio::test]
async fn a_put_does_not_encode_the_time_of_the_last_write() {
    let world = world::<Visit>().await;
    let coarse = at("2024-07-23T21:11:00Z");
    let mut visit = Visit {
        id: "1".to_owned(),
        at: coarse,
        day: "mon".to_owned(),
        booked: None,
        created: coarse,
        updated: at(FINE),
        notes: 1,
        version: 0,
    };
    applied!(visit.put(), &world.repository);
    assert_eq!(stored(&world).await["updated"], s("2100-01-01T00:00:00Z"));
    (visit.at, visit.version) = (at(FINE), 1);
    let error = visit.put().send(&world.repository).await.expect_err("finer than its format");
    assert!(error.is_invalid_input() && error.to_string().contains("`at`: the time is more precise"), "{error}");
}

#[tokio::test]
async fn an_inspection_names_what_cannot_be_written_as_it_is() {
    let world = foreign().await;
    let inspection = world.repository.inspect_table::<Visit>(usize::MAX).await.expect("an inspection");
    let what: Vec<_> = inspection.findings.iter().map(|finding| &finding.what).collect();
    let mut names = Vec::new();
    for finding in &what {
        let RowFinding::NotWritable(problem) = finding else { panic!("{inspection}") };
        assert_eq!(finding.remedy(), Remedy::ChangeTheRow);
        names.push(problem.split('`').nth(1).unwrap_or_default());
    }
    names.sort_unstable();
    assert_eq!(names, ["at", "booked", "created", "day_key.day"], "{inspection}");
    let text = inspection.to_string();
    assert!(text.contains("can be read, but not written unchanged: `at`: the time is more precise"), "{text}");
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "reports")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Report {
    #[partition_key]
    id: String,
    #[attribute(format = "millis")]
    at: Timestamp,
    text: String,
    #[version]
    version: u64,
}

/// A revision has the item as it was stored.
#[tokio::test]
async fn a_rollback_restores_what_cannot_be_written() {
    let world = world::<Report>().await;
    let repository = &world.repository;
    let report = Report { id: "1".to_owned(), at: at("2024-07-23T21:11:00Z"), text: "now".to_owned(), version: 0 };
    applied!(report.put(), repository);
    let image = [("id", s("1")), ("at", s(FINE)), ("text", s("old")), ("version", n(1))];
    let revision = item([("_key", s("1")), ("_version", n(1)), ("_image", AttributeValue::M(item(image)))]);
    let history = repository.history_table_name::<Report>().expect("a name");
    repository.client().put_item().table_name(history).set_item(Some(revision)).send().await.expect("a row");
    applied!(Report::modify("1", |report| report.text.push('!')), repository);
    let restored = applied!(Report::rollback("1", 1u64), repository);
    assert_eq!((restored.at, restored.text.as_str()), (at(FINE), "old"));
    let changed = applied!(Report::modify("1", |report| report.text.push('!')), repository);
    assert_eq!((changed.at, changed.text.as_str()), (at(FINE), "old!"));
    assert_eq!(world.stored::<Report>().await[0]["at"], s(FINE));
    let revision = Report::revision("1", changed.version).send(repository).await.expect("a revision");
    assert_eq!(revision.expect("a revision").item().get("at"), Some(&s(FINE)));
}
