//! Writes that read first: their reads are not stale.

use super::{Account, account, add, balance, bank, lag};
use dyno::{Entity, Repository};
use dyno_tests::faults::{Event, Fault};
use dyno_tests::world;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered")]
struct Page {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

fn page(text: &str, version: u64) -> Page {
    Page { id: "1".to_owned(), text: text.to_owned(), version }
}

#[tokio::test]
async fn a_modify_applies_at_its_first_write() {
    let world = bank().await;
    lag(&world);
    add(&world, "a", 7).await;
    let before = world.faults.events().len();
    applied!(Account::modify("a", |account| account.balance += 1), &world.repository);
    assert_eq!(balance(&world, "a").await, 108);
    assert_eq!(world.faults.events().len() - before, 2, "a read and a write");
}

/// The create reads the tombstone, and continues its version number.
#[tokio::test]
async fn a_create_continues_the_version_of_a_later_tombstone() {
    let world = bank().await;
    lag(&world);
    add(&world, "a", 7).await;
    applied!(Account::delete("a", 2), &world.other());
    assert_eq!(applied!(account("a", 5).create(), &world.repository), 4);
    assert_eq!(balance(&world, "a").await, 5);
}

/// A write whose answer was lost reads the item, to learn whether it was applied.
#[tokio::test]
async fn a_create_learns_that_its_lost_attempt_was_applied() {
    let world = bank().await;
    lag(&world);
    world.lose_answers(1);
    assert_eq!(applied!(account("c", 5).create(), &world.repository), 1);
    assert_eq!(balance(&world, "c").await, 5);
}

/// In an ordered history, a write copies the current version before it writes the item, so it must read the newest version.
#[tokio::test]
async fn a_history_s_revisions_continue_after_other_writers() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    applied!(page("a", 0).create(), repository);
    lag(&world);
    applied!(page("b", 1).put(), &world.other());
    applied!(page("c", 2).put(), &world.other());
    applied!(page("d", 3).put(), repository);
    applied!(Page::delete("1", 4), &world.other());
    applied!(page("e", 0).create(), repository);
    let restored = Page::rollback("1", 1).send(repository).await.expect("sent");
    restored.applied().expect("applied");
    let revisions = Page::revisions("1").send(&world.other()).await.expect("revisions").items;
    let numbers: Vec<_> = revisions.iter().map(|revision| (revision.version(), revision.is_deleted())).collect();
    assert_eq!(numbers, [(7, false), (6, false), (5, true), (4, false), (3, false), (2, false), (1, false)]);
    // The caller's own read of the revisions is consistent as well.
    let same = Page::revisions("1").send(repository).await.expect("revisions").items;
    assert_eq!(same.len(), 7);
}

/// A process dies after it has copied the item and before it writes it. A repair sees the item and all its revisions.
#[tokio::test]
async fn a_repair_sees_the_item_and_its_revisions_as_they_are() {
    let world = world::<Page>().await;
    applied!(page("a", 0).create(), &world.repository);
    lag(&world);
    let process = world.process(dyno::aws_sdk_dynamodb::config::retry::RetryConfig::disabled());
    process.faults.on_request(
        1,
        |event: &Event| event.is_write() && event.tables().contains("pages"),
        Fault::DiesBefore,
    );
    let repository: Repository = process.repository.clone();
    let sent = process.run(async move { page("b", 1).put().send(&repository).await }).await;
    assert!(sent.is_none(), "the process died");
    applied!(page("c", 1).put(), &world.other());
    let repaired = Page::repair("1").send(&world.repository).await.expect("repaired");
    let revisions = Page::revisions("1").send(&world.other()).await.expect("revisions").items;
    assert_eq!(revisions.iter().map(dyno::Revision::version).max(), Some(2), "{repaired:?}");
}
