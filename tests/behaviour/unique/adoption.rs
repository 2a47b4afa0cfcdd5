//! Items that are older than the rule: `modify_each` claims their values, and reports duplicates.

use super::{Member, User, guards, member, user};
use dyno::{Entity, Reason};
use dyno_tests::{World, is_remote, world};

/// Puts users without guards.
async fn users_from_before(world: &World, users: &[User]) {
    for user in users {
        world.write_foreign::<User>(user.to_item().expect("an item")).await;
    }
}

#[tokio::test]
async fn each_value_is_claimed_and_each_duplicate_is_reported_with_both_keys() {
    let world = world::<User>().await;
    let repository = &world.repository;
    users_from_before(
        &world,
        &[user("1", "a@x"), user("2", "b@x"), user("3", "a@x"), User { email: None, ..user("4", "") }],
    )
    .await;
    let progress = User::scan().modify_each(|_| {}).send(repository).await.expect("a run");
    assert_eq!((progress.changed(), progress.unchanged(), progress.failed()), (3, 0, 1));
    let [failure] = progress.failures() else { panic!("{:?}", progress.failures()) };
    let refusal = failure.error().refusal::<User>().expect("a refusal");
    let [Reason::Taken { constraint: "email", holder }] = refusal.reasons() else { panic!("{refusal:?}") };
    let mut both = [failure.key().expect("a key")["id"].clone(), holder.attributes()["id"].clone()];
    both.sort_by_key(|id| id.as_s().cloned().expect("a text"));
    assert_eq!(both, [dyno_tests::s("1"), dyno_tests::s("3")]);
    assert!(failure.to_string().contains("modify_each of `User`"), "{failure}");
    assert!(!user("5", "b@x").create().send(repository).await.expect("sent").is_applied());
    // One of the two items gets another value. A second run then finds nothing else to do.
    applied!(User::update("3").with(User::fields().email.set("c@x")), repository);
    let metered = repository.metered();
    let progress = User::scan().modify_each(|_| {}).send(&metered).await.expect("a run");
    assert_eq!(progress.completed().expect("nothing failed").failed(), 0);
    if !is_remote() {
        assert!(metered.usage().requests <= 3, "a page, its guards, and at most one claim");
    }
    assert_eq!(guards(&world, "users", "id").await.len(), 7);
}

#[tokio::test]
async fn an_item_of_a_checkpoint_that_failed_is_adopted_later() {
    let world = world::<User>().await;
    let repository = &world.repository;
    users_from_before(&world, &[user("1", "a@x"), user("3", "a@x")]).await;
    let first = User::scan().modify_each(|_| {}).send(repository).await.expect("a run");
    assert_eq!(first.failed(), 1);
    let kept = first.failures()[0].key().expect("a key")["id"].as_s().expect("a text").clone();
    let other = if kept == "1" { "3" } else { "1" };
    User::delete(other).send(repository).await.expect("a delete");
    let second =
        User::scan().modify_each(|_| {}).after(first.checkpoint().clone()).send(repository).await.expect("a run");
    assert_eq!((second.failed(), second.completed().is_ok()), (0, true));
    assert!(!user("5", "a@x").create().send(repository).await.expect("sent").is_applied());
}

#[tokio::test]
async fn a_change_of_the_run_claims_the_new_value() {
    let world = world::<User>().await;
    let repository = &world.repository;
    users_from_before(&world, &[user("1", "A@X"), user("2", "B@X")]).await;
    let lower = |user: &mut User| user.email = user.email.as_ref().map(|email| email.to_lowercase());
    let progress = User::scan().modify_each(lower).send(repository).await.expect("a run");
    assert_eq!(progress.completed().expect("nothing failed").changed(), 2);
    let names: Vec<String> = guards(&world, "users", "id").await.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["email|a@x", "email|b@x", "handle|acme|handle of 1", "handle|acme|handle of 2"]);
}

#[tokio::test]
async fn a_versioned_item_is_adopted_without_a_new_version() {
    let world = world::<Member>().await;
    let repository = &world.repository;
    let row = Member { version: 3, ..member(1, "a@x") };
    world.write_foreign::<Member>(row.to_item().expect("an item")).await;
    let progress = Member::scan().modify_each(|_| {}).send(repository).await.expect("a run");
    assert_eq!(progress.completed().expect("nothing failed").changed(), 1);
    assert_eq!(Member::get(1u64).send(repository).await.expect("a get"), Some(row));
    assert!(!member(2, "a@x").create().send(repository).await.expect("sent").is_applied());
}

#[tokio::test]
async fn a_value_that_makes_no_guard_is_reported_and_can_be_replaced() {
    let world = world::<Member>().await;
    let repository = &world.repository;
    let long = Member { version: 1, ..member(1, &"x".repeat(3000)) };
    world.write_foreign::<Member>(long.to_item().expect("an item")).await;
    applied!(member(2, "b@x").create(), repository);
    let progress = Member::scan().modify_each(|_| {}).send(repository).await.expect("a run");
    assert_eq!((progress.failed(), progress.unchanged()), (1, 1));
    assert!(
        progress.failures()[0].to_string().contains("the guard of the unique value `email`"),
        "{:?}",
        progress.failures()
    );
    // The only guard is that of the other member, and the sweep keeps it.
    assert_eq!(dyno::command::SweepGuards::<Member>::new().send(repository).await.expect("a sweep").kept, 1);
    let shorten = Member::modify(1u64, |member| member.email.truncate(5)).send(repository).await.expect("sent");
    shorten.applied().expect("applied");
    assert_eq!(guards(&world, "members", "id").await.len(), 2);
}

/// The run skips an item past its TTL. A put cannot bring it back, and a new item under its key claims the value. A program whose
/// clock is behind can move its TTL, and then a second run finds the duplicate.
#[tokio::test]
async fn an_expired_item_that_was_skipped_does_not_get_its_value_back() {
    let world = world::<Member>().await;
    let repository = &world.repository;
    let expires = dyno::EpochSeconds::new(world.clock_seconds() + 60);
    let old = Member { version: 1, expires: Some(expires), ..member(1, "a@x") };
    world.write_foreign::<Member>(old.to_item().expect("an item")).await;
    let loaded = Member::get(1u64).loaded().send(repository).await.expect("a get").expect("a member");
    world.clock.advance(120_000);
    let progress = Member::scan().modify_each(|_| {}).send(repository).await.expect("a run");
    assert_eq!(progress.done_items(), 0);
    applied!(member(2, "a@x").create(), repository);
    let back =
        Member { expires: None, ..loaded.entity.clone() }.put().over(&loaded).send(repository).await.expect("sent");
    assert!(!back.is_applied(), "{back:?}");
    let anew = member(1, "a@x").create().send(repository).await.expect("sent");
    assert_eq!(super::taken(&anew), [("email", "id = 2".to_owned())]);
    world.clock.advance(-120_000);
    let moved = Member::modify(1u64, |member| member.expires = None).send(repository).await.expect("sent");
    assert!(moved.is_applied(), "{moved:?}");
    let progress = Member::scan().modify_each(|_| {}).send(repository).await.expect("a run");
    assert_eq!(progress.failed(), 1, "{progress:?}");
}
