//! History: every mode and layout keeps every version, numbered without gaps, through deletes, rollbacks, lost answers
//! and crashes.

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, EpochMillis, EpochSeconds, ErrorKind, Found, Outcome, Reason, Transaction};
use dyno_tests::faults::{Fault, Rates};
use dyno_tests::{endpoint, item, n, pause, s, world};

/// Sends a command, which must be applied; what it returned.
macro_rules! applied {
    ($command:expr, $repository:expr) => {
        $command.send($repository).await.expect("sent").applied().expect("applied")
    };
}

/// Sends a command, which must be refused; the reasons.
macro_rules! refused {
    ($command:expr, $repository:expr) => {
        match $command.send($repository).await.expect("sent") {
            Outcome::Applied(_) => panic!("applied"),
            Outcome::Refused(refusal) => refusal.reasons().to_vec(),
        }
    };
}

/// The revisions as text, newest first: `3 text`, or `3 -` for a deletion.
macro_rules! timeline {
    ($entity:ident, $key:expr, $repository:expr) => {{
        let revisions = $entity::revisions($key).send($repository).await.expect("revisions");
        let texts = revisions.iter().map(|revision| {
            let text = revision.decode().expect("decodes").map_or("-".to_owned(), |doc| doc.text);
            assert_eq!(text == "-", revision.is_deleted());
            format!("{} {text}", revision.version())
        });
        texts.collect::<Vec<_>>()
    }};
}

/// The tests that hold for every kind of history.
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
            async fn numbers_and_revisions_go_on_through_deletes() {
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
                let some = Doc::revisions(KEY).before(6u64).limit(2).send(repository).await.expect("revisions");
                assert_eq!(some.iter().map(dyno::Revision::version).collect::<Vec<_>>(), [5, 4]);
                let some = Doc::revisions(KEY).before(77u64).limit(2).send(repository).await.expect("revisions");
                assert_eq!(some.iter().map(dyno::Revision::version).collect::<Vec<_>>(), [8, 7]);
                // Reads of the entity see the entity.
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

            #[tokio::test(start_paused = true)]
            async fn a_lost_answer_is_not_a_conflict() {
                let world = world::<Doc>().await;
                let repository = &world.repository;
                // Of whichever of its requests.
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

            #[tokio::test(start_paused = true)]
            async fn who_has_been_overtaken_learns_it_from_the_history() {
                let world = world::<Doc>().await;
                let other = world.other();
                applied!(doc("a", 0).create(), &other);
                for (applied_first, requests) in [(true, 1), (false, 0)] {
                    let current = Doc::get(KEY).consistent().send(&other).await.expect("a get").expect("there").version;
                    let repository = world.repository.clone();
                    let put = async move { doc("mine", current).put().send(&repository).await };
                    // The answer to the item's own write is lost, which in an ordered history is the third request.
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

            #[tokio::test(start_paused = true)]
            async fn a_create_that_was_applied_and_deleted_since_is_not_done_again() {
                let world = world::<Doc>().await;
                let other = world.other();
                for base in [0u64, 2] {
                    let repository = world.repository.clone();
                    // Of the requests of the create, the last one is applied, and its answer lost.
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

            #[tokio::test(start_paused = true)]
            async fn clones_at_once_are_one_write_of_one_version() {
                let world = world::<Doc>().await;
                let (repository, other) = (world.repository.clone(), world.other());
                applied!(doc("a", 0).create(), &other);
                let create = doc("mine", 0).create();
                let clone = create.clone();
                // One has asked the history, and is about to write; meanwhile the other goes on over a deletion.
                world.faults.hold_after(1);
                applied!(Doc::delete(KEY, 1u64), &other);
                let slow = tokio::spawn(async move { clone.send(&repository).await });
                world.faults.held().await;
                assert_eq!(applied!(create, &other), 3);
                world.faults.release();
                assert_eq!(slow.await.expect("no panic").expect("sent").applied().expect("applied"), 3);
                assert_eq!(timeline!(Doc, KEY, &other), ["3 mine", "2 -", "1 a"]);
            }

            #[tokio::test(start_paused = true)]
            async fn rollback_writes_old_content_as_a_new_version() {
                let world = world::<Doc>().await;
                let repository = &world.repository;
                applied!(doc("a", 0).create(), repository);
                applied!(doc("b", 1).put(), repository);
                assert_eq!(applied!(Doc::rollback(KEY, 1u64), repository), doc("a", 3));
                applied!(Doc::delete(KEY, 3u64), repository);
                // A deletion, too, can be taken back.
                assert_eq!(applied!(Doc::rollback(KEY, 2u64), repository), doc("b", 5));
                assert_eq!(applied!(Doc::rollback(KEY, 5u64), repository), doc("b", 6));
                for version in [4u64, 7, 0] {
                    assert_eq!(refused!(Doc::rollback(KEY, version), repository), [Reason::NoRevision { version }]);
                }
                assert_eq!(timeline!(Doc, KEY, repository), ["6 b", "5 b", "4 -", "3 a", "2 b", "1 a"]);
                // Another writer comes in between: the rollback is of what is there then.
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
            async fn items_have_histories_of_their_own() {
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

            #[tokio::test(start_paused = true)]
            async fn a_crash_between_any_two_requests_is_repaired_by_the_next_write() {
                /// A step of an item's life, at the version it expects.
                type Step = (&'static str, fn(u64) -> Doc, &'static str);
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
                                world.faults.stop_after(requests, served);
                                let finished = tokio::select! {
                                    biased;
                                    sent = run(&world.repository) => { assert!(sent.expect("sent")); true }
                                    () = world.faults.stopped() => false,
                                };
                                world.faults.go_on();
                                // Whoever reads sees the item before the write or after it, and a history that agrees.
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
                            // Later writes, and every revision by its number.
                            for line in &expected {
                                let (number, text) = line.split_once(' ').expect("two");
                                let revision = Doc::revision(KEY, number.parse::<u64>().expect("a number")).send(&other).await;
                                let revision = revision.expect("sent").expect("there").decode().expect("decodes");
                                assert_eq!(revision.map_or("-".to_owned(), |doc| doc.text), text);
                            }
                            // Every position has been tried.
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

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[history_table(ttl_days = 30)]
struct Page {
    #[partition_key]
    id: u64,
    text: String,
    #[version]
    version: u64,
}

fn page(text: &str, version: u64) -> Page {
    Page { id: 1, text: text.to_owned(), version }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "drafts")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered")]
struct Draft {
    #[partition_key]
    id: Vec<u8>,
    text: String,
    #[version]
    version: u64,
}

fn draft(text: &str, version: u64) -> Draft {
    Draft { id: vec![1, 2], text: text.to_owned(), version }
}

/// Requests, read units and write units of a command.
macro_rules! cost {
    ($repository:expr, $command:expr) => {{
        let metered = $repository.metered();
        let _outcome = $command.send(&metered).await.expect("sent");
        let usage = metered.usage();
        (usage.requests, usage.read_units, usage.write_units)
    }};
}

#[tokio::test]
async fn what_each_mode_costs() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    // Two rows, each at twice the plain price, in one request. (Developer guide, "Read and write operations": two units
    // for a transactional write of up to 1 KB. The embedded engine has that right; DynamoDB Local reports four for each
    // table.)
    let transaction = if endpoint().is_some() { 8.0 } else { 4.0 };
    // A create asks the history first whether it knows of earlier numbers.
    let (requests, _, write_units) = cost!(repository, page("a", 0).create());
    assert_eq!((requests, write_units), (2, transaction));
    assert_eq!(cost!(repository, page("b", 1).put()), (1, 0.0, transaction));
    // For a refused one DynamoDB reports nothing.
    assert_eq!(cost!(repository, page("c", 1).put()), (1, 0.0, 4.0));
    assert_eq!(cost!(repository, Page::delete(1u64, 2u64)), (1, 0.0, transaction));
    repository.create_table::<Draft>().await.expect("a table");
    // Nothing is superseded, but it has to be looked whether something was; and behind what is gone only a transaction keeps
    // a number from being given twice.
    let (requests, _, write_units) = cost!(repository, draft("a", 0).create());
    assert_eq!((requests, write_units), (2, transaction));
    let loaded = Draft::get(vec![1, 2]).consistent().loaded().send(repository).await.expect("a get").expect("there");
    assert_eq!(loaded.entity, draft("a", 1));
    // Two rows at the plain price, in two requests.
    assert_eq!(cost!(repository, draft("b", 1).put().over(&loaded)), (2, 0.0, 2.0));
    // Without what was loaded, it is read.
    assert_eq!(cost!(repository, draft("c", 2).put()), (3, 1.0, 2.0));
    assert_eq!(cost!(repository, Draft::modify(vec![1, 2], |draft| draft.text.push('!'))), (3, 1.0, 2.0));
    // A conflict costs the reading alone: nothing is written for it.
    assert_eq!(cost!(repository, draft("d", 2).put()), (1, 1.0, 0.0));
    // What was loaded is no longer there: a copy of what has its own row already, and the refusal.
    assert_eq!(cost!(repository, draft("d", 1).put().over(&loaded)), (2, 0.0, 2.0));
    assert_eq!(timeline!(Draft, vec![1, 2], repository), ["4 c!", "3 c", "2 b", "1 a"]);
    // What was loaded of another item is of no use, and does no harm.
    let other = || Draft { id: vec![9], ..draft("other", 0) };
    applied!(other().create(), repository);
    assert_eq!(cost!(repository, Draft { version: 1, ..other() }.put().over(&loaded)), (3, 1.0, 2.0));
    assert_eq!(timeline!(Draft, vec![9], repository), ["2 other", "1 other"]);
}

#[tokio::test]
async fn revisions_are_kept_for_their_time() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    let table = repository.history_table_name::<Page>().expect("a name");
    assert_eq!(table, "pages-history");
    let ttl = repository.client().describe_time_to_live().table_name(&table).send().await.expect("described");
    assert_eq!(ttl.time_to_live_description().and_then(|ttl| ttl.attribute_name()), Some("_ttl"));
    applied!(page("a", 0).create(), repository);
    world.clock.advance(20 * 86_400_000);
    applied!(page("b", 1).put(), repository);
    world.clock.advance(11 * 86_400_000);
    // The first one's time has passed, though the engine has not removed it.
    assert_eq!(timeline!(Page, 1u64, repository), ["2 b"]);
    assert_eq!(Page::revision(1u64, 1u64).send(repository).await.expect("sent"), None);
    assert_eq!(refused!(Page::rollback(1u64, 1u64), repository), [Reason::NoRevision { version: 1 }]);
    world.clock.advance(40 * 86_400_000);
    // The newest is the item itself, however old its row.
    assert_eq!(timeline!(Page, 1u64, repository), ["2 b"]);
    assert!(Page::revision(1u64, 2u64).send(repository).await.expect("sent").is_some());
    // Numbers go on all the same.
    applied!(Page::delete(1u64, 2u64), repository);
    assert_eq!(applied!(page("c", 0).create(), repository), 4);
    assert_eq!(timeline!(Page, 1u64, repository), ["4 c", "3 -"]);
}

#[tokio::test]
async fn a_table_of_one_s_own_name_and_prefix() {
    let world = world::<Page>().await;
    let client = world.repository.client().clone();
    let repository = dyno::Repository::new(client).with_table_prefix("staging-");
    assert_eq!(repository.history_table_name::<Page>().expect("a name"), "staging-pages-history");
    let repository = repository.with_table::<Page>("other");
    assert_eq!(repository.history_table_name::<Page>().expect("a name"), "other-history");
    let repository = repository.with_history_table::<Page>("other-revisions");
    repository.create_table::<Page>().await.expect("two tables");
    repository.create_table::<Page>().await.expect("there already");
    applied!(page("a", 0).create(), &repository);
    assert_eq!(timeline!(Page, 1u64, &repository), ["1 a"]);
    let tables = repository.client().list_tables().send().await.expect("tables").table_names.unwrap_or_default();
    assert!(["other", "other-revisions"].iter().all(|name| tables.iter().any(|table| table == name)), "{tables:?}");
    let impossible = repository.with_history_table::<Page>("no table");
    assert!(page("a", 1).put().send(&impossible).await.expect_err("a name").is_invalid_input());
    let missing = dyno::Repository::new(world.repository.client().clone()).with_history_table::<Page>("elsewhere");
    for error in [
        Page::revisions(1u64).send(&missing).await.expect_err("no table"),
        Page::revision(1u64, 1u64).send(&missing).await.expect_err("no table"),
    ] {
        assert!(error.is_table_missing() && error.to_string().contains("`elsewhere`"), "{error}");
    }
}

#[tokio::test]
async fn a_history_that_is_ahead_of_its_table_refuses_until_the_item_is_repaired() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    applied!(page("a", 0).create(), repository);
    applied!(page("b", 1).put(), repository);
    let backup = world.stored::<Page>().await.remove(0);
    applied!(page("c", 2).put(), repository);
    // The table alone is restored from a backup.
    world.write_foreign::<Page>(backup).await;
    let refusal = page("x", 2).put().send(repository).await.expect("sent");
    let refusal = refusal.refusal().expect("refused");
    assert_eq!(refusal.reasons(), [Reason::Recorded { version: 3 }]);
    assert!(refusal.to_string().contains("let `repair` give the item a number"), "{refusal}");
    assert_eq!(refused!(Page::delete(1u64, 2u64), repository), [Reason::Recorded { version: 3 }]);
    let metered = repository.metered();
    assert_eq!(Page::repair(1u64).send(&metered).await.expect("repaired"), Some(4));
    assert_eq!(metered.usage().requests, 3);
    assert_eq!(timeline!(Page, 1u64, repository), ["4 b", "3 c", "2 b", "1 a"]);
    // There is nothing more to be done.
    assert_eq!(Page::repair(1u64).send(repository).await.expect("repaired"), None);
    assert_eq!(applied!(page("x", 4).put(), repository), 5);

    repository.create_table::<Draft>().await.expect("a table");
    applied!(draft("a", 0).create(), repository);
    let backup = world.stored::<Draft>().await.remove(0);
    applied!(draft("b", 1).put(), repository);
    applied!(draft("c", 2).put(), repository);
    world.write_foreign::<Draft>(backup).await;
    // Nobody can see it yet.
    assert_eq!(applied!(draft("x", 1).put(), repository), 2);
    assert_eq!(refused!(draft("y", 2).put(), repository), [Reason::Recorded { version: 2 }]);
    assert_eq!(Draft::repair(vec![1, 2]).send(repository).await.expect("repaired"), Some(4));
    // The number of what the restore has undone is not given again, though it is written nowhere.
    assert_eq!(timeline!(Draft, vec![1, 2], repository), ["4 x", "2 b", "1 a"]);
    assert_eq!(Draft::repair(vec![1, 2]).send(repository).await.expect("repaired"), None);
    assert_eq!(applied!(draft("y", 4).put(), repository), 5);
    assert_eq!(timeline!(Draft, vec![1, 2], repository), ["5 y", "4 x", "2 b", "1 a"]);
    // Of what is not there, there is nothing to repair.
    assert_eq!(Draft::repair(vec![9]).send(repository).await.expect("repaired"), None);
}

#[tokio::test]
async fn a_repair_is_one_however_often_it_is_sent() {
    pause();
    for faults in
        [vec![Fault::AnswerLost], vec![Fault::Conflicted], vec![Fault::Throttled; 2], vec![Fault::AnswerLost; 2]]
    {
        let world = world::<Page>().await;
        let repository = &world.repository;
        applied!(page("a", 0).create(), repository);
        let backup = world.stored::<Page>().await.remove(0);
        applied!(page("b", 1).put(), repository);
        world.write_foreign::<Page>(backup).await;
        // Behind the two readings.
        world.faults.meet([Fault::None, Fault::None].into_iter().chain(faults));
        assert_eq!(Page::repair(1u64).send(repository).await.expect("repaired"), Some(3));
        assert_eq!(timeline!(Page, 1u64, repository), ["3 a", "2 b", "1 a"]);
        assert_eq!(applied!(page("c", 3).put(), repository), 4);
    }
}

/// It counts no versions, and knows nothing of a history.
#[tokio::test]
async fn what_another_program_creates_again_is_numbered_behind_the_history() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    for text in ["a", "b", "c"] {
        let version = Page::get(1u64).send(repository).await.expect("a get").map_or(0, |page| page.version);
        applied!(page(text, version).put(), repository);
    }
    world.write_foreign::<Page>(item([("id", n(1)), ("text", s("theirs")), ("version", n(1))])).await;
    assert_eq!(applied!(page("mine", 1).put(), repository), 4);
    assert_eq!(timeline!(Page, 1u64, repository), ["4 mine", "3 c", "2 b", "1 a"]);
    // Of an ordered history it is kept, as all that is superseded.
    repository.create_table::<Draft>().await.expect("a table");
    let id = || AttributeValue::B(vec![1, 2].into());
    for (version, text) in ["a", "b", "c"].into_iter().enumerate() {
        applied!(draft(text, version as u64).put(), repository);
    }
    world.write_foreign::<Draft>(item([("id", id()), ("text", s("theirs")), ("version", n(1))])).await;
    let metered = repository.metered();
    assert_eq!(applied!(draft("mine", 1).put(), &metered), 5);
    // The item, the newest revision, and the two in one.
    assert_eq!(metered.usage().requests, 3);
    assert_eq!(timeline!(Draft, vec![1, 2], repository), ["5 mine", "4 theirs", "2 b", "1 a"]);
    // Who has loaded what is gone does not overwrite what came after it.
    assert_eq!(refused!(draft("late", 3).put(), repository), [Reason::Conflict { expected: 3, found: Some(5) }]);
    // Without a version, too, and as a part of a transaction.
    world.write_foreign::<Draft>(item([("id", id()), ("text", s("uncounted"))])).await;
    let transaction = Transaction::new().put(draft("again", 0).replace()).send(repository).await.expect("sent");
    assert_eq!(transaction.applied().expect("applied").version_of::<Draft>(0), Some(7));
    assert_eq!(timeline!(Draft, vec![1, 2], repository)[..3], ["7 again", "6 uncounted", "4 theirs"]);
    assert_eq!(applied!(draft("on", 7).put(), repository), 8);
    // And a tombstone of its making.
    let deleted = ("deleted", AttributeValue::Bool(true));
    world.write_foreign::<Draft>(item([("id", id()), deleted, ("version", n(2))])).await;
    assert_eq!(applied!(draft("anew", 0).create(), repository), 10);
    world.write_foreign::<Page>(item([("id", n(1)), ("text", s("theirs")), ("version", n(1))])).await;
    let transaction = Transaction::new().put(page("mine too", 1).put()).send(repository).await.expect("sent");
    assert_eq!(transaction.applied().expect("applied").version_of::<Page>(0), Some(5));
}

/// The copy that a refused write has left is not what is there any more.
#[tokio::test]
async fn what_another_program_changes_behind_a_copy_is_numbered_on() {
    let world = world::<Draft>().await;
    let repository = &world.repository;
    applied!(draft("a", 0).create(), repository);
    applied!(draft("b", 1).put(), repository);
    // A condition of the caller's is not known before it is sent.
    let put = draft("c", 2).put().condition(Draft::fields().text.eq("z"));
    assert_eq!(refused!(put, repository), [Reason::Condition]);
    let id = AttributeValue::B(vec![1, 2].into());
    world.write_foreign::<Draft>(item([("id", id), ("text", s("theirs")), ("version", n(2))])).await;
    assert_eq!(applied!(draft("mine", 2).put(), repository), 5);
    assert_eq!(timeline!(Draft, vec![1, 2], repository), ["5 mine", "4 theirs", "2 b", "1 a"]);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "sequels")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered")]
struct Sequel {
    #[partition_key]
    id: u64,
    text: String,
    #[ratchet]
    at: u64,
    #[version(write_id = false)]
    version: u64,
}

#[tokio::test]
async fn what_a_rule_refuses_leaves_no_copy() {
    let world = world::<Sequel>().await;
    let repository = &world.repository;
    let sequel = |text: &str, at, version| Sequel { id: 1, text: text.to_owned(), at, version };
    applied!(sequel("a", 5, 0).create(), repository);
    applied!(sequel("b", 6, 1).put(), repository);
    let stale = || Reason::Stale { attribute: "at", tie: false };
    let loaded = Sequel::get(1u64).consistent().loaded().send(repository).await.expect("a get").expect("there");
    assert_eq!(refused!(sequel("late", 3, 2).put(), repository), [stale()]);
    let metered = repository.metered();
    let refused = sequel("late", 3, 2).put().over(&loaded).send(&metered).await.expect("sent");
    // What is there is looked at, whatever the caller has loaded.
    assert_eq!((metered.usage().requests, metered.usage().write_units), (1, 0.0));
    assert_eq!(refused.refusal().expect("refused").reasons(), [stale()]);
    assert_eq!(refused!(Sequel::delete(1u64, 3u64, 2u64), repository), [stale()]);
    // So another program may change the item.
    let theirs = [("id", n(1)), ("text", s("theirs")), ("at", n(6)), ("version", n(2))];
    world.write_foreign::<Sequel>(item(theirs)).await;
    assert_eq!(applied!(sequel("c", 7, 2).put(), repository), 3);
    assert_eq!(timeline!(Sequel, 1u64, repository), ["3 c", "2 theirs", "1 a"]);
    // And behind a copy, though no write has a name.
    let put = sequel("d", 8, 3).put().condition(Sequel::fields().text.eq("z"));
    assert_eq!(refused!(put, repository), [Reason::Condition]);
    let theirs = [("id", n(1)), ("text", s("theirs")), ("at", n(7)), ("version", n(3))];
    world.write_foreign::<Sequel>(item(theirs)).await;
    assert_eq!(applied!(sequel("e", 8, 3).put(), repository), 6);
    assert_eq!(timeline!(Sequel, 1u64, repository), ["6 e", "5 theirs", "3 c", "2 theirs", "1 a"]);
}

/// A create is about to write where nothing has ever been; by then something has been, and is gone.
#[tokio::test]
async fn a_purge_while_a_create_is_under_way_gives_no_number_twice() {
    pause();
    for together in [false, true] {
        let world = world::<Draft>().await;
        let (repository, other) = (world.repository.clone(), world.other());
        // The history has been asked.
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
async fn once_the_tombstone_is_gone_too_numbers_still_go_on() {
    let world = world::<Draft>().await;
    let repository = &world.repository;
    let key = || vec![1, 2];
    for round in 0..3u64 {
        let base = round * 2;
        assert_eq!(applied!(draft("a", 0).create(), repository), base + 1);
        assert_eq!(applied!(Draft::delete(key(), base + 1), repository), base + 2);
        // DynamoDB removes the tombstone, or somebody purges it.
        let found = Draft::get(key()).include_deleted().send(repository).await.expect("a get");
        let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
        applied!(Draft::purge(&tombstone), repository);
        assert!(world.stored::<Draft>().await.is_empty());
        // The deletion is there to be read, though it is written nowhere.
        assert_eq!(timeline!(Draft, key(), repository)[..2], [format!("{} -", base + 2), format!("{} a", base + 1)]);
        let deletion = Draft::revision(key(), base + 2).send(repository).await.expect("sent").expect("there");
        assert!(deletion.is_deleted());
    }
    assert_eq!(timeline!(Draft, key(), repository), ["6 -", "5 a", "4 -", "3 a", "2 -", "1 a"]);
    assert_eq!(applied!(Draft::rollback(key(), 3u64), repository), draft("a", 7));
}

#[tokio::test]
async fn an_item_from_before_there_was_a_history() {
    let world = world::<Draft>().await;
    let repository = &world.repository;
    let id = || AttributeValue::B(vec![1, 2].into());
    world.write_foreign::<Draft>(item([("id", id()), ("text", s("old"))])).await;
    assert_eq!(applied!(Draft::modify(vec![1, 2], |draft| draft.text.push('!')), repository), draft("old!", 1));
    assert_eq!(timeline!(Draft, vec![1, 2], repository), ["1 old!", "0 old"]);
    // What the entity does not know of it is in the history all the same.
    world.write_foreign::<Draft>(item([("id", id()), ("text", s("b")), ("version", n(5)), ("more", s("x"))])).await;
    applied!(draft("c", 5).put(), repository);
    let revision = Draft::revision(vec![1, 2], 5u64).send(repository).await.expect("sent").expect("there");
    assert_eq!(revision.item().get("more"), Some(&s("x")));
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "events")]
#[tombstone(ttl_days = 7)]
#[history_table(layout = "same_table", ttl_days = 90)]
struct Event {
    #[partition_key]
    stream: String,
    #[sort_key]
    name: String,
    text: String,
    #[ratchet(tiebreak = "writer")]
    at: EpochMillis,
    writer: String,
    #[version]
    version: u64,
    #[ttl]
    expires: Option<EpochSeconds>,
}

fn event(text: &str, at: i64, version: u64) -> Event {
    Event {
        stream: "s".to_owned(),
        name: "n".to_owned(),
        text: text.to_owned(),
        at: EpochMillis::new(at),
        writer: "w".to_owned(),
        version,
        expires: None,
    }
}

#[tokio::test]
async fn a_ratchet_a_ttl_and_a_history_in_the_same_table() {
    let world = world::<Event>().await;
    let repository = &world.repository;
    let key = ("s", "n");
    let at = EpochMillis::new;
    // The item has expired; its revision has not.
    let expired = EpochSeconds::new(world.clock_seconds() - 1);
    applied!(Event { expires: Some(expired), ..event("a", 10, 0) }.create(), repository);
    assert_eq!(Event::get(key).send(repository).await.expect("a get"), None);
    assert_eq!(timeline!(Event, key, repository), ["1 a"]);
    assert_eq!(applied!(event("b", 11, 0).create(), repository), 2);
    let stale = || Reason::Stale { attribute: "at", tie: false };
    assert_eq!(refused!(event("c", 5, 2).put(), repository), [stale()]);
    assert_eq!(refused!(Event::delete(key, (at(5), "w"), 2u64), repository), [stale()]);
    assert_eq!(applied!(Event::delete(key, (at(12), "w"), 2u64), repository), 3);
    // A rollback is a write of now: it comes with a token of its own.
    assert_eq!(refused!(Event::rollback(key, 2u64, (at(5), "w")), repository), [stale(), Reason::Deleted]);
    let rolled_back = applied!(Event::rollback(key, 2u64, (at(13), "me")), repository);
    assert_eq!(rolled_back, Event { writer: "me".to_owned(), ..event("b", 13, 4) });
    assert_eq!(timeline!(Event, key, repository), ["4 b", "3 -", "2 b", "1 a"]);
    assert_eq!(Event::query("s").send(repository).await.expect("a query").items, [rolled_back]);
    // Revisions have the table's TTL attribute, and items keep their own in them.
    let rows = world.stored::<Event>().await;
    let first = rows.iter().find(|row| row.get("_version") == Some(&n(1))).expect("a row");
    assert_eq!(first.get("expires"), Some(&n(world.clock_seconds() + 90 * 86_400)));
    let revision = Event::revision(key, 1u64).send(repository).await.expect("sent").expect("there");
    assert_eq!(revision.decode().expect("decodes").expect("an event").expires, Some(expired));
    // No item can be where revisions are.
    let name = "_rev|n|00000000000000000009".to_owned();
    let error = Event { name: name.clone(), ..event("x", 20, 0) }.put().send(repository).await.expect_err("reserved");
    assert!(error.is_invalid_input() && error.to_string().contains("_rev|"), "{error}");
    assert!(Event::get(("s", name)).send(repository).await.expect_err("reserved").is_invalid_input());
    // The key of a revision is longer than the item's.
    let long = Event { name: "n".repeat(1000), ..event("x", 20, 0) };
    let error = long.put().send(repository).await.expect_err("too long");
    assert!(error.is_invalid_input() && error.to_string().contains("history"), "{error}");
    assert_eq!(world.stored::<Event>().await.len(), rows.len());
}

#[tokio::test]
async fn a_row_that_is_no_revision_is_named() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    applied!(page("a", 0).create(), repository);
    applied!(page("b", 1).put(), repository);
    let row = item([("_key", s("1")), ("_version", n(1)), ("_image", s("no map"))]);
    repository.client().put_item().table_name("pages-history").set_item(Some(row)).send().await.expect("a row");
    let error = Page::revisions(1u64).send(repository).await.expect_err("no revision");
    assert_eq!(error.kind(), ErrorKind::Decode);
    let message = "revisions of `Page` (id = 1): `_image`: expected a map (M), found S";
    assert_eq!(error.to_string(), message);
    // One that is not of the entity's shape any more does not hide the others.
    let row = item([("_key", s("1")), ("_version", n(1)), ("_image", AttributeValue::M(item([("id", n(1))])))]);
    repository.client().put_item().table_name("pages-history").set_item(Some(row)).send().await.expect("a row");
    let revisions = Page::revisions(1u64).send(repository).await.expect("revisions");
    assert_eq!(revisions.iter().map(|revision| revision.decode().is_ok()).collect::<Vec<_>>(), [true, false]);
}

/// A history that does not know of the first numbers: it was declared later, or they have been aged out.
#[tokio::test]
async fn numbers_go_on_behind_the_newest_row_whatever_is_missing() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    world.write_foreign::<Page>(item([("id", n(1)), ("text", s("old")), ("version", n(7))])).await;
    assert_eq!(applied!(page("a", 7).put(), repository), 8);
    applied!(Page::delete(1u64, 8u64), repository);
    assert_eq!(applied!(page("b", 0).create(), repository), 10);
    assert_eq!(applied!(page("c", 10).put(), repository), 11);
    assert_eq!(timeline!(Page, 1u64, repository), ["11 c", "10 b", "9 -", "8 a"]);
    // DynamoDB removes rows in no order.
    applied!(Page::delete(1u64, 11u64), repository);
    for version in [8, 10, 11] {
        let delete = repository.client().delete_item().table_name("pages-history").key("_key", s("1"));
        delete.key("_version", n(version)).send().await.expect("removed");
    }
    assert_eq!(applied!(page("d", 0).put(), repository), 13);
    assert_eq!(applied!(page("e", 13).put(), repository), 14);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "aged")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered", ttl_days = 30)]
struct Aged {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

fn aged(text: &str, version: u64) -> Aged {
    Aged { id: "1".to_owned(), text: text.to_owned(), version }
}

/// Under a ratchet that refuses the token that is stored.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "strict")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Strict {
    #[partition_key]
    id: String,
    text: String,
    #[ratchet(strict)]
    at: EpochMillis,
    #[version]
    version: u64,
}

#[tokio::test]
async fn a_change_that_leaves_the_token_as_it_is_passes_a_strict_ratchet() {
    let world = world::<Strict>().await;
    let repository = &world.repository;
    let strict = |text: &str, at, version| {
        let (id, text) = ("1".to_owned(), text.to_owned());
        Strict { id, text, at: EpochMillis::new(at), version }
    };
    applied!(strict("a", 5, 0).create(), repository);
    let text = |to: &'static str| move |strict: &mut Strict| strict.text = to.to_owned();
    assert_eq!(applied!(Strict::modify("1", text("b")), repository), strict("b", 5, 2));
    let done = Strict::scan().modify_each(text("c")).send(repository).await.expect("sent").completed().expect("done");
    assert_eq!(done.changed(), 1);
    let moved = |at| Strict::modify("1", move |strict: &mut Strict| strict.at = EpochMillis::new(at));
    assert_eq!(refused!(moved(4), repository), [Reason::Stale { attribute: "at", tie: false }]);
    assert_eq!(applied!(moved(6), repository), strict("c", 6, 4));
    // A put says its own token.
    assert_eq!(refused!(strict("d", 6, 4).put(), repository), [Reason::Stale { attribute: "at", tie: true }]);
}

/// Without a name, a revision is known by what it holds.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "tagged")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered")]
struct Tagged {
    #[partition_key]
    id: String,
    tags: std::collections::BTreeSet<String>,
    size: u32,
    #[version(write_id = false)]
    version: u64,
}

#[tokio::test]
async fn a_copy_of_what_is_there_is_known_in_whatever_order_its_sets_come() {
    let world = world::<Tagged>().await;
    let repository = &world.repository;
    let tagged = |version| Tagged { id: "1".to_owned(), tags: ["a", "b"].map(str::to_owned).into(), size: 7, version };
    applied!(tagged(0).create(), repository);
    // A write that is refused leaves a copy of what still is.
    let f = Tagged::fields();
    assert_eq!(refused!(tagged(1).put().condition(f.size.eq(8)), repository), [Reason::Condition]);
    let other = r#"{"Item":{"id":{"S":"1"},"tags":{"SS":["b","a"]},"size":{"N":"7.0"},"version":{"N":"1"}}}"#;
    world.faults.answer("GetItem", other);
    assert_eq!(applied!(tagged(1).put(), repository), 2);
}

#[tokio::test]
async fn a_revision_s_time_begins_when_it_is_superseded() {
    let world = world::<Aged>().await;
    let repository = &world.repository;
    let day = 86_400_000;
    applied!(aged("a", 0).create(), repository);
    // A write that is refused leaves a copy of what still is.
    let f = Aged::fields();
    assert_eq!(refused!(aged("b", 1).put().condition(f.text.eq("z")), repository), [Reason::Condition]);
    world.clock.advance(40 * day);
    assert_eq!(timeline!(Aged, "1", repository), ["1 a"]);
    applied!(aged("b", 1).put(), repository);
    assert_eq!(timeline!(Aged, "1", repository), ["2 b", "1 a"]);
    world.clock.advance(29 * day);
    assert_eq!(applied!(Aged::rollback("1", 1u64), repository), aged("a", 3));
    world.clock.advance(2 * day);
    assert_eq!(timeline!(Aged, "1", repository), ["3 a", "2 b"]);
}

#[tokio::test]
async fn what_would_not_fit_into_the_history_is_not_stored() {
    let world = world::<Draft>().await;
    let text = "x".repeat(409_600 - 60);
    let error = draft(&text, 0).create().send(&world.repository).await.expect_err("too large");
    assert!(error.is_invalid_input() && error.to_string().contains("the revision in the history: "), "{error}");
    assert!(world.stored::<Draft>().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_create_that_meets_a_deletion_and_its_end_gives_no_number_twice() {
    let world = world::<Draft>().await;
    let other = world.other();
    let key = || vec![1, 2];
    applied!(draft("a", 0).create(), &other);
    applied!(draft("b", 1).put(), &other);
    // Between any two requests of the create, the item is deleted, and its tombstone purged.
    for requests in 0..5 {
        let current = Draft::get(key()).consistent().send(&other).await.expect("a get").expect("there");
        let repository = world.repository.clone();
        world.faults.hold_after(requests);
        let create = tokio::spawn(async move { draft("mine", 0).create().send(&repository).await });
        tokio::select! {
            biased;
            () = world.faults.held() => {}
            () = tokio::time::sleep(std::time::Duration::from_mins(1)) => {}
        }
        let deleted = applied!(Draft::delete(key(), current.version), &other);
        let found = Draft::get(key()).include_deleted().send(&other).await.expect("a get");
        let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
        applied!(Draft::purge(&tombstone), &other);
        world.faults.release();
        match create.await.expect("no panic").expect("sent") {
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

#[tokio::test(start_paused = true)]
async fn a_deletion_whose_tombstone_is_gone_before_the_answer_is_not_called_refused() {
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

#[tokio::test]
async fn a_rollback_to_what_has_expired_is_refused() {
    let world = world::<Event>().await;
    let repository = &world.repository;
    let expires = EpochSeconds::new(world.clock_seconds() + 60);
    applied!(Event { expires: Some(expires), ..event("a", 10, 0) }.create(), repository);
    applied!(event("b", 11, 1).put(), repository);
    world.clock.advance(120_000);
    let rollback = Event::rollback(("s", "n"), 1u64, (EpochMillis::new(12), "w"));
    assert_eq!(refused!(rollback, repository), [Reason::Expired]);
    assert_eq!(timeline!(Event, ("s", "n"), repository), ["2 b", "1 a"]);
}

#[tokio::test]
async fn an_item_whose_version_is_none_does_not_hide_its_history() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    applied!(page("a", 0).create(), repository);
    applied!(page("b", 1).put(), repository);
    world.write_foreign::<Page>(item([("id", n(1)), ("text", s("z"))])).await;
    assert_eq!(timeline!(Page, 1u64, repository), ["0 z", "2 b", "1 a"]);
    world.write_foreign::<Page>(item([("id", n(1)), ("text", s("z")), ("version", s("x"))])).await;
    let error = Page::revisions(1u64).send(repository).await.expect_err("no version");
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert!(Page::revision(1u64, 1u64).send(repository).await.expect("sent").is_some());
}

/// The article's order: the new revision first, under the number that it is to have.
#[tokio::test]
async fn the_article_s_order_corrupts_history() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    let client = repository.client();
    let put = async |table: &str, text: &str, version: u64, loaded: Option<u64>| {
        let key = if table == "pages" { ("id", n(1)) } else { ("_key", s("1")) };
        let number = if table == "pages" { "version" } else { "_version" };
        let put =
            client.put_item().table_name(table).set_item(Some(item([key, ("text", s(text)), (number, n(version))])));
        let put = match loaded {
            Some(loaded) => put.condition_expression("version = :v").expression_attribute_values(":v", n(loaded)),
            None => put,
        };
        put.send().await.is_ok()
    };
    put("pages-history", "first", 1, None).await;
    put("pages", "first", 1, None).await;
    // Two writers have loaded version 1. Both put revision 2, then one of them wins.
    put("pages-history", "winner", 2, None).await;
    put("pages-history", "loser", 2, None).await;
    assert!(put("pages", "winner", 2, Some(1)).await);
    assert!(!put("pages", "loser", 2, Some(1)).await);
    let row = client.get_item().table_name("pages-history").key("_key", s("1")).key("_version", n(2)).send().await;
    let row = row.expect("a row").item.expect("there");
    // History says what the item never was.
    assert_eq!(row.get("text"), Some(&s("loser")));
    assert_eq!(Page::get(1u64).send(repository).await.expect("a get"), Some(page("winner", 2)));

    // The same two writers, in our order.
    for name in [2u64, 3] {
        let first = Page { id: name, ..page("first", 0) };
        applied!(first.create(), repository);
        applied!(Page { id: name, ..page("winner", 1) }.put(), repository);
        assert_eq!(
            refused!(Page { id: name, ..page("loser", 1) }.put(), repository),
            [Reason::Conflict { expected: 1, found: Some(2) }]
        );
        assert_eq!(timeline!(Page, name, repository), ["2 winner", "1 first"]);
    }
}
