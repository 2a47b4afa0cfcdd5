//! The order of arrival: newer, older and equal tokens, and tokens from the future.

use super::{Guarded, Rating, live, put, rating, stale};
use dyno::{Entity, EpochMillis, Found, Outcome, Reason};
use dyno_tests::{NOW, item, n, reasons, s, world};

#[tokio::test]
async fn a_newer_token_passes_and_an_older_one_is_stale() {
    let world = world::<Rating>().await;
    assert_eq!(put(&world, &rating(3, 10)).await, []);
    assert_eq!(put(&world, &rating(4, 5)).await, stale(false));
    assert_eq!(put(&world, &rating(5, 11)).await, []);
    assert_eq!(put(&world, &rating(6, 10)).await, stale(false));
    assert_eq!(live(&world).await, Some(rating(5, 11)));
}

#[tokio::test]
async fn a_refusal_carries_the_current_item_and_costs_no_read() {
    let world = world::<Rating>().await;
    assert_eq!(put(&world, &rating(3, 10)).await, []);
    let metered = world.repository.metered();
    let outcome = rating(4, 5).put().send(&metered).await.expect("a put");
    let Outcome::Refused(refusal) = outcome else { panic!("{outcome:?}") };
    assert!(refusal.is_stale() && refusal.is_superseded());
    assert_eq!(refusal.current().expect("decodes"), Some(Found::Live(rating(3, 10))));
    assert_eq!(
        refusal.to_string(),
        "put of `Rating` (id = \"1\") was refused: stale: the stored `at` is newer than the write's"
    );
    let usage = metered.usage();
    assert_eq!((usage.requests, usage.read_units, usage.write_units), (1, 0.0, 1.0));
}

#[tokio::test]
async fn accept_stale_returns_none_and_applied_an_error_for_a_stale_write() {
    let world = world::<Rating>().await;
    assert_eq!(put(&world, &rating(3, 10)).await, []);
    let outcome = rating(4, 5).put().send(&world.repository).await.expect("a put");
    assert_eq!(outcome.accept_stale().expect("old news"), None);
    let outcome = rating(4, 5).put().send(&world.repository).await.expect("a put");
    let error = outcome.applied().expect_err("refused");
    assert!(error.is_refused());
    assert_eq!(
        error.to_string(),
        "put of `Rating` (id = \"1\"): refused: stale: the stored `at` is newer than the write's"
    );
}

#[tokio::test]
async fn ties_are_decided_by_arrival() {
    let world = world::<Rating>().await;
    assert_eq!(put(&world, &rating(3, 10)).await, []);
    assert_eq!(put(&world, &rating(4, 10)).await, []);
    assert_eq!(live(&world).await, Some(rating(4, 10)));
}

#[tokio::test]
async fn tokens_are_compared_as_dynamodb_compares_numbers() {
    let world = world::<Rating>().await;
    world.write_foreign::<Rating>(item([("id", s("1")), ("at", n("7.5"))])).await;
    // No put of this entity stores 7.5, so an older token is refused as corrupt, and not as stale. A newer token passes.
    let corrupt =
        Reason::Corrupt { attribute: "at", expected: "a token as its type is stored", found: "another number (N)" };
    assert_eq!(put(&world, &rating(3, 7)).await, [corrupt]);
    assert_eq!(put(&world, &rating(3, 8)).await, []);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
struct Strict {
    #[partition_key]
    id: String,
    rating: u8,
    #[ratchet(strict)]
    at: u64,
}

#[tokio::test]
async fn a_strict_ratchet_refuses_the_same_token() {
    let world = world::<Strict>().await;
    let first = Strict { id: "1".to_owned(), rating: 3, at: 10 };
    let again = first.put().send(&world.repository).await.expect("a put");
    assert_eq!(reasons(&again), []);
    let again = first.put().send(&world.repository).await.expect("a put");
    assert_eq!(reasons(&again), stale(true));
    // The item was not deleted with this token, so the delete is refused as well.
    let delete = Strict::delete("1", 10u64).send(&world.repository).await.expect("a delete");
    assert_eq!(reasons(&delete), stale(true));
    let delete = Strict::delete("1", 11u64).send(&world.repository).await.expect("a delete");
    assert_eq!(reasons(&delete), []);
    // The item was deleted with this token, so a second delivery of the delete counts as applied.
    let delete = Strict::delete("1", 11u64).send(&world.repository).await.expect("a delete");
    assert_eq!(reasons(&delete), []);
}

#[tokio::test]
async fn a_token_too_far_ahead_is_refused_before_the_request() {
    let world = world::<Guarded>().await;
    let before = world.repository.usage();
    let guarded = |at| Guarded { id: "1".to_owned(), at: EpochMillis::new(at) };
    let error = guarded(NOW + 301_000).put().send(&world.repository).await.expect_err("too far ahead");
    assert!(error.is_invalid_input());
    assert_eq!(
        error.to_string(),
        "put of `Guarded` (id = \"1\"): `at`: the token is 301 seconds ahead of the clock, and `max_ahead_secs` is 300: it would lock out every writer until then"
    );
    let error = Guarded::delete("1", EpochMillis::new(NOW + 301_000)).send(&world.repository).await;
    assert!(error.expect_err("too far ahead").is_invalid_input());
    assert_eq!(world.repository.usage(), before);
    let outcome = guarded(NOW + 300_000).put().send(&world.repository).await.expect("a put");
    assert_eq!(reasons(&outcome), []);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
struct ById {
    #[partition_key]
    id: String,
    #[ratchet]
    at: uuid::Uuid,
}

#[tokio::test]
async fn a_uuid_orders_writes_only_if_it_grows_with_time() {
    let world = world::<ById>().await;
    let by = |at| ById { id: "1".to_owned(), at: uuid::Uuid::from_u128(at) };
    let (early, late) = (by(0x0190_0000_0000_7000_8000_0000_0000_0000), by(0x0191_0000_0000_7000_8000_0000_0000_0000));
    assert_eq!(reasons(&late.put().send(&world.repository).await.expect("a put")), []);
    assert_eq!(reasons(&early.put().send(&world.repository).await.expect("a put")), stale(false));
    let random = by(0x0192_0000_0000_4000_8000_0000_0000_0000);
    let error = random.put().send(&world.repository).await.expect_err("version 4");
    assert_eq!(
        error.to_string(),
        "put of `ById` (id = \"1\"): `at`: a UUID of version 4 does not order writes: use version 7"
    );
}

#[tokio::test]
async fn a_write_that_finds_its_own_token_is_superseded_unless_a_condition_failed() {
    let world = world::<Rating>().await;
    let repository = &world.repository;
    let create = rating(3, 10).create();
    create.clone().send(repository).await.expect("a create").applied().expect("applied");
    let again = create.send(repository).await.expect("a create");
    assert_eq!(again.refusal().map(|refusal| refusal.reasons().to_vec()), Some(vec![Reason::Exists]));
    assert_eq!(again.accept_stale().expect("old news"), None);
    let refused = rating(4, 10).put().condition(Rating::fields().rating.eq(9)).send(repository).await;
    let refused = refused.expect("a put");
    assert!(refused.refusal().expect("refused").is_condition());
    let error = refused.accept_stale().expect_err("a condition is not about age");
    // The error contains the refusal, with the item that was there.
    let refusal = error.refusal::<Rating>().expect("a refusal of a rating");
    assert_eq!(refusal.current().expect("decodes"), Some(Found::Live(rating(3, 10))));
    assert!(error.refusal::<Strict>().is_none() && std::error::Error::source(&error).is_none());
}
