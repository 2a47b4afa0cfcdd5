//! Two entities of one table, which no `Entities` lists, with a unique value of one name. They have one table of guards, so a guard of
//! one could be taken for one of the other. No value is lost by that: the one that comes second learns of it.

use super::{guards, pairs};
use dyno::{Entity, ErrorKind, Repository, Transaction};
use dyno_tests::{World, item, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "people", type_name = "Guest")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Guest {
    #[partition_key]
    id: String,
    #[unique]
    email: String,
    #[version]
    version: u64,
}

/// Its attribute of the unique value has another name.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "people", type_name = "Staff")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Staff {
    #[partition_key]
    id: String,
    #[attribute(rename = "mail")]
    #[unique(name = "email")]
    email: String,
    #[version]
    version: u64,
}

/// Told from the others by its key.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "people")]
#[partition_key(name = "id", template = "Robot#{number}")]
struct Robot {
    number: u32,
    #[unique]
    email: String,
}

fn guest(id: &str, email: &str) -> Guest {
    Guest { id: id.to_owned(), email: email.to_owned(), version: 0 }
}

fn staff(id: &str, email: &str) -> Staff {
    Staff { id: id.to_owned(), email: email.to_owned(), version: 0 }
}

/// A guest and a member of the staff, in the processes of two services.
async fn two_services() -> (World, Repository) {
    let world = world::<Guest>().await;
    let other = world.other();
    applied!(guest("1", "a@x").create(), &world.repository);
    applied!(staff("2", "b@x").create(), &other);
    (world, other)
}

/// Asserts that a claim was refused because the guard names an item of another entity.
macro_rules! assert_of_another {
    ($outcome:expr, $holder:literal) => {{
        let outcome = $outcome.expect("sent");
        let text = outcome.refusal().expect("refused").to_string();
        let expected = concat!("the unique value `email` is taken by an item of another entity, ", $holder);
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("give one of them another name"), "{text}");
    }};
}

#[tokio::test]
async fn neither_takes_a_value_that_the_other_has() {
    let (world, other) = two_services().await;
    let repository = &world.repository;
    assert_of_another!(staff("3", "a@x").create().send(&other).await, "id = \"1\"");
    assert_of_another!(guest("4", "b@x").create().send(repository).await, "id = \"2\"");
    // Each still has its guard, and no second item gets the value.
    let refused = guest("5", "a@x").create().send(repository).await.expect("sent");
    assert!(refused.refusal().expect("refused").is_taken());
    let refused = staff("6", "b@x").create().send(&other).await.expect("sent");
    assert!(refused.refusal().expect("refused").is_taken());
    assert_eq!(
        Guest::get_by_email("a@x").send(repository).await.expect("a get"),
        Some(Guest { version: 1, ..guest("1", "a@x") })
    );
    assert_eq!(
        Staff::get_by_email("b@x").send(&other).await.expect("a get"),
        Some(Staff { version: 1, ..staff("2", "b@x") })
    );
    assert_eq!(world.stored::<Guest>().await.len(), 2);
}

#[tokio::test]
async fn updates_and_transactions_do_not_take_it_either() {
    let (world, other) = two_services().await;
    let update = Staff::update("2").version(1).with(Staff::fields().email.set("a@x"));
    assert_of_another!(update.send(&other).await, "id = \"1\"");
    let modify = Staff::modify("2", |staff| "a@x".clone_into(&mut staff.email));
    assert_of_another!(modify.send(&other).await, "id = \"1\"");
    let native = Transaction::new().put(staff("3", "a@x").create());
    assert_of_another!(native.send(&other).await, "id = \"1\"");
    let closure = Transaction::interactive(|tx| async move {
        tx.put(staff("3", "a@x").create());
        Ok(())
    });
    assert_of_another!(closure.send(&other).await, "id = \"1\"");
    assert_eq!(guards(&world, "people", "id").await, pairs([("email|a@x", "1"), ("email|b@x", "2")]));
}

/// If the item is gone, its guard is free for both.
#[tokio::test]
async fn a_guard_whose_item_is_gone_is_free() {
    let (world, other) = two_services().await;
    let key = item([("id", s("1"))]);
    world.repository.client().delete_item().table_name("people").set_key(Some(key)).send().await.expect("a delete");
    applied!(staff("3", "a@x").create(), &other);
    assert_eq!(guards(&world, "people", "id").await, pairs([("email|a@x", "3"), ("email|b@x", "2")]));
}

/// A read by the value does not answer "none" where the guard says nothing about the entity.
#[tokio::test]
async fn a_read_by_a_value_of_the_other_is_an_error() {
    let (world, other) = two_services().await;
    let error = Staff::get_by_email("a@x").send(&other).await.expect_err("the guard of another entity");
    assert_eq!(error.kind(), ErrorKind::Decode, "{error}");
    assert!(error.to_string().contains("give one of them another name"), "{error}");
    assert_eq!(Guest::get_by_email("c@x").send(&world.repository).await.expect("a get"), None);
}

#[tokio::test]
async fn a_sweep_of_one_leaves_the_guards_of_the_other() {
    let (world, other) = two_services().await;
    let swept = dyno::command::SweepGuards::<Staff>::new().send(&other).await.expect("a sweep");
    assert_eq!((swept.kept, swept.removed, swept.foreign), (1, 0, 1));
    assert_eq!(guards(&world, "people", "id").await, pairs([("email|a@x", "1"), ("email|b@x", "2")]));
}

/// A key that no item of the entity can have is one of another entity, also where neither item has a mark.
#[tokio::test]
async fn an_entity_is_told_from_another_by_its_key() {
    let (world, _) = two_services().await;
    let other = world.other();
    let robot = |number, email: &str| Robot { number, email: email.to_owned() };
    applied!(robot(1, "r@x").create(), &other);
    assert_of_another!(robot(2, "a@x").create().send(&other).await, "id = \"1\"");
    // A guest can have any key, so to its program the robot is a guest without a mark.
    let refused = guest("7", "r@x").create().send(&world.repository).await.expect("sent");
    assert!(refused.refusal().expect("refused").is_taken());
}

/// `modify_each` adopts no value of the other.
#[tokio::test]
async fn an_adoption_reports_a_value_of_the_other() {
    let (world, other) = two_services().await;
    let row = [("id", s("3")), ("mail", s("a@x")), ("_type", s("Staff")), ("version", dyno_tests::n(1))];
    world.write_foreign::<Guest>(item(row)).await;
    let progress = Staff::scan().modify_each(|_| {}).send(&other).await.expect("a run");
    let [failure] = progress.failures() else { panic!("{:?}", progress.failures()) };
    assert!(failure.to_string().contains("an item of another entity"), "{failure}");
}

/// One process that uses both learns of it before any request.
#[tokio::test]
async fn a_repository_refuses_two_entities_with_unique_values_of_one_name() {
    let world = world::<Guest>().await;
    let repository = world.repository.metered();
    assert_eq!(Guest::get_by_email("a@x").send(&repository).await.expect("a get"), None);
    let before = repository.usage().requests;
    let created = repository.create_table::<Staff>().await.map(drop);
    let verified = repository.verify_table::<Staff>().await.map(drop);
    let put = staff("2", "b@x").create().send(&repository).await.map(drop);
    for error in [created, verified, put].map(|sent| sent.expect_err("two entities")) {
        assert!(error.is_invalid_input(), "{error}");
        let text = error.to_string();
        assert!(text.contains("`Guest` and `Staff`") && text.contains("`email`"), "{text}");
    }
    assert_eq!(repository.usage().requests, before);
}
