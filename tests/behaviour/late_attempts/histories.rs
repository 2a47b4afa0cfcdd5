//! Creates of entities with a history: when the history proves the outcome of a late create, and when it does not.

use super::{arrives, check_doubt, postpone};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Entity, EpochSeconds, Found, Reason, Repository};
use dyno_tests::faults::Fault;
use dyno_tests::{NOW, World, item, n, pause, s, world};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// An entity without write ids, so that no row shows which write has stored it.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "documents")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Document {
    #[partition_key]
    id: String,
    text: String,
    #[version(write_id = false)]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
#[history_table]
struct Note {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
    #[ttl]
    #[attribute(default)]
    expires: Option<EpochSeconds>,
}

fn document() -> Document {
    Document { id: "1".to_owned(), text: "mine".to_owned(), version: 0 }
}

fn note(text: &str) -> Note {
    Note { id: "1".to_owned(), text: text.to_owned(), version: 0, expires: None }
}

/// Another process deletes the document and purges the tombstone.
async fn purge(world: &World) {
    applied!(Document::delete("1", 1), &world.other());
    let found = Document::get("1").include_deleted().send(&world.other()).await.expect("a get");
    let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
    applied!(Document::purge(&tombstone), &world.other());
}

async fn is_there(world: &World) -> bool {
    Document::get("1").consistent().send(&world.other()).await.expect("a get").is_some()
}

#[tokio::test]
async fn a_clone_of_a_create_does_not_recreate_a_purged_item() {
    pause();
    let world = world::<Document>().await;
    let impatient = Repository::new(world.client(RetryConfig::disabled())).with_clock(Arc::clone(&world.clock));
    let create = document().create();
    // The first request reads the history.
    world.faults.next([Fault::Served, Fault::AnswerLost]);
    let error = create.clone().send(&impatient).await.expect_err("no answer");
    assert!(error.may_be_applied(), "{error:?}");
    purge(&world).await;
    let error = create.send(&world.repository).await.expect_err("nothing tells");
    assert!(error.is_outcome_unknown(), "{error:?}");
    assert!(!is_there(&world).await);
}

#[tokio::test]
async fn a_concurrent_clone_of_a_create_does_not_recreate_a_purged_item() {
    pause();
    let world = world::<Document>().await;
    let create = document().create();
    // The second request is the create. It is served at once, and answered a minute later.
    world.faults.slow([(0, 0), (0, 60_000)]);
    let (first, repository) = (create.clone(), world.repository.clone());
    let first = tokio::spawn(async move { first.send(&repository).await });
    sleep(Duration::from_secs(1)).await;
    purge(&world).await;
    let error = create.send(&world.repository).await.expect_err("nothing tells");
    assert!(error.is_outcome_unknown(), "{error:?}");
    assert_eq!(first.await.expect("no panic").expect("sent").applied().expect("applied"), 1);
    assert!(!is_there(&world).await);
}

/// The history has no revision with the version of the create, and the TTL removes the other item without a tombstone. So
/// the late create can still be applied.
#[tokio::test]
async fn a_clone_learns_that_a_late_create_over_an_expiring_item_was_applied() {
    pause();
    let world = world::<Note>().await;
    let seconds = NOW / 1000 + 60;
    let stranger = item([("id", s("1")), ("text", s("foreign")), ("expires", n(seconds))]);
    world.write_foreign::<Note>(stranger).await;
    let create = note("mine").create();
    world.faults.next([Fault::Served]);
    postpone(&world);
    let error = create.clone().send(&world.repository).await.expect_err("an attempt is on its way");
    check_doubt(
        &error,
        "a live item already exists at this key",
        "send a clone of this command to find out, or load the item and decide",
    );
    let delete = world.other().client().delete_item().table_name("notes").key("id", s("1"));
    delete.send().await.expect("a removal by the TTL");
    assert!(arrives(&world).await);
    assert_eq!(applied!(create, &world.repository), 1);
}

/// Another process has used the version of the create for good, so the late create can never be applied.
#[tokio::test]
async fn the_refusal_of_a_create_whose_number_has_a_revision_is_final() {
    pause();
    let world = world::<Note>().await;
    let create = note("mine").create();
    let other = world.other();
    world.faults.next([Fault::Served]);
    postpone(&world);
    world.faults.hold_after(2);
    let repository = world.repository.clone();
    let sent = tokio::spawn(async move { create.send(&repository).await });
    world.faults.held().await;
    applied!(note("theirs").create(), &other);
    world.faults.release();
    let refused = sent.await.expect("no panic").expect("sent");
    assert_eq!(dyno_tests::reasons(&refused), [Reason::Exists]);
    other.client().delete_item().table_name("notes").key("id", s("1")).send().await.expect("a removal by the TTL");
    assert!(!arrives(&world).await);
}
