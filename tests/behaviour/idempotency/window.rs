//! How long an item remembers keys, and how many.

use super::{Bill, Versioned, bills, is_duplicate};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, EpochMillis, ManualClock, Reason, Repository};
use dyno_tests::{NOW, World, pause, s, world};
use std::sync::Arc;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bills")]
#[idempotency(keys = 3, raw, key_bytes = 8)]
struct Counted {
    #[partition_key]
    id: String,
    total: u64,
}

/// A writer to the same database whose clock is off by this many milliseconds.
fn writer(world: &World, millis: i64) -> Repository {
    let time = world.repository.now().get() + millis;
    world.other().with_clock(Arc::new(ManualClock::new(EpochMillis::new(time))))
}

/// The guarantee: a key is remembered for a window, while clocks differ by at most the skew.
#[tokio::test]
async fn a_key_is_remembered_for_a_window_by_any_clock_within_the_skew() {
    for (writes, asks) in [(0, 0), (0, 60_000), (60_000, 0), (30_000, -30_000), (-30_000, 30_000)] {
        let world = bills().await;
        assert!(add!(Bill, &writer(&world, writes), "a", 1).is_applied());
        for step in 0..=12 {
            world.clock.set(EpochMillis::new(NOW + step * 5_000));
            // Other updates, with both clocks, rotate the key sets.
            assert!(add!(Bill, &writer(&world, writes), format!("w{step}"), 0).is_applied());
            assert!(add!(Bill, &writer(&world, asks), format!("a{step}"), 0).is_applied());
            assert!(is_duplicate(&add!(Bill, &writer(&world, asks), "a", 1)), "{writes} {asks} {step}");
        }
        assert_eq!(total!(Bill, world), 1);
    }
}

#[tokio::test]
async fn old_keys_are_forgotten_and_the_item_stays_small() {
    let world = bills().await;
    assert!(add!(Bill, &world.repository, "a", 1).is_applied());
    let mut most = 0;
    for step in 0..40 {
        world.clock.set(EpochMillis::new(NOW + step * 10_000));
        let before = world.repository.usage().requests;
        assert!(add!(Bill, &world.repository, format!("{step}"), 1).is_applied());
        assert_eq!(world.repository.usage().requests - before, 1, "one request, each time");
        let sets = &world.stored::<Bill>().await[0];
        let keys = sets.values().map(|value| value.as_bs().map_or(0, Vec::len));
        most = most.max(keys.sum::<usize>());
    }
    // Keys of 60 + 60 + 15 seconds, one each 10 seconds, and a marker in each set that names its turn.
    assert!(most <= 14 + 10, "{most}");
    assert!(add!(Bill, &world.repository, "a", 1).is_applied(), "long forgotten");
}

/// After an idle time, a key set that is used again still holds the keys of an earlier turn. The update replaces them.
#[tokio::test]
async fn after_an_idle_time_a_key_set_of_an_earlier_turn_is_replaced() {
    let world = bills().await;
    let (bucket, sets) = (15_000, 26);
    let mut requests = Vec::new();
    for turn in 0..4 {
        world.clock.set(EpochMillis::new(NOW + turn * bucket * sets));
        let before = world.repository.usage().requests;
        assert!(add!(Bill, &world.repository, format!("{turn}"), 1).is_applied());
        requests.push(world.repository.usage().requests - before);
        assert!(is_duplicate(&add!(Bill, &world.repository, format!("{turn}"), 1)));
        let stored = &world.stored::<Bill>().await[0];
        let keys: Vec<usize> = stored.values().filter_map(|value| Some(value.as_bs().ok()?.len())).collect();
        assert_eq!(keys, [2], "one set, with one key and its turn");
    }
    assert_eq!(requests, [1, 2, 2, 2]);
    assert_eq!(total!(Bill, world), 4);
    // An update with a clock that is a whole turn behind is refused, and no keys are lost.
    let late = add!(Bill, &writer(&world, -bucket * sets), "late", 1);
    let reasons = late.refusal().map(|refusal| refusal.reasons().to_vec());
    assert_eq!(reasons, Some(vec![Reason::Behind { seconds: bucket * sets / 1000 }]));
    assert_eq!(total!(Bill, world), 4);
}

#[tokio::test]
async fn a_key_set_of_another_type_is_reported_as_corrupt() {
    let world = bills().await;
    let mut row = world.stored::<Bill>().await[0].clone();
    for set in 0..26 {
        row.insert(format!("_k{set}"), s("x"));
    }
    world.write_foreign::<Bill>(row).await;
    let refused = add!(Bill, &world.repository, "a", 1);
    let reasons = refused.refusal().map(|refusal| refusal.reasons().to_vec()).expect("refused");
    assert!(
        matches!(&reasons[..], [Reason::Corrupt { expected: "a set of bytes (BS)", found: "S", .. }]),
        "{reasons:?}"
    );
}

#[tokio::test]
async fn a_window_by_count_keeps_the_last_keys_in_a_list() {
    let world = world::<Counted>().await;
    let repository = &world.repository;
    Counted { id: "1".to_owned(), total: 0 }.create().send(repository).await.expect("sent").applied().expect("applied");
    let stored = async || {
        let keys = world.stored::<Counted>().await[0]["_k"].as_l().expect("a list").clone();
        let text =
            |key: &AttributeValue| String::from_utf8(key.as_b().expect("bytes").as_ref().to_vec()).expect("text");
        keys.iter().map(text).collect::<Vec<_>>().join(" ")
    };
    for (key, requests, keys) in [
        ("a", 1, "a"),
        ("b", 1, "a b"),
        ("c", 1, "a b c"),
        // The update first guesses that the list has room.
        ("d", 2, "b c d"),
        ("e", 1, "c d e"),
        ("f", 1, "d e f"),
    ] {
        let before = repository.usage().requests;
        assert!(add!(Counted, repository, key, 1).is_applied(), "{key}");
        assert_eq!((repository.usage().requests - before, stored().await.as_str()), (requests, keys));
        assert!(is_duplicate(&add!(Counted, repository, key, 1)), "{key}");
    }
    assert_eq!(total!(Counted, world), 6);
    // Another process does not know yet that the list is full.
    let other = world.other();
    assert!(add!(Counted, &other, "g", 1).is_applied());
    assert_eq!(other.usage().requests, 2);
    // A key that has left the window is forgotten.
    assert!(add!(Counted, repository, "a", 1).is_applied());
    let long = Counted::update("1").with(Counted::fields().total.add(1)).idempotency_key("123456789");
    let error = long.send(repository).await.expect_err("too long");
    assert!(
        error.is_invalid_input() && error.to_string().contains("9 bytes, but `key_bytes` says at most 8"),
        "{error}"
    );
    let empty = Counted::update("1").with(Counted::fields().total.add(1)).idempotency_key("");
    assert!(empty.send(repository).await.expect_err("empty").to_string().contains("cannot be empty"));
}

/// A set holds an element that looks like the marker of a turn: a marker of another writer, or a key of another length. Only
/// the marker of a later turn refuses the update.
#[tokio::test]
async fn foreign_elements_in_a_key_set_do_not_end_its_turn() {
    for strange in [i64::MIN.to_be_bytes(), i64::MAX.to_be_bytes()] {
        for zeros in [9, 0] {
            let world = bills().await;
            let mut row = world.stored::<Bill>().await[0].clone();
            let mut element = if zeros == 9 { vec![0; 9] } else { vec![7; 9] };
            element.extend(strange);
            for set in 0..26 {
                let set_of_it = vec![dyno::aws_sdk_dynamodb::primitives::Blob::new(element.clone())];
                row.insert(format!("_k{set}"), AttributeValue::Bs(set_of_it));
            }
            world.write_foreign::<Bill>(row).await;
            let outcome = add!(Bill, &world.repository, "a", 1);
            let is_ahead = zeros == 9 && strange == i64::MAX.to_be_bytes();
            let is_behind = |reason: &Reason| matches!(reason, Reason::Behind { .. });
            let reasons = outcome.refusal().map(|refusal| refusal.reasons().to_vec()).unwrap_or_default();
            assert_eq!(reasons.iter().any(is_behind), is_ahead, "{reasons:?}");
            assert_eq!(outcome.is_applied(), !is_ahead);
        }
    }
}

/// An update that is as late as the clocks may differ is not sent again.
#[tokio::test]
async fn an_update_is_not_sent_later_than_the_skew() {
    pause();
    if dyno_tests::is_remote() {
        // A remote engine has its own time.
        return;
    }
    let world = bills().await;
    let start = tokio::time::Instant::now();
    world.faults.hold_after(0);
    let update = Bill::update("1").with(Bill::fields().total.add(1)).idempotency_key("a");
    let error = update.send(&world.repository).await.expect_err("no answer");
    assert!(
        error.is_unreachable() && error.to_string().contains("within `max_skew_secs`"),
        "{error:?} {:?}",
        start.elapsed()
    );
    assert_eq!(start.elapsed().as_secs(), 60);
    world.faults.release();
    assert_eq!(total!(Bill, world), 0);
    // The same holds for a versioned entity.
    let world = dyno_tests::world::<Versioned>().await;
    let new = Versioned { id: "1".to_owned(), total: 0, note: "a".to_owned(), version: 0 };
    new.create().send(&world.repository).await.expect("sent").applied().expect("applied");
    world.faults.hold_after(0);
    let update = Versioned::update("1").unchecked().with(Versioned::fields().total.add(1)).idempotency_key("a");
    let error = update.send(&world.repository).await.expect_err("no answer");
    assert!(error.is_unreachable() && error.to_string().contains("within `max_skew_secs`"), "{error:?}");
}
