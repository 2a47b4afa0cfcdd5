//! The versions that each write expects, stores and reports, over tombstones and expired items, too.

use super::{Cart, Paper, Unnamed, cart, conflict, paper, stored_cart, tombstone, unnamed};
use dyno::{EpochSeconds, Found, Reason};
use dyno_tests::{item, n, pause, reasons, s, world};

#[tokio::test]
async fn every_write_advances_and_returns_the_version() {
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
    // A put of version 0 also creates a missing item.
    assert_eq!(applied!(Paper { id: "2".to_owned(), ..paper("a", 0) }.put(), repository), 1);
}

#[tokio::test]
async fn a_write_of_another_version_is_refused_with_the_stored_item() {
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
    assert_eq!(reasons(&outcome), [conflict(1, 2)]);
    assert_eq!(refused!(paper("x", 1).replace(), repository), [conflict(1, 2)]);
    assert_eq!(refused!(Paper::delete("1", 1u32), repository), [conflict(1, 2)]);
    let update = || Paper::update("1").version(1u32).with(Paper::fields().text.set("x"));
    assert_eq!(refused!(update(), repository), [conflict(1, 2)]);
    assert_eq!(refused!(paper("x", 2).undelete(), repository), [Reason::NotDeleted]);
    assert_eq!(refused!(paper("x", 0).put(), repository), [Reason::Exists]);
    assert_eq!(refused!(paper("x", 7).create(), repository), [Reason::Exists]);
    // A version that does not exist yet is a conflict, too.
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
async fn an_item_without_a_version_has_version_0() {
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
        // A put of version 0 does not overwrite the row, because its writer may not know that the row exists. The refusal
        // tells a writer that has loaded the row what to do instead.
        let refused = cart(9, 0).put().send(repository).await.expect("sent");
        let refusal = refused.refusal().expect("refused");
        assert_eq!(refusal.reasons(), [Reason::Exists, Reason::Uncounted { attribute: "version" }]);
        assert_eq!(
            refusal.to_string(),
            "put of `Cart` (id = \"1\") was refused: a live item already exists at this key; the stored item has no `version` yet, and a put of version 0 only creates items: `modify` or `replace` it, or give all such rows a version with `modify_each(|_| {})` of a scan"
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
async fn versions_continue_over_tombstones_and_expired_items() {
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
    // A tombstone of another program has no version, so the create stores version 1.
    let deleted = dyno::aws_sdk_dynamodb::types::AttributeValue::Bool(true);
    world.write_foreign::<Paper>(item([("id", s("1")), ("deleted", deleted.clone())])).await;
    assert_eq!(applied!(paper("f", 0).create(), repository), 1);
    // A tombstone whose version is no number is corrupt, so the create is refused.
    world.write_foreign::<Paper>(item([("id", s("1")), ("deleted", deleted), ("the.version", s("x"))])).await;
    assert!(matches!(refused!(paper("f", 0).create(), repository)[..], [Reason::Deleted, Reason::Corrupt { .. }]));
    // A create over a tombstone also evaluates the caller's own condition.
    applied!(Paper::purge(&tombstone(repository).await), repository);
    applied!(paper("a", 0).create(), repository);
    applied!(Paper::delete("1", 1u32), repository);
    let f = Paper::fields();
    let create = paper("b", 0).create().condition(f.text.eq("never"));
    assert_eq!(refused!(create, repository), [Reason::Condition]);
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
async fn an_unchecked_update_makes_a_checked_write_conflict() {
    let world = world::<Cart>().await;
    let repository = &world.repository;
    applied!(cart(1, 0).create(), repository);
    applied!(Cart::update("1").unchecked().with(Cart::fields().lines.set(2)), repository);
    assert_eq!(refused!(cart(3, 1).put(), repository), [conflict(1, 2)]);
    assert_eq!(stored_cart(repository).await, Some(cart(2, 2)));
    let new = Cart::update("1").unchecked().with(Cart::fields().note.set("x")).return_new();
    assert_eq!(applied!(new, repository).decode().expect("decodes").version, 3);
    // An upsert of a missing item stores version 1.
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
async fn a_stored_version_that_is_not_a_whole_number_is_corrupt() {
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
    // The number `3.0` is version 3.
    world.write_foreign::<Cart>(item([("id", s("1")), ("lines", n(1)), ("version", n("3.0"))])).await;
    assert_eq!(applied!(cart(1, 3).put(), repository), 4);
}

#[tokio::test]
async fn a_write_beyond_the_last_version_of_its_type_is_refused() {
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

#[tokio::test]
async fn two_writers_of_one_version_do_not_both_succeed() {
    let world = world::<Cart>().await;
    let repository = &world.repository;
    applied!(cart(5, 0).create(), repository);
    // Two workers load version 1 and both count 5 up to 6.
    let (one, other) = (cart(6, 1).put(), cart(6, 1).put());
    applied!(one, repository);
    assert_eq!(refused!(other, repository), [conflict(1, 2)]);
    // Two writers create one row, and two writers delete one version.
    let (one, other) = (Cart { id: "2".to_owned(), ..cart(1, 0) }, Cart { id: "2".to_owned(), ..cart(1, 0) });
    applied!(one.create(), repository);
    assert_eq!(refused!(other.create(), repository), [Reason::Exists]);
    applied!(Cart::delete("2", 1u64), repository);
    assert_eq!(refused!(Cart::delete("2", 1u64), repository), [Reason::Missing, conflict(1, None)]);
}

#[tokio::test]
async fn a_create_continues_the_versions_of_a_tombstone_purged_meanwhile() {
    pause();
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
    // Another process creates the deleted item first, so this create is refused.
    applied!(Paper::delete("1", 3u32), &other);
    let repository = world.repository.clone();
    world.faults.hold_after(1);
    let create = tokio::spawn(async move { paper("c", 0).create().send(&repository).await });
    world.faults.held().await;
    applied!(paper("d", 0).create(), &other);
    world.faults.release();
    assert_eq!(reasons(&create.await.expect("no panic").expect("sent")), [Reason::Exists]);
}
