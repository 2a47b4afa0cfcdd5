//! Rows whose token is missing, has another type, or is implausible.

use super::{Guarded, Rating, live, put, rating, stale};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, EpochMillis, Outcome, Reason};
use dyno_tests::{NOW, item, n, reasons, s, world};

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
async fn a_stored_token_from_the_future_does_not_make_a_write_superseded() {
    let world = world::<Guarded>().await;
    // The other program's clock counts microseconds.
    world.write_foreign::<Guarded>(item([("id", s("1")), ("at", n(NOW * 1000))])).await;
    let guarded = Guarded { id: "1".to_owned(), at: EpochMillis::new(NOW) };
    let outcome = guarded.put().send(&world.repository).await.expect("a put");
    let Outcome::Refused(refusal) = outcome else { panic!("{outcome:?}") };
    let [Reason::Ahead { attribute: "at", seconds }] = refusal.reasons() else { panic!("{refusal:?}") };
    assert_eq!(*seconds, (NOW * 1000 - NOW) / 1000);
    assert!(!refusal.is_superseded());
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
async fn a_malformed_stored_token_does_not_make_a_write_superseded() {
    let world = world::<ByUuid>().await;
    let at: uuid::Uuid = "018fa000-0000-7000-8000-000000000000".parse().expect("a uuid");
    let put = ByUuid { id: "1".to_owned(), at };
    // Text that is not a UUID, a UUID of another version, and one in another spelling. DynamoDB compares them as text.
    for stored in ["zzzz", "ffffffff-ffff-4fff-8fff-ffffffffffff", "018fA000-0000-7000-8000-000000000000"] {
        world.write_foreign::<ByUuid>(item([("id", s("1")), ("at", s(stored))])).await;
        let outcome = put.put().send(&world.repository).await.expect("a put");
        if stored < &at.to_string()[..] {
            // Upper case sorts before lower case, so the condition holds, and the write is applied.
            assert_eq!(reasons(&outcome), [], "{stored}");
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

/// An entity whose ratchet was declared when its table already had rows.
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
async fn rows_older_than_the_ratchet_are_read_and_let_every_write_pass() {
    let world = world::<Visit>().await;
    let repository = &world.repository;
    for id in ["1", "2", "3", "4"] {
        world.write_foreign::<Visit>(item([("id", s(id)), ("visits", n(1))])).await;
    }
    let visit = |id: &str, visits, at| Visit { id: id.to_owned(), visits, at: EpochMillis::new(at) };
    let found = Visit::get("1").send(repository).await.expect("a get");
    assert_eq!(found, Some(visit("1", 1, 0)));
    assert_eq!(Visit::scan().send(repository).await.expect("a scan").items.len(), 4);
    // The first put of the loaded row meets no token. The second one meets its own token.
    assert_eq!(reasons(&visit("1", 2, 0).put().send(repository).await.expect("a put")), []);
    assert_eq!(reasons(&visit("1", 2, 0).put().send(repository).await.expect("a put")), stale(true));
    // Any token is newer than a missing token.
    assert_eq!(reasons(&visit("2", 2, -5).put().send(repository).await.expect("a put")), []);
    assert_eq!(reasons(&Visit::delete("3", EpochMillis::new(1)).send(repository).await.expect("a delete")), []);
    assert_eq!(
        reasons(&visit("3", 2, 0).put().send(repository).await.expect("a put")),
        [stale(false), vec![Reason::Deleted]].concat()
    );
    // A `modify_each` without a change gives a token to the last row that lacks one.
    let done = Visit::scan().modify_each(|_| {}).send(repository).await.expect("a pass").completed().expect("complete");
    assert_eq!(done.changed(), 1);
    let stored = world.stored::<Visit>().await;
    assert!(stored.iter().all(|item| item.contains_key("at")), "{stored:?}");
}

#[tokio::test]
async fn the_error_of_a_row_without_a_token_names_the_default_attribute() {
    let world = world::<Rating>().await;
    world.write_foreign::<Rating>(item([("id", s("1")), ("rating", n(9))])).await;
    let error = Rating::get("1").send(&world.repository).await.expect_err("no token");
    assert_eq!(
        error.to_string(),
        "decode of `Rating` (id = \"1\"): `at`: expected a token; for rows older than the ratchet, add `#[attribute(default)]` to the field, found no attribute"
    );
}

#[tokio::test]
async fn a_text_token_in_another_spelling_is_corrupt() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "tickets")]
    struct Ticket {
        #[partition_key]
        id: String,
        #[ratchet]
        at: ulid::Ulid,
    }
    let world = world::<Ticket>().await;
    let ticket = |time| Ticket { id: "1".to_owned(), at: ulid::Ulid::from_parts(time, 0) };
    // Lower case sorts after upper case, so this token would be newer than any other.
    let small = ticket(10).at.to_string().to_lowercase();
    world.write_foreign::<Ticket>(item([("id", s("1")), ("at", s(&small))])).await;
    let corrupt =
        Reason::Corrupt { attribute: "at", expected: "a token as its type is stored", found: "another text (S)" };
    for time in [5, 10, 20] {
        let outcome = ticket(time).put().send(&world.repository).await.expect("a put");
        assert_eq!(reasons(&outcome), std::slice::from_ref(&corrupt), "{time}");
    }
    // A number is compared by value, in any spelling.
    let world = self::world::<Rating>().await;
    world.write_foreign::<Rating>(item([("id", s("1")), ("at", n("1.0E1"))])).await;
    assert_eq!(put(&world, &rating(3, 9)).await, stale(false));
}
