//! Versions: what each write expects, what a conflict tells, and how a write knows its own echo.

use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Entity, EpochMillis, EpochSeconds, ErrorKind, Found, Outcome, Reason, Repository};
use dyno_tests::faults::Rates;
use dyno_tests::{World, item, n, pause, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "carts")]
struct Cart {
    #[partition_key]
    id: String,
    lines: u32,
    note: Option<String>,
    #[version]
    version: u64,
}

/// With a tombstone, and a stored name that is no placeholder.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "papers")]
#[tombstone(ttl_days = 7)]
struct Paper {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    #[attribute(rename = "the.version")]
    version: u32,
    #[ttl]
    expires: Option<EpochSeconds>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "plain")]
struct Unnamed {
    #[partition_key]
    id: String,
    count: u8,
    #[version(write_id = false)]
    version: u8,
}

fn cart(lines: u32, version: u64) -> Cart {
    Cart { id: "1".to_owned(), lines, note: None, version }
}

fn paper(text: &str, version: u32) -> Paper {
    Paper { id: "1".to_owned(), text: text.to_owned(), version, expires: None }
}

fn unnamed(count: u8, version: u8) -> Unnamed {
    Unnamed { id: "1".to_owned(), count, version }
}

fn reasons<E, T>(outcome: Outcome<E, T>) -> Vec<Reason> {
    match outcome {
        Outcome::Applied(_) => panic!("applied"),
        Outcome::Refused(refusal) => refusal.reasons().to_vec(),
    }
}

fn conflict(expected: u64, found: impl Into<Option<u64>>) -> Reason {
    Reason::Conflict { expected, found: found.into() }
}

/// Sends a command, which must be applied; what it returned.
macro_rules! applied {
    ($command:expr, $repository:expr) => {
        $command.send($repository).await.expect("sent").applied().expect("applied")
    };
}

/// Sends a command, which must be refused; the reasons.
macro_rules! refused {
    ($command:expr, $repository:expr) => {
        reasons($command.send($repository).await.expect("sent"))
    };
}

async fn stored_cart(repository: &Repository) -> Option<Cart> {
    Cart::get("1").consistent().send(repository).await.expect("a get")
}

#[tokio::test]
async fn every_write_counts_and_says_the_number() {
    let world = world::<Paper>().await;
    let repository = &world.repository;
    assert_eq!(applied!(paper("a", 0).create(), repository), 1);
    assert_eq!(applied!(paper("b", 1).put(), repository), 2);
    assert_eq!(applied!(paper("c", 2).replace(), repository), 3);
    assert_eq!(applied!(Paper::update("1").version(3u32).with(Paper::fields().text.set("d")), repository), 4);
    assert_eq!(applied!(Paper::update("1").unchecked().with(Paper::fields().text.set("e")), repository), 5);
    assert_eq!(applied!(Paper::delete("1", 5u32), repository), 6);
    let found = Paper::get("1").include_deleted().send(repository).await.expect("a get");
    let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
    assert_eq!(tombstone.version(), 6);
    assert_eq!(applied!(paper("f", tombstone.version()).undelete(), repository), 7);
    assert_eq!(Paper::get("1").send(repository).await.expect("a get"), Some(paper("f", 7)));
    // A put of version 0 makes the item, too.
    assert_eq!(applied!(Paper { id: "2".to_owned(), ..paper("a", 0) }.put(), repository), 1);
}

#[tokio::test]
async fn a_write_of_another_version_is_refused_and_brings_the_winner() {
    let world = world::<Paper>().await;
    let repository = &world.repository;
    applied!(paper("a", 0).create(), repository);
    applied!(paper("b", 1).put(), repository);
    let metered = repository.metered();
    let outcome = paper("mine", 1).put().send(&metered).await.expect("sent");
    let usage = metered.usage();
    assert_eq!((usage.requests, usage.read_units, usage.write_units), (1, 0.0, 1.0));
    let refusal = outcome.refusal().expect("a conflict");
    assert!(refusal.is_conflict());
    assert_eq!(refusal.current().expect("decodes"), Some(Found::Live(paper("b", 2))));
    assert_eq!(refusal.to_string(), "put of `Paper` (id = \"1\") was refused: conflict: expected version 1, found 2");
    assert_eq!(reasons(outcome), [conflict(1, 2)]);
    assert_eq!(refused!(paper("x", 1).replace(), repository), [conflict(1, 2)]);
    assert_eq!(refused!(Paper::delete("1", 1u32), repository), [conflict(1, 2)]);
    let update = || Paper::update("1").version(1u32).with(Paper::fields().text.set("x"));
    assert_eq!(refused!(update(), repository), [conflict(1, 2)]);
    assert_eq!(refused!(paper("x", 2).undelete(), repository), [Reason::NotDeleted]);
    assert_eq!(refused!(paper("x", 0).put(), repository), [Reason::Exists]);
    assert_eq!(refused!(paper("x", 7).create(), repository), [Reason::Exists]);
    // Of the future, too.
    assert_eq!(refused!(paper("x", 3).put(), repository), [conflict(3, 2)]);
    applied!(Paper::delete("1", 2u32), repository);
    assert_eq!(refused!(paper("x", 2).put(), repository), [conflict(2, 3), Reason::Deleted]);
    assert_eq!(refused!(Paper::delete("1", 2u32), repository), [conflict(2, 3), Reason::Deleted]);
    assert_eq!(refused!(paper("x", 2).undelete(), repository), [conflict(2, 3)]);
    assert_eq!(refused!(update(), repository), [Reason::Deleted, conflict(1, 3)]);
    assert_eq!(world.stored::<Paper>().await.len(), 1);
}

#[tokio::test]
async fn without_an_item_every_version_but_0_is_a_conflict() {
    let world = world::<Cart>().await;
    let repository = &world.repository;
    assert_eq!(refused!(cart(1, 1).put(), repository), [Reason::Missing, conflict(1, None)]);
    assert_eq!(refused!(cart(1, 1).replace(), repository), [Reason::Missing, conflict(1, None)]);
    assert_eq!(refused!(Cart::delete("1", 1u64), repository), [Reason::Missing, conflict(1, None)]);
    assert_eq!(refused!(Cart::delete("1", 0u64), repository), [Reason::Missing, conflict(0, None)]);
    let update = Cart::update("1").version(1u64).with(Cart::fields().lines.set(2));
    assert_eq!(refused!(update, repository), [Reason::Missing, conflict(1, None)]);
    let update = Cart::update("1").unchecked().with(Cart::fields().lines.set(2));
    assert_eq!(refused!(update, repository), [Reason::Missing]);
    assert!(world.stored::<Cart>().await.is_empty());
}

#[tokio::test]
async fn an_item_from_before_there_were_versions_has_version_0() {
    let world = world::<Cart>().await;
    let repository = &world.repository;
    let legacy = || item([("id", s("1")), ("lines", n(3))]);
    for version in [None, Some(n(0)), Some(n("0.0"))] {
        let with_version = || {
            let mut item = legacy();
            item.extend(version.clone().map(|version| ("version".to_owned(), version)));
            item
        };
        world.write_foreign::<Cart>(with_version()).await;
        assert_eq!(stored_cart(repository).await, Some(cart(3, 0)));
        // It is not overwritten by someone who does not know of it.
        // Who has loaded it, and puts it back, is told what to do.
        let refused = cart(9, 0).put().send(repository).await.expect("sent");
        let refusal = refused.refusal().expect("refused");
        assert_eq!(refusal.reasons(), [Reason::Exists, Reason::Uncounted { attribute: "version" }]);
        assert_eq!(
            refusal.to_string(),
            "put of `Cart` (id = \"1\") was refused: there is an item already; it has no `version` yet: `replace` writes over an item from before there were versions"
        );
        assert_eq!(refused!(cart(9, 0).create(), repository), [Reason::Exists]);
        assert_eq!(applied!(cart(4, 0).replace(), repository), 1);
        assert_eq!(refused!(cart(5, 0).replace(), repository), [conflict(0, 1)]);
        world.write_foreign::<Cart>(with_version()).await;
        assert_eq!(applied!(Cart::update("1").version(0u64).with(Cart::fields().lines.set(5)), repository), 1);
        world.write_foreign::<Cart>(with_version()).await;
        assert_eq!(applied!(Cart::update("1").unchecked().with(Cart::fields().lines.set(6)), repository), 1);
        world.write_foreign::<Cart>(with_version()).await;
        assert_eq!(applied!(Cart::modify("1", |cart| cart.lines += 1), repository), cart(4, 1));
        world.write_foreign::<Cart>(with_version()).await;
        applied!(Cart::delete("1", 0u64), repository);
        assert_eq!(stored_cart(repository).await, None);
    }
}

#[tokio::test]
async fn numbers_go_on_over_tombstones_and_expired_items() {
    let world = world::<Paper>().await;
    let repository = &world.repository;
    assert_eq!(applied!(paper("a", 0).create(), repository), 1);
    assert_eq!(applied!(Paper::delete("1", 1u32), repository), 2);
    let metered = repository.metered();
    assert_eq!(applied!(paper("b", 0).create(), &metered), 3);
    assert_eq!(metered.usage().requests, 2);
    assert_eq!(applied!(Paper::delete("1", 3u32), repository), 4);
    assert_eq!(applied!(paper("c", 0).put(), repository), 5);
    let expired = EpochSeconds::new(world.clock_seconds() - 1);
    assert_eq!(applied!(Paper { expires: Some(expired), ..paper("d", 5) }.put(), repository), 6);
    assert_eq!(Paper::get("1").send(repository).await.expect("a get"), None);
    assert_eq!(applied!(paper("e", 0).create(), repository), 7);
    // A tombstone of another writer, without a version.
    let deleted = dyno::aws_sdk_dynamodb::types::AttributeValue::Bool(true);
    world.write_foreign::<Paper>(item([("id", s("1")), ("deleted", deleted.clone())])).await;
    assert_eq!(applied!(paper("f", 0).create(), repository), 1);
    // And one whose version is none.
    world.write_foreign::<Paper>(item([("id", s("1")), ("deleted", deleted), ("the.version", s("x"))])).await;
    assert!(matches!(refused!(paper("f", 0).create(), repository)[..], [Reason::Deleted, Reason::Corrupt { .. }]));
    // A condition of one's own holds over tombstones as elsewhere.
    applied!(Paper::purge(&tombstone(repository).await), repository);
    applied!(paper("a", 0).create(), repository);
    applied!(Paper::delete("1", 1u32), repository);
    let f = Paper::fields();
    let create = paper("b", 0).create().condition(f.text.eq("never"));
    assert_eq!(refused!(create, repository), [Reason::Condition]);
}

async fn tombstone(repository: &Repository) -> dyno::Tombstone<Paper> {
    match Paper::get("1").include_deleted().send(repository).await.expect("a get") {
        Some(Found::Deleted(tombstone)) => tombstone,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_purge_removes_the_tombstone_that_was_read_and_no_other() {
    let world = world::<Paper>().await;
    let repository = &world.repository;
    applied!(paper("a", 0).create(), repository);
    applied!(Paper::delete("1", 1u32), repository);
    let first = tombstone(repository).await;
    applied!(paper("b", 0).create(), repository);
    assert_eq!(refused!(Paper::purge(&first), repository), [Reason::Changed]);
    applied!(Paper::delete("1", 3u32), repository);
    assert_eq!(refused!(Paper::purge(&first), repository), [Reason::Changed]);
    applied!(Paper::purge(&tombstone(repository).await), repository);
    assert!(world.stored::<Paper>().await.is_empty());
}

#[tokio::test]
async fn unchecked_updates_raise_the_version_so_that_checked_writers_notice() {
    let world = world::<Cart>().await;
    let repository = &world.repository;
    applied!(cart(1, 0).create(), repository);
    applied!(Cart::update("1").unchecked().with(Cart::fields().lines.set(2)), repository);
    assert_eq!(refused!(cart(3, 1).put(), repository), [conflict(1, 2)]);
    assert_eq!(stored_cart(repository).await, Some(cart(2, 2)));
    let new = Cart::update("1").unchecked().with(Cart::fields().note.set("x")).return_new();
    assert_eq!(applied!(new, repository).decode().expect("decodes").version, 3);
    // An upsert makes version 1.
    let upsert = |id: &str| Cart::update(id).unchecked().with(Cart::fields().lines.set(1)).upsert();
    assert_eq!(applied!(upsert("2"), repository), 1);
    assert_eq!(applied!(upsert("2"), repository), 2);
    let checked = Cart::update("3").version(0u64).with(Cart::fields().lines.set(1)).upsert();
    assert_eq!(applied!(checked.clone(), repository), 1);
    assert_eq!(
        refused!(Cart::update("3").version(0u64).with(Cart::fields().lines.set(2)).upsert(), repository),
        [conflict(0, 1)]
    );
}

#[tokio::test]
async fn a_version_that_is_none_is_corrupt() {
    let world = world::<Cart>().await;
    let repository = &world.repository;
    for version in [s("3"), n("-1"), n("2.5")] {
        world.write_foreign::<Cart>(item([("id", s("1")), ("lines", n(1)), ("version", version)])).await;
        assert!(matches!(refused!(cart(1, 3).put(), repository)[..], [Reason::Corrupt { .. }]));
        assert!(matches!(refused!(cart(1, 0).replace(), repository)[..], [Reason::Corrupt { .. }]));
        assert!(matches!(refused!(Cart::delete("1", 3u64), repository)[..], [Reason::Corrupt { .. }]));
    }
    for version in [s("3"), n("-1")] {
        world.write_foreign::<Cart>(item([("id", s("1")), ("lines", n(1)), ("version", version)])).await;
        let update = Cart::update("1").unchecked().with(Cart::fields().lines.set(2));
        assert!(matches!(refused!(update, repository)[..], [Reason::Corrupt { .. }]));
    }
    // Spelled otherwise, it is the same number.
    world.write_foreign::<Cart>(item([("id", s("1")), ("lines", n(1)), ("version", n("3.0"))])).await;
    assert_eq!(applied!(cart(1, 3).put(), repository), 4);
}

#[tokio::test]
async fn the_last_number_is_an_error_and_nothing_is_written() {
    let world = world::<Unnamed>().await;
    let repository = &world.repository;
    world.write_foreign::<Unnamed>(item([("id", s("1")), ("count", n(1)), ("version", n(254))])).await;
    assert_eq!(applied!(unnamed(2, 254).put(), repository), 255);
    let error = unnamed(3, 255).put().send(repository).await.expect_err("no more");
    assert!(error.is_invalid_input(), "{error:?}");
    assert_eq!(
        error.to_string(),
        "put of `Unnamed` (id = \"1\"): `version` is at 255, the last version that its type can hold: take a wider type, such as `u64`"
    );
    let update = Unnamed::update("1").unchecked().with(Unnamed::fields().count.set(3));
    assert_eq!(refused!(update, repository), [Reason::Overflow { attribute: "version" }]);
    assert_eq!(Unnamed::get("1").send(repository).await.expect("a get"), Some(unnamed(2, 255)));
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_not_a_conflict() {
    let world = world::<Paper>().await;
    let repository = &world.repository;
    let f = Paper::fields();
    world.lose_answers(1);
    assert_eq!(applied!(paper("a", 0).create(), repository), 1);
    world.lose_answers(2);
    assert_eq!(applied!(paper("b", 1).put(), repository), 2);
    world.lose_answers(1);
    assert_eq!(applied!(paper("c", 2).replace(), repository), 3);
    world.lose_answers(1);
    assert_eq!(applied!(Paper::update("1").version(3u32).with(Paper::fields().text.set("d")), repository), 4);
    world.lose_answers(1);
    assert_eq!(applied!(Paper::delete("1", 4u32), repository), 5);
    world.lose_answers(1);
    assert_eq!(applied!(paper("e", 5).undelete(), repository), 6);
    applied!(Paper::delete("1", 6u32), repository);
    // Of the second request of a create over a tombstone.
    let create = {
        let repository = repository.clone();
        async move { paper("f", 0).create().send(&repository).await }
    };
    world.faults.hold_after(1);
    let create = tokio::spawn(create);
    world.faults.held().await;
    world.lose_answers(1);
    world.faults.release();
    assert_eq!(create.await.expect("no panic").expect("sent").applied().expect("applied"), 8);
    world.lose_answers(1);
    assert_eq!(applied!(Paper::modify("1", |paper| paper.text.push('!')), repository), paper("f!", 9));
    world.lose_answers(1);
    applied!(Paper::delete("1", 9u32), repository);
    world.lose_answers(1);
    applied!(Paper::purge(&tombstone(repository).await), repository);
    // A condition that its own first attempt made false.
    applied!(paper("a", 0).create(), repository);
    world.lose_answers(1);
    let put = paper("b", 1).put().condition(f.text.eq("a"));
    assert_eq!(applied!(put, repository), 2);
}

#[tokio::test(start_paused = true)]
async fn without_a_write_id_a_lost_answer_leaves_it_unknown() {
    let world = world::<Unnamed>().await;
    world.lose_answers(1);
    let error = unnamed(1, 0).put().send(&world.repository).await.expect_err("unknown");
    assert!(error.is_outcome_unknown(), "{error:?}");
    world.lose_answers(1);
    assert!(unnamed(2, 1).put().send(&world.repository).await.expect_err("unknown").is_outcome_unknown());
    // The item has the version that the write expects; but numbers begin again behind a deletion.
    world.lose_answers(1);
    let put = unnamed(3, 2).put().condition(Unnamed::fields().count.eq(9));
    assert!(put.send(&world.repository).await.expect_err("unknown").is_outcome_unknown());
    let stored = world.stored::<Unnamed>().await;
    assert_eq!(stored, [item([("id", s("1")), ("count", n(2)), ("version", n(2))])]);
}

/// Another writer comes between two attempts of a write.
async fn overtaken(world: &World, other: impl Future<Output = ()>) -> Result<Outcome<Cart, u64>, dyno::Error> {
    let repository = world.repository.clone();
    world.meanwhile(async move { cart(2, 1).put().send(&repository).await }, other).await
}

#[tokio::test(start_paused = true)]
async fn who_has_been_overtaken_is_told_that_it_is_not_known() {
    let world = world::<Cart>().await;
    let other = world.other();
    applied!(cart(1, 0).create(), &other);
    let error = overtaken(&world, async {
        applied!(cart(3, 2).put(), &other);
    });
    let error = error.await.expect_err("unknown");
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error:?}");
    assert_eq!(
        error.to_string(),
        "put of `Cart` (id = \"1\"): an earlier attempt may have been applied, and what is there does not tell any more: load the entity and decide"
    );
    // Deleted without a trace.
    applied!(Cart::delete("1", 3u64), &other);
    applied!(cart(1, 0).create(), &other);
    let error = overtaken(&world, async {
        applied!(Cart::delete("1", 2u64), &other);
    });
    assert!(error.await.expect_err("unknown").is_outcome_unknown());
    applied!(cart(1, 0).create(), &other);
    world.lose_answers(1);
    let error = Cart::delete("1", 1u64).send(&world.repository).await.expect_err("no trace");
    assert!(error.is_outcome_unknown());
}

#[tokio::test(start_paused = true)]
async fn a_create_that_may_have_been_applied_and_deleted_is_not_done_again() {
    let world = world::<Paper>().await;
    let (repository, other) = (world.repository.clone(), world.other());
    let create = world.meanwhile(async move { paper("a", 0).create().send(&repository).await }, async {
        applied!(Paper::delete("1", 1u32), &other);
    });
    assert!(create.await.expect_err("unknown").is_outcome_unknown());
    assert_eq!(tombstone(&other).await.version(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_unchecked_update_does_not_hide_an_earlier_write() {
    let world = world::<Cart>().await;
    let other = world.other();
    applied!(cart(1, 0).create(), &other);
    let outcome = overtaken(&world, async {
        applied!(Cart::update("1").unchecked().with(Cart::fields().note.set("x")), &other);
    });
    assert_eq!(outcome.await.expect("sent").applied().expect("applied"), 2);
    assert_eq!(stored_cart(&other).await, Some(Cart { note: Some("x".to_owned()), ..cart(2, 3) }));
}

#[tokio::test(start_paused = true)]
async fn who_was_throttled_is_told_of_the_conflict() {
    let world = world::<Cart>().await;
    applied!(cart(1, 0).create(), &world.repository);
    applied!(cart(2, 1).put(), &world.repository);
    applied!(cart(3, 2).put(), &world.repository);
    // The first attempt was certainly not applied, so there is nothing unknown.
    world.faults.seed(1, Rates { throttle: 1.0, ..Rates::NONE });
    let repository = world.repository.clone();
    world.faults.hold_after(1);
    let put = tokio::spawn(async move { cart(9, 1).put().send(&repository).await });
    world.faults.held().await;
    world.faults.calm();
    world.faults.release();
    let outcome = put.await.expect("no panic").expect("sent");
    assert_eq!(reasons(outcome), [conflict(1, 3)]);
}

#[tokio::test]
async fn two_writers_of_one_image_do_not_both_succeed() {
    let world = world::<Cart>().await;
    let repository = &world.repository;
    applied!(cart(5, 0).create(), repository);
    // Two workers count 5 up to 6.
    let (one, other) = (cart(6, 1).put(), cart(6, 1).put());
    applied!(one, repository);
    assert_eq!(refused!(other, repository), [conflict(1, 2)]);
    // Two creators of one row, and two deleters of one version.
    let (one, other) = (Cart { id: "2".to_owned(), ..cart(1, 0) }, Cart { id: "2".to_owned(), ..cart(1, 0) });
    applied!(one.create(), repository);
    assert_eq!(refused!(other.create(), repository), [Reason::Exists]);
    applied!(Cart::delete("2", 1u64), repository);
    assert_eq!(refused!(Cart::delete("2", 1u64), repository), [Reason::Missing, conflict(1, None)]);
}

#[tokio::test]
async fn clones_of_a_command_are_one_write() {
    let world = world::<Cart>().await;
    let repository = &world.repository;
    let create = cart(1, 0).create();
    assert_eq!(applied!(create.clone(), repository), 1);
    assert_eq!(applied!(create.clone(), repository), 1);
    assert_eq!(
        create.request(repository).expect("a request").to_string(),
        create.clone().request(repository).expect("a request").to_string()
    );
    assert_eq!(refused!(cart(1, 0).create(), repository), [Reason::Exists]);
    // A clone that has been changed is another write.
    let f = Cart::fields();
    let update = Cart::update("1").version(1u64).with(Cart::fields().lines.set(2));
    let other = update.clone().with(Cart::fields().note.set("x"));
    assert_eq!(applied!(update.clone(), repository), 2);
    assert_eq!(refused!(other, repository), [conflict(1, 2)]);
    assert_eq!(refused!(update.clone().upsert(), repository), [conflict(1, 2)]);
    assert_eq!(refused!(update.condition(f.lines.eq(1)), repository), [conflict(1, 2)]);
    let put = cart(3, 2).put();
    assert_eq!(applied!(put.clone(), repository), 3);
    assert_eq!(refused!(put.condition(f.lines.eq(7)), repository), [conflict(2, 3)]);
    let update = Cart::update("1");
    assert_eq!(applied!(update.clone().version(3u64).with(Cart::fields().lines.set(4)), repository), 4);
    assert_eq!(refused!(update.version(3u64).with(Cart::fields().lines.set(5)), repository), [conflict(3, 4)]);
}

#[tokio::test(start_paused = true)]
async fn a_transaction_that_holds_the_item_is_waited_for() {
    let world = world::<Cart>().await;
    world.faults.seed(1, Rates { conflict: 1.0, ..Rates::NONE });
    world.faults.hold_after(3);
    let repository = world.repository.clone();
    let create = tokio::spawn(async move { cart(1, 0).create().send(&repository).await });
    world.faults.held().await;
    world.faults.calm();
    world.faults.release();
    assert_eq!(create.await.expect("no panic").expect("sent").applied().expect("applied"), 1);
    // But not for ever.
    world.faults.seed(1, Rates { conflict: 1.0, ..Rates::NONE });
    let put = cart(2, 1).put();
    let error = put.clone().send(&world.repository).await.expect_err("held");
    assert_eq!(error.kind(), ErrorKind::Contended, "{error:?}");
    // If an answer was lost before, it is not said that nothing was applied; the same command again learns it.
    world.faults.calm();
    world.faults.hold_after(1);
    world.lose_answers(1);
    let held = tokio::spawn({
        let (put, repository) = (put.clone(), world.repository.clone());
        async move { put.send(&repository).await }
    });
    world.faults.held().await;
    world.faults.seed(1, Rates { conflict: 1.0, ..Rates::NONE });
    world.faults.release();
    let error = held.await.expect("no panic").expect_err("held");
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error:?}");
    assert!(error.to_string().contains("send the same command again"), "{error}");
    world.faults.calm();
    assert_eq!(applied!(put, &world.repository), 2);
    assert_eq!(stored_cart(&world.repository).await, Some(cart(2, 2)));
}

#[tokio::test(start_paused = true)]
async fn where_nothing_outlives_a_deletion_a_create_is_not_called_refused() {
    let world = world::<Cart>().await;
    let (repository, other) = (world.repository.clone(), world.other());
    let create = world.meanwhile(async move { cart(1, 0).create().send(&repository).await }, async {
        applied!(Cart::delete("1", 1u64), &other);
        applied!(cart(2, 0).create(), &other);
    });
    assert!(create.await.expect_err("unknown").is_outcome_unknown());
    assert_eq!(stored_cart(&other).await, Some(cart(2, 1)));
}

/// The numbers have begun again, and come to where they would be a conflict.
#[tokio::test]
async fn where_numbers_begin_again_no_applied_write_is_called_a_conflict() {
    pause();
    let world = world::<Cart>().await;
    let (repository, other) = (world.repository.clone(), world.other());
    applied!(cart(1, 0).create(), &other);
    let delete = world.meanwhile(async move { Cart::delete("1", 1u64).send(&repository).await }, async {
        applied!(cart(2, 0).create(), &other);
        applied!(cart(3, 1).put(), &other);
    });
    assert!(delete.await.expect_err("unknown").is_outcome_unknown());
    assert_eq!(stored_cart(&other).await, Some(cart(3, 2)));
    // Of any write, and whatever the number.
    for puts in 0..3 {
        applied!(Cart::delete("1", stored_cart(&other).await.expect("there").version), &other);
        applied!(cart(1, 0).create(), &other);
        let error = overtaken(&world, async {
            applied!(Cart::delete("1", 2u64), &other);
            applied!(cart(1, 0).create(), &other);
            for version in 1..=puts {
                applied!(cart(9, version).put(), &other);
            }
        });
        // Of its own number, it passes once more: the item is what it expects.
        match (puts, error.await) {
            (0, sent) => assert!(sent.expect("sent").is_applied()),
            (_, sent) => assert!(sent.expect_err("unknown").is_outcome_unknown()),
        }
    }
    // A condition of one's own that an item met which is gone.
    applied!(Cart::delete("1", stored_cart(&other).await.expect("there").version), &other);
    let repository = world.repository.clone();
    let create = cart(1, 0).create().condition(Cart::fields().note.not_exists());
    let create = world.meanwhile(async move { create.send(&repository).await }, async {
        applied!(Cart::delete("1", 1u64), &other);
        applied!(cart(2, 0).create(), &other);
    });
    assert!(create.await.expect_err("unknown").is_outcome_unknown());
}

/// Behind a tombstone they go on: where the item is still what the write found, it was not applied.
#[tokio::test]
async fn where_numbers_go_on_the_item_tells() {
    pause();
    let world = world::<Fenced>().await;
    applied!(fenced(1, 0).create(), &world.repository);
    world.lose_answers(1);
    let put = fenced(2, 1).put().condition(Fenced::fields().text.eq("z"));
    assert_eq!(refused!(put, &world.repository), [Reason::Condition]);
    world.lose_answers(1);
    assert_eq!(
        refused!(fenced(2, 0).put().condition(Fenced::fields().text.eq("z")), &world.repository),
        [Reason::Exists]
    );
}

#[tokio::test]
async fn nor_where_a_ttl_has_removed_the_item() {
    pause();
    let world = world::<Paper>().await;
    let (repository, other) = (world.repository.clone(), world.other());
    applied!(paper("a", 0).create(), &other);
    let put = world.meanwhile(async move { paper("mine", 1).put().send(&repository).await }, async {
        let removed = other.client().delete_item().table_name("papers").key("id", s("1"));
        removed.send().await.expect("as DynamoDB does");
        applied!(paper("b", 0).create(), &other);
        applied!(paper("c", 1).put(), &other);
    });
    assert!(put.await.expect_err("unknown").is_outcome_unknown());
}

/// Loads an item of version 1 to change it; before the change is written, the item goes and another one is there, of
/// version 1, too.
async fn modified_meanwhile<E: Send + 'static>(
    world: &World,
    modify: impl Future<Output = Result<Outcome<E, E>, dyno::Error>> + Send + 'static,
    another: impl Future<Output = ()>,
) -> Outcome<E, E> {
    world.faults.hold_after(1);
    let modify = tokio::spawn(modify);
    world.faults.held().await;
    another.await;
    world.faults.release();
    modify.await.expect("no panic").expect("sent")
}

#[tokio::test]
async fn a_change_is_made_of_no_other_item_of_the_same_version() {
    pause();
    let world = world::<Cart>().await;
    let (repository, other) = (world.repository.clone(), world.other());
    applied!(cart(1, 0).create(), &other);
    let modify = async move { Cart::modify("1", |cart| cart.lines += 1).send(&repository).await };
    let modified = modified_meanwhile(&world, modify, async {
        applied!(Cart::delete("1", 1u64), &other);
        applied!(Cart { note: Some("another".to_owned()), ..cart(10, 0) }.create(), &other);
    });
    let expected = Cart { note: Some("another".to_owned()), ..cart(11, 2) };
    assert_eq!(modified.await.applied().expect("applied"), expected);
    assert_eq!(stored_cart(&other).await, Some(expected));
}

#[tokio::test]
async fn nor_of_one_behind_an_item_that_a_ttl_has_removed() {
    pause();
    let world = world::<Paper>().await;
    let (repository, other) = (world.repository.clone(), world.other());
    applied!(paper("a", 0).create(), &other);
    let modify = async move { Paper::modify("1", |paper| paper.text.push('!')).send(&repository).await };
    let modified = modified_meanwhile(&world, modify, async {
        let removed = other.client().delete_item().table_name("papers").key("id", s("1"));
        removed.send().await.expect("as DynamoDB does");
        applied!(paper("b", 0).create(), &other);
    });
    assert_eq!(modified.await.applied().expect("applied"), paper("b!", 2));
    assert_eq!(Paper::get("1").send(&other).await.expect("a get"), Some(paper("b!", 2)));
}

#[tokio::test(start_paused = true)]
async fn a_tombstone_that_goes_between_two_requests_of_a_create() {
    let world = world::<Paper>().await;
    let (repository, other) = (world.repository.clone(), world.other());
    applied!(paper("a", 0).create(), &other);
    applied!(Paper::delete("1", 1u32), &other);
    world.faults.hold_after(1);
    let create = tokio::spawn(async move { paper("b", 0).create().send(&repository).await });
    world.faults.held().await;
    applied!(Paper::purge(&tombstone(&other).await), &other);
    world.faults.release();
    assert_eq!(create.await.expect("no panic").expect("sent").applied().expect("applied"), 3);
    // And one over which somebody else has been faster.
    applied!(Paper::delete("1", 3u32), &other);
    let repository = world.repository.clone();
    world.faults.hold_after(1);
    let create = tokio::spawn(async move { paper("c", 0).create().send(&repository).await });
    world.faults.held().await;
    applied!(paper("d", 0).create(), &other);
    world.faults.release();
    assert_eq!(reasons(create.await.expect("no panic").expect("sent")), [Reason::Exists]);
}

#[tokio::test(start_paused = true)]
async fn modify_loads_changes_and_writes_again_after_a_conflict() {
    let world = world::<Cart>().await;
    let repository = &world.repository;
    applied!(cart(1, 0).create(), repository);
    let metered = repository.metered();
    assert_eq!(applied!(Cart::modify("1", |cart| cart.lines += 1), &metered), cart(2, 2));
    assert_eq!(metered.usage().requests, 2);
    // Another writer is there between reading and writing.
    let slow = {
        let repository = repository.clone();
        async move { Cart::modify("1", |cart| cart.lines *= 10).send(&repository).await }
    };
    world.faults.hold_after(1);
    let slow = tokio::spawn(slow);
    world.faults.held().await;
    applied!(cart(3, 2).put(), &world.other());
    world.faults.release();
    assert_eq!(slow.await.expect("no panic").expect("sent").applied().expect("applied"), cart(30, 4));
    // What the closure does to the version is nothing.
    let modify = Cart::modify("1", |cart| {
        cart.version = 77;
        cart.lines = 1;
    });
    assert_eq!(applied!(modify, repository), cart(1, 5));
}

#[tokio::test(start_paused = true)]
async fn many_modifications_at_once_are_all_applied() {
    let world = world::<Cart>().await;
    applied!(cart(0, 0).create(), &world.repository);
    let workers = (0..8).map(|_| {
        let repository = world.repository.clone();
        tokio::spawn(async move {
            for _ in 0..5 {
                applied!(Cart::modify("1", |cart| cart.lines += 1).attempts(50), &repository);
            }
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await.expect("no panic");
    }
    assert_eq!(stored_cart(&world.repository).await, Some(cart(40, 41)));
}

#[tokio::test(start_paused = true)]
async fn modify_gives_up_and_says_what_won() {
    let world = world::<Cart>().await;
    applied!(cart(1, 0).create(), &world.repository);
    let other = world.other();
    // How many requests there are before each attempt's write: the second one goes by what the refusal brought.
    for before in [vec![1], vec![1, 1], vec![1, 1, 2, 2]] {
        let attempts = u32::try_from(before.len()).expect("few");
        let repository = world.repository.clone();
        world.faults.hold_after(0);
        let modify = tokio::spawn(async move {
            let mut runs = 0;
            let sent = Cart::modify("1", |cart| {
                runs += 1;
                cart.lines = 0;
            });
            let sent = sent.attempts(attempts).send(&repository).await;
            (sent, runs)
        });
        for requests in before {
            world.faults.held().await;
            world.faults.hold_after(requests);
            world.faults.held().await;
            // Each time another writer is faster: between the reading and the writing.
            applied!(Cart::update("1").unchecked().with(Cart::fields().lines.set(9)), &other);
            world.faults.hold_after(0);
        }
        world.faults.release();
        let (sent, runs) = modify.await.expect("no panic");
        let error = sent.expect_err("contended");
        assert_eq!((error.kind(), runs), (ErrorKind::Contended, attempts), "{error:?}");
        assert!(error.refusal::<Cart>().expect("a refusal").is_conflict());
        assert_eq!(
            error.to_string(),
            "modify of `Cart` (id = \"1\"): each attempt met another writer, and none was applied"
        );
    }
    let error = Cart::modify("1", |_| ()).attempts(0).send(&world.repository).await.expect_err("no attempt");
    assert!(error.is_invalid_input());
}

#[derive(Debug, PartialEq)]
struct Full;

impl std::fmt::Display for Full {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the cart is full")
    }
}

impl std::error::Error for Full {}

#[tokio::test]
async fn modify_can_be_ended_by_the_closure() {
    let world = world::<Cart>().await;
    let repository = &world.repository;
    applied!(cart(1, 0).create(), repository);
    let modify = Cart::modify("1", |_| Err::<(), Full>(Full));
    let error = modify.send(repository).await.expect_err("aborted");
    assert_eq!(error.kind(), ErrorKind::Aborted);
    assert_eq!(std::error::Error::source(&error).and_then(|source| source.downcast_ref()), Some(&Full));
    let fine = Cart::modify("1", |cart| {
        cart.lines = 2;
        Ok::<(), Full>(())
    });
    assert_eq!(applied!(fine, repository), cart(2, 2));
    let moved = Cart::modify("1", |cart| cart.id = "2".to_owned()).send(repository).await.expect_err("moved");
    assert!(moved.is_invalid_input(), "{moved:?}");
    assert_eq!(stored_cart(repository).await, Some(cart(2, 2)));
}

/// The closure makes another write each time: sent again, the command is not the one whose answer was lost.
#[tokio::test]
async fn modify_says_that_sending_it_again_changes_it_again() {
    pause();
    let world = world::<Cart>().await;
    applied!(cart(1, 0).create(), &world.repository);
    let advice =
        "the change may have been applied: load the entity and decide, since the command sent again makes it anew";
    let client = world.client(RetryConfig::disabled());
    let repository = Repository::new(client);
    let modify = || Cart::modify("1", |cart| cart.lines += 1).send(&repository);
    // The answer to the reading was lost: nothing was written.
    world.lose_answers(1);
    let error = modify().await.expect_err("lost");
    assert!(error.is_unreachable() && !error.to_string().contains("may have been applied"), "{error:?}");
    // That to the write: by whatever the last attempt ends.
    for retries in [1, 2] {
        let repository = Repository::new(world.client(RetryConfig::standard().with_max_attempts(retries)));
        world.faults.hold_after(1);
        let run = tokio::spawn(async move { Cart::modify("1", |cart| cart.lines += 1).send(&repository).await });
        world.faults.held().await;
        world.lose_answers(1);
        world.faults.throttle(1);
        world.faults.release();
        let error = run.await.expect("no panic").expect_err("lost");
        assert!(error.is_outcome_unknown() && error.to_string().ends_with(advice), "{error:?}");
        world.faults.throttle(0);
    }
    assert_eq!(stored_cart(&world.repository).await, Some(cart(3, 3)));
}

#[tokio::test]
async fn an_unchecked_update_says_that_sending_it_again_changes_it_again() {
    pause();
    let world = world::<Cart>().await;
    applied!(cart(1, 0).create(), &world.repository);
    for (retries, lines) in [(1, 5), (2, 6)] {
        let repository = Repository::new(world.client(RetryConfig::standard().with_max_attempts(retries)));
        world.lose_answers(1);
        world.faults.throttle(1);
        let update = Cart::update("1").unchecked().with(Cart::fields().lines.set(lines));
        let error = update.send(&repository).await.expect_err("lost");
        assert!(error.is_outcome_unknown() && error.to_string().contains("sent again"), "{error:?}");
        world.faults.throttle(0);
        assert_eq!(stored_cart(&world.repository).await.map(|cart| cart.lines), Some(lines));
    }
}

#[tokio::test]
async fn modify_changes_live_items_only() {
    let world = world::<Paper>().await;
    let repository = &world.repository;
    let modify = || Paper::modify("1", |paper| paper.text.push('!'));
    assert_eq!(refused!(modify(), repository), [Reason::Missing]);
    applied!(paper("a", 0).create(), repository);
    applied!(Paper::delete("1", 1u32), repository);
    assert_eq!(refused!(modify(), repository), [Reason::Deleted]);
    let expired = EpochSeconds::new(world.clock_seconds() - 1);
    applied!(Paper { expires: Some(expired), ..paper("b", 0) }.create(), repository);
    assert_eq!(refused!(modify(), repository), [Reason::Expired]);
}

/// A ratchet and a version: the token must not be older, and nobody may have written since.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "fenced")]
#[tombstone(ttl_days = 7)]
struct Fenced {
    #[partition_key]
    id: String,
    text: String,
    #[ratchet]
    fence: u64,
    #[version]
    version: u64,
}

fn fenced(fence: u64, version: u64) -> Fenced {
    Fenced { id: "1".to_owned(), text: String::new(), fence, version }
}

#[tokio::test(start_paused = true)]
async fn a_ratchet_and_a_version_must_both_pass() {
    let world = world::<Fenced>().await;
    let repository = &world.repository;
    let stale = || Reason::Stale { attribute: "fence", tie: false };
    world.lose_answers(1);
    assert_eq!(applied!(fenced(5, 0).create(), repository), 1);
    assert_eq!(refused!(fenced(4, 1).put(), repository), [stale()]);
    assert_eq!(refused!(fenced(6, 2).put(), repository), [conflict(2, 1)]);
    assert_eq!(refused!(fenced(4, 2).put(), repository), [conflict(2, 1), stale()]);
    assert_eq!(refused!(fenced(4, 0).put(), repository), [Reason::Exists, stale()]);
    world.lose_answers(1);
    assert_eq!(applied!(fenced(5, 1).put(), repository), 2);
    assert_eq!(refused!(fenced(4, 2).replace(), repository), [stale()]);
    assert_eq!(refused!(Fenced::delete("1", 4u64, 2u64), repository), [stale()]);
    assert_eq!(refused!(Fenced::delete("1", 6u64, 1u64), repository), [conflict(1, 2)]);
    world.lose_answers(1);
    assert_eq!(applied!(Fenced::delete("1", 6u64, 2u64), repository), 3);
    // Of two deletes of one version and token, one was applied.
    assert_eq!(refused!(Fenced::delete("1", 6u64, 2u64), repository), [conflict(2, 3), Reason::Deleted]);
    let tie = || Reason::Stale { attribute: "fence", tie: true };
    assert_eq!(refused!(fenced(6, 3).undelete(), repository), [tie()]);
    assert_eq!(refused!(fenced(6, 0).create(), repository), [Reason::Deleted, tie()]);
    assert_eq!(refused!(fenced(5, 0).create(), repository), [Reason::Deleted, stale()]);
    world.lose_answers(1);
    assert_eq!(applied!(fenced(7, 3).undelete(), repository), 4);
    applied!(Fenced::delete("1", 8u64, 4u64), repository);
    assert_eq!(applied!(fenced(9, 0).create(), repository), 6);
    assert_eq!(applied!(Fenced::modify("1", |fenced| fenced.fence = 10), repository), fenced(10, 7));
    let behind = Fenced::modify("1", |fenced| fenced.fence = 3);
    assert_eq!(refused!(behind, repository), [Reason::Stale { attribute: "fence", tie: false }]);
    applied!(Fenced::delete("1", 11u64, 7u64), repository);
    let found = Fenced::get("1").include_deleted().send(repository).await.expect("a get");
    let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
    applied!(Fenced::purge(&tombstone), repository);
}

/// Groups and a version: a group's update comes in any order, and whoever loaded the whole item notices.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "grouped")]
#[tombstone(ttl_days = 7)]
struct Grouped {
    #[partition_key]
    id: String,
    rating: u8,
    #[ratchet(guards(rating))]
    rated_at: EpochMillis,
    shipped: bool,
    #[ratchet(guards(shipped))]
    shipped_at: EpochMillis,
    #[version]
    version: u64,
}

fn grouped(rating: u8, at: i64, version: u64) -> Grouped {
    let at = EpochMillis::new(at);
    Grouped { id: "1".to_owned(), rating, rated_at: at, shipped: false, shipped_at: at, version }
}

#[tokio::test(start_paused = true)]
async fn groups_and_a_version() {
    let world = world::<Grouped>().await;
    let repository = &world.repository;
    let at = EpochMillis::new;
    let stale = |attribute| Reason::Stale { attribute, tie: false };
    assert_eq!(applied!(grouped(1, 10, 0).create(), repository), 1);
    let rate = |rating: u8, millis| Grouped::update("1").rated_at(at(millis)).rating(rating);
    assert_eq!(applied!(rate(2, 20).unchecked(), repository), 2);
    assert_eq!(refused!(rate(3, 15).unchecked(), repository), [stale("rated_at")]);
    assert_eq!(refused!(rate(3, 25).version(1u64), repository), [conflict(1, 2)]);
    world.lose_answers(1);
    assert_eq!(applied!(rate(3, 25).version(2u64), repository), 3);
    assert_eq!(applied!(Grouped::update("1").shipped_at(at(11)).shipped(true).unchecked(), repository), 4);
    assert_eq!(refused!(grouped(1, 30, 1).put(), repository), [conflict(1, 4)]);
    assert_eq!(refused!(grouped(1, 20, 4).put(), repository), [stale("rated_at")]);
    assert_eq!(refused!(rate(9, 5).version(1u64), repository), [conflict(1, 4), stale("rated_at")]);
    assert_eq!(applied!(grouped(1, 30, 4).put(), repository), 5);
    assert_eq!(applied!(Grouped::modify("1", |grouped| grouped.rated_at = at(31)), repository).version, 6);
    assert_eq!(applied!(Grouped::delete("1", at(40), at(40), 6u64), repository), 7);
    assert_eq!(refused!(rate(9, 50).unchecked(), repository), [Reason::Deleted]);
    assert_eq!(applied!(grouped(1, 60, 0).create(), repository), 8);
}
