//! Immutable attributes: a live item keeps the first value, whichever writer sends which write.

mod absent_values;
mod many;
#[cfg(feature = "all")]
mod transactions;
mod updates;
mod versions;

use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Entity, EpochSeconds, Item, Reason};
use dyno_tests::{NOW, item, n, reasons, s, world};

/// A file of one tenant.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "files")]
#[tombstone(ttl_days = 7)]
struct File {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    tenant: String,
    text: String,
}

/// An upload, in the same table, that expires.
#[derive(Entity)]
#[entity(table = "files")]
struct Upload {
    #[partition_key]
    id: String,
    #[attribute(immutable)]
    tenant: String,
    #[ttl]
    expires: EpochSeconds,
}

fn file(tenant: &str, text: &str) -> File {
    File { id: "1".to_owned(), tenant: tenant.to_owned(), text: text.to_owned() }
}

const CHANGED: [Reason; 1] = [Reason::Immutable { attribute: "tenant" }];

#[tokio::test]
async fn a_put_of_another_value_is_refused() {
    let world = world::<File>().await;
    let repository = &world.repository;
    applied!(file("a", "1").put(), repository);
    assert_eq!(refused!(file("b", "2").put(), repository), CHANGED);
    assert_eq!(refused!(file("b", "2").replace(), repository), CHANGED);
    applied!(file("a", "3").put(), repository);
    applied!(file("a", "4").replace(), repository);
    assert_eq!(File::get("1").send(repository).await.expect("a get"), Some(file("a", "4")));
}

#[tokio::test]
async fn a_refusal_names_the_attribute_and_has_the_item() {
    let world = world::<File>().await;
    applied!(file("a", "1").put(), &world.repository);
    let outcome = file("b", "2").put().send(&world.repository).await.expect("sent");
    let refusal = outcome.refusal().expect("a refusal");
    assert_eq!(
        refusal.to_string(),
        "put of `File` (id = \"1\") was refused: `tenant` is immutable, and the stored value differs from the write's"
    );
    let found = refusal.current().expect("decodes").expect("an item");
    assert_eq!(found.live(), Some(file("a", "1")));
}

#[tokio::test]
async fn a_new_item_after_a_delete_or_an_expiry_may_have_another_value() {
    let world = world::<File>().await;
    let repository = &world.repository;
    applied!(file("a", "1").put(), repository);
    File::delete("1").send(repository).await.expect("a delete");
    applied!(file("b", "2").put(), repository);
    File::delete("1").send(repository).await.expect("a delete");
    applied!(file("c", "3").undelete(), repository);
    assert_eq!(refused!(file("d", "4").put(), repository), CHANGED);

    let upload = |tenant: &str| Upload {
        id: "2".to_owned(),
        tenant: tenant.to_owned(),
        expires: EpochSeconds::new(NOW / 1000 + 60),
    };
    applied!(upload("a").put(), repository);
    assert_eq!(refused!(upload("b").put(), repository), CHANGED);
    world.clock.advance(61_000);
    applied!(upload("b").put(), repository);
}

/// The answer is lost and the SDK sends the put again, which then finds its own item.
#[tokio::test]
async fn a_put_whose_answer_is_lost_is_applied() {
    let world = world::<File>().await;
    let before = world.faults.events().len();
    world.lose_answers(1);
    applied!(file("a", "1").put(), &world.repository);
    assert_eq!(world.faults.events().len() - before, 2);
}

#[tokio::test]
async fn of_two_writers_with_different_values_one_is_refused() {
    let world = world::<File>().await;
    let other = world.process(RetryConfig::standard());
    let (ours, theirs) = (file("a", "1").put(), file("b", "2").put());
    let (ours, theirs) = tokio::join!(ours.send(&world.repository), theirs.send(&other.repository));
    let refused: Vec<_> = [ours, theirs].into_iter().map(|outcome| reasons(&outcome.expect("sent"))).collect();
    assert!(refused.contains(&Vec::new()) && refused.contains(&CHANGED.to_vec()), "{refused:?}");
}

#[tokio::test]
async fn clones_of_a_put_are_all_applied() {
    let world = world::<File>().await;
    let put = file("a", "1").put();
    applied!(put.clone(), &world.repository);
    applied!(put, &world.repository);
}

/// Another program has stored a value of another type, which counts as another value.
#[tokio::test]
async fn a_value_of_another_type_is_kept() {
    let world = world::<File>().await;
    world.write_foreign::<File>(item([("id", s("1")), ("tenant", n(7)), ("text", s("1"))])).await;
    assert_eq!(refused!(file("7", "2").put(), &world.repository), CHANGED);
    let stored: Vec<Item> = world.stored::<File>().await;
    assert_eq!(stored[0]["tenant"], n(7));
}
