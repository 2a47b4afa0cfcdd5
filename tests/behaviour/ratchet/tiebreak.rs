//! Tiebreaks: writes with equal tokens end in the same state in every order of arrival.

use super::stale;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, EpochMillis, Reason};
use dyno_tests::{NOW, item, n, reasons, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
struct Tied {
    #[partition_key]
    id: String,
    rating: u8,
    #[ratchet(tiebreak = "writer")]
    at: EpochMillis,
    writer: String,
}

fn tied(rating: u8, at: i64, writer: &str) -> Tied {
    Tied { id: "1".to_owned(), rating, at: EpochMillis::new(at), writer: writer.to_owned() }
}

#[tokio::test]
async fn every_order_of_arrival_of_tied_writes_ends_the_same() {
    for order in [["a", "b"], ["b", "a"]] {
        let world = world::<Tied>().await;
        for writer in order {
            let outcome = tied(u8::from(writer == "b"), 10, writer).put().send(&world.repository).await.expect("a put");
            let _accepted = outcome.accept_stale().expect("at most stale");
        }
        let found = Tied::get("1").send(&world.repository).await.expect("a get");
        assert_eq!(found, Some(tied(1, 10, "b")), "{order:?}");
    }
}

#[tokio::test]
async fn a_newer_token_wins_over_any_tiebreak() {
    let world = world::<Tied>().await;
    for (next, refused) in [
        (tied(1, 10, "z"), vec![]),
        (tied(2, 11, "a"), vec![]),
        (tied(3, 10, "zz"), stale(false)),
        (tied(4, 11, "A"), stale(false)),
        // A retry of the stored write.
        (tied(2, 11, "a"), vec![]),
    ] {
        let outcome = next.put().send(&world.repository).await.expect("a put");
        assert_eq!(reasons(&outcome), refused, "{next:?}");
    }
}

#[tokio::test]
async fn a_row_older_than_the_tiebreak_loses_the_tie() {
    let world = world::<Tied>().await;
    world.write_foreign::<Tied>(item([("id", s("1")), ("at", n(10))])).await;
    let outcome = tied(1, 10, "a").put().send(&world.repository).await.expect("a put");
    assert_eq!(reasons(&outcome), []);
}

#[tokio::test]
async fn a_tiebreak_of_another_type_is_corrupt_only_at_an_equal_token() {
    let world = world::<Tied>().await;
    let foreign = item([("id", s("1")), ("at", n(10)), ("writer", n(7))]);
    world.write_foreign::<Tied>(foreign).await;
    let outcome = tied(1, 10, "a").put().send(&world.repository).await.expect("a put");
    let corrupt = Reason::Corrupt { attribute: "writer", expected: "S", found: "N" };
    assert_eq!(reasons(&outcome), [corrupt]);
    let outcome = tied(1, 11, "a").put().send(&world.repository).await.expect("a put");
    assert_eq!(reasons(&outcome), []);
    // A stored token of the wrong type is corrupt, too, although the tiebreak has the right type.
    let foreign = item([("id", s("1")), ("at", s("10")), ("writer", s("a"))]);
    world.write_foreign::<Tied>(foreign).await;
    let outcome = tied(1, 11, "a").put().send(&world.repository).await.expect("a put");
    assert_eq!(reasons(&outcome), [Reason::Corrupt { attribute: "at", expected: "N", found: "S" }]);
}

#[tokio::test]
async fn a_delete_compares_its_token_and_its_tiebreak() {
    let world = world::<Tied>().await;
    let _put = tied(1, 10, "b").put().send(&world.repository).await.expect("a put");
    let outcome = Tied::delete("1", (EpochMillis::new(10), "a")).send(&world.repository).await.expect("a delete");
    assert_eq!(reasons(&outcome), stale(false));
    let outcome = Tied::delete("1", (EpochMillis::new(10), "c")).send(&world.repository).await.expect("a delete");
    assert_eq!(reasons(&outcome), []);
    assert_eq!(Tied::get("1").send(&world.repository).await.expect("a get"), None);
    // The put that was deleted cannot come back.
    let outcome = tied(1, 10, "b").put().send(&world.repository).await.expect("a put");
    assert_eq!(reasons(&outcome), [Reason::Stale { attribute: "at", tie: false }, Reason::Deleted]);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
struct StrictTied {
    #[partition_key]
    id: String,
    #[ratchet(strict, tiebreak = "writer")]
    at: u64,
    writer: String,
}

#[tokio::test]
async fn a_tombstone_older_than_the_tiebreak_refuses_its_own_token() {
    let tombstone = || item([("id", s("1")), ("at", n(10)), ("deleted", AttributeValue::Bool(true)), ("ttl", n(NOW))]);
    let world = world::<StrictTied>().await;
    let repository = &world.repository;
    world.write_foreign::<StrictTied>(tombstone()).await;
    let same = StrictTied { id: "1".to_owned(), at: 10, writer: "m".to_owned() };
    let tie = [Reason::Stale { attribute: "at", tie: true }, Reason::Deleted];
    assert_eq!(reasons(&same.put().send(repository).await.expect("a put")), tie);
    assert_eq!(reasons(&same.undelete().send(repository).await.expect("an undelete")), tie[..1]);
    let delete = StrictTied::delete("1", (10u64, "m")).send(repository).await.expect("a delete");
    assert_eq!(reasons(&delete), [], "done already");
    assert_eq!(world.stored::<StrictTied>().await, [tombstone()], "and left as it was");

    let world = dyno_tests::world::<Tied>().await;
    world.write_foreign::<Tied>(tombstone()).await;
    let undelete = tied(1, 10, "m").undelete().send(&world.repository).await.expect("an undelete");
    assert_eq!(reasons(&undelete), tie[..1]);
    let undelete = tied(1, 11, "a").undelete().send(&world.repository).await.expect("an undelete");
    assert_eq!(reasons(&undelete), []);
}
