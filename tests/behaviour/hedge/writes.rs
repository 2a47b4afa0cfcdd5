//! Hedged writes are applied once, and reported as applied, in whatever order the requests arrive.

use super::{DELAY, sent};
use crate::entities::{Bill, Cart, cart};
use dyno::{Entity, EpochMillis, Hedge, Repository, Transaction};
use dyno_tests::faults::{Fault, ms};
use dyno_tests::{NOW, is_remote, pause, world};
use std::time::Duration;
use tokio::time::sleep;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
struct Rating {
    #[partition_key]
    id: String,
    stars: u32,
    #[ratchet]
    at: EpochMillis,
}

fn rating(stars: u32) -> Rating {
    Rating { id: "1".to_owned(), stars, at: EpochMillis::new(NOW + i64::from(stars)) }
}

/// The delay until a request arrives again, in milliseconds: a minute, or a second on a remote engine, where time is real.
fn late() -> u64 {
    if is_remote() { 1000 } else { 60_000 }
}

#[tokio::test]
async fn a_late_copy_of_a_hedged_ratcheted_write_changes_nothing() {
    pause();
    let world = world::<Rating>().await;
    world.faults.slow([(500, 0), (0, 0)]);
    world.faults.next([Fault::Duplicated(ms(late()))]);
    let put = async |repository: &Repository| rating(3).put().hedge(DELAY).send(repository).await;
    let (put, requests) = sent(&world.repository, put).await;
    assert!(put.expect("put").is_applied());
    assert_eq!(requests, [2, 1, 1]);
    applied!(rating(4).put(), &world.repository);
    world.faults.settled().await;
    assert_eq!(Rating::get("1").send(&world.other()).await.expect("read"), Some(rating(4)));
    world.faults.slow([(0, 500), (0, 0)]);
    let delete = Rating::delete("1", EpochMillis::new(NOW + 5));
    let (delete, requests) =
        sent(&world.repository, async |repository| delete.hedge(DELAY).send(repository).await).await;
    assert!(delete.expect("deleted").is_applied());
    // A tombstone refuses its own token, so the answer of the first request decides.
    assert_eq!(requests[..2], [2, 1]);
    assert_eq!(Rating::get("1").send(&world.other()).await.expect("read"), None);
}

#[tokio::test]
async fn a_refusal_caused_by_the_write_s_own_first_request_counts_as_applied() {
    if is_remote() {
        return; // Time is another there.
    }
    pause();
    let world = world::<Cart>().await;
    applied!(cart(1, 0).put(), &world.repository);
    // The first request is applied at once, but its answer is late. The hedge finds the version taken.
    world.faults.slow([(0, 300), (0, 0)]);
    let replace = async |repository: &Repository| cart(2, 1).replace().hedge(DELAY).send(repository).await;
    let (replaced, requests) = sent(&world.repository, replace).await;
    assert_eq!(replaced.expect("replaced").applied().expect("applied"), 2);
    assert_eq!(requests, [2, 1, 0]);
    // The response to the first request is lost.
    world.faults.slow([(0, 300), (0, 0)]);
    world.faults.next([Fault::AnswerLost]);
    let replaced = cart(3, 2).replace().hedge(DELAY).send(&world.repository).await.expect("replaced");
    assert_eq!(replaced.applied().expect("applied"), 3);
}

#[tokio::test]
async fn a_refusal_caused_by_another_writer_is_reported() {
    pause();
    let world = world::<Cart>().await;
    applied!(cart(1, 0).put(), &world.repository);
    applied!(cart(2, 1).put(), &world.repository);
    world.faults.slow([(100, 0), (0, 0)]);
    let put = async |repository: &Repository| cart(9, 1).put().hedge(DELAY).send(repository).await;
    let (put, requests) = sent(&world.repository, put).await;
    assert!(!put.expect("sent").is_applied());
    assert_eq!(requests[..2], [2, 1]);
}

#[tokio::test]
async fn a_hedged_update_with_an_idempotency_key_applies_once() {
    pause();
    let world = world::<Bill>().await;
    Bill { id: "1".to_owned(), total: 0 }
        .create()
        .send(&world.repository)
        .await
        .expect("created")
        .applied()
        .expect("new");
    for (delays, won) in [([(500, 0), (0, 0)], 1), ([(0, 500), (0, 0)], 0)] {
        world.faults.slow(delays);
        let total = Bill::get("1").send(&world.other()).await.expect("read").expect("there").total;
        let update = Bill::update("1").with(Bill::fields().total.increment(1)).idempotency_key(format!("{won}"));
        let (updated, requests) =
            sent(&world.repository, async |repository| update.hedge(DELAY).send(repository).await).await;
        assert!(updated.expect("sent").is_applied(), "{delays:?}");
        assert_eq!(requests[..2], [2, 1], "{delays:?}");
        // On a remote engine, where time is real, the hedge may be served before the first request.
        assert!(requests[2] == won || is_remote(), "{delays:?}");
        world.faults.settled().await;
        let now = Bill::get("1").send(&world.other()).await.expect("read").expect("there").total;
        assert_eq!(now, total + 1, "{delays:?}");
    }
}

/// Checks that there are at least two requests, and that they are equal, byte for byte.
fn check_equal(requests: &[Vec<u8>]) {
    assert!(requests.len() >= 2);
    assert!(requests.iter().all(|request| *request == requests[0]));
}

#[tokio::test]
async fn a_transaction_has_one_token_for_both_requests() {
    pause();
    let world = world::<Bill>().await;
    Bill { id: "1".to_owned(), total: 0 }
        .create()
        .send(&world.repository)
        .await
        .expect("created")
        .applied()
        .expect("new");
    world.faults.slow([(0, 500), (0, 0)]);
    let transaction = Transaction::new().update(Bill::update("1").with(Bill::fields().total.increment(1)));
    let (sent, requests) =
        sent(&world.repository, async |repository| transaction.hedge(DELAY).send(repository).await).await;
    assert!(sent.expect("sent").is_applied());
    assert_eq!(requests[1], 1);
    assert_eq!(Bill::get("1").send(&world.other()).await.expect("read").expect("there").total, 1);
    check_equal(&world.faults.transactions());
}

#[tokio::test]
async fn a_write_with_its_revision_has_one_token_for_both_requests() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "notes")]
    #[history_table]
    struct Note {
        #[partition_key]
        id: String,
        text: String,
        #[version]
        version: u64,
    }

    pause();
    let world = world::<Note>().await;
    let note = |text: &str, version| Note { id: "1".to_owned(), text: text.to_owned(), version };
    applied!(note("a", 0).put(), &world.repository);
    let before = world.faults.transactions().len();
    world.faults.slow([(0, 500), (0, 0)]);
    let put = async |repository: &Repository| note("b", 1).put().hedge(DELAY).send(repository).await;
    let (put, requests) = sent(&world.repository, put).await;
    assert_eq!(put.expect("put").applied().expect("applied"), 2);
    assert_eq!(requests[1], 1);
    check_equal(&world.faults.transactions()[before..]);
    assert_eq!(Note::revisions("1").send(&world.other()).await.expect("read").items.len(), 2);
}

#[tokio::test]
async fn a_dropped_hedge_does_not_put_a_later_write_in_doubt() {
    pause();
    let world = world::<Cart>().await;
    applied!(cart(1, 0).put(), &world.repository);
    let replace = cart(2, 1).replace().hedge(DELAY);
    for delays in [[(500, 0), (0, 0)], [(50, 0), (500, 0)]] {
        world.faults.slow(delays);
        let clone = replace.clone().send(&world.repository).await.expect("sent");
        assert_eq!(clone.applied().expect("applied"), 2, "{delays:?}");
    }
    // A later write is denied. It is not in doubt, because the dropped request of an earlier write is not remembered.
    applied!(cart(3, 2).replace(), &world.repository);
    world.faults.next([Fault::ErrorCode("AccessDeniedException")]);
    let fresh = cart(4, 3).replace().hedge(DELAY).send(&world.repository).await.expect_err("denied");
    assert!(!fresh.may_be_applied(), "{fresh:?}");
}

#[tokio::test]
async fn a_late_copy_of_a_hedged_group_update_changes_nothing() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "reviews")]
    struct Review {
        #[partition_key]
        id: String,
        stars: u32,
        text: String,
        #[ratchet(guards(stars))]
        rated: EpochMillis,
        #[ratchet(guards(text))]
        written: EpochMillis,
    }

    pause();
    let world = world::<Review>().await;
    let at = EpochMillis::new(NOW);
    let review = Review { id: "1".to_owned(), stars: 1, text: String::new(), rated: at, written: at };
    assert!(review.create().send(&world.repository).await.expect("sent").is_applied());
    world.faults.slow([(500, 0), (0, 0)]);
    world.faults.next([Fault::Served, Fault::Duplicated(ms(late()))]);
    let later = |millis| EpochMillis::new(NOW + millis);
    let update = Review::update("1").rated(later(1)).stars(2).hedge(DELAY);
    let (updated, requests) = sent(&world.repository, async |repository| update.send(repository).await).await;
    assert!(updated.expect("sent").is_applied());
    assert_eq!(requests, [2, 1, 1]);
    assert!(Review::update("1").rated(later(2)).stars(3).send(&world.repository).await.expect("sent").is_applied());
    world.faults.settled().await;
    let found = Review::get("1").send(&world.other()).await.expect("read").expect("there");
    assert_eq!(found.stars, 3);
}

#[tokio::test]
async fn a_refusal_in_doubt_is_resolved_by_a_third_request() {
    if is_remote() {
        return; // Time is another there.
    }
    pause();
    for order in [[(0, 300), (0, 0)], [(0, 50), (0, 100)]] {
        let world = world::<Bill>().await;
        let bill = Bill { id: "1".to_owned(), total: 0 };
        assert!(bill.create().send(&world.other()).await.expect("sent").is_applied());
        // The first request is refused. The hedge is applied, but its response is lost.
        world.faults.slow(order);
        world.faults.next([Fault::Served, Fault::ServerError { served: true }]);
        let other = world.other();
        let meanwhile = tokio::spawn(async move {
            sleep(DELAY / 2).await;
            Bill::update("1").with(Bill::fields().total.set(10)).send(&other).await
        });
        let update = Bill::update("1").with(Bill::fields().total.increment(1)).condition(Bill::fields().total.ge(10));
        let transaction = Transaction::new().update(update).hedge(DELAY);
        let (sent, requests) = sent(&world.repository, async |repository| transaction.send(repository).await).await;
        assert!(sent.expect("sent").is_applied(), "{order:?}");
        assert_eq!(requests, [3, 1, 0], "{order:?}");
        assert!(meanwhile.await.expect("no panic").expect("sent").is_applied());
        assert_eq!(Bill::get("1").send(&world.other()).await.expect("read").expect("there").total, 11);
    }
}

#[tokio::test]
async fn a_lost_hedge_that_may_arrive_later_leaves_a_refusal_in_doubt() {
    if is_remote() {
        return; // Time is another there.
    }
    pause();
    let world = world::<Bill>().await;
    let bill = Bill { id: "1".to_owned(), total: 0 };
    assert!(bill.create().send(&world.other()).await.expect("sent").is_applied());
    let update = || Bill::update("1").with(Bill::fields().total.increment(1)).condition(Bill::fields().total.ge(10));
    // The first request is refused. The hedge has no answer, and is served later.
    for round in 0..2 {
        world.faults.slow([(50, 0), (0, 0)]);
        world.faults.next([Fault::Served, Fault::Late(ms(1000))]);
        let error = match round {
            0 => update().idempotency_key("a").hedge(DELAY).send(&world.repository).await.map(|_| ()),
            _ => {
                let transaction = Transaction::new().update(update()).hedge(DELAY);
                transaction.in_doubt_timeout(Duration::ZERO).send(&world.repository).await.map(|_| ())
            }
        };
        let error = error.expect_err("in doubt");
        assert!(error.may_be_applied(), "{round}: {error}");
        let made = Bill::update("1").with(Bill::fields().total.set(10));
        assert!(made.send(&world.other()).await.expect("sent").is_applied());
        world.faults.settled().await;
        assert_eq!(Bill::get("1").send(&world.other()).await.expect("read").expect("there").total, 11, "{round}");
        let back = Bill::update("1").with(Bill::fields().total.set(0));
        assert!(back.send(&world.other()).await.expect("sent").is_applied());
    }
}

#[tokio::test]
async fn an_answered_refusal_or_error_waits_5_seconds_for_the_other_request() {
    if is_remote() {
        return; // Time is another there.
    }
    pause();
    let world = world::<Cart>().await;
    applied!(cart(1, 0).put(), &world.repository);
    applied!(cart(2, 1).put(), &world.repository);
    world.faults.slow([(50, 0), (600_000, 0)]);
    let replace = cart(9, 1).replace().hedge(DELAY);
    let (replaced, millis) = super::timed(replace.send(&world.repository)).await;
    // The hedge was sent and not answered. The stored version shows that it was not applied.
    assert!(replaced.is_ok_and(|replaced| !replaced.is_applied()));
    assert!((5000..5200).contains(&millis), "{millis} ms");
    world.faults.slow([(50, 0), (600_000, 0)]);
    world.faults.next([Fault::ErrorCode("AccessDeniedException")]);
    let (read, millis) = super::timed(Cart::get("1").hedge(DELAY).send(&world.repository)).await;
    assert!(read.expect_err("denied").to_string().contains("refused by a fault"));
    assert!((5000..5200).contains(&millis), "{millis} ms");
}

#[tokio::test]
async fn an_unchecked_update_raises_the_version_once_under_a_hedged_repository() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "grouped")]
    #[tombstone(ttl_days = 7)]
    struct Grouped {
        #[partition_key]
        id: String,
        rating: u32,
        #[ratchet(guards(rating))]
        rated_at: EpochMillis,
        #[version]
        version: u64,
    }

    pause();
    let world = world::<Grouped>().await;
    let at = |millis| EpochMillis::new(NOW + millis);
    let grouped = Grouped { id: "1".to_owned(), rating: 1, rated_at: at(1), version: 0 };
    assert!(grouped.put().send(&world.repository).await.expect("sent").is_applied());
    let hedged = world.repository.clone().hedged(Hedge::after(DELAY).budget(1.0));
    world.faults.slow([(0, 300), (0, 0)]);
    let update = Grouped::update("1").rated_at(at(2)).rating(3).unchecked();
    let (updated, requests) = sent(&hedged, async |repository| update.send(repository).await).await;
    assert_eq!(updated.expect("sent").applied().expect("applied"), 2);
    assert_eq!(requests, [1, 0, 0]);
}
