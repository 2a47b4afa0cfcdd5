//! A locked row stays byte for byte the same, whatever is sent, and each write has a condition for that. In these tests, the
//! outcome of the transaction that locks the row is unknown.

use super::{Account, Draft, Meter, Page, account, deleted, draft, held, lost, page, placeholder, stored};
use dyno::{ErrorKind, Item, Repository};
use dyno_tests::{World, item, n, pause, s, world};

/// The write, and a read of the lane, which is missing.
const REQUESTS: u64 = 2;

/// A write meets a locked row, and changes nothing.
macro_rules! kept {
    ($world:expr, $entity:ty, $requests:expr, $command:expr) => {{
        let before = $world.stored::<$entity>().await;
        let metered = $world.repository.metered();
        let error = $command.send(&metered).await.expect_err("it is held");
        assert!(error.kind() == ErrorKind::LaneMissing && !error.may_be_applied(), "{error}");
        let text = error.to_string();
        assert!(text.contains("a client-side transaction holds the item (its `_x` names the lane `1`)"), "{error}");
        assert_eq!(error.key(), Some("id = \"1\""), "{error}");
        assert_eq!(metered.usage().requests, $requests, "{text}");
        assert_eq!($world.stored::<$entity>().await, before);
    }};
}

/// Like `kept`, for a command whose request can be shown: it has the condition.
macro_rules! guarded {
    ($world:expr, $entity:ty, $command:expr) => {{
        let request = $command.request(&$world.repository).expect("a request").to_string();
        assert!(request.contains("attribute_not_exists(#_x)"), "{request}");
        kept!($world, $entity, REQUESTS, $command);
    }};
}

#[tokio::test]
async fn no_write_changes_a_locked_item() {
    pause();
    let world = lost(held(stored())).await;
    let fields = Account::fields;
    guarded!(world, Account, account(6, 3).put());
    guarded!(world, Account, account(6, 3).replace());
    guarded!(world, Account, account(6, 0).create());
    guarded!(world, Account, account(6, 0).put());
    guarded!(world, Account, account(6, 3).undelete());
    guarded!(world, Account, Account::update("1").version(3u64).with(fields().balance.set(6u64)));
    guarded!(world, Account, Account::update("1").unchecked().with(fields().balance.increment(1u64)));
    let whole = || Account::update("1").unchecked().with(fields().balance.set(6u64)).with(fields().notes.set(vec![]));
    guarded!(world, Account, whole().upsert());
    guarded!(world, Account, Account::delete("1", 3u64));
    // The index of the element is read first.
    let removal = Account::update("1").version(3u64).with(fields().notes.remove_value("a"));
    kept!(world, Account, REQUESTS, removal);
    let removal = Account::update("1").version(3u64).with(fields().notes.remove_value("b"));
    kept!(world, Account, REQUESTS, removal);
}

#[tokio::test]
async fn no_write_changes_a_locked_tombstone_or_a_placeholder() {
    pause();
    for row in [held(deleted()), placeholder()] {
        let world = lost(row).await;
        guarded!(world, Account, account(6, 0).create());
        guarded!(world, Account, account(6, 0).put());
        guarded!(world, Account, account(6, 3).put());
        guarded!(world, Account, account(6, 3).undelete());
        guarded!(world, Account, account(6, 3).replace());
        guarded!(world, Account, Account::delete("1", 3u64));
        guarded!(world, Account, Account::delete("1", 0u64));
        let fields = Account::fields;
        guarded!(world, Account, Account::update("1").unchecked().with(fields().balance.set(6u64)));
        let whole =
            || Account::update("1").unchecked().with(fields().balance.set(6u64)).with(fields().notes.set(vec![]));
        guarded!(world, Account, whole().upsert());
    }
}

/// `modify` does not write a locked item.
#[tokio::test]
async fn modify_does_not_change_a_locked_item() {
    pause();
    let world = lost(held(stored())).await;
    kept!(world, Account, REQUESTS, Account::modify("1", |account| account.balance += 1));
    for row in [placeholder(), held(deleted())] {
        let world = lost(row).await;
        kept!(world, Account, REQUESTS, Account::modify("1", |account| account.balance += 1));
    }
}

#[tokio::test]
async fn modify_each_does_not_change_a_locked_item() {
    pause();
    let world = lost(held(stored())).await;
    let before = world.stored::<Account>().await;
    let done = Account::scan().modify_each(|account| account.balance += 1).send(&world.repository).await;
    let done = done.expect("it begins");
    assert_eq!((done.failed(), done.changed(), done.failures().len()), (1, 0, 1));
    assert_eq!(done.failures()[0].error().kind(), ErrorKind::LaneMissing);
    assert_eq!(world.stored::<Account>().await, before);
}

/// The items of the entity's history table, in any order.
async fn revisions(world: &World, table: &str) -> Vec<Item> {
    let scan = world.repository.client().scan().table_name(table);
    scan.send().await.expect("a scan").items.unwrap_or_default()
}

/// Writes an item twice, and then locks it.
macro_rules! with_history {
    ($entity:ident, $make:ident) => {{
        let world = world::<$entity>().await;
        world.create_lanes_only().await;
        $make("one", 0).create().send(&world.repository).await.expect("sent").applied().expect("applied");
        $make("two", 1).put().send(&world.repository).await.expect("sent").applied().expect("applied");
        let row = world.stored::<$entity>().await.remove(0);
        world.write_foreign::<$entity>(held(row)).await;
        world
    }};
}

/// Like `kept`, and no revision contains an intent. Returns the number of revisions.
macro_rules! kept_with_history {
    ($world:expr, $entity:ident, $table:literal, $requests:expr, $command:expr) => {{
        kept!($world, $entity, $requests, $command);
        let rows = revisions(&$world, $table).await;
        assert!(rows.iter().all(|row| !format!("{row:?}").contains("_x")), "{rows:?}");
        rows.len()
    }};
}

#[tokio::test]
async fn no_write_changes_a_locked_item_with_an_atomic_history() {
    pause();
    let world = with_history!(Page, page);
    guarded!(world, Page, page("three", 2).put());
    guarded!(world, Page, Page::delete("1", 2u64));
    let rows = [
        kept_with_history!(world, Page, "pages-history", REQUESTS, page("three", 2).put()),
        // The newest revision is read first.
        kept_with_history!(world, Page, "pages-history", 1 + REQUESTS, page("three", 0).create()),
        kept_with_history!(world, Page, "pages-history", REQUESTS, page("three", 2).replace()),
        kept_with_history!(world, Page, "pages-history", REQUESTS, page("three", 2).undelete()),
        kept_with_history!(world, Page, "pages-history", REQUESTS, Page::delete("1", 2u64)),
        kept_with_history!(world, Page, "pages-history", REQUESTS, Page::modify("1", |page| page.text.push('!'))),
        kept_with_history!(world, Page, "pages-history", 1 + REQUESTS, Page::rollback("1", 1u64)),
    ];
    assert!(rows.iter().all(|rows| *rows == 2), "{rows:?}");
    each_is_kept::<Page>(&world).await;
}

/// A revision is not written before the item can be written.
#[tokio::test]
async fn no_write_changes_a_locked_item_with_an_ordered_history() {
    pause();
    let world = with_history!(Draft, draft);
    guarded!(world, Draft, draft("three", 2).replace());
    let loaded = Draft::get("1").loaded().send(&world.repository).await.expect("a get").expect("a draft");
    let rows = [
        // The superseded item is read first, in each attempt, because it can have changed.
        kept_with_history!(world, Draft, "drafts-history", REQUESTS, draft("three", 2).put()),
        kept_with_history!(world, Draft, "drafts-history", REQUESTS, Draft::delete("1", 2u64)),
        // The newest revision is read first.
        kept_with_history!(world, Draft, "drafts-history", 1 + REQUESTS, draft("three", 0).create()),
        // The put would supersede the loaded item. The copy of that item is written first, and stays.
        kept_with_history!(world, Draft, "drafts-history", REQUESTS + 1, draft("three", 2).put().over(&loaded)),
        kept_with_history!(world, Draft, "drafts-history", REQUESTS, Draft::modify("1", |draft| draft.text.push('!'))),
        // The item is read before the revision, because it can be the revision.
        kept_with_history!(world, Draft, "drafts-history", 1 + 2 * REQUESTS, Draft::rollback("1", 1u64)),
    ];
    assert_eq!(rows, [1, 1, 1, 2, 2, 2]);
    each_is_kept::<Draft>(&world).await;
}

/// With a history, `modify_each` puts whole items.
async fn each_is_kept<E: Keeps>(world: &World) {
    let before = world.stored::<E>().await;
    let error = E::each(&world.repository).await;
    assert!(error.kind() == ErrorKind::LaneMissing, "{error}");
    assert_eq!(world.stored::<E>().await, before);
}

trait Keeps: dyno::Entity {
    /// Changes each item with `modify_each`. Returns the error of the only item.
    async fn each(repository: &Repository) -> dyno::Error;
}

macro_rules! keeps {
    ($($entity:ident)*) => {$(
        impl Keeps for $entity {
            async fn each(repository: &Repository) -> dyno::Error {
                let done = $entity::scan().modify_each(|it| it.text.push('!')).send(repository).await.expect("it begins");
                done.completed().expect_err("it is held")
            }
        }
    )*};
}

keeps!(Page Draft);

/// A repair gives an item a version that its history does not have. It waits while a transaction may give the item a
/// version.
#[tokio::test]
async fn a_repair_does_not_change_a_locked_item() {
    pause();
    let world = world::<Page>().await;
    world.create_lanes().await;
    page("one", 0).create().send(&world.repository).await.expect("sent").applied().expect("applied");
    page("two", 1).put().send(&world.repository).await.expect("sent").applied().expect("applied");
    let older = item([("id", s("1")), ("text", s("of another program")), ("version", n(1))]);
    world.write_foreign::<Page>(held(older.clone())).await;
    kept!(world, Page, REQUESTS, Page::repair("1"));
    world.write_foreign::<Page>(older).await;
    assert_eq!(Page::repair("1").send(&world.repository).await.expect("sent"), Some(3));
}

#[tokio::test]
async fn no_update_changes_a_locked_item_with_idempotency_keys() {
    pause();
    let world = world::<Meter>().await;
    world.create_lanes().await;
    let row = item([("id", s("1")), ("count", n(5)), ("version", n(3)), ("_w", s("-before"))]);
    world.write_foreign::<Meter>(held(row)).await;
    let count = || Meter::update("1").unchecked().with(Meter::fields().count.add(1u64));
    guarded!(world, Meter, count().idempotency_key("a"));
    guarded!(world, Meter, count());
    let checked = || Meter::update("1").version(3u64).with(Meter::fields().count.add(1u64));
    guarded!(world, Meter, checked().idempotency_key("a"));
}
