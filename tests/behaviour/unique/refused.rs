//! Writes that cannot be sent, and rows that other programs have written.

use super::{Member, User, member, pairs, taken, user, user_key};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Reason};
use dyno_tests::faults::Fault;
use dyno_tests::{item, reasons, s, world};

#[tokio::test]
async fn a_guard_of_another_program_refuses_every_claim() {
    let world = world::<User>().await;
    let repository = &world.repository;
    let row = item([("_key", s("email|a@x")), ("owner", s("somebody"))]);
    repository.client().put_item().table_name("users-unique").set_item(Some(row)).send().await.expect("a put");
    let outcome = user("1", "a@x").create().send(repository).await.expect("sent");
    let corrupt = Reason::Corrupt { attribute: "_of", expected: "the key of an item (M)", found: "nothing" };
    assert_eq!(reasons(&outcome), [corrupt]);
    let error = User::get_by_email("a@x").send(repository).await.expect_err("no holder");
    assert!(error.to_string().contains("the guard of the unique value `email` cannot be used"), "{error}");
}

#[tokio::test]
async fn a_value_that_makes_no_key_is_refused_by_name() {
    let world = world::<User>().await;
    let metered = world.repository.metered();
    let error = user("1", &"x".repeat(2048)).create().send(&metered).await.expect_err("too long");
    assert!(error.is_invalid_input());
    assert!(error.to_string().contains("the guard of the unique value `email`"), "{error}");
    let error = User::get_by_email("x".repeat(2048)).send(&metered).await.expect_err("too long");
    assert!(error.is_invalid_input(), "{error}");
    assert_eq!(metered.usage().requests, 0);
}

#[tokio::test]
async fn a_write_that_is_a_transaction_returns_no_item() {
    let world = world::<User>().await;
    let repository = &world.repository;
    let metered = repository.metered();
    let set = User::update("1").with(User::fields().email.set("a@x")).return_new();
    let error = set.send(&metered).await.expect_err("no item");
    assert!(error.is_invalid_input() && error.to_string().contains("returns no item"), "{error}");
    let error = user("1", "a@x").put().return_old().send(&metered).await.expect_err("no item");
    assert!(error.is_invalid_input(), "{error}");
    assert_eq!(metered.usage().requests, 0);
    applied!(user("1", "a@x").create(), repository);
    let logins = User::update("1").with(User::fields().logins.increment(1)).return_new();
    let new = logins.send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(new.decode().expect("a user").logins, 1);
}

#[tokio::test]
async fn an_unchecked_update_of_a_value_must_say_its_version() {
    let world = world::<Member>().await;
    let repository = &world.repository;
    applied!(member(1, "a@x").create(), repository);
    let set = Member::update(1u64).unchecked().with(Member::fields().email.set("b@x"));
    let error = set.send(repository).await.expect_err("which version?");
    assert!(error.is_invalid_input(), "{error}");
    applied!(Member::update(1u64).version(1u64).with(Member::fields().email.set("b@x")), repository);
}

#[tokio::test]
async fn the_reasons_of_the_item_come_first() {
    let world = world::<User>().await;
    let repository = &world.repository;
    applied!(user("1", "a@x").create(), repository);
    applied!(user("2", "b@x").create(), repository);
    assert_eq!(reasons(&user("2", "a@x").create().send(repository).await.expect("sent")), [Reason::Exists]);
    let missing = User::update("3").with(User::fields().email.set("a@x"));
    assert_eq!(reasons(&missing.send(repository).await.expect("sent")), [Reason::Missing]);
    let condition = User::update("2").with(User::fields().email.set("a@x")).condition(User::fields().logins.gt(5));
    assert_eq!(reasons(&condition.send(repository).await.expect("sent")), [Reason::Condition]);
}

#[tokio::test]
async fn a_lost_answer_counts_once() {
    let world = world::<Member>().await;
    let repository = &world.repository;
    world.lose_answers(1);
    applied!(member(1, "a@x").create(), repository);
    world.lose_answers(1);
    let refused =
        member(2, "a@x").create().send(repository).await.expect_err("it may still arrive, and find the value free");
    assert!(refused.may_be_applied(), "{refused}");
    let create = member(3, "c@x").create();
    applied!(create.clone(), repository);
    applied!(create, repository);
    assert_eq!(
        taken(&member(4, "c@x").create().send(repository).await.expect("sent")),
        [("email", "id = 3".to_owned())]
    );
    let expected = pairs([("email|a@x", "1"), ("email|c@x", "3")]);
    assert_eq!(super::guards(&world, "members", "id").await, expected);
}

#[tokio::test]
async fn an_increment_is_not_sent_anew_while_an_attempt_may_arrive() {
    let world = world::<User>().await;
    let repository = &world.repository;
    applied!(user("1", "a@x").create(), repository);
    applied!(user("2", "b@x").create(), repository);
    super::delete_foreign(&world, "users", user_key("1")).await;
    // The first attempt is still under way, and the second one finds the guard of an item that was deleted.
    world.faults.next([Fault::Postponed]);
    let email = User::fields().email.set("a@x");
    let update = User::update("2").with([email, User::fields().logins.increment(1)]);
    let error = update.send(repository).await.expect_err("it could be applied twice");
    assert!(error.is_outcome_unknown(), "{error}");
    // If no answer comes at all, the error does not say that the update can be sent again.
    world.faults.next([Fault::AnswerLost; 3]);
    let update = User::update("2").with([User::fields().email.set("c@x"), User::fields().logins.increment(1)]);
    let error = update.send(repository).await.expect_err("no answer");
    assert!(error.is_outcome_unknown(), "{error}");
    // A write that is harmless if applied twice is sent again, together with a check of the holder.
    world.faults.next([Fault::Postponed]);
    applied!(User::update("2").with(User::fields().email.set("a@x")), repository);
}

#[tokio::test]
async fn entities_of_two_tables_cannot_share_a_table_of_guards() {
    let world = world::<User>().await;
    let repository = world.repository.clone().with_unique_table::<User>("guards").with_unique_table::<Member>("guards");
    let _first = User::get_by_email("a@x").send(&repository).await;
    let error = Member::get_by_email("a@x").send(&repository).await.expect_err("it is that of `users`");
    assert!(error.to_string().contains("it already holds those of `users`"), "{error}");
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "tallies")]
struct Tally {
    #[partition_key]
    id: String,
    #[unique]
    email: Option<String>,
    count: Option<u64>,
}

/// The first attempt is made for a row without NULL. The next attempt is made for NULL, so it would be another request.
#[tokio::test]
async fn an_increment_is_not_made_anew_for_another_state_while_an_attempt_may_arrive() {
    let world = world::<Tally>().await;
    world.write_foreign::<Tally>(item([("id", s("1")), ("count", AttributeValue::Null(true))])).await;
    world.faults.next([Fault::Postponed]);
    let changes = [Tally::fields().email.set("a@x"), Tally::fields().count.increment(1)];
    let error = Tally::update("1").with(changes).send(&world.repository).await.expect_err("it could count twice");
    assert!(error.is_outcome_unknown(), "{error}");
}

#[tokio::test]
async fn a_missing_table_of_guards_is_a_difference_and_is_created() {
    let world = world::<User>().await;
    let repository = &world.repository;
    repository.client().delete_table().table_name("users-unique").send().await.expect("deleted");
    let differences = repository.verify_table::<User>().await.expect("a comparison");
    assert!(format!("{differences:?}").contains("users-unique"), "{differences:?}");
    repository.create_table::<User>().await.expect("a table");
    applied!(user("1", "a@x").create(), repository);
}
