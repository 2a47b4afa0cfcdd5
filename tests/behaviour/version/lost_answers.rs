//! Requests that are sent again: how a write recognizes its own first attempt, and when it reports an unknown outcome.

use super::{Cart, Fenced, Paper, Unnamed, cart, conflict, fenced, paper, stored_cart, tombstone, unnamed};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{ErrorKind, Outcome, Reason, Repository};
use dyno_tests::faults::Rates;
use dyno_tests::{World, item, n, pause, reasons, s, world};

#[tokio::test]
async fn a_lost_answer_is_not_a_conflict() {
    pause();
    let world = world::<Paper>().await;
    let repository = &world.repository;
    let f = Paper::fields();
    world.lose_answers(1);
    assert_eq!(applied!(paper("a", 0).create(), repository), 1);
    world.lose_answers(2);
    assert_eq!(applied!(paper("b", 1).put(), repository), 2);
    world.lose_answers(1);
    assert_eq!(applied!(paper("c", 2).replace(), repository), 3);
    world.lose_answers(1);
    assert_eq!(applied!(Paper::update("1").version(3u32).with(Paper::fields().text.set("d")), repository), 4);
    world.lose_answers(1);
    assert_eq!(applied!(Paper::delete("1", 4u32), repository), 5);
    world.lose_answers(1);
    assert_eq!(applied!(paper("e", 5).undelete(), repository), 6);
    applied!(Paper::delete("1", 6u32), repository);
    // The answer to the second request of a create over a tombstone is lost.
    let create = {
        let repository = repository.clone();
        async move { paper("f", 0).create().send(&repository).await }
    };
    world.faults.hold_after(1);
    let create = tokio::spawn(create);
    world.faults.held().await;
    world.lose_answers(1);
    world.faults.release();
    assert_eq!(create.await.expect("no panic").expect("sent").applied().expect("applied"), 8);
    world.lose_answers(1);
    assert_eq!(applied!(Paper::modify("1", |paper| paper.text.push('!')), repository), paper("f!", 9));
    world.lose_answers(1);
    applied!(Paper::delete("1", 9u32), repository);
    world.lose_answers(1);
    applied!(Paper::purge(&tombstone(repository).await), repository);
    // The first attempt of the write makes its own condition false.
    applied!(paper("a", 0).create(), repository);
    world.lose_answers(1);
    let put = paper("b", 1).put().condition(f.text.eq("a"));
    assert_eq!(applied!(put, repository), 2);
}

#[tokio::test]
async fn without_a_write_id_a_lost_answer_leaves_the_outcome_unknown() {
    pause();
    let world = world::<Unnamed>().await;
    world.lose_answers(1);
    let error = unnamed(1, 0).put().send(&world.repository).await.expect_err("unknown");
    assert!(error.is_outcome_unknown(), "{error:?}");
    world.lose_answers(1);
    assert!(unnamed(2, 1).put().send(&world.repository).await.expect_err("unknown").is_outcome_unknown());
    // The item has the version that the write expects. But version numbers start again after a deletion, so this proves
    // nothing.
    world.lose_answers(1);
    let put = unnamed(3, 2).put().condition(Unnamed::fields().count.eq(9));
    assert!(put.send(&world.repository).await.expect_err("unknown").is_outcome_unknown());
    let stored = world.stored::<Unnamed>().await;
    assert_eq!(stored, [item([("id", s("1")), ("count", n(2)), ("version", n(2))])]);
}

/// Another writer comes between two attempts of a write.
async fn overtaken(world: &World, other: impl Future<Output = ()>) -> Result<Outcome<Cart, u64>, dyno::Error> {
    let repository = world.repository.clone();
    world.meanwhile(async move { cart(2, 1).put().send(&repository).await }, other).await
}

#[tokio::test]
async fn an_overtaken_write_with_a_lost_answer_has_an_unknown_outcome() {
    pause();
    let world = world::<Cart>().await;
    let other = world.other();
    applied!(cart(1, 0).create(), &other);
    let error = overtaken(&world, async {
        applied!(cart(3, 2).put(), &other);
    });
    let error = error.await.expect_err("unknown");
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error:?}");
    assert_eq!(
        error.to_string(),
        "put of `Cart` (id = \"1\"): an earlier attempt may have been applied, and the stored item no longer shows whether it was: load it and decide"
    );
    // The deletion leaves no tombstone.
    applied!(Cart::delete("1", 3u64), &other);
    applied!(cart(1, 0).create(), &other);
    let error = overtaken(&world, async {
        applied!(Cart::delete("1", 2u64), &other);
    });
    assert!(error.await.expect_err("unknown").is_outcome_unknown());
    applied!(cart(1, 0).create(), &other);
    world.lose_answers(1);
    let error = Cart::delete("1", 1u64).send(&world.repository).await.expect_err("no trace");
    assert!(error.is_outcome_unknown());
}

#[tokio::test]
async fn a_create_possibly_applied_and_deleted_is_not_repeated() {
    pause();
    let world = world::<Paper>().await;
    let (repository, other) = (world.repository.clone(), world.other());
    let create = world.meanwhile(async move { paper("a", 0).create().send(&repository).await }, async {
        applied!(Paper::delete("1", 1u32), &other);
    });
    assert!(create.await.expect_err("unknown").is_outcome_unknown());
    assert_eq!(tombstone(&other).await.version(), 2);
}

#[tokio::test]
async fn an_unchecked_update_does_not_hide_an_earlier_write() {
    pause();
    let world = world::<Cart>().await;
    let other = world.other();
    applied!(cart(1, 0).create(), &other);
    let outcome = overtaken(&world, async {
        applied!(Cart::update("1").unchecked().with(Cart::fields().note.set("x")), &other);
    });
    assert_eq!(outcome.await.expect("sent").applied().expect("applied"), 2);
    assert_eq!(stored_cart(&other).await, Some(Cart { note: Some("x".to_owned()), ..cart(2, 3) }));
}

#[tokio::test]
async fn a_throttled_write_reports_its_conflict() {
    pause();
    let world = world::<Cart>().await;
    applied!(cart(1, 0).create(), &world.repository);
    applied!(cart(2, 1).put(), &world.repository);
    applied!(cart(3, 2).put(), &world.repository);
    // The first attempt was certainly not applied, so the outcome is not unknown.
    world.faults.seed(1, Rates { throttle: 1.0, ..Rates::NONE });
    let repository = world.repository.clone();
    world.faults.hold_after(1);
    let put = tokio::spawn(async move { cart(9, 1).put().send(&repository).await });
    world.faults.held().await;
    world.faults.calm();
    world.faults.release();
    let outcome = put.await.expect("no panic").expect("sent");
    assert_eq!(reasons(&outcome), [conflict(1, 3)]);
}

#[tokio::test]
async fn clones_of_a_command_are_one_write() {
    let world = world::<Cart>().await;
    let repository = &world.repository;
    let create = cart(1, 0).create();
    assert_eq!(applied!(create.clone(), repository), 1);
    assert_eq!(applied!(create.clone(), repository), 1);
    assert_eq!(
        create.request(repository).expect("a request").to_string(),
        create.clone().request(repository).expect("a request").to_string()
    );
    assert_eq!(refused!(cart(1, 0).create(), repository), [Reason::Exists]);
    // A clone that has been changed is another write.
    let f = Cart::fields();
    let update = Cart::update("1").version(1u64).with(Cart::fields().lines.set(2));
    let other = update.clone().with(Cart::fields().note.set("x"));
    assert_eq!(applied!(update.clone(), repository), 2);
    assert_eq!(refused!(other, repository), [conflict(1, 2)]);
    assert_eq!(refused!(update.clone().upsert(), repository), [conflict(1, 2)]);
    assert_eq!(refused!(update.condition(f.lines.eq(1)), repository), [conflict(1, 2)]);
    let put = cart(3, 2).put();
    assert_eq!(applied!(put.clone(), repository), 3);
    assert_eq!(refused!(put.condition(f.lines.eq(7)), repository), [conflict(2, 3)]);
    let update = Cart::update("1");
    assert_eq!(applied!(update.clone().version(3u64).with(Cart::fields().lines.set(4)), repository), 4);
    assert_eq!(refused!(update.version(3u64).with(Cart::fields().lines.set(5)), repository), [conflict(3, 4)]);
}

#[tokio::test]
async fn a_clone_that_returns_the_item_is_the_same_write() {
    let world = world::<Cart>().await;
    let repository = &world.repository;
    applied!(cart(1, 0).create(), repository);
    let update = Cart::update("1").version(1u64).with(Cart::fields().lines.set(2));
    assert_eq!(applied!(update.clone(), repository), 2);
    let new = applied!(update.clone().return_new(), repository);
    assert_eq!(new.decode().expect("decodes"), cart(2, 2));
    // The order of the clone and the other command does not matter.
    let update = Cart::update("1").version(2u64).with(Cart::fields().lines.set(3));
    assert_eq!(applied!(update.clone().return_new(), repository).decode().expect("decodes"), cart(3, 3));
    assert_eq!(applied!(update, repository), 3);
}

#[tokio::test]
async fn a_clone_for_another_table_is_written_there() {
    let world = world::<Paper>().await;
    let repository = &world.repository;
    let elsewhere = repository.clone().with_table_prefix("other-");
    elsewhere.create_table::<Paper>().await.expect("another table");
    // In this table, the numbers continue after a tombstone. In the other table, there was no item.
    applied!(paper("a", 0).create(), repository);
    applied!(Paper::delete("1", 1u32), repository);
    let create = paper("b", 0).create();
    assert_eq!(applied!(create.clone(), repository), 3);
    assert_eq!(applied!(create.clone(), &elsewhere), 1);
    assert_eq!(applied!(create, repository), 3);
    assert_eq!(Paper::get("1").send(&elsewhere).await.expect("a get"), Some(paper("b", 1)));
    // An answer that is lost in this table says nothing about the other table.
    let put = paper("c", 3).put();
    world.lose_answers(3);
    assert!(put.clone().send(repository).await.expect_err("no answer").may_be_applied());
    assert_eq!(refused!(put.clone(), &elsewhere), [conflict(3, 1)]);
    assert_eq!(applied!(put, repository), 4);
}

#[tokio::test]
async fn a_write_waits_for_a_transaction_that_holds_the_item() {
    pause();
    let world = world::<Cart>().await;
    world.faults.seed(1, Rates { conflict: 1.0, ..Rates::NONE });
    world.faults.hold_after(3);
    let repository = world.repository.clone();
    let create = tokio::spawn(async move { cart(1, 0).create().send(&repository).await });
    world.faults.held().await;
    world.faults.calm();
    world.faults.release();
    assert_eq!(create.await.expect("no panic").expect("sent").applied().expect("applied"), 1);
    // The wait is limited.
    world.faults.seed(1, Rates { conflict: 1.0, ..Rates::NONE });
    let put = cart(2, 1).put();
    let error = put.clone().send(&world.repository).await.expect_err("held");
    assert_eq!(error.kind(), ErrorKind::Contended, "{error:?}");
    // After a lost answer, the error does not say that nothing was applied. The same command, sent again, learns the
    // outcome.
    world.faults.calm();
    world.faults.hold_after(1);
    world.lose_answers(1);
    let held = tokio::spawn({
        let (put, repository) = (put.clone(), world.repository.clone());
        async move { put.send(&repository).await }
    });
    world.faults.held().await;
    world.faults.seed(1, Rates { conflict: 1.0, ..Rates::NONE });
    world.faults.release();
    let error = held.await.expect("no panic").expect_err("held");
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error:?}");
    assert!(error.to_string().contains("send a clone of this command"), "{error}");
    world.faults.calm();
    assert_eq!(applied!(put, &world.repository), 2);
    assert_eq!(stored_cart(&world.repository).await, Some(cart(2, 2)));
}

#[tokio::test]
async fn without_a_tombstone_an_overtaken_create_has_an_unknown_outcome() {
    pause();
    let world = world::<Cart>().await;
    let (repository, other) = (world.repository.clone(), world.other());
    let create = world.meanwhile(async move { cart(1, 0).create().send(&repository).await }, async {
        applied!(Cart::delete("1", 1u64), &other);
        applied!(cart(2, 0).create(), &other);
    });
    assert!(create.await.expect_err("unknown").is_outcome_unknown());
    assert_eq!(stored_cart(&other).await, Some(cart(2, 1)));
}

/// The numbers of another item have started again, and have reached a version that looks like a conflict.
#[tokio::test]
async fn without_a_tombstone_a_possibly_applied_write_is_not_a_conflict() {
    pause();
    let world = world::<Cart>().await;
    let (repository, other) = (world.repository.clone(), world.other());
    applied!(cart(1, 0).create(), &other);
    let delete = world.meanwhile(async move { Cart::delete("1", 1u64).send(&repository).await }, async {
        applied!(cart(2, 0).create(), &other);
        applied!(cart(3, 1).put(), &other);
    });
    assert!(delete.await.expect_err("unknown").is_outcome_unknown());
    assert_eq!(stored_cart(&other).await, Some(cart(3, 2)));
    // The same for a put, with different versions of the new item.
    for puts in 0..3 {
        applied!(Cart::delete("1", stored_cart(&other).await.expect("there").version), &other);
        applied!(cart(1, 0).create(), &other);
        let error = overtaken(&world, async {
            applied!(Cart::delete("1", 2u64), &other);
            applied!(cart(1, 0).create(), &other);
            for version in 1..=puts {
                applied!(cart(9, version).put(), &other);
            }
        });
        // If the new item has the version that the put expects, the put is applied again.
        match (puts, error.await) {
            (0, sent) => assert!(sent.expect("sent").is_applied()),
            (_, sent) => assert!(sent.expect_err("unknown").is_outcome_unknown()),
        }
    }
    // The same for a create with a condition: the item of its first attempt was deleted, and another item exists.
    applied!(Cart::delete("1", stored_cart(&other).await.expect("there").version), &other);
    let repository = world.repository.clone();
    let create = cart(1, 0).create().condition(Cart::fields().note.not_exists());
    let create = world.meanwhile(async move { create.send(&repository).await }, async {
        applied!(Cart::delete("1", 1u64), &other);
        applied!(cart(2, 0).create(), &other);
    });
    assert!(create.await.expect_err("unknown").is_outcome_unknown());
}

/// After a tombstone, numbers continue. So an item that is still as the write found it proves that the write was not
/// applied.
#[tokio::test]
async fn with_tombstones_an_unchanged_item_proves_that_a_write_was_not_applied() {
    pause();
    let world = world::<Fenced>().await;
    applied!(fenced(1, 0).create(), &world.repository);
    world.lose_answers(1);
    let put = fenced(2, 1).put().condition(Fenced::fields().text.eq("z"));
    assert_eq!(refused!(put, &world.repository), [Reason::Condition]);
    world.lose_answers(1);
    assert_eq!(
        refused!(fenced(2, 0).put().condition(Fenced::fields().text.eq("z")), &world.repository),
        [Reason::Exists]
    );
}

#[tokio::test]
async fn after_a_removal_by_ttl_a_possibly_applied_write_is_not_a_conflict() {
    pause();
    let world = world::<Paper>().await;
    let (repository, other) = (world.repository.clone(), world.other());
    applied!(paper("a", 0).create(), &other);
    let put = world.meanwhile(async move { paper("mine", 1).put().send(&repository).await }, async {
        let removed = other.client().delete_item().table_name("papers").key("id", s("1"));
        removed.send().await.expect("as DynamoDB does");
        applied!(paper("b", 0).create(), &other);
        applied!(paper("c", 1).put(), &other);
    });
    assert!(put.await.expect_err("unknown").is_outcome_unknown());
}

#[tokio::test]
async fn the_error_of_an_unchecked_update_warns_against_resending() {
    pause();
    let world = world::<Cart>().await;
    applied!(cart(1, 0).create(), &world.repository);
    for (retries, lines) in [(1, 5), (2, 6)] {
        let repository = Repository::new(world.client(RetryConfig::standard().with_max_attempts(retries)));
        world.lose_answers(1);
        world.faults.throttle(1);
        let update = Cart::update("1").unchecked().with(Cart::fields().lines.set(lines));
        let error = update.send(&repository).await.expect_err("lost");
        assert!(error.is_outcome_unknown() && error.to_string().contains("sending the command again"), "{error:?}");
        world.faults.throttle(0);
        assert_eq!(stored_cart(&world.repository).await.map(|cart| cart.lines), Some(lines));
    }
}

/// A refused create, sent again, does not use the number that it had continued before.
#[tokio::test]
async fn a_refused_create_sent_again_starts_over() {
    let world = world::<Paper>().await;
    let (repository, other) = (&world.repository, world.other());
    applied!(paper("a", 0).create(), &other);
    applied!(Paper::delete("1", 1u32), &other);
    let create = paper("mine", 0).create();
    // The create continues after the tombstone, but another writer is faster.
    world.faults.hold_after(1);
    let sent = tokio::spawn({
        let (create, repository) = (create.clone(), repository.clone());
        async move { refused!(create, &repository) }
    });
    world.faults.held().await;
    applied!(paper("theirs", 0).create(), &other);
    world.faults.release();
    assert_eq!(sent.await.expect("no panic"), [Reason::Exists]);
    // Another program removes the item, and with it the version numbers.
    other.client().delete_item().table_name("papers").key("id", s("1")).send().await.expect("a foreign delete");
    let metered = repository.metered();
    assert_eq!(applied!(create, &metered), 1);
    assert_eq!(metered.usage().requests, 1);
}
