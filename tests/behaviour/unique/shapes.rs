//! Values under older names, NULL, rows of older shapes, and histories.

use super::{guards, pairs, taken};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Item};
use dyno_tests::{item, n, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "people")]
struct Person {
    #[partition_key]
    id: String,
    #[unique]
    #[attribute(alias = "mail")]
    email: Option<String>,
}

fn person(id: &str, email: &str) -> Person {
    Person { id: id.to_owned(), email: Some(email.to_owned()) }
}

#[tokio::test]
async fn a_value_under_an_older_name_is_taken() {
    let world = world::<Person>().await;
    let repository = &world.repository;
    applied!(person("1", "a@x").create(), repository);
    world.write_foreign::<Person>(item([("id", s("1")), ("mail", s("a@x"))])).await;
    let outcome = person("2", "a@x").create().send(repository).await.expect("sent");
    assert_eq!(taken(&outcome), [("email", "id = \"1\"".to_owned())]);
    let found = Person::get_by_email("a@x").send(repository).await.expect("a read");
    assert_eq!(found, Some(person("1", "a@x")));
}

#[tokio::test]
async fn null_is_no_value() {
    let world = world::<Person>().await;
    let repository = &world.repository;
    applied!(person("1", "a@x").create(), repository);
    world.write_foreign::<Person>(item([("id", s("1")), ("email", AttributeValue::Null(true))])).await;
    applied!(person("2", "a@x").create(), repository);
}

/// In version 1, the address was in a document.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "clients", schema_version = 2, upgrade = "upgrade")]
struct Client {
    #[partition_key]
    id: String,
    #[unique]
    email: String,
}

fn upgrade(item: &mut Item, _: u32) -> Result<(), String> {
    match item.remove("contact") {
        Some(AttributeValue::M(contact)) => item.extend(contact),
        _ => return Err("a client of version 1 has a contact".to_owned()),
    }
    Ok(())
}

fn client(id: &str, email: &str) -> Client {
    Client { id: id.to_owned(), email: email.to_owned() }
}

#[tokio::test]
async fn the_value_of_a_row_of_an_older_shape_is_taken() {
    let world = world::<Client>().await;
    let repository = &world.repository;
    let contact = AttributeValue::M(item([("email", s("a@x"))]));
    applied!(client("1", "a@x").create(), repository);
    world.write_foreign::<Client>(item([("id", s("1")), ("contact", contact)])).await;
    let outcome = client("2", "a@x").create().send(repository).await.expect("sent");
    assert_eq!(taken(&outcome), [("email", "id = \"1\"".to_owned())]);
    assert_eq!(Client::get_by_email("a@x").send(repository).await.expect("a read"), Some(client("1", "a@x")));
    Client::delete("1").send(repository).await.expect("a delete");
    applied!(client("2", "a@x").create(), repository);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "contracts")]
#[history_table]
#[tombstone(ttl_days = 7)]
struct Contract {
    #[partition_key]
    id: String,
    #[unique]
    number: u64,
    text: String,
    #[version]
    version: u64,
}

fn contract(id: &str, number: u64) -> Contract {
    Contract { id: id.to_owned(), number, text: String::new(), version: 0 }
}

#[tokio::test]
async fn a_rollback_claims_the_value_of_the_revision() {
    let world = world::<Contract>().await;
    let repository = &world.repository;
    applied!(contract("1", 5).create(), repository);
    Contract::modify("1", |contract| contract.number = 6)
        .send(repository)
        .await
        .expect("sent")
        .applied()
        .expect("applied");
    applied!(contract("2", 5).create(), repository);
    let rollback = Contract::rollback("1", 1).send(repository).await.expect("sent");
    assert_eq!(taken(&rollback), [("number", "id = \"2\"".to_owned())]);
    Contract::delete("2", 1u64).send(repository).await.expect("sent").applied().expect("applied");
    Contract::rollback("1", 1).send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(guards(&world, "contracts", "id").await, pairs([("number|5", "1"), ("number|6", "1")]));
    // A revision in the same table has no unique value: only the item has one.
    applied!(contract("3", 6).create(), repository);
    assert_eq!(world.stored::<Contract>().await.len(), 3);
}

/// An item with more attributes than a condition can name, so only the version and the write id identify the loaded item.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "wide")]
struct Wide {
    #[partition_key]
    id: String,
    #[unique]
    code: u64,
    #[version]
    version: u64,
    #[attribute(rest)]
    rest: Item,
}

#[tokio::test]
async fn a_write_over_a_wide_item_requires_the_value_that_it_relies_on() {
    let world = world::<Wide>().await;
    let repository = &world.repository;
    let rest: Item = (0..90).map(|number| (format!("a{number}"), n(number))).collect();
    applied!(Wide { id: "1".to_owned(), code: 5, version: 0, rest }.create(), repository);
    let loaded = Wide::get("1").loaded().send(repository).await.expect("a get").expect("an item");
    // A program that does not count versions changes the value, and another item claims the old value.
    let mut row = world.stored::<Wide>().await.remove(0);
    row.insert("code".to_owned(), n(6));
    world.write_foreign::<Wide>(row).await;
    applied!(Wide { id: "2".to_owned(), code: 5, version: 0, rest: Item::new() }.create(), repository);
    let late = loaded.entity.clone().put().over(&loaded).send(repository).await.expect("sent");
    assert!(!late.is_applied());
}

/// Seats of a hall: a number is unique within its row, which is the partition, and a code among all seats, which is the sort key.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "seats", type_name = "Seat")]
#[unique(name = "number", fields(hall, number))]
struct Seat {
    #[partition_key]
    hall: String,
    #[sort_key]
    #[unique]
    code: u64,
    number: Option<u32>,
    guest: String,
}

fn seat(hall: &str, code: u64, number: u32) -> Seat {
    Seat { hall: hall.to_owned(), code, number: Some(number), guest: String::new() }
}

#[tokio::test]
async fn a_unique_value_can_have_fields_of_the_key() {
    let world = world::<Seat>().await;
    let repository = &world.repository;
    applied!(seat("a", 1, 1).create(), repository);
    applied!(seat("b", 2, 1).create(), repository);
    applied!(seat("a", 3, 3).create(), repository);
    let set = |hall: &str, code: u64, number: u32| Seat::update((hall, code)).with(Seat::fields().number.set(number));
    let outcome = set("a", 3, 1).send(repository).await.expect("sent");
    assert_eq!(taken(&outcome), [("number", "hall = \"a\", code = 1".to_owned())]);
    applied!(set("a", 1, 4), repository);
    applied!(set("a", 3, 1), repository);
    assert_eq!(
        taken(&seat("c", 1, 1).create().send(repository).await.expect("sent")),
        [("code", "hall = \"a\", code = 1".to_owned())]
    );
    let found = Seat::get_by_number("a", 1u32).send(repository).await.expect("a read");
    assert_eq!(found, Some(seat("a", 3, 1)));
    // An upsert creates the item, and so claims the value that is in its key.
    let upsert = |hall: &str, code: u64| Seat::update((hall, code)).upsert().with(Seat::fields().guest.set("ada"));
    assert_eq!(
        taken(&upsert("c", 2).send(repository).await.expect("sent")),
        [("code", "hall = \"b\", code = 2".to_owned())]
    );
    applied!(upsert("c", 5), repository);
    assert!(!seat("a", 5, 9).create().send(repository).await.expect("sent").is_applied());
}

/// The unique value is the sort key, which a tombstone keeps.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "tickets")]
#[tombstone(ttl_days = 7)]
struct Ticket {
    #[partition_key]
    hall: String,
    #[sort_key]
    #[unique]
    code: u64,
    #[version]
    version: u64,
}

#[tokio::test]
async fn a_tombstone_whose_key_is_the_value_does_not_have_it() {
    let world = world::<Ticket>().await;
    let repository = &world.repository;
    let ticket = |hall: &str| Ticket { hall: hall.to_owned(), code: 1, version: 0 };
    let version = applied!(ticket("a").create(), repository);
    assert!(!ticket("b").create().send(repository).await.expect("sent").is_applied());
    applied!(Ticket::delete(("a", 1u64), version), repository);
    assert_eq!(Ticket::get_by_code(1u64).send(repository).await.expect("a read"), None);
    let swept = dyno::command::SweepGuards::<Ticket>::new().send(repository).await.expect("a sweep");
    assert_eq!((swept.kept, swept.removed), (0, 1));
    applied!(ticket("b").create(), repository);
    applied!(Ticket::delete(("b", 1u64), 1u64), repository);
    applied!(ticket("c").create(), repository);
}

#[tokio::test]
async fn an_update_over_a_wide_item_requires_the_value_that_it_sets_again() {
    let world = world::<Wide>().await;
    let repository = &world.repository;
    let rest: Item = (0..90).map(|number| (format!("a{number}"), n(number))).collect();
    applied!(Wide { id: "1".to_owned(), code: 5, version: 0, rest }.create(), repository);
    let loaded = Wide::get("1").loaded().send(repository).await.expect("a get").expect("an item");
    let mut row = world.stored::<Wide>().await.remove(0);
    row.insert("code".to_owned(), n(6));
    world.write_foreign::<Wide>(row).await;
    applied!(Wide { id: "2".to_owned(), code: 5, version: 0, rest: Item::new() }.create(), repository);
    let late =
        Wide::update("1").over(&loaded).with(Wide::fields().code.set(5u64)).send(repository).await.expect("sent");
    assert!(!late.is_applied());
}

/// Some programs mark deleted rows, and keep their data.
#[tokio::test]
async fn a_row_that_another_program_marks_as_deleted_has_no_value() {
    let world = world::<Contract>().await;
    let repository = &world.repository;
    applied!(contract("1", 5).create(), repository);
    let mut row = world.stored::<Contract>().await.remove(0);
    row.insert("deleted".to_owned(), AttributeValue::Bool(true));
    world.write_foreign::<Contract>(row).await;
    applied!(contract("2", 5).create(), repository);
}

/// A program of the release before `Writer`.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "writers", schema_version = 1)]
struct EarlierWriter {
    #[partition_key]
    id: String,
    #[unique]
    mail: String,
}

/// The release that renames `mail`, and raises the schema version.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "writers", schema_version = 2, upgrade = "unchanged")]
struct Writer {
    #[partition_key]
    id: String,
    #[unique(name = "mail")]
    #[attribute(alias = "mail")]
    email: String,
}

#[expect(clippy::unnecessary_wraps, reason = "an upgrade can fail")]
fn unchanged(_: &mut Item, _: u32) -> Result<(), String> {
    Ok(())
}

#[tokio::test]
async fn the_value_of_a_row_of_a_newer_shape_is_taken() {
    let world = world::<Writer>().await;
    let repository = &world.repository;
    let writer = |id: &str| Writer { id: id.to_owned(), email: "a@x".to_owned() };
    let earlier = |id: &str| EarlierWriter { id: id.to_owned(), mail: "a@x".to_owned() };
    applied!(writer("1").create(), repository);
    let outcome = earlier("2").create().send(repository).await.expect("sent");
    assert_eq!(taken(&outcome), [("mail", "id = \"1\"".to_owned())]);
    // The newer program takes over what the item has lost, and so does the older one.
    Writer::delete("1").send(repository).await.expect("a delete");
    applied!(earlier("2").create(), repository);
    let outcome = writer("1").create().send(repository).await.expect("sent");
    assert_eq!(taken(&outcome), [("mail", "id = \"2\"".to_owned())]);
}
