//! An entity with a version and a ratchet, which guards the whole item or a group.

use super::{Fenced, conflict, fenced};
use dyno::{Entity, EpochMillis, Found, Reason};
use dyno_tests::{pause, world};

#[tokio::test]
async fn a_ratchet_and_a_version_must_both_pass() {
    pause();
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
    // A second delete of the same version and token is refused.
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

/// An entity with two groups and a version. Updates of the two groups may arrive in any order. A put of an item that was
/// loaded before such an update is a conflict.
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

#[tokio::test]
async fn a_group_s_token_and_the_version_must_both_pass() {
    pause();
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
