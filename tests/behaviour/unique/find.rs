//! The read by a unique value.

use super::{Member, User, delete_foreign, member, user, user_key};
use dyno::Transaction;
use dyno_tests::world;

#[tokio::test]
async fn the_item_with_a_value_is_found_consistently() {
    let world = world::<User>().await;
    let repository = &world.repository;
    applied!(user("1", "a@x").create(), repository);
    let metered = repository.metered();
    assert_eq!(User::get_by_email("a@x").send(&metered).await.expect("a read"), Some(user("1", "a@x")));
    assert_eq!((metered.usage().requests, metered.usage().read_units), (2, 2.0));
    assert_eq!(
        User::get_by_handle("acme", "handle of 1").send(repository).await.expect("a read"),
        Some(user("1", "a@x"))
    );
    let metered = repository.metered();
    assert_eq!(User::get_by_email("b@x").send(&metered).await.expect("a read"), None);
    assert_eq!(metered.usage().requests, 1);
}

#[tokio::test]
async fn an_item_that_gave_its_value_up_is_not_found() {
    let world = world::<User>().await;
    let repository = &world.repository;
    applied!(user("1", "a@x").create(), repository);
    applied!(User::update("1").with(User::fields().email.clear()), repository);
    assert_eq!(User::get_by_email("a@x").send(repository).await.expect("a read"), None);
    applied!(user("2", "a@x").create(), repository);
    assert_eq!(User::get_by_email("a@x").send(repository).await.expect("a read"), Some(user("2", "a@x")));
    delete_foreign(&world, "users", user_key("2")).await;
    assert_eq!(User::get_by_email("a@x").send(repository).await.expect("a read"), None);
}

#[tokio::test]
async fn a_loaded_item_has_its_version() {
    let world = world::<Member>().await;
    let repository = &world.repository;
    applied!(member(1, "a@x").create(), repository);
    let loaded = Member::get_by_email("a@x").loaded().send(repository).await.expect("a read").expect("a member");
    applied!(Member { visits: 1, ..loaded.entity.clone() }.put().over(&loaded), repository);
    Member::delete(1u64, 2u64).send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(Member::get_by_email("a@x").send(repository).await.expect("a read"), None);
}

/// The guard is read, then the value moves to another item, and then the item is read.
#[tokio::test]
async fn a_value_that_moves_to_another_item_meanwhile_is_found_there() {
    let world = world::<User>().await;
    let repository = world.repository.clone();
    applied!(user("1", "a@x").create(), &repository);
    applied!(user("2", "b@x").create(), &repository);
    world.faults.hold_after(1);
    let find = tokio::spawn({
        let repository = repository.clone();
        async move { User::get_by_email("a@x").send(&repository).await }
    });
    world.faults.held().await;
    let set = |id: &str, email: &str| User::update(id).with(User::fields().email.set(email));
    let swap = Transaction::new().update(set("1", "b@x")).update(set("2", "a@x"));
    swap.send(&world.other()).await.expect("sent").applied().expect("applied");
    world.faults.release();
    let found = find.await.expect("no panic").expect("a read");
    assert_eq!(found.map(|user| user.id), Some("2".to_owned()));
}
