//! Deletes that leave a tombstone: what it contains, which writes replace it, and how it is removed.

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, EpochMillis, EpochSeconds, Found, Reason, Tombstone};
use dyno_tests::{NOW, World, item, n, reasons, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings", rename_all = "PascalCase")]
#[partition_key(name = "PK", template = "User#{user_id}")]
#[sort_key(name = "SK", template = "Movie#{movie_id}")]
#[tombstone(ttl_days = 7, deleted = "Deleted", ttl = "TTL")]
struct Rating {
    user_id: String,
    movie_id: String,
    rating: u8,
    #[ratchet]
    timestamp: EpochMillis,
}

const KEY: (&str, &str) = ("2", "Z");
const DAY: i64 = 24 * 60 * 60;

fn rating(rating: u8, at: i64) -> Rating {
    Rating { user_id: "2".to_owned(), movie_id: "Z".to_owned(), rating, timestamp: EpochMillis::new(at) }
}

async fn put(world: &World, rating: &Rating) -> Vec<Reason> {
    reasons(&rating.put().send(&world.repository).await.expect("a put"))
}

async fn delete(world: &World, at: i64) -> Vec<Reason> {
    let delete = Rating::delete(KEY, EpochMillis::new(at));
    reasons(&delete.send(&world.repository).await.expect("a delete"))
}

fn stale(tie: bool) -> Reason {
    Reason::Stale { attribute: "Timestamp", tie }
}

async fn live(world: &World) -> Option<Rating> {
    Rating::get(KEY).consistent().send(&world.repository).await.expect("a get")
}

async fn tombstone(world: &World) -> Tombstone<Rating> {
    let found = Rating::get(KEY).include_deleted().send(&world.repository).await.expect("a get");
    let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
    tombstone
}

#[tokio::test]
async fn a_tombstone_holds_only_key_token_flag_and_ttl() {
    let world = world::<Rating>().await;
    assert_eq!(put(&world, &rating(5, NOW - 1000)).await, []);
    assert_eq!(delete(&world, NOW).await, []);
    let expected = item([
        ("PK", s("User#2")),
        ("SK", s("Movie#Z")),
        ("Timestamp", n(NOW)),
        ("Deleted", AttributeValue::Bool(true)),
        ("TTL", n(NOW / 1000 + 7 * DAY)),
    ]);
    assert_eq!(world.stored::<Rating>().await, [expected]);
    assert_eq!(live(&world).await, None);
    assert_eq!(tombstone(&world).await.expires(), Some(EpochSeconds::new(NOW / 1000 + 7 * DAY)));
}

#[tokio::test]
async fn the_ttl_counts_from_the_later_of_now_and_the_token() {
    let world = world::<Rating>().await;
    for (token, from) in [
        // If last year's events are replayed, their tombstones still last for the whole TTL.
        (NOW - 365 * DAY * 1000, NOW / 1000),
        (NOW + 3_600_000, NOW / 1000 + 3600),
        // Seconds are rounded up.
        (NOW + 3_600_001, NOW / 1000 + 3601),
    ] {
        assert_eq!(delete(&world, token).await, []);
        assert_eq!(tombstone(&world).await.expires(), Some(EpochSeconds::new(from + 7 * DAY)));
    }
    // However late the token is, the TTL is a number that DynamoDB accepts.
    assert_eq!(delete(&world, i64::MAX).await, []);
}

#[tokio::test]
async fn older_writes_do_not_bring_a_deleted_item_back() {
    let world = world::<Rating>().await;
    // The delete arrives before the put that it deletes.
    assert_eq!(delete(&world, 20).await, []);
    assert_eq!(put(&world, &rating(1, 10)).await, [stale(false), Reason::Deleted]);
    assert_eq!(live(&world).await, None);
    assert_eq!(put(&world, &rating(2, 21)).await, []);
    assert_eq!(live(&world).await, Some(rating(2, 21)));
    // The newer put removed the flag and the TTL.
    let [stored] = &world.stored::<Rating>().await[..] else { panic!() };
    assert!(!stored.contains_key("Deleted") && !stored.contains_key("TTL"));
    assert_eq!(delete(&world, 20).await, [stale(false)]);
}

#[tokio::test]
async fn a_delete_wins_over_a_put_of_its_token() {
    let world = world::<Rating>().await;
    assert_eq!(put(&world, &rating(1, 10)).await, []);
    // `Rating::delete(key, rating.timestamp)` is the natural call; a late copy of the put must not undo it.
    assert_eq!(delete(&world, 10).await, []);
    assert_eq!(put(&world, &rating(1, 10)).await, [stale(true), Reason::Deleted]);
    let create = rating(1, 10).create().send(&world.repository).await.expect("a create");
    assert_eq!(reasons(&create), [stale(true), Reason::Deleted]);
    assert_eq!(live(&world).await, None);
}

#[tokio::test]
async fn a_delete_delivered_twice_is_applied_and_keeps_its_first_tombstone() {
    let world = world::<Rating>().await;
    assert_eq!(delete(&world, NOW).await, []);
    let first = tombstone(&world).await;
    // A writer whose clock is behind must not shorten the tombstone's life.
    world.clock.set(EpochMillis::new(NOW - 30 * DAY * 1000));
    assert_eq!(delete(&world, NOW).await, []);
    assert_eq!(tombstone(&world).await, first);
    let outcome = Rating::delete(KEY, EpochMillis::new(NOW)).return_old().send(&world.repository).await;
    let old = outcome.expect("a delete").applied().expect("done").decode().expect("decodes");
    assert_eq!(old, Some(Found::Deleted(first)));
}

#[tokio::test]
async fn an_expired_tombstone_still_keeps_older_writes_out() {
    let world = world::<Rating>().await;
    assert_eq!(delete(&world, NOW).await, []);
    world.clock.advance(8 * DAY * 1000);
    assert_eq!(live(&world).await, None);
    assert_eq!(put(&world, &rating(1, NOW - 1)).await, [stale(false), Reason::Deleted]);
    assert!(matches!(tombstone(&world).await.expires(), Some(expires) if expires.get() < world.clock_seconds()));
    assert_eq!(put(&world, &rating(1, NOW + 1)).await, []);
}

#[tokio::test]
async fn a_flag_that_is_not_true_is_no_tombstone() {
    let world = world::<Rating>().await;
    for flag in [AttributeValue::Bool(false), s("true"), n(1), AttributeValue::Null(true)] {
        let foreign = item([
            ("PK", s("User#2")),
            ("SK", s("Movie#Z")),
            ("Rating", n(4)),
            ("Timestamp", n(10)),
            ("Deleted", flag.clone()),
        ]);
        world.write_foreign::<Rating>(foreign).await;
        assert_eq!(live(&world).await, Some(rating(4, 10)), "{flag:?}");
        let found = Rating::query("2").send(&world.repository).await.expect("a query");
        assert_eq!(found.items, [rating(4, 10)], "{flag:?}");
        let create = rating(5, 11).create().send(&world.repository).await.expect("a create");
        assert_eq!(reasons(&create), [Reason::Exists], "{flag:?}");
    }
}

#[tokio::test]
async fn create_and_replace_treat_a_tombstone_as_absent() {
    let world = world::<Rating>().await;
    let replace = rating(1, 10).replace().send(&world.repository).await.expect("a replace");
    assert_eq!(reasons(&replace), [Reason::Missing]);
    let create = rating(1, 10).create().send(&world.repository).await.expect("a create");
    assert_eq!(reasons(&create), []);
    let create = rating(2, 11).create().send(&world.repository).await.expect("a create");
    assert_eq!(reasons(&create), [Reason::Exists]);
    let replace = rating(2, 11).replace().send(&world.repository).await.expect("a replace");
    assert_eq!(reasons(&replace), []);
    assert_eq!(delete(&world, 12).await, []);
    let replace = rating(3, 13).replace().send(&world.repository).await.expect("a replace");
    assert_eq!(reasons(&replace), [Reason::Deleted]);
    let create = rating(3, 13).create().send(&world.repository).await.expect("a create");
    assert_eq!(reasons(&create), []);
}

#[tokio::test]
async fn a_refusal_names_every_failed_rule_and_stays_superseded() {
    let world = world::<Rating>().await;
    assert_eq!(delete(&world, 20).await, []);
    let outcome = rating(1, 10).replace().send(&world.repository).await.expect("a replace");
    assert_eq!(reasons(&outcome), [Reason::Deleted, stale(false)]);
    assert_eq!(outcome.accept_stale().expect("old news"), None);
    // A replace with a newer token is not superseded: its change was lost.
    let outcome = rating(1, 21).replace().send(&world.repository).await.expect("a replace");
    assert_eq!(reasons(&outcome), [Reason::Deleted]);
    assert!(outcome.accept_stale().is_err());
}

#[tokio::test]
async fn undelete_needs_a_tombstone_and_a_newer_token() {
    let world = world::<Rating>().await;
    let undelete =
        async |rating: Rating| reasons(&rating.undelete().send(&world.repository).await.expect("an undelete"));
    assert_eq!(undelete(rating(1, 10)).await, [Reason::Missing]);
    assert_eq!(put(&world, &rating(1, 10)).await, []);
    assert_eq!(undelete(rating(2, 11)).await, [Reason::NotDeleted]);
    assert_eq!(delete(&world, 12).await, []);
    assert_eq!(undelete(rating(2, 11)).await, [stale(false)]);
    assert_eq!(undelete(rating(2, 12)).await, [stale(true)]);
    assert_eq!(undelete(rating(2, 13)).await, []);
    assert_eq!(live(&world).await, Some(rating(2, 13)));
}

#[tokio::test]
async fn purge_removes_the_tombstone_that_was_read_and_no_other() {
    let world = world::<Rating>().await;
    let purge = async |tombstone: &Tombstone<Rating>| {
        reasons(&Rating::purge(tombstone).send(&world.repository).await.expect("a purge"))
    };
    assert_eq!(delete(&world, 10).await, []);
    let first = tombstone(&world).await;
    assert_eq!(delete(&world, 11).await, []);
    assert_eq!(purge(&first).await, [Reason::Changed]);
    let second = tombstone(&world).await;
    assert_eq!(put(&world, &rating(1, 12)).await, []);
    assert_eq!(purge(&second).await, [Reason::Changed]);
    assert_eq!(delete(&world, 13).await, []);
    let third = tombstone(&world).await;
    assert_eq!(purge(&third).await, []);
    assert!(world.stored::<Rating>().await.is_empty());
    // A purge of a tombstone that is already gone counts as applied.
    assert_eq!(purge(&third).await, []);
}

#[tokio::test]
async fn a_tombstone_without_token_and_ttl_can_be_undeleted() {
    let world = world::<Rating>().await;
    let foreign = item([("PK", s("User#2")), ("SK", s("Movie#Z")), ("Deleted", AttributeValue::Bool(true))]);
    world.write_foreign::<Rating>(foreign).await;
    let found = tombstone(&world).await;
    assert_eq!(found.expires(), None);
    let undelete = rating(1, 1).undelete().send(&world.repository).await.expect("an undelete");
    assert_eq!(reasons(&undelete), []);
    let purge = Rating::purge(&found).send(&world.repository).await.expect("a purge");
    assert_eq!(reasons(&purge), [Reason::Changed]);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
#[tombstone(ttl_days = 1)]
struct Note {
    #[partition_key]
    id: String,
    text: String,
}

#[tokio::test]
async fn a_tombstone_needs_no_ratchet() {
    let world = world::<Note>().await;
    let repository = &world.repository;
    let note = Note { id: "1".to_owned(), text: "x".to_owned() };
    let f = Note::fields();
    note.put().send(repository).await.expect("a put");
    Note::delete("1").send(repository).await.expect("a delete");
    assert_eq!(Note::get("1").send(repository).await.expect("a get"), None);
    let update = Note::update("1").with(Note::fields().text.set("y"));
    let outcome = update.clone().send(repository).await.expect("an update");
    assert_eq!(reasons(&outcome), [Reason::Deleted]);
    let outcome = update.upsert().send(repository).await.expect("an update");
    assert_eq!(reasons(&outcome), [Reason::Deleted]);
    // No rule refuses a delete of a deleted item, but the caller's own condition may.
    let delete = Note::delete("1").condition(f.text.eq("x")).send(repository).await.expect("a delete");
    assert_eq!(reasons(&delete), [Reason::Condition]);
    assert!(matches!(delete.refusal().expect("refused").current(), Ok(Some(Found::Deleted(_)))));
    let undelete = note.undelete().send(repository).await.expect("an undelete");
    assert_eq!(reasons(&undelete), []);
    let outcome = Note::update("1").with(Note::fields().text.set("y")).send(repository).await.expect("an update");
    assert_eq!(reasons(&outcome), []);
}

#[tokio::test]
async fn without_a_ratchet_purge_compares_the_tombstone_s_ttl() {
    let world = world::<Note>().await;
    let repository = &world.repository;
    let mut tombstones = Vec::new();
    for _ in 0..2 {
        Note::delete("1").send(repository).await.expect("a delete");
        let found = Note::get("1").include_deleted().send(repository).await.expect("a get");
        let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
        tombstones.push(tombstone);
        world.clock.advance(1000);
    }
    let first = Note::purge(&tombstones[0]).send(repository).await.expect("a purge");
    assert_eq!(reasons(&first), [Reason::Changed]);
    let second = Note::purge(&tombstones[1]).send(repository).await.expect("a purge");
    assert_eq!(reasons(&second), []);
}
