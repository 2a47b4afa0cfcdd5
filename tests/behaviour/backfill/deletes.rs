//! `delete_each` of entities with rules: each rule holds as for any delete.

use super::{Counter, counts};
use dyno::{Entity, EpochMillis, Progress, Reason, Repository};
use dyno_tests::{World, item, n, s, world};

/// An entity with a history.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Page {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

/// An entity with a ratchet.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
struct Rating {
    #[partition_key]
    id: String,
    stars: u8,
    #[ratchet]
    at: EpochMillis,
}

/// An entity with a unique value.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "users")]
struct User {
    #[partition_key]
    id: String,
    #[unique]
    email: String,
}

/// An entity with a fence.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "tasks")]
#[tombstone(ttl_days = 7)]
struct Task {
    #[partition_key]
    id: String,
    #[fence]
    fence: u64,
}

fn rating(at: i64) -> Rating {
    Rating { id: "1".to_owned(), stars: 3, at: EpochMillis::new(at) }
}

fn counter(count: u32) -> Counter {
    Counter { id: "1".to_owned(), count, step: 0, version: 0 }
}

/// Runs `delete_each` up to its first delete, then lets another writer write, and then lets the run continue.
async fn with_another(
    world: &World,
    run: impl AsyncFnOnce(Repository) -> Progress,
    other: impl AsyncFnOnce(Repository),
) -> Progress {
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let (progress, ()) = tokio::join!(run(repository), async {
        world.faults.held().await;
        other(world.other()).await;
        world.faults.release();
    });
    progress
}

async fn each_counter(repository: Repository) -> Progress {
    Counter::scan().filter(Counter::fields().count.lt(5)).delete_each().send(&repository).await.expect("sent")
}

#[tokio::test]
async fn a_changed_item_is_deleted_if_it_still_answers() {
    // A version: the other item is read anew, and asked again. The last writer deletes the item and creates another.
    for (count, expected) in [(4, [1, 0, 0, 0, 1]), (5, [0, 0, 1, 0, 0])] {
        for recreates in [false, true] {
            let world = world::<Counter>().await;
            counter(1).create().send(&world.repository).await.expect("sent").applied().expect("applied");
            let other = async |repository: Repository| {
                if recreates {
                    Counter::delete("1", 1_u64).send(&repository).await.expect("sent").applied().expect("applied");
                    counter(count).create().send(&repository).await.expect("sent").applied().expect("applied");
                } else {
                    let set = Counter::modify("1", |counter| counter.count = count).send(&repository).await;
                    set.expect("sent").applied().expect("applied");
                }
            };
            assert_eq!(counts(&with_another(&world, each_counter, other).await), expected);
            assert_eq!(world.stored::<Counter>().await.len(), usize::from(count == 5));
        }
    }
    // A row that no writer has counted yet.
    let world = world::<Counter>().await;
    world.write_foreign::<Counter>(item([("id", s("1")), ("count", n(1))])).await;
    assert_eq!(counts(&each_counter(world.repository.clone()).await), [1, 0, 0, 0, 0]);
    assert!(world.stored::<Counter>().await.is_empty());
}

#[tokio::test]
async fn a_deletion_leaves_a_revision_and_a_tombstone() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    for id in ["1", "2"] {
        let page = Page { id: id.to_owned(), text: "a".to_owned(), version: 0 };
        page.create().send(repository).await.expect("sent").applied().expect("applied");
    }
    let done = Page::scan().parallel(2).delete_each().send(repository).await.expect("sent");
    assert_eq!(counts(&done), [2, 0, 0, 0, 0]);
    for id in ["1", "2"] {
        assert_eq!(Page::get(id).consistent().send(repository).await.expect("a get"), None);
        assert!(Page::revision(id, 2_u64).send(repository).await.expect("sent").expect("a revision").is_deleted());
        Page::restore(id).send(repository).await.expect("sent").applied().expect("applied");
    }
    let done = Page::scan().delete_each().send(repository).await.expect("sent");
    assert_eq!(counts(&done), [2, 0, 0, 0, 0]);
    // The tombstones do not answer.
    let done = Page::scan().delete_each().send(repository).await.expect("sent");
    assert_eq!(counts(&done), [0, 0, 0, 0, 0]);
}

#[tokio::test]
async fn a_ratcheted_item_is_deleted_with_a_token() {
    let world = world::<Rating>().await;
    let repository = &world.repository;
    rating(10).put().send(repository).await.expect("sent").applied().expect("applied");
    let older = Rating::scan().delete_each_at(|_| EpochMillis::new(9)).send(repository).await.expect("sent");
    assert_eq!(counts(&older), [0, 0, 0, 1, 0]);
    let error = older.completed().expect_err("an older token");
    let refusal = error.refusal::<Rating>().expect("a refusal");
    assert_eq!(refusal.reasons(), [Reason::Stale { attribute: "at", tie: false }]);
    assert!(error.to_string().starts_with("delete_each of `Rating` (id = \"1\"): refused: stale"), "{error}");
    // A newer item has a newer token.
    let own = async |repository: Repository| {
        let each = Rating::scan()
            .filter(Rating::fields().stars.eq(3))
            .delete_each_at(|rating| EpochMillis::new(rating.at.get() + 1));
        each.send(&repository).await.expect("sent")
    };
    let newer = async |repository: Repository| {
        rating(20).put().send(&repository).await.expect("sent").applied().expect("applied");
    };
    assert_eq!(counts(&with_another(&world, own, newer).await), [1, 0, 0, 0, 1]);
    let late = rating(20).put().send(repository).await.expect("sent");
    assert!(late.refusal().is_some(), "the tombstone has the token 21");
}

#[tokio::test]
async fn a_unique_value_is_free_after_the_delete() {
    let world = world::<User>().await;
    let repository = &world.repository;
    let user = |id: &str| User { id: id.to_owned(), email: "a@b.c".to_owned() };
    user("1").put().send(repository).await.expect("sent").applied().expect("applied");
    let other = async |repository: Repository| {
        let user = User { email: "d@e.f".to_owned(), ..user("1") };
        user.put().send(&repository).await.expect("sent").applied().expect("applied");
    };
    let each = async |repository: Repository| User::scan().delete_each().send(&repository).await.expect("sent");
    assert_eq!(counts(&with_another(&world, each, other).await), [1, 0, 0, 0, 0]);
    for (id, email) in [("2", "a@b.c"), ("3", "d@e.f")] {
        let user = User { id: id.to_owned(), email: email.to_owned() };
        user.create().send(repository).await.expect("sent").applied().expect("the value is free");
    }
}

#[tokio::test]
async fn a_fenced_item_is_deleted_by_the_holder_of_the_lock() {
    let world = world::<Task>().await;
    let repository = &world.repository;
    let task = Task { id: "1".to_owned(), fence: 0 };
    task.put().fenced(7).send(repository).await.expect("sent").applied().expect("applied");
    for fence in [None, Some(6)] {
        let each = Task::scan().delete_each();
        let each = match fence {
            Some(fence) => each.fenced(fence),
            None => each,
        };
        let error = each.send(repository).await.expect("sent").completed().expect_err("fenced");
        assert!(matches!(error.refusal::<Task>().expect("a refusal").reasons(), [Reason::Fenced { .. }]));
    }
    let done = Task::scan().delete_each().fenced(7).send(repository).await.expect("sent");
    assert_eq!(counts(&done), [1, 0, 0, 0, 0]);
}
