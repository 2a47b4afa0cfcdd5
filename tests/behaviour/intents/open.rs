//! A process that finds an open intent waits for its transaction, and aborts the transaction if it makes no progress.

use super::{Account, VERBS, account, changed, held, holding, placeholder, row, send, stored};
use dyno::{Reason, TransactGet};
use dyno_tests::{World, lanes, n, pause};
use std::time::Duration;

/// With a lock timeout of zero, the requests can be counted: a write, a read of the lane, the abort, the removal, and the write again.
#[tokio::test]
async fn every_kind_of_write_aborts_a_dead_process_s_transaction() {
    for verb in VERBS {
        let world = holding(held(), lanes::open()).await;
        let metered = world.repository.metered().with_lock_timeout(Duration::ZERO);
        let reasons = send(verb, &metered).await.expect("an answer");
        let is_refused = ["create", "undelete"].contains(&verb);
        assert_eq!(reasons.is_empty(), !is_refused, "{verb}: {reasons:?}");
        // `modify` reads the item first, and again after the wait. The first of the two reads also reads the lane.
        let more = if verb == "modify" { 2 } else { 0 };
        assert_eq!(metered.usage().requests, 5 + more, "{verb}");
        let lane = world.lane().await;
        assert_eq!((&lane["void"], &lane["committed"]), (&n(7), &n(6)), "{verb}");
        assert!(!row(&world).await.expect("a row").contains_key("_x"), "{verb}");
    }
}

/// The first writer waits until its lock timeout ends. The next writer does not wait.
#[tokio::test]
async fn only_the_first_writer_waits_for_its_lock_timeout() {
    pause();
    let world = holding(held(), lanes::open()).await;
    let mut second = held();
    second.insert("id".to_owned(), dyno_tests::s("2"));
    world.write_foreign::<Account>(second).await;
    let begun = tokio::time::Instant::now();
    assert_eq!(send("put", &world.repository).await.expect("an answer"), []);
    if !dyno_tests::is_remote() {
        let waited = begun.elapsed();
        assert!(waited >= Duration::from_secs(5) && waited < Duration::from_secs(7), "{waited:?}");
    }
    let metered = world.repository.metered();
    let two = Account { id: "2".to_owned(), ..account(9, 3) };
    assert_eq!(two.put().send(&metered).await.expect("sent").applied().expect("applied"), 4);
    assert_eq!(metered.usage().requests, 4);
}

/// Sends a put. When the put has found the open transaction, and before it reads the lane again, runs `other`.
async fn meanwhile(world: &World, other: impl Future<Output = ()>) -> Vec<Reason> {
    let repository = world.repository.clone();
    world.faults.hold_after(2);
    let put = tokio::spawn(async move { send("put", &repository).await });
    world.faults.held().await;
    other.await;
    world.faults.release();
    put.await.expect("no panic").expect("an answer")
}

#[tokio::test]
async fn an_intent_committed_during_the_wait_is_applied() {
    pause();
    let world = holding(held(), lanes::open()).await;
    let reasons = meanwhile(&world, world.put_head(lanes::committed())).await;
    assert_eq!(reasons, [Reason::Conflict { expected: 3, found: Some(4) }]);
    assert_eq!((row(&world).await, world.lane().await), (Some(changed()), lanes::committed()));
}

/// A writer is about to abort the transaction, but another process decides the transaction first.
#[tokio::test]
async fn an_abort_does_not_change_an_earlier_decision() {
    for (head, is_committed) in [(lanes::committed(), true), (lanes::head(6, "before", 8), false)] {
        let world = holding(held(), lanes::open()).await;
        let repository = world.repository.clone().with_lock_timeout(Duration::ZERO);
        // The put has sent its write, and a read of the lane.
        world.faults.hold_after(2);
        let put = tokio::spawn(async move { send("put", &repository).await });
        world.faults.held().await;
        world.put_head(head.clone()).await;
        world.faults.release();
        let reasons = put.await.expect("no panic").expect("an answer");
        assert_eq!(reasons.is_empty(), !is_committed, "{reasons:?}");
        let there = row(&world).await.expect("a row");
        assert_eq!(there["balance"], n(if is_committed { 7 } else { 9 }));
        assert_eq!(world.lane().await, head);
    }
}

#[tokio::test]
async fn an_intent_aborted_during_the_wait_is_removed() {
    pause();
    for held_row in [held(), placeholder()] {
        let is_new = held_row == placeholder();
        let world = holding(held_row, lanes::open()).await;
        let reasons = meanwhile(&world, world.put_head(lanes::void())).await;
        assert_eq!(
            reasons,
            if is_new { vec![Reason::Missing, Reason::Conflict { expected: 3, found: None }] } else { vec![] }
        );
        assert_eq!(row(&world).await.map(|row| row["version"].clone()), (!is_new).then(|| n(4)));
        assert_eq!(world.lane().await, lanes::void());
    }
}

/// The transaction itself removes the intent, so the waiting write needs no decision.
#[tokio::test]
async fn an_intent_removed_during_the_wait_needs_no_decision() {
    pause();
    let world = holding(held(), lanes::open()).await;
    let reasons = meanwhile(&world, put_back(&world)).await;
    assert_eq!(reasons, []);
    assert_eq!(world.lane().await, lanes::open());
}

/// A snapshot shows a transaction as a whole, so it waits. A consistent get shows what is committed, and does not wait.
#[tokio::test]
async fn a_snapshot_waits_for_an_open_intent_but_a_get_does_not() {
    pause();
    let world = holding(held(), lanes::open()).await;
    let metered = world.repository.metered();
    let got = Account::get("1").consistent().send(&metered).await.expect("a get");
    assert_eq!((got, metered.usage().requests), (Some(account(5, 3)), 2));
    assert_eq!(row(&world).await, Some(held()));
    let repository = world.repository.clone();
    world.faults.hold_after(2);
    let get = tokio::spawn(async move { TransactGet::new((Account::get("1"),)).send(&repository).await });
    world.faults.held().await;
    world.put_head(lanes::committed()).await;
    world.faults.release();
    assert_eq!(get.await.expect("no panic").expect("a moment").0, Some(account(7, 4)));
    assert_eq!(row(&world).await, Some(changed()));
}

/// A write is dropped while it resolves an intent, at any of its requests. The row is whole, and the next write continues.
#[tokio::test]
async fn a_write_dropped_while_it_resolves_an_intent_leaves_the_row_whole() {
    for requests in 1..5 {
        let world = holding(held(), lanes::open()).await;
        let repository = world.repository.clone().with_lock_timeout(Duration::ZERO);
        let sent = repository.clone();
        world.faults.hold_after(requests);
        let put = tokio::spawn(async move { send("put", &sent).await });
        world.faults.held().await;
        put.abort();
        assert!(put.await.is_err());
        let there = row(&world).await.expect("a row");
        assert_eq!(there, if requests < 4 { held() } else { stored() });
        world.faults.release();
        assert_eq!(send("put", &repository).await.expect("an answer"), []);
        assert_eq!(row(&world).await.expect("a row")["version"], n(4));
    }
}

/// Removes the intent, as its transaction would.
async fn put_back(world: &World) {
    let other = world.other();
    let put = other.client().put_item().table_name("accounts").set_item(Some(stored()));
    put.send().await.expect("put");
}
