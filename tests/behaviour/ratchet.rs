//! The ratchet on a whole item: order of arrival, ties, rows of another shape, tokens from the future.

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, EpochMillis, Found, Outcome, Reason};
use dyno_tests::{NOW, World, item, n, s, world};

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

async fn live(world: &World) -> Option<Rating> {
    Rating::get("1").send(&world.repository).await.expect("a get")
}

/// Puts, and says why not.
async fn put(world: &World, rating: &Rating) -> Vec<Reason> {
    reasons(rating.put().send(&world.repository).await.expect("a put"))
}

fn reasons<E, T>(outcome: Outcome<E, T>) -> Vec<Reason> {
    outcome.refusal().map(|refusal| refusal.reasons().to_vec()).unwrap_or_default()
}

fn stale(tie: bool) -> Vec<Reason> {
    vec![Reason::Stale { attribute: "at", tie }]
}

#[tokio::test]
async fn newer_passes_and_older_is_stale() {
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
    assert_eq!(refusal.to_string(), "put of `Rating` (id = \"1\") was refused: stale: the stored `at` is newer");
    let usage = metered.usage();
    assert_eq!((usage.requests, usage.read_units, usage.write_units), (1, 0.0, 1.0));
}

#[tokio::test]
async fn old_news_is_accepted_and_any_refusal_is_an_error() {
    let world = world::<Rating>().await;
    assert_eq!(put(&world, &rating(3, 10)).await, []);
    let outcome = rating(4, 5).put().send(&world.repository).await.expect("a put");
    assert_eq!(outcome.accept_stale().expect("old news"), None);
    let outcome = rating(4, 5).put().send(&world.repository).await.expect("a put");
    let error = outcome.applied().expect_err("refused");
    assert!(error.is_refused());
    assert_eq!(error.to_string(), "put of `Rating` (id = \"1\"): refused: stale: the stored `at` is newer");
}

#[tokio::test]
async fn ties_are_decided_by_arrival() {
    let world = world::<Rating>().await;
    assert_eq!(put(&world, &rating(3, 10)).await, []);
    assert_eq!(put(&world, &rating(4, 10)).await, []);
    assert_eq!(live(&world).await, Some(rating(4, 10)));
}

#[tokio::test]
async fn a_row_without_a_token_lets_every_write_pass() {
    let world = world::<Rating>().await;
    world.write_foreign::<Rating>(item([("id", s("1")), ("rating", n(9))])).await;
    assert_eq!(put(&world, &rating(3, 1)).await, []);
    assert_eq!(live(&world).await, Some(rating(3, 1)));
}

#[tokio::test]
async fn a_token_of_another_type_is_corrupt_and_not_stale() {
    let world = world::<Rating>().await;
    for (token, found) in [(s("2024-07-24"), "S"), (AttributeValue::Null(true), "NULL")] {
        world.write_foreign::<Rating>(item([("id", s("1")), ("at", token)])).await;
        let outcome = rating(3, NOW).put().send(&world.repository).await.expect("a put");
        let Outcome::Refused(refusal) = outcome else { panic!("{outcome:?}") };
        assert_eq!(refusal.reasons(), [Reason::Corrupt { attribute: "at", expected: "N", found }]);
        assert!(refusal.is_corrupt() && !refusal.is_stale() && !refusal.is_superseded());
        assert!(refusal.current().is_err(), "the row is not a rating");
        assert!(Outcome::<_, ()>::Refused(refusal).accept_stale().is_err());
    }
}

#[tokio::test]
async fn tokens_are_compared_as_dynamodb_compares_numbers() {
    let world = world::<Rating>().await;
    world.write_foreign::<Rating>(item([("id", s("1")), ("at", n("7.5"))])).await;
    // No token of this entity's: to be looked at rather than dropped, though a newer one passes.
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
    assert_eq!(reasons(again), []);
    let again = first.put().send(&world.repository).await.expect("a put");
    assert_eq!(reasons(again), stale(true));
    // The delete of that token has not been done, so it is refused as well.
    let delete = Strict::delete("1", 10u64).send(&world.repository).await.expect("a delete");
    assert_eq!(reasons(delete), stale(true));
    let delete = Strict::delete("1", 11u64).send(&world.repository).await.expect("a delete");
    assert_eq!(reasons(delete), []);
    // Now it has: a second delivery finds what it wants.
    let delete = Strict::delete("1", 11u64).send(&world.repository).await.expect("a delete");
    assert_eq!(reasons(delete), []);
}

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
async fn a_tiebreak_makes_all_orders_of_arrival_one() {
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
        // A retry of its own.
        (tied(2, 11, "a"), vec![]),
    ] {
        let outcome = next.put().send(&world.repository).await.expect("a put");
        assert_eq!(reasons(outcome), refused, "{next:?}");
    }
}

#[tokio::test]
async fn a_row_from_before_there_was_a_tiebreak_loses_the_tie() {
    let world = world::<Tied>().await;
    world.write_foreign::<Tied>(item([("id", s("1")), ("at", n(10))])).await;
    let outcome = tied(1, 10, "a").put().send(&world.repository).await.expect("a put");
    assert_eq!(reasons(outcome), []);
}

#[tokio::test]
async fn a_tiebreak_of_another_type_is_corrupt_at_its_token_only() {
    let world = world::<Tied>().await;
    let foreign = item([("id", s("1")), ("at", n(10)), ("writer", n(7))]);
    world.write_foreign::<Tied>(foreign).await;
    let outcome = tied(1, 10, "a").put().send(&world.repository).await.expect("a put");
    let corrupt = Reason::Corrupt { attribute: "writer", expected: "S", found: "N" };
    assert_eq!(reasons(outcome), [corrupt]);
    let outcome = tied(1, 11, "a").put().send(&world.repository).await.expect("a put");
    assert_eq!(reasons(outcome), []);
}

#[tokio::test]
async fn a_tied_delete_takes_both() {
    let world = world::<Tied>().await;
    let _put = tied(1, 10, "b").put().send(&world.repository).await.expect("a put");
    let outcome = Tied::delete("1", (EpochMillis::new(10), "a")).send(&world.repository).await.expect("a delete");
    assert_eq!(reasons(outcome), stale(false));
    let outcome = Tied::delete("1", (EpochMillis::new(10), "c")).send(&world.repository).await.expect("a delete");
    assert_eq!(reasons(outcome), []);
    assert_eq!(Tied::get("1").send(&world.repository).await.expect("a get"), None);
    // The put that was deleted cannot come back.
    let outcome = tied(1, 10, "b").put().send(&world.repository).await.expect("a put");
    assert_eq!(reasons(outcome), [Reason::Stale { attribute: "at", tie: false }, Reason::Deleted]);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
struct Guarded {
    #[partition_key]
    id: String,
    #[ratchet(max_ahead_secs = 300)]
    at: EpochMillis,
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
    assert_eq!(reasons(outcome), []);
}

#[tokio::test]
async fn a_stored_token_from_the_future_is_not_taken_for_old_news() {
    let world = world::<Guarded>().await;
    // A clock in microseconds.
    world.write_foreign::<Guarded>(item([("id", s("1")), ("at", n(NOW * 1000))])).await;
    let guarded = Guarded { id: "1".to_owned(), at: EpochMillis::new(NOW) };
    let outcome = guarded.put().send(&world.repository).await.expect("a put");
    let Outcome::Refused(refusal) = outcome else { panic!("{outcome:?}") };
    let [Reason::Ahead { attribute: "at", seconds }] = refusal.reasons() else { panic!("{refusal:?}") };
    assert_eq!(*seconds, (NOW * 1000 - NOW) / 1000);
    assert!(!refusal.is_superseded());
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
    assert_eq!(reasons(late.put().send(&world.repository).await.expect("a put")), []);
    assert_eq!(reasons(early.put().send(&world.repository).await.expect("a put")), stale(false));
    let random = by(0x0192_0000_0000_4000_8000_0000_0000_0000);
    let error = random.put().send(&world.repository).await.expect_err("version 4");
    assert_eq!(
        error.to_string(),
        "put of `ById` (id = \"1\"): `at`: a UUID of version 4 does not order writes: use version 7"
    );
}

#[tokio::test]
async fn a_write_met_by_its_own_token_is_old_news_unless_a_condition_refused_it() {
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
    // The refusal is in the error, with the item that was there.
    let refusal = error.refusal::<Rating>().expect("a refusal of a rating");
    assert_eq!(refusal.current().expect("decodes"), Some(Found::Live(rating(3, 10))));
    assert!(error.refusal::<Strict>().is_none() && std::error::Error::source(&error).is_none());
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "events")]
struct ByUuid {
    #[partition_key]
    id: String,
    #[ratchet]
    at: uuid::Uuid,
}

#[tokio::test]
async fn a_stored_token_that_is_none_is_not_taken_for_old_news() {
    let world = world::<ByUuid>().await;
    let at: uuid::Uuid = "018fa000-0000-7000-8000-000000000000".parse().expect("a uuid");
    let put = ByUuid { id: "1".to_owned(), at };
    // Text that is no UUID, one of another version, one in another spelling: comparable all the same.
    for stored in ["zzzz", "ffffffff-ffff-4fff-8fff-ffffffffffff", "018fA000-0000-7000-8000-000000000000"] {
        world.write_foreign::<ByUuid>(item([("id", s("1")), ("at", s(stored))])).await;
        let outcome = put.put().send(&world.repository).await.expect("a put");
        if stored < &at.to_string()[..] {
            // Upper case sorts first: nothing tells before the write.
            assert_eq!(reasons(outcome), [], "{stored}");
            continue;
        }
        let refusal = outcome.refusal().expect("refused");
        assert!(refusal.is_corrupt() && !refusal.is_superseded(), "{stored}: {refusal}");
    }
    let huge = Capped { id: "1".to_owned(), at: EpochMillis::new(NOW) };
    let world = dyno_tests::world::<Capped>().await;
    for stored in ["1E+20", "99999999999999999999"] {
        world.write_foreign::<Capped>(item([("id", s("1")), ("at", n(stored))])).await;
        let outcome = huge.put().send(&world.repository).await.expect("a put");
        assert!(outcome.refusal().expect("refused").is_corrupt(), "{stored}");
        assert!(outcome.accept_stale().is_err());
    }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
struct Capped {
    #[partition_key]
    id: String,
    #[ratchet(max_ahead_secs = 300)]
    at: EpochMillis,
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
async fn a_tombstone_from_before_there_was_a_tiebreak_holds_against_its_token() {
    let tombstone = || item([("id", s("1")), ("at", n(10)), ("deleted", AttributeValue::Bool(true)), ("ttl", n(NOW))]);
    let world = world::<StrictTied>().await;
    let repository = &world.repository;
    world.write_foreign::<StrictTied>(tombstone()).await;
    let same = StrictTied { id: "1".to_owned(), at: 10, writer: "m".to_owned() };
    let tie = [Reason::Stale { attribute: "at", tie: true }, Reason::Deleted];
    assert_eq!(reasons(same.put().send(repository).await.expect("a put")), tie);
    assert_eq!(reasons(same.undelete().send(repository).await.expect("an undelete")), tie[..1]);
    let delete = StrictTied::delete("1", (10u64, "m")).send(repository).await.expect("a delete");
    assert_eq!(reasons(delete), [], "done already");
    assert_eq!(world.stored::<StrictTied>().await, [tombstone()], "and left as it was");

    let world = dyno_tests::world::<Tied>().await;
    world.write_foreign::<Tied>(tombstone()).await;
    let undelete = tied(1, 10, "m").undelete().send(&world.repository).await.expect("an undelete");
    assert_eq!(reasons(undelete), tie[..1]);
    let undelete = tied(1, 11, "a").undelete().send(&world.repository).await.expect("an undelete");
    assert_eq!(reasons(undelete), []);
}

/// A ratchet that was declared when there were rows already.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "visits")]
#[tombstone(ttl_days = 7)]
struct Visit {
    #[partition_key]
    id: String,
    visits: u8,
    #[ratchet(strict)]
    #[attribute(default)]
    at: EpochMillis,
}

#[tokio::test]
async fn rows_from_before_the_ratchet_are_read_and_let_every_write_pass() {
    let world = world::<Visit>().await;
    let repository = &world.repository;
    for id in ["1", "2", "3", "4"] {
        world.write_foreign::<Visit>(item([("id", s(id)), ("visits", n(1))])).await;
    }
    let visit = |id: &str, visits, at| Visit { id: id.to_owned(), visits, at: EpochMillis::new(at) };
    let found = Visit::get("1").send(repository).await.expect("a get");
    assert_eq!(found, Some(visit("1", 1, 0)));
    assert_eq!(Visit::scan().send(repository).await.expect("a scan").items.len(), 4);
    // What was read is written back, over no token; the second time over its own.
    assert_eq!(reasons(visit("1", 2, 0).put().send(repository).await.expect("a put")), []);
    assert_eq!(reasons(visit("1", 2, 0).put().send(repository).await.expect("a put")), stale(true));
    // Any token is more than none.
    assert_eq!(reasons(visit("2", 2, -5).put().send(repository).await.expect("a put")), []);
    assert_eq!(reasons(Visit::delete("3", EpochMillis::new(1)).send(repository).await.expect("a delete")), []);
    assert_eq!(
        reasons(visit("3", 2, 0).put().send(repository).await.expect("a put")),
        [stale(false), vec![Reason::Deleted]].concat()
    );
    // And without a change, they get one.
    let done = Visit::scan().modify_each(|_| {}).send(repository).await.expect("a pass").completed().expect("complete");
    assert_eq!(done.changed(), 1);
    let stored = world.stored::<Visit>().await;
    assert!(stored.iter().all(|item| item.contains_key("at")), "{stored:?}");
}

#[tokio::test]
async fn a_row_without_a_token_says_what_would_read_it() {
    let world = world::<Rating>().await;
    world.write_foreign::<Rating>(item([("id", s("1")), ("rating", n(9))])).await;
    let error = Rating::get("1").send(&world.repository).await.expect_err("no token");
    assert_eq!(
        error.to_string(),
        "decode of `Rating` (id = \"1\"): `at`: expected a token, or `#[attribute(default)]` on the field for rows from before there was the ratchet, found no attribute"
    );
}
