//! No version number is given twice, whatever was deleted, is missing, or was written by another program.

use super::{Draft, Page, draft, page};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Found, Outcome, Reason, Transaction};
use dyno_tests::faults::Fault;
use dyno_tests::{item, n, pause, s, world};

/// The other program counts no versions, and knows nothing of the history.
#[tokio::test]
async fn an_item_recreated_by_another_program_is_numbered_after_the_history() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    for text in ["a", "b", "c"] {
        let version = Page::get(1u64).send(repository).await.expect("a get").map_or(0, |page| page.version);
        applied!(page(text, version).put(), repository);
    }
    world.write_foreign::<Page>(item([("id", n(1)), ("text", s("theirs")), ("version", n(1))])).await;
    assert_eq!(applied!(page("mine", 1).put(), repository), 4);
    assert_eq!(timeline!(Page, 1u64, repository), ["4 mine", "3 c", "2 b", "1 a"]);
    // An ordered history keeps the other program's item, like every superseded item.
    repository.create_table::<Draft>().await.expect("a table");
    let id = || AttributeValue::B(vec![1, 2].into());
    for (version, text) in ["a", "b", "c"].into_iter().enumerate() {
        applied!(draft(text, version as u64).put(), repository);
    }
    world.write_foreign::<Draft>(item([("id", id()), ("text", s("theirs")), ("version", n(1))])).await;
    let metered = repository.metered();
    assert_eq!(applied!(draft("mine", 1).put(), &metered), 5);
    // The requests read the item, read the newest revision, and write the copy and the item in one request.
    assert_eq!(metered.usage().requests, 3);
    assert_eq!(timeline!(Draft, vec![1, 2], repository), ["5 mine", "4 theirs", "2 b", "1 a"]);
    // A writer that has loaded the lost version 3 does not overwrite the newer item.
    assert_eq!(refused!(draft("late", 3).put(), repository), [Reason::Conflict { expected: 3, found: Some(5) }]);
    // The same holds for an item without a version, and in a transaction.
    world.write_foreign::<Draft>(item([("id", id()), ("text", s("uncounted"))])).await;
    let transaction = Transaction::new().put(draft("again", 0).replace()).send(repository).await.expect("sent");
    assert_eq!(transaction.applied().expect("applied").version_of::<Draft>(0), Some(7));
    assert_eq!(timeline!(Draft, vec![1, 2], repository)[..3], ["7 again", "6 uncounted", "4 theirs"]);
    assert_eq!(applied!(draft("on", 7).put(), repository), 8);
    // The same holds for a tombstone of another program.
    let deleted = ("deleted", AttributeValue::Bool(true));
    world.write_foreign::<Draft>(item([("id", id()), deleted, ("version", n(2))])).await;
    assert_eq!(applied!(draft("anew", 0).create(), repository), 10);
    world.write_foreign::<Page>(item([("id", n(1)), ("text", s("theirs")), ("version", n(1))])).await;
    let transaction = Transaction::new().put(page("mine too", 1).put()).send(repository).await.expect("sent");
    assert_eq!(transaction.applied().expect("applied").version_of::<Page>(0), Some(5));
}

/// A failed write has left only its copy of the item. After a foreign change of the item, this copy is outdated.
#[tokio::test]
async fn a_foreign_change_after_a_leftover_copy_gets_a_new_number() {
    let world = world::<Draft>().await;
    let repository = &world.repository;
    applied!(draft("a", 0).create(), repository);
    applied!(draft("b", 1).put(), repository);
    leaves_a_copy!(Draft, draft("c", 2).put(), &world);
    let id = AttributeValue::B(vec![1, 2].into());
    world.write_foreign::<Draft>(item([("id", id), ("text", s("theirs")), ("version", n(2))])).await;
    assert_eq!(applied!(draft("mine", 2).put(), repository), 5);
    assert_eq!(timeline!(Draft, vec![1, 2], repository), ["5 mine", "4 theirs", "2 b", "1 a"]);
}

/// A create finds no item and no history. Before it writes, another process creates, deletes and purges the item.
#[tokio::test]
async fn a_purge_during_a_create_reuses_no_number() {
    pause();
    for together in [false, true] {
        let world = world::<Draft>().await;
        let (repository, other) = (world.repository.clone(), world.other());
        // The create has read the history.
        world.faults.hold_after(1);
        let create = tokio::spawn(async move {
            let create = draft("mine", 0).create();
            if together {
                let sent = Transaction::new().put(create).send(&repository).await.expect("sent");
                return sent.applied().expect("applied").version_of::<Draft>(0).expect("a version");
            }
            applied!(create, &repository)
        });
        world.faults.held().await;
        applied!(draft("theirs", 0).create(), &other);
        applied!(Draft::delete(vec![1, 2], 1u64), &other);
        let found = Draft::get(vec![1, 2]).include_deleted().send(&other).await.expect("a get");
        let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
        applied!(Draft::purge(&tombstone), &other);
        world.faults.release();
        assert_eq!(create.await.expect("no panic"), 3);
        assert_eq!(applied!(draft("on", 3).put(), &other), 4);
        assert_eq!(timeline!(Draft, vec![1, 2], &other), ["4 on", "3 mine", "2 -", "1 theirs"]);
    }
}

#[tokio::test]
async fn numbers_continue_after_the_tombstone_is_purged() {
    let world = world::<Draft>().await;
    let repository = &world.repository;
    let key = || vec![1, 2];
    for round in 0..3u64 {
        let base = round * 2;
        assert_eq!(applied!(draft("a", 0).create(), repository), base + 1);
        assert_eq!(applied!(Draft::delete(key(), base + 1), repository), base + 2);
        // The tombstone is purged. DynamoDB's TTL can also remove it.
        let found = Draft::get(key()).include_deleted().send(repository).await.expect("a get");
        let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
        applied!(Draft::purge(&tombstone), repository);
        assert!(world.stored::<Draft>().await.is_empty());
        // The deletion can be read, although no row records it.
        assert_eq!(timeline!(Draft, key(), repository)[..2], [format!("{} -", base + 2), format!("{} a", base + 1)]);
        let deletion = Draft::revision(key(), base + 2).send(repository).await.expect("sent").expect("there");
        assert!(deletion.is_deleted());
    }
    assert_eq!(timeline!(Draft, key(), repository), ["6 -", "5 a", "4 -", "3 a", "2 -", "1 a"]);
    assert_eq!(applied!(Draft::rollback(key(), 3u64), repository), draft("a", 7));
}

#[tokio::test]
async fn an_item_older_than_its_history_is_recorded_when_changed() {
    let world = world::<Draft>().await;
    let repository = &world.repository;
    let id = || AttributeValue::B(vec![1, 2].into());
    world.write_foreign::<Draft>(item([("id", id()), ("text", s("old"))])).await;
    assert_eq!(applied!(Draft::modify(vec![1, 2], |draft| draft.text.push('!')), repository), draft("old!", 1));
    assert_eq!(timeline!(Draft, vec![1, 2], repository), ["1 old!", "0 old"]);
    // The history also keeps attributes that the entity does not declare.
    world.write_foreign::<Draft>(item([("id", id()), ("text", s("b")), ("version", n(5)), ("more", s("x"))])).await;
    applied!(draft("c", 5).put(), repository);
    let revision = Draft::revision(vec![1, 2], 5u64).send(repository).await.expect("sent").expect("there");
    assert_eq!(revision.item().get("more"), Some(&s("x")));
}

/// The history lacks the first numbers, because it was declared later or because its first rows have expired.
#[tokio::test]
async fn numbers_continue_after_the_newest_row_despite_missing_rows() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    world.write_foreign::<Page>(item([("id", n(1)), ("text", s("old")), ("version", n(7))])).await;
    assert_eq!(applied!(page("a", 7).put(), repository), 8);
    applied!(Page::delete(1u64, 8u64), repository);
    assert_eq!(applied!(page("b", 0).create(), repository), 10);
    assert_eq!(applied!(page("c", 10).put(), repository), 11);
    assert_eq!(timeline!(Page, 1u64, repository), ["11 c", "10 b", "9 -", "8 a"]);
    // DynamoDB's TTL removes rows in any order.
    applied!(Page::delete(1u64, 11u64), repository);
    for version in [8, 10, 11] {
        let delete = repository.client().delete_item().table_name("pages-history").key("_key", s("1"));
        delete.key("_version", n(version)).send().await.expect("removed");
    }
    assert_eq!(applied!(page("d", 0).put(), repository), 13);
    assert_eq!(applied!(page("e", 13).put(), repository), 14);
}

#[tokio::test]
async fn a_delete_and_a_purge_during_a_create_reuse_no_number() {
    pause();
    let world = world::<Draft>().await;
    let other = world.other();
    let key = || vec![1, 2];
    applied!(draft("a", 0).create(), &other);
    applied!(draft("b", 1).put(), &other);
    // Another process deletes the item and purges its tombstone between any two requests of the create.
    for requests in 0..5 {
        let current = Draft::get(key()).consistent().send(&other).await.expect("a get").expect("there");
        let repository = world.repository.clone();
        world.faults.hold_after(requests);
        let mut create = tokio::spawn(async move { draft("mine", 0).create().send(&repository).await });
        // A create with fewer requests ends before it is held.
        let ended = tokio::select! {
            () = world.faults.held() => None,
            created = &mut create => Some(created),
        };
        let deleted = applied!(Draft::delete(key(), current.version), &other);
        let found = Draft::get(key()).include_deleted().send(&other).await.expect("a get");
        let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
        applied!(Draft::purge(&tombstone), &other);
        world.faults.release();
        let created = match ended {
            Some(created) => created,
            None => create.await,
        };
        match created.expect("no panic").expect("sent") {
            Outcome::Applied(version) => assert_eq!(version, deleted + 1),
            Outcome::Refused(refusal) => {
                assert!(refusal.is_existing());
                assert_eq!(applied!(draft("mine", 0).create(), &other), deleted + 1);
            }
        }
        let timeline = timeline!(Draft, key(), &other);
        let expected = [(deleted + 1, "mine"), (deleted, "-")].map(|(number, text)| format!("{number} {text}"));
        assert_eq!(timeline[..2], expected);
        assert_eq!(timeline.len() as u64, deleted + 1);
    }
}

#[tokio::test]
async fn a_delete_whose_tombstone_was_purged_has_an_unknown_outcome() {
    pause();
    let world = world::<Draft>().await;
    let other = world.other();
    let key = || vec![1, 2];
    applied!(draft("a", 0).create(), &other);
    for create_again in [false, true] {
        let current = Draft::get(key()).consistent().send(&other).await.expect("a get").expect("there").version;
        let repository = world.repository.clone();
        world.faults.hold_after(2);
        let delete = tokio::spawn(async move { Draft::delete(key(), current).send(&repository).await });
        world.faults.held().await;
        world.lose_answers(1);
        world.faults.hold_after(1);
        world.faults.held().await;
        let found = Draft::get(key()).include_deleted().send(&other).await.expect("a get");
        let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
        applied!(Draft::purge(&tombstone), &other);
        if create_again {
            assert_eq!(applied!(draft("b", 0).create(), &other), current + 2);
        }
        world.faults.release();
        let error = delete.await.expect("no panic").expect_err("unknown");
        assert!(error.is_outcome_unknown(), "{error:?}");
        if !create_again {
            applied!(draft("c", 0).create(), &other);
        }
    }
}

/// A revision holds the whole item. Without a version, no number shows whether the item is still the one that was read, but
/// the newer attribute is kept.
#[tokio::test]
async fn modify_of_an_item_without_a_version_keeps_undeclared_attributes() {
    let world = world::<Page>().await;
    let theirs = |note: &str| item([("id", n(1)), ("text", s("a")), ("note", s(note))]);
    world.write_foreign::<Page>(theirs("old")).await;
    let repository = world.repository.clone();
    world.faults.hold_after(1);
    let modify =
        tokio::spawn(async move { applied!(Page::modify(1u64, |page| page.text = "b".to_owned()), &repository) });
    world.faults.held().await;
    world.other().client().put_item().table_name("pages").set_item(Some(theirs("new"))).send().await.expect("a put");
    world.faults.release();
    assert_eq!(modify.await.expect("no panic").version, 1);
    let stored = world.stored::<Page>().await.remove(0);
    assert_eq!((&stored["text"], &stored["note"]), (&s("b"), &s("new")));
}
