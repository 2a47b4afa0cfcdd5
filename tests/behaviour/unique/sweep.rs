//! The sweep of guards whose value no item has.

use super::{Member, User, guards, member, pairs, user};
use dyno::command::SweepGuards;
use dyno_tests::{item, s, world};

#[tokio::test]
async fn guards_that_no_item_has_the_value_of_are_removed() {
    let world = world::<User>().await;
    let repository = &world.repository;
    for (id, email) in [("1", "a@x"), ("2", "b@x"), ("3", "c@x")] {
        applied!(user(id, email).create(), repository);
    }
    applied!(User::update("1").with(User::fields().email.set("d@x")), repository);
    User::delete("2").send(repository).await.expect("a delete");
    let others =
        [("_key", s("serial|7")), ("_of", dyno::aws_sdk_dynamodb::types::AttributeValue::M(item([("id", s("9"))])))];
    let foreign = [("_key", s("email|z@x")), ("by", s("somebody"))];
    for row in [item(others), item(foreign)] {
        repository.client().put_item().table_name("users-unique").set_item(Some(row)).send().await.expect("a put");
    }
    let swept = SweepGuards::<User>::new().send(repository).await.expect("a sweep");
    assert_eq!((swept.kept, swept.removed, swept.changed, swept.foreign), (4, 3, 0, 1));
    let again = SweepGuards::<User>::new().send(repository).await.expect("a sweep");
    assert_eq!((again.kept, again.removed), (4, 0));
}

#[tokio::test]
async fn a_guard_that_is_claimed_meanwhile_stays() {
    let world = world::<Member>().await;
    let repository = world.repository.clone();
    let version = applied!(member(1, "a@x").create(), &repository);
    Member::delete(1u64, version).send(&repository).await.expect("sent").applied().expect("applied");
    // The sweep has read the guard and its item.
    world.faults.hold_after(2);
    let sweep = tokio::spawn({
        let repository = repository.clone();
        async move { SweepGuards::<Member>::new().send(&repository).await }
    });
    world.faults.held().await;
    let undelete = Member { version: version + 1, ..member(1, "a@x") }.undelete();
    applied!(undelete, &world.other());
    world.faults.release();
    let swept = sweep.await.expect("no panic").expect("a sweep");
    assert_eq!((swept.removed, swept.changed), (0, 1));
    assert_eq!(guards(&world, "members", "id").await, pairs([("email|a@x", "1")]));
}
