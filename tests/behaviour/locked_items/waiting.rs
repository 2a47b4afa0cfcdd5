//! A write waits for the transaction that locks its item, and is sent again. The row that it then finds decides its outcome.

use super::{
    Account, Draft, Meter, Page, account, deleted, draft, held, holding, let_go, lost, page, placeholder, put_row,
    remove_row, row, stored,
};
use dyno::{ErrorKind, Outcome, Reason};
use dyno_tests::{item, n, pause, reasons, s, world};

/// Sends a write, and runs `$other` before the second request of the write is served.
macro_rules! between {
    ($world:expr, $command:expr, $other:expr) => {{
        let (command, repository) = ($command, $world.repository.clone());
        $world.faults.hold_after(1);
        let write = tokio::spawn(async move { command.send(&repository).await });
        $world.faults.held().await;
        $other.await;
        $world.faults.release();
        write.await.expect("no panic")
    }};
}

#[tokio::test]
async fn a_waiting_write_applies_once_the_row_is_unlocked() {
    pause();
    let fields = Account::fields;
    let world = holding(held(stored())).await;
    let put = between!(world, account(6, 3).put(), let_go(&world)).expect("sent").applied().expect("applied");
    assert_eq!(put, 4);
    for held_row in [held(stored()), placeholder()] {
        let world = holding(held_row).await;
        let whole = Account::update("1").unchecked().with(fields().balance.set(6u64)).with(fields().notes.set(vec![]));
        let outcome = between!(world, whole.upsert(), remove_row(&world));
        assert_eq!(outcome.expect("sent").applied().expect("applied"), 1);
        let there = row::<Account>(&world).await;
        assert!(there["balance"] == n(6) && !there.contains_key("_x") && !there.contains_key("deleted"), "{there:?}");
    }
}

/// The transaction commits while the write waits.
#[tokio::test]
async fn a_waiting_write_conflicts_with_a_version_committed_meanwhile() {
    pause();
    let world = holding(held(stored())).await;
    let mut row = stored();
    row.extend(item([("balance", n(7)), ("version", n(4)), ("_w", s("1/7"))]));
    let put = between!(world, account(6, 3).put(), put_row::<Account>(&world, row.clone()));
    assert_eq!(reasons(&put.expect("an answer")), [Reason::Conflict { expected: 3, found: Some(4) }]);
    // A `modify` runs its closure again, on the committed item.
    put_row::<Account>(&world, held(stored())).await;
    world.faults.hold_after(3);
    let repository = world.repository.clone();
    let modify = tokio::spawn(async move { Account::modify("1", |it| it.balance += 10).send(&repository).await });
    world.faults.held().await;
    put_row::<Account>(&world, row).await;
    world.faults.release();
    let modified = modify.await.expect("no panic").expect("sent").applied().expect("applied");
    assert_eq!((modified.balance, modified.version), (17, 5));
}

/// A `modify` of an item that a transaction is about to create waits, and changes the item that the transaction has created. If the
/// transaction has aborted, there is no item.
#[tokio::test]
async fn a_waiting_modify_changes_an_item_created_meanwhile() {
    pause();
    for row in [placeholder(), held(deleted())] {
        let world = holding(row).await;
        let modify = between!(world, Account::modify("1", |it| it.balance += 1), put_row::<Account>(&world, stored()));
        assert_eq!(modify.expect("sent").applied().expect("applied").balance, 6);
    }
    let world = holding(placeholder()).await;
    let modify = between!(world, Account::modify("1", |it| it.balance += 1), remove_row(&world));
    assert_eq!(reasons(&modify.expect("an answer")), [Reason::Missing]);
    let world = holding(held(deleted())).await;
    let modify = between!(world, Account::modify("1", |it| it.balance += 1), let_go(&world));
    assert_eq!(reasons(&modify.expect("an answer")), [Reason::Deleted]);
}

/// `modify_each` counts an item that a transaction is about to restore as an item to change.
#[tokio::test]
async fn a_waiting_modify_each_changes_an_item_restored_meanwhile() {
    pause();
    let world = holding(held(stored())).await;
    world.faults.hold_after(1);
    let repository = world.repository.clone();
    let each = tokio::spawn(async move {
        let each = Account::scan().modify_each(|it| it.balance += 1);
        each.send(&repository).await.expect("it begins").completed()
    });
    world.faults.held().await;
    // The scan has seen the item. The load finds a tombstone that a transaction holds.
    put_row::<Account>(&world, held(deleted())).await;
    world.faults.hold_after(1);
    world.faults.held().await;
    put_row::<Account>(&world, stored()).await;
    world.faults.release();
    assert_eq!(each.await.expect("no panic").expect("completed").changed(), 1);
    assert_eq!(row::<Account>(&world).await["balance"], n(6));
}

/// A transaction is about to make the revision that a `rollback` restores.
#[tokio::test]
async fn a_waiting_rollback_finds_a_revision_made_meanwhile() {
    pause();
    let world = world::<Page>().await;
    world.create_lanes_only().await;
    world.put_head(dyno_tests::lanes::open()).await;
    page("one", 0).create().send(&world.repository).await.expect("sent").applied().expect("applied");
    let created = row::<Page>(&world).await;
    put_row::<Page>(&world, held(created.clone())).await;
    // It has found no revision 2, and the item that a transaction holds.
    world.faults.hold_after(4);
    let repository = world.repository.clone();
    let rollback = tokio::spawn(async move { Page::rollback("1", 2u64).send(&repository).await });
    world.faults.held().await;
    put_row::<Page>(&world, created).await;
    page("two", 1).put().send(&world.other()).await.expect("sent").applied().expect("applied");
    world.faults.release();
    let rolled = rollback.await.expect("no panic").expect("sent").applied().expect("applied");
    assert_eq!((rolled.text.as_str(), rolled.version), ("two", 3));
}

/// A create after a placeholder does not continue any versions.
#[tokio::test]
async fn a_waiting_create_takes_its_version_from_the_unlocked_row() {
    pause();
    let world = holding(placeholder()).await;
    let created =
        between!(world, account(6, 0).create(), remove_row(&world)).expect("sent").applied().expect("applied");
    assert_eq!(created, 1);
    // A create after a tombstone continues its versions.
    put_row::<Account>(&world, held(deleted())).await;
    let created = between!(world, account(6, 0).create(), let_go(&world)).expect("sent").applied().expect("applied");
    assert_eq!(created, 4);
    put_row::<Account>(&world, placeholder()).await;
    let made = between!(world, account(6, 0).create(), put_row::<Account>(&world, stored()));
    assert_eq!(reasons(&made.expect("an answer")), [Reason::Exists]);
}

/// The write is applied and its answer is lost. Then a transaction locks the item.
#[tokio::test]
async fn a_write_applied_before_the_lock_recognizes_itself() {
    pause();
    let world = holding(stored()).await;
    let repository = world.repository.clone();
    let other = async {
        let there = row::<Account>(&world).await;
        put_row::<Account>(&world, held(there)).await;
    };
    let put = world.meanwhile(async move { account(6, 3).put().send(&repository).await }, other).await;
    assert_eq!(put.expect("sent").applied().expect("applied"), 4);
    let there = row::<Account>(&world).await;
    assert!(there.contains_key("_x") && there["balance"] == n(6), "{there:?}");
}

/// The write may have been applied, and other writes have followed. The outcome of the transaction that locks the item is
/// unknown.
#[tokio::test]
async fn a_write_possibly_applied_before_the_lock_is_in_doubt() {
    pause();
    let world = lost(stored()).await;
    let put = account(6, 3).put();
    let (repository, sent) = (world.repository.clone(), put.clone());
    let other = async {
        let mut row = stored();
        row.extend(item([("version", n(5)), ("_w", s("-after"))]));
        put_row::<Account>(&world, held(row)).await;
    };
    let error = world.meanwhile(async move { sent.send(&repository).await }, other).await.expect_err("it is held");
    assert!(error.kind() == ErrorKind::LaneMissing && error.may_be_applied(), "{error}");
    assert!(
        error.to_string().contains("holds the item") && error.to_string().contains("may have been applied"),
        "{error}"
    );
    // Without the lock, the outcome of the write is still unknown, because the row does not prove it.
    let_go(&world).await;
    let error = put.send(&world.repository).await.expect_err("nothing tells");
    assert!(error.is_outcome_unknown(), "{error}");
}

/// A repeated update is reported as a duplicate at once, whatever the transaction that locks the row is going to write.
#[tokio::test]
async fn an_update_whose_key_is_stored_in_a_locked_row_is_a_duplicate() {
    pause();
    let world = world::<Meter>().await;
    put_row::<Meter>(&world, item([("id", s("1")), ("count", n(5)), ("version", n(3)), ("_w", s("-before"))])).await;
    let count = || Meter::update("1").unchecked().with(Meter::fields().count.add(1u64)).idempotency_key("a");
    assert!(count().send(&world.repository).await.expect("sent").is_applied());
    let there = row::<Meter>(&world).await;
    put_row::<Meter>(&world, held(there)).await;
    let metered = world.repository.metered();
    let again = count().send(&metered).await.expect("an answer");
    assert_eq!((reasons(&again), metered.usage().requests), (vec![Reason::Duplicate], 1));
    let Outcome::Refused(refusal) = again else { panic!("applied") };
    let current = refusal.live().expect("a meter").expect("live");
    assert_eq!((current.count, current.version), (6, 4));
}

/// Two clones are one write, and each of them waits.
#[tokio::test]
async fn two_waiting_clones_apply_once_and_both_report_success() {
    pause();
    let world = holding(held(stored())).await;
    let put = account(6, 3).put();
    world.faults.hold_after(2);
    let writes = [put.clone(), put].map(|put| {
        let repository = world.repository.clone();
        tokio::spawn(async move { put.send(&repository).await })
    });
    world.faults.held().await;
    let_go(&world).await;
    world.faults.release();
    for write in writes {
        assert_eq!(write.await.expect("no panic").expect("sent").applied().expect("applied"), 4);
    }
    assert_eq!(row::<Account>(&world).await["version"], n(4));
}

/// A write that is dropped while it waits leaves nothing behind, and a clone of it is applied later.
#[tokio::test]
async fn a_write_dropped_while_it_waits_changes_nothing() {
    pause();
    let world = holding(held(stored())).await;
    let (put, before) = (account(6, 3).put(), row::<Account>(&world).await);
    world.faults.hold_after(1);
    let (repository, sent) = (world.repository.clone(), put.clone());
    let write = tokio::spawn(async move { sent.send(&repository).await });
    world.faults.held().await;
    write.abort();
    assert!(write.await.is_err());
    world.faults.release();
    assert_eq!(row::<Account>(&world).await, before);
    let_go(&world).await;
    assert_eq!(put.send(&world.repository).await.expect("sent").applied().expect("applied"), 4);
}

/// `modify_each` reads an item while it is locked, and puts it when it is unlocked. Neither the item nor its revision
/// contains the intent.
macro_rules! puts_nothing_of_a_transaction {
    ($test:ident, $entity:ident, $make:ident, $table:literal) => {
        #[tokio::test]
        async fn $test() {
            pause();
            let world = world::<$entity>().await;
            $make("one", 0).create().send(&world.repository).await.expect("sent").applied().expect("applied");
            let committed = row::<$entity>(&world).await;
            put_row::<$entity>(&world, held(committed.clone())).await;
            world.faults.hold_after(1);
            let repository = world.repository.clone();
            let each = tokio::spawn(async move {
                let each = $entity::scan().modify_each(|it| it.text.push('!'));
                each.send(&repository).await.expect("it begins").completed()
            });
            world.faults.held().await;
            put_row::<$entity>(&world, committed).await;
            world.faults.release();
            assert_eq!(each.await.expect("no panic").expect("completed").changed(), 1);
            let there = row::<$entity>(&world).await;
            assert!(there["text"] == s("one!") && !there.contains_key("_x"), "{there:?}");
            let scan = world.repository.client().scan().table_name($table).send().await.expect("a scan");
            let revisions = scan.items.expect("items");
            assert!(!revisions.is_empty() && !format!("{revisions:?}").contains("_x"), "{revisions:?}");
        }
    };
}

puts_nothing_of_a_transaction!(
    modify_each_of_a_locked_row_writes_no_intent_to_an_atomic_history,
    Page,
    page,
    "pages-history"
);
puts_nothing_of_a_transaction!(
    modify_each_of_a_locked_row_writes_no_intent_to_an_ordered_history,
    Draft,
    draft,
    "drafts-history"
);

/// The same holds for an item that was loaded while it was locked.
#[tokio::test]
async fn a_revision_of_a_row_loaded_while_locked_has_no_intent() {
    pause();
    let world = world::<Draft>().await;
    draft("one", 0).create().send(&world.repository).await.expect("sent").applied().expect("applied");
    let committed = row::<Draft>(&world).await;
    put_row::<Draft>(&world, held(committed.clone())).await;
    let loaded = Draft::get("1").loaded().send(&world.repository).await.expect("a get").expect("a draft");
    assert!(loaded.item().contains_key("_x"));
    put_row::<Draft>(&world, committed).await;
    let put = draft("two", 1).put().over(&loaded).send(&world.repository).await;
    assert_eq!(put.expect("sent").applied().expect("applied"), 2);
    let superseded = Draft::revision("1", 1u64).send(&world.repository).await.expect("read").expect("a revision");
    assert!(!superseded.item().contains_key("_x"), "{superseded:?}");
}
