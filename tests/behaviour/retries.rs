//! Lost answers: the write was applied, the SDK sends it again, and the second attempt finds what the first one wrote.
//!
//! The tests use tokio's paused clock, so the SDK's pauses between attempts take no time.

use dyno::{Entity, EpochMillis, Found, Outcome, Reason};
use dyno_tests::{pause, reasons, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
struct Rating {
    #[partition_key]
    id: String,
    rating: u8,
    #[ratchet]
    at: EpochMillis,
}

fn rating(rating: u8, at: i64) -> Rating {
    Rating { id: "1".to_owned(), rating, at: EpochMillis::new(at) }
}

#[tokio::test]
async fn a_ratcheted_put_or_delete_sent_twice_is_applied() {
    pause();
    let world = world::<Rating>().await;
    let repository = &world.repository;
    world.lose_answers(2);
    let put = rating(3, 10).put().send(repository).await.expect("a put");
    assert_eq!(reasons(&put), []);
    world.lose_answers(1);
    let delete = Rating::delete("1", EpochMillis::new(11)).send(repository).await.expect("a delete");
    assert_eq!(reasons(&delete), []);
    assert_eq!(Rating::get("1").send(repository).await.expect("a get"), None);
    // The first attempt of the purge removes the tombstone, and the second one finds none.
    let found = Rating::get("1").include_deleted().send(repository).await.expect("a get");
    let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
    world.lose_answers(1);
    let purge = Rating::purge(&tombstone).send(repository).await.expect("a purge");
    assert_eq!(reasons(&purge), []);
}

#[tokio::test]
async fn a_read_with_a_lost_answer_is_resent() {
    pause();
    let world = world::<Rating>().await;
    let _applied = rating(3, 10).put().send(&world.repository).await.expect("a put");
    world.lose_answers(1);
    assert_eq!(Rating::get("1").send(&world.repository).await.expect("a get"), Some(rating(3, 10)));
    world.lose_answers(1);
    assert_eq!(Rating::scan().send(&world.repository).await.expect("a scan").items, [rating(3, 10)]);
}

#[tokio::test]
async fn a_put_between_two_attempts_is_not_undone() {
    pause();
    let world = world::<Rating>().await;
    let repository = &world.repository;
    // The answer to the first attempt is lost. Before the second attempt, another writer puts the item.
    let slow = {
        let repository = repository.clone();
        async move { rating(3, 10).put().send(&repository).await }
    };
    let slow = world.meanwhile(slow, async {
        let other = rating(4, 11).put().send(&world.other()).await.expect("a put");
        assert_eq!(reasons(&other), []);
    });
    let slow = slow.await.expect("a put");
    assert_eq!(reasons(&slow), [Reason::Stale { attribute: "at", tie: false }]);
    assert_eq!(Rating::get("1").send(repository).await.expect("a get"), Some(rating(4, 11)));
}

#[tokio::test]
async fn a_create_or_undelete_may_be_refused_by_its_own_first_attempt() {
    pause();
    // Without a write id, the write cannot tell its own first attempt from another writer. The documentation says so, and
    // the refusal shows the current item.
    let world = world::<Rating>().await;
    let repository = &world.repository;
    world.lose_answers(1);
    let create = rating(3, 10).create().send(repository).await.expect("a create");
    assert_eq!(reasons(&create), [Reason::Exists]);
    let Outcome::Refused(refusal) = create else { panic!() };
    assert_eq!(refusal.current().expect("decodes"), Some(Found::Live(rating(3, 10))));
    let _deleted = Rating::delete("1", EpochMillis::new(11)).send(repository).await.expect("a delete");
    world.lose_answers(1);
    let undelete = rating(4, 12).undelete().send(repository).await.expect("an undelete");
    assert_eq!(reasons(&undelete), [Reason::Stale { attribute: "at", tie: true }, Reason::NotDeleted]);
    assert_eq!(Rating::get("1").send(repository).await.expect("a get"), Some(rating(4, 12)));
}

#[tokio::test]
async fn a_write_without_any_answer_is_an_error_and_may_be_applied() {
    pause();
    let world = world::<Rating>().await;
    world.lose_answers(usize::MAX);
    let error = rating(3, 10).put().send(&world.repository).await.expect_err("no answer");
    assert!(error.is_unreachable(), "{error:?}");
    assert!(error.may_be_applied());
    let message = "put of `Rating` (id = \"1\"): DynamoDB did not answer: the answer was lost; the write may have been applied: send a clone of the command, which is the same write, or load the item and decide";
    assert_eq!(error.to_string(), message);
    assert_eq!((error.entity(), error.operation(), error.key()), (Some("Rating"), Some("put"), Some("id = \"1\"")));
    world.lose_answers(0);
    // The write may have been applied, and in this test it was.
    assert_eq!(Rating::get("1").send(&world.repository).await.expect("a get"), Some(rating(3, 10)));
}
