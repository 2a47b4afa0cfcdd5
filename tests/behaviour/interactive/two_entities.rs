//! A row that the closure reads as one entity and writes as another one.

use dyno::{Entity, Transaction};
use dyno_tests::world;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "shared", type_name = "cat")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Cat {
    #[partition_key]
    id: String,
    lives: u64,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "shared", type_name = "dog")]
#[tombstone(ttl_days = 7)]
#[history_table]
#[transactional]
struct Dog {
    #[partition_key]
    id: String,
    tricks: u64,
    #[version]
    version: u64,
}

fn dog(tricks: u64) -> Dog {
    Dog { id: "rex".to_owned(), tricks, version: 0 }
}

/// The row gets the type name and the history of the entity that was written.
#[tokio::test]
async fn a_row_gets_the_type_name_and_history_of_the_entity_written() {
    for is_trained in [false, true] {
        let world = world::<Cat>().await;
        world.repository.create_table::<Dog>().await.expect("its history's table");
        let adopt = Transaction::interactive(|tx| async move {
            if tx.get(Cat::get("rex")).await?.is_some() {
                return Err("it is a cat".into());
            }
            tx.put(dog(1).create());
            if is_trained {
                tx.put(Dog { version: 1, ..dog(2) }.put());
            }
            Ok(())
        });
        adopt.send(&world.repository).await.expect("sent").applied().expect("applied");
        let tricks = if is_trained { 2 } else { 1 };
        let stored = Dog::get("rex").consistent().send(&world.repository).await.expect("a get");
        assert_eq!(stored, Some(Dog { version: 1, ..dog(tricks) }));
        let revision = Dog::revision("rex", 1).send(&world.repository).await.expect("a get");
        assert!(revision.is_some(), "its history knows it");
    }
}

/// One action cannot write two entities.
#[tokio::test]
async fn writes_of_one_row_as_two_entities_are_refused() {
    let world = world::<Cat>().await;
    let both = Transaction::interactive(|tx| async move {
        tx.put(Cat { id: "rex".to_owned(), lives: 9, version: 0 }.create());
        tx.put(dog(1).create());
        Ok(())
    });
    let error = both.send(&world.repository).await.expect_err("two entities");
    assert!(error.is_invalid_input(), "{error:?}");
    assert_eq!(
        error.to_string(),
        "create of `Dog` (id = \"rex\"): action 1 of the transaction: an earlier write of this transaction wrote the same item \
         as `Cat`: write it as one entity"
    );
}
