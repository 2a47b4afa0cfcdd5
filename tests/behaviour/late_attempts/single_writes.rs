//! Late attempts of single writes.

use super::{arrives, check_doubt, postpone};
use crate::entities::{Bill, Cart, Plain, cart, plain};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Entity, EpochMillis, Found, Reason, Repository};
use dyno_tests::faults::Fault;
use dyno_tests::{NOW, pause, world};
use std::sync::Arc;

const AGAIN: &str = "send a clone of the command, which is the same write, or load the item and decide";
const WITH_ITS_KEY: &str = "send a clone of the command: a new command with the same idempotency key does not know of this attempt, so its refusal would not be final";
const CHANGE: &str = "load the item and decide, because sending the command again makes another change";

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

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "albums")]
#[tombstone(ttl_days = 7)]
struct Album {
    #[partition_key]
    id: String,
    songs: Vec<String>,
    #[version]
    version: u64,
}

async fn count(repository: &Repository) -> Option<u32> {
    Plain::get("1").consistent().send(repository).await.expect("a get").map(|plain| plain.count)
}

#[tokio::test]
async fn a_refused_update_of_a_missing_item_is_in_doubt_while_an_attempt_is_open() {
    pause();
    let world = world::<Plain>().await;
    postpone(&world);
    let update = Plain::update("1").with(Plain::fields().count.set(5));
    let error = update.send(&world.repository).await.expect_err("an attempt is on its way");
    assert!(error.is_unreachable(), "{error:?}");
    check_doubt(&error, "there is no item", AGAIN);
    plain(1).put().send(&world.other()).await.expect("a put");
    assert!(arrives(&world).await);
    assert_eq!(count(&world.other()).await, Some(5));
}

#[tokio::test]
async fn a_refused_create_over_an_item_is_in_doubt_while_an_attempt_is_open() {
    pause();
    let world = world::<Plain>().await;
    plain(1).put().send(&world.other()).await.expect("a put");
    postpone(&world);
    let error = plain(5).create().send(&world.repository).await.expect_err("an attempt is on its way");
    check_doubt(&error, "a live item already exists at this key", AGAIN);
    Plain::delete("1").send(&world.other()).await.expect("a delete");
    assert!(arrives(&world).await);
    assert_eq!(count(&world.other()).await, Some(5));
}

#[tokio::test]
async fn a_put_refused_by_its_condition_is_in_doubt_while_an_attempt_is_open() {
    pause();
    let world = world::<Plain>().await;
    plain(1).put().send(&world.other()).await.expect("a put");
    postpone(&world);
    let put = plain(5).put().condition(Plain::fields().count.eq(2));
    let error = put.send(&world.repository).await.expect_err("an attempt is on its way");
    check_doubt(&error, " does not hold", AGAIN);
    plain(2).put().send(&world.other()).await.expect("a put");
    assert!(arrives(&world).await);
    assert_eq!(count(&world.other()).await, Some(5));
}

#[tokio::test]
async fn a_keyed_update_in_doubt_is_resolved_by_its_key() {
    pause();
    let world = world::<Bill>().await;
    let update = || Bill::update("1").with(Bill::fields().total.add(1)).idempotency_key("a");
    postpone(&world);
    let error = update().send(&world.repository).await.expect_err("an attempt is on its way");
    check_doubt(&error, "there is no item", WITH_ITS_KEY);
    applied!(Bill { id: "1".to_owned(), total: 0 }.create(), &world.other());
    assert!(arrives(&world).await);
    let again = update().send(&world.repository).await.expect("sent");
    assert!(again.accept_duplicate().expect("made").is_none());
}

#[tokio::test]
async fn an_unchecked_update_of_a_missing_item_leaves_its_outcome_unknown() {
    pause();
    let world = world::<Cart>().await;
    postpone(&world);
    let update = Cart::update("1").unchecked().with(Cart::fields().lines.set(5));
    let error = update.send(&world.repository).await.expect_err("an attempt is on its way");
    assert!(error.is_outcome_unknown(), "{error:?}");
    check_doubt(&error, "there is no item", CHANGE);
    applied!(cart(1, 0).create(), &world.other());
    assert!(arrives(&world).await);
}

/// After a purge, no row is left that would show which write has removed the tombstone.
#[tokio::test]
async fn the_error_of_a_lost_purge_answer_explains_a_later_refusal() {
    pause();
    let world = world::<Rating>().await;
    let impatient = Repository::new(world.client(RetryConfig::disabled())).with_clock(Arc::clone(&world.clock));
    applied!(Rating::delete("1", EpochMillis::new(NOW)), &world.other());
    let found = Rating::get("1").include_deleted().send(&world.other()).await.expect("a get");
    let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
    world.faults.next([Fault::AnswerLost]);
    let error = Rating::purge(&tombstone).send(&impatient).await.expect_err("no answer");
    let hint = "send it again; if it is refused then, the tombstone was removed, or another item has replaced it";
    assert!(error.to_string().ends_with(hint), "{error}");
    applied!(rating(4).put(), &world.other());
    assert_eq!(refused!(Rating::purge(&tombstone), &world.repository), [Reason::Changed]);
}

#[tokio::test]
async fn a_clone_of_remove_value_returns_the_item_of_its_own_removal() {
    pause();
    let world = world::<Album>().await;
    let impatient = Repository::new(world.client(RetryConfig::disabled())).with_clock(Arc::clone(&world.clock));
    let songs = ["a", "b"].map(str::to_owned).to_vec();
    applied!(Album { id: "1".to_owned(), songs, version: 0 }.create(), &world.other());
    let remove = Album::update("1").version(1).with(Album::fields().songs.remove_value("a")).return_new();
    // The list is read first.
    world.faults.next([Fault::Served, Fault::AnswerLost]);
    let error = remove.clone().send(&impatient).await.expect_err("no answer");
    assert!(error.may_be_applied(), "{error:?}");
    let album = applied!(remove, &world.repository).decode().expect("the item");
    assert_eq!((album.songs, album.version), (vec!["b".to_owned()], 2));
}

/// A stored token and a stored version never decrease, so these refusals are final.
#[tokio::test]
async fn a_refusal_by_a_newer_token_or_version_is_final() {
    pause();
    let world = world::<Rating>().await;
    applied!(rating(4).put(), &world.other());
    postpone(&world);
    assert_eq!(refused!(rating(3).put(), &world.repository), [Reason::Stale { attribute: "at", tie: false }]);
    applied!(Rating::delete("1", EpochMillis::new(NOW + 9)), &world.other());
    assert!(!arrives(&world).await);
    world.repository.create_table::<Cart>().await.expect("a table");
    applied!(cart(1, 0).create(), &world.other());
    applied!(cart(2, 1).put(), &world.other());
    postpone(&world);
    assert_eq!(refused!(cart(3, 1).put(), &world.repository), [Reason::Conflict { expected: 1, found: Some(2) }]);
    applied!(Cart::delete("1", 2), &world.other());
    assert!(!arrives(&world).await);
}
