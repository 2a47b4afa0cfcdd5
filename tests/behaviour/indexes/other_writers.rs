//! Rows of other programs with index keys that their fields do not make: queries by the index find such a row by another value, or miss
//! it. `inspect_table` says so, and `modify_each` repairs them.

use super::{Order, ids, orders};
use dyno::table::{Remedy, RowFinding};
use dyno::{Entity, EpochMillis};
use dyno_tests::{NOW, World, n, s, world};

/// Changes a row as a program does that does not know the index.
async fn change(world: &World, [customer, id]: [&str; 2], expression: &str, values: &[(&str, &str)]) {
    let mut update = world.repository.client().update_item().table_name("orders").update_expression(expression);
    for (name, value) in values {
        update = update.expression_attribute_values(*name, s(value));
    }
    let update = update.key("PK", s(&format!("Customer#{customer}"))).key("SK", s(&format!("Order#{id}")));
    update.send().await.expect("an update");
}

async fn found(world: &World, city: &str) -> Vec<u32> {
    ids(&Order::by_city(city).send(&world.repository).await.expect("a query").items)
}

#[tokio::test]
async fn an_index_key_that_the_fields_do_not_make_is_found_and_repaired() {
    let world = orders().await;
    // In another case; of an old city; of an old courier, in the sort key; and of a city that was removed.
    change(&world, ["ada", "000001"], "SET GSI1PK = :key", &[(":key", "CITY#Bern")]).await;
    change(&world, ["ada", "000002"], "SET city = :city", &[(":city", "Basel")]).await;
    change(&world, ["bob", "000004"], "SET courier = :courier", &[(":courier", "Bike")]).await;
    change(&world, ["bob", "000005"], "REMOVE city", &[]).await;
    assert_eq!(found(&world, "Bern").await, [2, 4], "a wrong item, and without the first");
    assert_eq!(found(&world, "Basel").await, [5], "an item without a city, and without the second");
    let inspection = world.repository.inspect_table::<Order>(usize::MAX).await.expect("an inspection");
    let stale = |attribute| RowFinding::StaleIndexKey { index: "GSI1", attribute };
    let what: Vec<_> = inspection.findings.iter().map(|finding| (finding.what.clone(), finding.rows)).collect();
    assert_eq!(what, [(stale("GSI1PK"), 3), (stale("GSI1SK"), 1)], "{inspection}");
    assert_eq!(stale("GSI1PK").remedy(), Remedy::RunModifyEach);
    let text = inspection.to_string();
    let expected = "3 × has a key in `GSI1PK` that its fields do not produce, so `GSI1` has it under a wrong key";
    assert!(text.contains(expected), "{text}");
    let progress = Order::scan().modify_each(|_| {}).send(&world.repository).await.expect("sent");
    assert_eq!(progress.completed().expect("no failure").changed(), 4);
    assert_eq!((found(&world, "Bern").await, found(&world, "Basel").await), (vec![4, 1], vec![2]));
    let inspection = world.repository.inspect_table::<Order>(usize::MAX).await.expect("an inspection");
    assert_eq!(inspection.findings, [], "{inspection}");
}

/// An entity with each rule that a repair could disturb.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "seats")]
#[history_table]
#[tombstone(ttl_days = 7)]
#[transactional]
#[index(name = "by_train", partition(name = "GSI1PK", template = "Train#{train}"))]
struct Seat {
    #[partition_key]
    id: String,
    #[unique]
    code: String,
    train: Option<String>,
    #[updated]
    updated: Option<EpochMillis>,
    #[version]
    version: u64,
}

#[tokio::test]
async fn a_repair_keeps_unique_values_and_times_and_is_a_revision() {
    let world = world::<Seat>().await;
    let repository = &world.repository;
    for (id, code) in [("1", "a"), ("2", "b")] {
        let train = Some("IC1".to_owned());
        let seat = Seat { id: id.to_owned(), code: code.to_owned(), train, updated: None, version: 0 };
        applied!(seat.create(), repository);
    }
    for (id, expression) in [("1", "SET GSI1PK = :old"), ("2", "REMOVE train SET code = :old")] {
        let update = repository.client().update_item().table_name("seats").key("id", s(id));
        let update = update.update_expression(expression).expression_attribute_values(":old", s("Train#IC9"));
        update.send().await.expect("an update");
    }
    world.clock.advance(1000);
    let progress = Seat::scan().modify_each(|_| {}).send(repository).await.expect("sent");
    assert_eq!(progress.completed().expect("no failure").changed(), 2);
    let mut stored = world.stored::<Seat>().await;
    stored.sort_by_key(|item| item["id"].as_s().cloned().expect("a text"));
    let keys: Vec<_> = stored.iter().map(|item| item.get("GSI1PK")).collect();
    assert_eq!(keys, [Some(&s("Train#IC1")), None]);
    for item in &stored {
        assert_eq!((&item["version"], &item["updated"]), (&n(2), &n(NOW)), "a repair is no change of the item");
    }
    let revision = Seat::revision("1", 2u64).send(repository).await.expect("a get").expect("a revision");
    assert_eq!(revision.item().get("GSI1PK"), Some(&s("Train#IC1")));
    // The run has claimed the value that the other program has stored.
    let other = Seat { id: "3".to_owned(), code: "Train#IC9".to_owned(), train: None, updated: None, version: 0 };
    assert!(!other.create().send(repository).await.expect("sent").is_applied());
    assert_eq!(repository.inspect_table::<Seat>(usize::MAX).await.expect("an inspection").findings, []);
}
