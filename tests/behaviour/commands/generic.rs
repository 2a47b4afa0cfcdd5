//! Generic entities.

use dyno::Entity;
use dyno_tests::{reasons, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "users")]
struct Generic<T> {
    #[partition_key]
    id: u64,
    body: T,
    more: Vec<T>,
}

#[tokio::test]
async fn an_entity_may_be_generic() {
    let world = world::<Generic<String>>().await;
    let generic = Generic { id: 1, body: "x".to_owned(), more: vec!["y".to_owned()] };
    generic.put().send(&world.repository).await.expect("a put");
    let update = Generic::<String>::update(1).with(Generic::<String>::fields().body.set("z"));
    assert!(update.send(&world.repository).await.expect("an update").is_applied());
    let found = Generic::<String>::get(1).send(&world.repository).await.expect("a get");
    assert_eq!(found.map(|found| found.body), Some("z".to_owned()));
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "generic")]
#[tombstone(ttl_days = 7)]
struct Ratcheted<T, const N: usize> {
    #[partition_key]
    id: String,
    body: T,
    bytes: [u8; N],
    #[ratchet]
    at: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "generic")]
struct Undeletable<T: dyno::Value> {
    #[partition_key]
    id: String,
    body: T,
    #[ratchet]
    at: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "generic")]
#[tombstone(ttl_days = 7)]
struct Grouped<T> {
    #[partition_key]
    id: String,
    body: T,
    #[ratchet(guards(body))]
    at: u64,
}

#[tokio::test]
async fn a_ratcheted_entity_may_be_generic() {
    let world = world::<Ratcheted<String, 2>>().await;
    let repository = &world.repository;
    let one = Ratcheted { id: "1".to_owned(), body: "x".to_owned(), bytes: [1, 2], at: 10 };
    one.put().send(repository).await.expect("a put").applied().expect("applied");
    assert_eq!(Ratcheted::<String, 2>::get("1").send(repository).await.expect("a get"), Some(one));
    let delete = Ratcheted::<String, 2>::delete("1", 11u64).send(repository).await.expect("a delete");
    assert_eq!(reasons(&delete), []);
    let other = Undeletable { id: "2".to_owned(), body: 7u8, at: 1 };
    other.put().send(repository).await.expect("a put").applied().expect("applied");
    let third = Grouped { id: "3".to_owned(), body: 7u8, at: 1 };
    third.put().send(repository).await.expect("a put").applied().expect("applied");
    let update = Grouped::<u8>::update("3").at(2u64).body(8).send(repository).await.expect("an update");
    assert_eq!(reasons(&update), []);
}
