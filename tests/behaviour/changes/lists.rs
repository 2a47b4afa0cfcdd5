//! Changes of list elements, even if the elements have shifted to other positions.

use super::{Profile, path, profile, stored, texts, with_profile};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Reason, Refusal, Transaction};
use dyno_tests::{pause, reasons, s, world};

#[tokio::test]
async fn list_elements_are_pushed_removed_and_replaced() {
    let f = Profile::fields;
    check!(f().friends.push("zoe") => |p| p.friends.push("zoe".to_owned()));
    check!(f().friends.extend(["x", "y"]) => |p| p.friends.extend(texts(["x", "y"])));
    check!(f().notes.push("n") => |p| p.notes = Some(texts(["n"])));
    check!(f().friends.push_unique("zoe") => |p| p.friends.push("zoe".to_owned()));
    check!(f().friends.remove_value("ann") => |p| { p.friends.remove(0); });
    check!(f().friends.remove_value("bob"), f().likes.add(1) => |p| { p.friends.remove(1); p.likes = 6; });
    check!(f().friends.remove_at(2, "ann") => |p| { p.friends.remove(2); });
    check!(f().friends.replace_at(1, "bob", "ben") => |p| p.friends[1] = "ben".to_owned());
    check!(f().address.fields().lines.push("2e") => |p| p.address.lines.push("2e".to_owned()));
    check!(f().address.fields().lines.remove_value("1 rue") => |p| p.address.lines.clear());
    let contained = Reason::Contained { path: path("friends") };
    check_refused!(f().friends.push_unique("bob") => contained);
    check_refused!(f().friends.remove_value("zoe") => Reason::NotContained { path: path("friends") });
    check_refused!(f().notes.remove_value("zoe") => Reason::NotContained { path: path("notes") });
    check_refused!(f().friends.remove_at(1, "ann") => Reason::OtherElement { path: path("friends[1]") });
    check_refused!(f().friends.remove_at(9, "ann") => Reason::OtherElement { path: path("friends[9]") });
    check_refused!(f().friends.replace_at(3, "ann", "x") => Reason::OtherElement { path: path("friends[3]") });
    // An empty list of elements changes nothing, and is allowed beside another change.
    let none: [&str; 0] = [];
    check!(f().friends.extend(none), f().tags.insert_all(none), f().likes.add(1) => |p| p.likes = 6);
}

#[tokio::test]
async fn remove_value_finds_an_element_that_shifted() {
    let world = with_profile().await;
    // Between the read and the update, another writer removes an earlier element.
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let update = Profile::update("1").with(Profile::fields().friends.remove_value("bob"));
    let update = tokio::spawn(async move { update.send(&repository).await });
    world.faults.held().await;
    let other = world.other();
    let shift = Profile::update("1").with(Profile::fields().friends.remove_at(0, "ann")).send(&other).await;
    assert!(shift.expect("a shift").is_applied());
    let before = world.repository.usage().requests;
    world.faults.release();
    assert!(update.await.expect("no panic").expect("an update").is_applied());
    assert_eq!(stored(&world).await.friends, texts(["ann"]));
    // The update is sent once more, with the item that the refusal returned. The other request is the read above.
    assert_eq!(world.repository.usage().requests - before, 2);
}

#[tokio::test]
async fn a_change_of_an_absent_item_is_refused_as_missing() {
    let world = world::<Profile>().await;
    let f = Profile::fields;
    for change in [f().friends.remove_value("x"), f().likes.increment(1), f().address.fields().city.set("x")] {
        assert_eq!(reasons(&update!(world, change)), [Reason::Missing]);
    }
    assert_eq!(world.stored::<Profile>().await, []);
}

/// The article's guard only checks that the list contains the value somewhere, so the update removes another element.
#[tokio::test]
async fn without_dyno_a_contains_guard_removes_another_element() {
    let world = with_profile().await;
    let raw = world.repository.client().update_item().table_name("profiles").key("id", s("1"));
    let raw = raw.update_expression("REMOVE friends[0]").condition_expression("contains(friends, :ann)");
    // The reader saw "ann" at position 0. Meanwhile, another writer has put "zoe" there.
    let zoe = Profile::fields().friends.replace_at(0, "ann", "zoe");
    assert!(update!(world, zoe).is_applied());
    raw.expression_attribute_values(":ann", s("ann")).send().await.expect("it passes");
    assert_eq!(stored(&world).await.friends, texts(["bob", "ann"]), "zoe is gone, and ann is not");
}

#[tokio::test]
async fn push_unique_makes_an_update_idempotent() {
    pause();
    let world = with_profile().await;
    let repository = &world.repository;
    let f = Profile::fields;
    let liked = |id: &str| Profile::update("1").with([f().likes.add(1), f().friends.push_unique(id)]);
    assert!(liked("m1").send(repository).await.expect("an answer").accept_contained().expect("fine").is_some());
    let again = liked("m1").send(repository).await.expect("an answer");
    assert!(again.refusal().is_some_and(Refusal::is_contained) && !again.is_applied());
    assert!(again.accept_contained().expect("made already").is_none());
    assert_eq!(stored(&world).await.likes, 6);
    // The list contains one of two elements but not the other, so the update was not applied as a whole.
    let both = Profile::update("1").with([f().friends.push_unique("m1"), f().log.push_unique("m1")]);
    let both = both.send(repository).await.expect("an answer");
    assert!(both.refusal().is_some_and(|refusal| !refusal.is_contained()));
    both.accept_contained().expect_err("not all of it");
    // A refusal with any other reason is not accepted as contained.
    let full = Profile::update("1").with([f().stars.add(99), f().friends.push_unique("m1")]);
    full.send(repository).await.expect("an answer").accept_contained().expect_err("it does not fit");
    let nobody = Profile::update("2").with(f().friends.push_unique("m1"));
    nobody.send(repository).await.expect("an answer").accept_contained().expect_err("nobody");

    // With a new token, DynamoDB sees a new transaction, but the list shows that it was applied already.
    let transaction = |id: &str| {
        let spent = Profile::update("1").with((f().balance.decrement(1), f().log.push_unique(id)));
        Transaction::new().update(spent).put(Profile { id: id.to_owned(), ..profile() }.create())
    };
    assert!(transaction("t1").send(repository).await.expect("sent").accept_contained().expect("fine").is_some());
    let again = transaction("t1").send(repository).await.expect("sent");
    assert!(again.accept_contained().expect("made already").is_none());
    assert_eq!(stored(&world).await.balance, -4);
    let no_element = Transaction::new().put(profile().create()).send(repository).await.expect("sent");
    no_element.accept_contained().expect_err("it is there");
}

/// The answer to a replace is lost. The element is replaced once, and the outcome is unknown, because an equal element can
/// have moved to the position.
#[tokio::test]
async fn replace_at_with_a_lost_answer_is_not_applied_twice() {
    let world = with_profile().await;
    let friends = Profile::fields().friends;
    assert!(update!(world, friends.set(texts(["x", "a", "a"]))).is_applied());
    world.lose_answers(1);
    let replace = Profile::update("1").with(Profile::fields().friends.replace_at(1, "a", "b"));
    assert!(replace.send(&world.repository).await.expect_err("nobody knows").is_outcome_unknown());
    assert_eq!(stored(&world).await.friends, texts(["x", "b", "a"]));
}

#[tokio::test]
async fn remove_value_is_not_retried_when_another_change_is_refused() {
    let world = with_profile().await;
    let before = world.repository.usage().requests;
    let f = Profile::fields;
    let changes = [f().friends.remove_value("ann"), f().log.remove_at(0, "zzz")];
    let outcome = Profile::update("1").with(changes).send(&world.repository).await.expect("an answer");
    assert_eq!(reasons(&outcome), [Reason::OtherElement { path: path("log[0]") }]);
    assert_eq!(world.repository.usage().requests - before, 2);
}

/// DynamoDB's `contains` also works on a text and on a set. The refusal reports the wrong type, and not a list that contains
/// the element.
#[tokio::test]
async fn push_unique_on_a_text_or_set_is_refused_as_corrupt() {
    let world = with_profile().await;
    let mut foreign = world.stored::<Profile>().await.remove(0);
    for (value, found) in [(s("xyz"), "S"), (AttributeValue::Ss(texts(["x"])), "SS")] {
        foreign.insert("friends".to_owned(), value);
        world.write_foreign::<Profile>(foreign.clone()).await;
        let outcome = update!(world, Profile::fields().friends.push_unique("x"));
        assert_eq!(reasons(&outcome), [Reason::Corrupt { attribute: "friends", expected: "a list (L)", found }]);
        assert!(!outcome.refusal().is_some_and(Refusal::is_contained));
    }
}
