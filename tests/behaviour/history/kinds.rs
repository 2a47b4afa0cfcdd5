//! Tests of every kind of history: each mode and each layout, with and without tombstones.

use dyno::{Entity, Found, Reason};
use dyno_tests::faults::Rates;
use dyno_tests::{pause, world};

/// The tests that every kind of history passes.
macro_rules! kinds {
    ($($kind:ident $(#[$attribute:meta])*;)*) => {$(
        mod $kind {
            use super::*;

            #[derive(Entity, Clone, Debug, PartialEq)]
            #[entity(table = "documents")]
            $(#[$attribute])*
            struct Doc {
                #[partition_key]
                folder: String,
                #[sort_key]
                name: String,
                text: String,
                #[version]
                version: u64,
            }

            fn doc(text: &str, version: u64) -> Doc {
                Doc { folder: "f".to_owned(), name: "n".to_owned(), text: text.to_owned(), version }
            }

            const KEY: (&str, &str) = ("f", "n");

            fn conflict(expected: u64, found: impl Into<Option<u64>>) -> Reason {
                Reason::Conflict { expected, found: found.into() }
            }

            #[tokio::test]
            async fn versions_and_revisions_continue_across_deletes() {
                let world = world::<Doc>().await;
                let repository = &world.repository;
                assert!(timeline!(Doc, KEY, repository).is_empty());
                assert_eq!(applied!(doc("a", 0).create(), repository), 1);
                assert_eq!(applied!(Doc::delete(KEY, 1u64), repository), 2);
                assert_eq!(timeline!(Doc, KEY, repository), ["2 -", "1 a"]);
                assert_eq!(applied!(doc("b", 0).create(), repository), 3);
                assert_eq!(applied!(Doc::delete(KEY, 3u64), repository), 4);
                assert_eq!(timeline!(Doc, KEY, repository), ["4 -", "3 b", "2 -", "1 a"]);
                assert_eq!(applied!(doc("c", 0).put(), repository), 5);
                assert_eq!(applied!(doc("d", 5).put(), repository), 6);
                assert_eq!(applied!(doc("e", 6).replace(), repository), 7);
                assert_eq!(applied!(Doc::modify(KEY, |doc| doc.text.push('!')), repository), doc("e!", 8));
                let all = ["8 e!", "7 e", "6 d", "5 c", "4 -", "3 b", "2 -", "1 a"];
                assert_eq!(timeline!(Doc, KEY, repository), all);
                for (index, text) in all.iter().rev().enumerate() {
                    let number = index as u64 + 1;
                    let revision = Doc::revision(KEY, number).send(repository).await.expect("sent").expect("there");
                    let expected = text.split_once(' ').map(|(_, text)| doc(text, number)).filter(|doc| doc.text != "-");
                    assert_eq!((revision.version(), revision.decode().expect("decodes")), (number, expected));
                }
                assert_eq!(Doc::revision(KEY, 9u64).send(repository).await.expect("sent"), None);
                assert_eq!(Doc::revision(KEY, 0u64).send(repository).await.expect("sent"), None);
                let some = Doc::revisions(KEY).before(6u64).limit(2).send(repository).await.expect("revisions").items;
                assert_eq!(some.iter().map(dyno::Revision::version).collect::<Vec<_>>(), [5, 4]);
                let some = Doc::revisions(KEY).before(77u64).limit(2).send(repository).await.expect("revisions").items;
                assert_eq!(some.iter().map(dyno::Revision::version).collect::<Vec<_>>(), [8, 7]);
                let (mut pages, mut cursor) = (Vec::new(), None);
                loop {
                    let page = Doc::revisions(KEY).limit(3).after(cursor.clone()).send(repository).await.expect("a page");
                    pages.push(page.items.iter().map(dyno::Revision::version).collect::<Vec<_>>());
                    let Some(next) = page.cursor else { break };
                    cursor = Some(next.to_string().parse::<dyno::Cursor>().expect("a cursor"));
                }
                assert_eq!(pages, [vec![8, 7, 6], vec![5, 4, 3], vec![2, 1]]);
                let rest = Doc::revisions(KEY).after(cursor.clone()).stream(repository).try_collect().await.expect("read");
                assert_eq!(rest.iter().map(dyno::Revision::version).collect::<Vec<_>>(), [2, 1]);
                for (before, expected) in [(2u64, &[1][..]), (7, &[2, 1]), (0, &[2, 1])] {
                    let both = Doc::revisions(KEY).before(before).after(cursor.clone()).send(repository).await;
                    let both = both.expect("revisions").items;
                    assert_eq!(both.iter().map(dyno::Revision::version).collect::<Vec<_>>(), expected, "{before}");
                }
                let other = Doc::revisions(("f", "other")).after(cursor).send(repository).await.expect_err("another's");
                assert!(other.is_invalid_input(), "{other}");
                // Reads of the entity return the item, and no revisions.
                assert_eq!(Doc::get(KEY).send(repository).await.expect("a get"), Some(doc("e!", 8)));
                assert_eq!(Doc::query("f").send(repository).await.expect("a query").items, [doc("e!", 8)]);
                assert_eq!(Doc::query("f").limit(1).send(repository).await.expect("a query").items, [doc("e!", 8)]);
                assert_eq!(Doc::scan().send(repository).await.expect("a scan").items, [doc("e!", 8)]);
                assert_eq!(Doc::scan().limit(1).send(repository).await.expect("a scan").items, [doc("e!", 8)]);
            }

            #[tokio::test]
            async fn a_conflict_leaves_no_revision_behind() {
                let world = world::<Doc>().await;
                let repository = &world.repository;
                applied!(doc("a", 0).create(), repository);
                applied!(doc("b", 1).put(), repository);
                let metered = repository.metered();
                let outcome = doc("mine", 1).put().send(&metered).await.expect("sent");
                assert_eq!(metered.usage().requests, 1);
                let refusal = outcome.refusal().expect("refused");
                assert_eq!(refusal.reasons(), [conflict(1, 2)]);
                assert_eq!(refusal.current().expect("decodes"), Some(Found::Live(doc("b", 2))));
                assert_eq!(refused!(doc("x", 1).replace(), repository), [conflict(1, 2)]);
                assert_eq!(refused!(Doc::delete(KEY, 1u64), repository), [conflict(1, 2)]);
                assert_eq!(refused!(doc("x", 0).create(), repository), [Reason::Exists]);
                assert_eq!(refused!(doc("x", 0).put(), repository), [Reason::Exists]);
                assert_eq!(refused!(doc("x", 3).put(), repository), [conflict(3, 2)]);
                let f = Doc::fields();
                assert_eq!(refused!(doc("x", 2).put().condition(f.text.eq("z")), repository), [Reason::Condition]);
                assert_eq!(timeline!(Doc, KEY, repository), ["2 b", "1 a"]);
                applied!(Doc::delete(KEY, 2u64), repository);
                assert!(refused!(doc("x", 2).put(), repository).iter().any(|reason| matches!(reason, Reason::Conflict { expected: 2, .. })));
                assert_eq!(timeline!(Doc, KEY, repository), ["3 -", "2 b", "1 a"]);
            }

            #[tokio::test]
            async fn a_lost_answer_is_not_a_conflict() {
                pause();
                let world = world::<Doc>().await;
                let repository = &world.repository;
                // The write loses one or two responses.
                for lost in 1..=3 {
                    for (text, number) in [("a", 0), ("b", 1), ("c", 2)] {
                        let doc = Doc { name: format!("n{lost}"), ..doc(text, number) };
                        world.lose_answers(lost.min(2));
                        assert_eq!(applied!(doc.put(), repository), number + 1);
                    }
                    let name = format!("n{lost}");
                    world.lose_answers(1);
                    assert_eq!(applied!(Doc::delete(("f", &*name), 3u64), repository), 4);
                    world.lose_answers(lost.min(2));
                    assert_eq!(applied!(Doc { name: name.clone(), ..doc("d", 0) }.create(), repository), 5);
                    world.lose_answers(1);
                    assert_eq!(applied!(Doc::rollback(("f", &*name), 2u64), repository).version, 6);
                    assert_eq!(timeline!(Doc, ("f", &*name), repository), ["6 b", "5 d", "4 -", "3 c", "2 b", "1 a"]);
                }
            }

            #[tokio::test]
            async fn an_overtaken_write_learns_its_outcome_from_the_history() {
                pause();
                let world = world::<Doc>().await;
                let other = world.other();
                applied!(doc("a", 0).create(), &other);
                for (applied_first, requests) in [(true, 1), (false, 0)] {
                    let current = Doc::get(KEY).consistent().send(&other).await.expect("a get").expect("there").version;
                    let repository = world.repository.clone();
                    let put = async move { doc("mine", current).put().send(&repository).await };
                    // The response to the item's own write is lost. In an ordered history, this write is the third request.
                    let before = if stringify!($kind).starts_with("ordered") { 2 } else { 0 };
                    world.faults.hold_after(before);
                    let put = tokio::spawn(put);
                    world.faults.held().await;
                    if applied_first {
                        world.lose_answers(1);
                    } else {
                        world.faults.seed(1, Rates { lose_request: 1.0, ..Rates::NONE });
                    }
                    world.faults.hold_after(1);
                    world.faults.held().await;
                    world.faults.calm();
                    let base = current + requests;
                    applied!(doc("theirs", base).put(), &other);
                    applied!(doc("theirs too", base + 1).put(), &other);
                    world.faults.release();
                    let outcome = put.await.expect("no panic").expect("sent");
                    if applied_first {
                        assert_eq!(outcome.applied().expect("applied"), current + 1);
                    } else {
                        assert_eq!(outcome.refusal().expect("refused").reasons(), [conflict(current, current + 2)]);
                    }
                }
                assert_eq!(
                    timeline!(Doc, KEY, &other),
                    ["6 theirs too", "5 theirs", "4 theirs too", "3 theirs", "2 mine", "1 a"]
                );
            }

            #[tokio::test]
            async fn a_create_with_a_lost_answer_is_not_repeated_after_a_delete() {
                pause();
                let world = world::<Doc>().await;
                let other = world.other();
                for base in [0u64, 2] {
                    let repository = world.repository.clone();
                    // The last request of the create is applied, and its response is lost.
                    let requests = match (stringify!($kind), base) {
                        ("atomic_with_tombstones", 2) => 2,
                        ("atomic" | "atomic_in_the_same_table", _) | ("atomic_with_tombstones", 0) => 1,
                        ("ordered" | "ordered_in_the_same_table", 0) => 1,
                        ("ordered" | "ordered_in_the_same_table", 2) => 3,
                        _ => 0,
                    };
                    world.faults.hold_after(requests);
                    let create = tokio::spawn(async move { doc("mine", 0).create().send(&repository).await });
                    world.faults.held().await;
                    world.lose_answers(1);
                    world.faults.hold_after(1);
                    world.faults.held().await;
                    let there = Doc::get(KEY).consistent().send(&other).await.expect("a get").expect("applied");
                    assert_eq!(there, doc("mine", base + 1));
                    applied!(Doc::delete(KEY, base + 1), &other);
                    world.faults.release();
                    assert_eq!(create.await.expect("no panic").expect("sent").applied().expect("applied"), base + 1);
                }
                assert_eq!(timeline!(Doc, KEY, &other), ["4 -", "3 mine", "2 -", "1 mine"]);
            }

            #[tokio::test]
            async fn concurrent_clones_write_one_version() {
                pause();
                let world = world::<Doc>().await;
                let (repository, other) = (world.repository.clone(), world.other());
                applied!(doc("a", 0).create(), &other);
                let create = doc("mine", 0).create();
                let clone = create.clone();
                // One clone has read the history and is about to write. Meanwhile the other clone creates the item over a
                // deletion.
                world.faults.hold_after(1);
                applied!(Doc::delete(KEY, 1u64), &other);
                let slow = tokio::spawn(async move { clone.send(&repository).await });
                world.faults.held().await;
                assert_eq!(applied!(create, &other), 3);
                world.faults.release();
                assert_eq!(slow.await.expect("no panic").expect("sent").applied().expect("applied"), 3);
                assert_eq!(timeline!(Doc, KEY, &other), ["3 mine", "2 -", "1 a"]);
            }

            #[tokio::test]
            async fn restore_brings_back_what_was_deleted() {
                pause();
                let world = world::<Doc>().await;
                let repository = &world.repository;
                assert_eq!(refused!(Doc::restore(KEY), repository), [Reason::Missing]);
                applied!(doc("a", 0).create(), repository);
                applied!(doc("b", 1).put(), repository);
                assert_eq!(refused!(Doc::restore(KEY), repository), [Reason::Exists]);
                applied!(Doc::delete(KEY, 2u64), repository);
                assert_eq!(applied!(Doc::restore(KEY), repository), doc("b", 4));
                applied!(Doc::delete(KEY, 4u64), repository);
                // Another writer creates the item after the restore has not found it.
                let slow = {
                    let repository = repository.clone();
                    async move { Doc::restore(KEY).send(&repository).await }
                };
                world.faults.hold_after(1);
                let slow = tokio::spawn(slow);
                world.faults.held().await;
                applied!(doc("c", 0).create(), &world.other());
                world.faults.release();
                let outcome = slow.await.expect("no panic").expect("sent");
                assert!(outcome.refusal().is_some_and(|refusal| refusal.is_existing()), "{outcome:?}");
                assert_eq!(timeline!(Doc, KEY, repository), ["6 c", "5 -", "4 b", "3 -", "2 b", "1 a"]);
            }

            #[tokio::test]
            async fn rollback_writes_old_content_as_a_new_version() {
                pause();
                let world = world::<Doc>().await;
                let repository = &world.repository;
                applied!(doc("a", 0).create(), repository);
                applied!(doc("b", 1).put(), repository);
                assert_eq!(applied!(Doc::rollback(KEY, 1u64), repository), doc("a", 3));
                applied!(Doc::delete(KEY, 3u64), repository);
                // A rollback can also restore a deleted item.
                assert_eq!(applied!(Doc::rollback(KEY, 2u64), repository), doc("b", 5));
                assert_eq!(applied!(Doc::rollback(KEY, 5u64), repository), doc("b", 6));
                for version in [4u64, 7, 0] {
                    assert_eq!(refused!(Doc::rollback(KEY, version), repository), [Reason::NoRevision { version }]);
                }
                assert_eq!(timeline!(Doc, KEY, repository), ["6 b", "5 b", "4 -", "3 a", "2 b", "1 a"]);
                // Another writer changes the item during the rollback: the rollback replaces the newer item.
                let slow = {
                    let repository = repository.clone();
                    async move { Doc::rollback(KEY, 1u64).send(&repository).await }
                };
                world.faults.hold_after(2);
                let slow = tokio::spawn(slow);
                world.faults.held().await;
                applied!(doc("c", 6).put(), &world.other());
                world.faults.release();
                assert_eq!(slow.await.expect("no panic").expect("sent").applied().expect("applied"), doc("a", 8));
                assert_eq!(timeline!(Doc, KEY, repository)[..3], ["8 a", "7 c", "6 b"]);
            }

            #[tokio::test]
            async fn items_with_similar_keys_have_separate_histories() {
                let world = world::<Doc>().await;
                let repository = &world.repository;
                let names = [("a", "b|c"), ("a|b", "c"), ("a%7Cb", "c"), ("a", "b"), ("a", "b|"), ("a", "b|1"), ("a", "b%7C1")];
                for (folder, name) in names {
                    let at = Doc { folder: folder.to_owned(), name: name.to_owned(), ..doc(&format!("{folder}/{name}"), 0) };
                    applied!(at.create(), repository);
                    applied!(Doc { version: 1, ..at }.put(), repository);
                }
                for (folder, name) in names {
                    let text = format!("{folder}/{name}");
                    assert_eq!(timeline!(Doc, (folder, name), repository), [format!("2 {text}"), format!("1 {text}")]);
                    assert_eq!(Doc::query(folder).sort_eq(name).send(repository).await.expect("a query").items.len(), 1);
                }
                assert_eq!(Doc::scan().send(repository).await.expect("a scan").items.len(), names.len());
            }

            #[tokio::test]
            async fn a_crash_between_any_two_requests_is_repaired_by_the_next_write() {
                /// A step of an item's life: the command, its document for the expected version, and the text after it.
                type Step = (&'static str, fn(u64) -> Doc, &'static str);
                pause();
                let steps: [Step; 6] = [
                    ("put", |version| doc("one", version), "one"),
                    ("put", |version| doc("two", version), "two"),
                    ("delete", |version| doc("", version), "-"),
                    ("create", |_| doc("three", 0), "three"),
                    ("rollback", |_| doc("two", 2), "two"),
                    ("modify", |_| doc("!", 0), "two!"),
                ];
                for crashing in 0..steps.len() {
                    for served in [false, true] {
                        let mut finishing = 0;
                        for requests in 1.. {
                            let world = world::<Doc>().await;
                            let other = world.other();
                            let mut expected: Vec<String> = Vec::new();
                            for (index, (verb, make, text)) in steps.iter().enumerate() {
                                let version = expected.len() as u64;
                                let run = async |repository: &dyno::Repository| {
                                    let doc = make(version);
                                    match *verb {
                                        "put" => doc.put().send(repository).await.map(|outcome| outcome.is_applied()),
                                        "delete" => {
                                            Doc::delete(KEY, version).send(repository).await.map(|outcome| outcome.is_applied())
                                        }
                                        "create" => doc.create().send(repository).await.map(|outcome| outcome.is_applied()),
                                        "rollback" => {
                                            Doc::rollback(KEY, 2u64).send(repository).await.map(|outcome| outcome.is_applied())
                                        }
                                        _ => {
                                            let modify = Doc::modify(KEY, |doc| doc.text.push('!'));
                                            modify.send(repository).await.map(|outcome| outcome.is_applied())
                                        }
                                    }
                                };
                                let before = expected.clone();
                                expected.insert(0, format!("{} {text}", version + 1));
                                if index != crashing {
                                    assert!(run(&other).await.expect("sent"));
                                    continue;
                                }
                                world.faults.dies_of(requests, served);
                                let finished = tokio::select! {
                                    biased;
                                    sent = run(&world.repository) => { assert!(sent.expect("sent")); true }
                                    () = world.faults.stopped() => false,
                                };
                                world.faults.go_on();
                                world.faults.calm();
                                // A reader sees the item before or after the write, and a history that agrees with the item.
                                let found = timeline!(Doc, KEY, &other);
                                assert!(found == before || found == expected, "{verb} {requests} {served}: {found:?}");
                                let now = Doc::get(KEY).consistent().send(&other).await.expect("a get");
                                let newest = found.first().map_or("-".to_owned(), |line| line.split_once(' ').expect("two").1.to_owned());
                                assert_eq!(now.map_or("-".to_owned(), |doc| doc.text), newest);
                                assert!(!finished || found == expected);
                                if finished {
                                    finishing += 1;
                                }
                                if found == before {
                                    assert!(run(&other).await.expect("sent"), "{verb} {requests} {served}");
                                }
                                assert_eq!(timeline!(Doc, KEY, &other), expected);
                            }
                            // After all writes, every revision can be read by its number.
                            for line in &expected {
                                let (number, text) = line.split_once(' ').expect("two");
                                let revision = Doc::revision(KEY, number.parse::<u64>().expect("a number")).send(&other).await;
                                let revision = revision.expect("sent").expect("there").decode().expect("decodes");
                                assert_eq!(revision.map_or("-".to_owned(), |doc| doc.text), text);
                            }
                            // The command has finished before a crash, so every position was tried.
                            if finishing > 0 {
                                break;
                            }
                        }
                    }
                }
            }
        }
    )*};
}

kinds! {
    atomic #[history_table];
    atomic_with_tombstones #[tombstone(ttl_days = 7)] #[history_table(mode = "atomic", layout = "second_table")];
    atomic_in_the_same_table #[history_table(layout = "same_table")];
    ordered #[tombstone(ttl_days = 7)] #[history_table(mode = "ordered", name = "document-revisions")];
    ordered_in_the_same_table #[tombstone(ttl_days = 7)] #[history_table(mode = "ordered", layout = "same_table")];
}
