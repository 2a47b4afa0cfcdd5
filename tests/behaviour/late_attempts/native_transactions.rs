//! Late attempts of native transactions.

use super::{arrives, check_doubt, postpone};
use crate::entities::{Cart, Plain, cart};
use dyno::{Reason, Transaction};
use dyno_tests::{World, pause, world};

const HINT: &str = "may have been applied: send this transaction, or a clone, again within ten minutes of its first request: the answer says whether it was applied";

fn row(id: &str, count: u32) -> Plain {
    Plain { id: id.to_owned(), count }
}

fn add(id: &str) -> dyno::command::Update<Plain> {
    Plain::update(id).with(Plain::fields().count.add(1))
}

async fn counts(world: &World) -> Vec<Option<u32>> {
    let get = async |id| Plain::get(id).consistent().send(&world.other()).await.expect("a get").map(|row| row.count);
    vec![get("1").await, get("2").await]
}

#[tokio::test]
async fn a_clone_learns_that_late_updates_of_missing_items_were_applied() {
    pause();
    let world = world::<Plain>().await;
    let transaction = Transaction::new().update(add("1")).update(add("2"));
    postpone(&world);
    let error = transaction.clone().send(&world.repository).await.expect_err("an attempt is on its way");
    assert!(error.is_unreachable(), "{error:?}");
    check_doubt(&error, "there is no item", HINT);
    for id in ["1", "2"] {
        row(id, 10).put().send(&world.other()).await.expect("a put");
    }
    assert!(arrives(&world).await);
    transaction.send(&world.repository).await.expect("sent").applied().expect("its own");
    assert_eq!(counts(&world).await, [Some(11), Some(11)]);
}

/// A transaction is refused as a whole, so one action that can never pass again makes the refusal final.
#[tokio::test]
async fn one_final_refusal_makes_the_refusal_of_the_transaction_final() {
    pause();
    let world = world::<Cart>().await;
    let repository = &world.repository;
    repository.create_table::<Plain>().await.expect("a table");
    applied!(cart(1, 0).create(), &world.other());
    applied!(cart(2, 1).put(), &world.other());
    let transaction = Transaction::new().put(cart(3, 1).put()).update(add("1"));
    postpone(&world);
    let outcome = transaction.send(repository).await.expect("sent");
    let refusal = outcome.refusal().expect("refused");
    let reasons: Vec<&[Reason]> = refusal.actions().map(dyno::ActionRefusal::reasons).collect();
    assert_eq!(reasons, [&[Reason::Conflict { expected: 1, found: Some(2) }][..], &[Reason::Missing]]);
    row("1", 10).put().send(&world.other()).await.expect("a put");
    assert!(!arrives(&world).await);
    assert_eq!(counts(&world).await, [Some(10), None]);
}

/// The common case: no earlier attempt is under way.
#[tokio::test]
async fn without_an_open_attempt_each_refusal_is_final() {
    let world = world::<Plain>().await;
    let outcome = Transaction::new().update(add("1")).update(add("2")).send(&world.repository).await.expect("sent");
    assert_eq!(outcome.refusal().expect("refused").actions().len(), 2);
}
