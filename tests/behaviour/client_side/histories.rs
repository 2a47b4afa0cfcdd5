//! Client-side transactions of entities with a history: the history records each version of an item once, whichever process
//! completes the transaction.

use super::{is_application, is_commit, is_record};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Item, Reason, Repository, Sweep, Transaction};
use dyno_tests::faults::{Fault, tally};
use dyno_tests::{World, item, n, pause, s, world};
use std::collections::BTreeMap;
use std::time::Duration;

/// The tests that hold for every kind of history.
macro_rules! kinds {
    ($($kind:ident $(#[$attribute:meta])*;)*) => {$(
        mod $kind {
            use super::*;

            #[derive(Entity, Clone, Debug, PartialEq)]
            #[entity(table = "documents")]
            $(#[$attribute])*
            #[tombstone(ttl_days = 7)]
            #[transactional]
            struct Doc {
                #[partition_key]
                folder: String,
                #[sort_key]
                name: String,
                text: String,
                #[version]
                version: u64,
            }

            fn doc(name: &str, text: &str, version: u64) -> Doc {
                Doc { folder: "f".to_owned(), name: name.to_owned(), text: text.to_owned(), version }
            }

            /// Creates `a`, `b` and `c` of versions 1 to 3; `d`, which is deleted; and `gone`, which has no tombstone any more.
            async fn documents() -> World {
                let world = world::<Doc>().await;
                world.create_lanes().await;
                let repository = &world.repository;
                for name in ["a", "b", "c", "d", "gone"] {
                    applied!(doc(name, "one", 0).create(), repository);
                }
                applied!(doc("b", "two", 1).put(), repository);
                applied!(doc("c", "two", 1).put(), repository);
                applied!(doc("c", "three", 2).put(), repository);
                applied!(Doc::delete(("f", "d"), 1u64), repository);
                applied!(Doc::delete(("f", "gone"), 1u64), repository);
                // The tombstone of `gone` has expired.
                remove(&world, "gone").await;
                world
            }

            async fn remove(world: &World, name: &str) {
                let table = world.repository.table_name::<Doc>().expect("a name");
                let key = item([("folder", s("f")), ("name", s(name))]);
                world.other().client().delete_item().table_name(table).set_key(Some(key)).send().await.expect("gone");
            }

            /// A transaction with each kind of write.
            fn writes() -> Transaction {
                Transaction::new()
                    .put(doc("a", "new", 1).put())
                    .put(doc("b", "new", 2).replace())
                    .delete(Doc::delete(("f", "c"), 3u64))
                    .put(doc("d", "again", 0).create())
                    .put(doc("e", "first", 0).create())
                    .put(doc("gone", "again", 0).create())
            }

            /// Returns all stored rows and revisions, without their write ids and TTLs.
            async fn stored(world: &World) -> BTreeMap<String, Item> {
                let mut rows = world.stored::<Doc>().await;
                let history = world.repository.history_table_name::<Doc>().expect("a name");
                if history != world.repository.table_name::<Doc>().expect("a name") {
                    let scan = world.other().client().scan().table_name(history).send().await.expect("a scan");
                    rows.extend(scan.items.unwrap_or_default());
                }
                let rows = rows.into_iter().map(|mut row| {
                    plain(&mut row);
                    let image = row.get_mut("_image").and_then(|image| match image {
                        AttributeValue::M(image) => Some(image),
                        _ => None,
                    });
                    if let Some(image) = image {
                        plain(image);
                    }
                    let name = |name: &str| row.get(name).map(|value| format!("{value:?}")).unwrap_or_default();
                    (["folder", "name", "_key", "_version"].map(name).join(" "), row)
                });
                rows.collect()
            }

            async fn timeline(world: &World, name: &str) -> Vec<String> {
                let revisions = Doc::revisions(("f", name)).send(&world.other()).await.expect("revisions").items;
                let texts = revisions.iter().map(|revision| {
                    let text = revision.decode().expect("decodes").map_or("-".to_owned(), |doc| doc.text);
                    format!("{} {text}", revision.version())
                });
                texts.collect()
            }

            /// Checks the histories after the whole transaction is applied.
            async fn check_applied(world: &World) {
                for (name, expected) in [
                    ("a", &["2 new", "1 one"][..]),
                    ("b", &["3 new", "2 two", "1 one"]),
                    ("c", &["4 -", "3 three", "2 two", "1 one"]),
                    ("d", &["3 again", "2 -", "1 one"]),
                    ("e", &["1 first"]),
                    ("gone", &["3 again", "2 -", "1 one"]),
                ] {
                    assert_eq!(timeline(world, name).await, expected, "{name}");
                }
            }

            #[tokio::test]
            async fn client_side_and_native_writes_store_the_same_rows() {
                pause();
                let [natively, apart] = [documents().await, documents().await];
                let native = writes().native().send(&natively.repository).await.expect("sent").applied().expect("applied");
                let sent = writes().client_side().send(&apart.repository).await.expect("sent").applied().expect("applied");
                let versions = |it: &dyno::Committed| (0..6).map(|at| it.version_of::<Doc>(at)).collect::<Vec<_>>();
                assert_eq!(versions(&sent), versions(&native));
                assert_eq!(versions(&sent), [2, 3, 4, 3, 1, 3].map(Some));
                assert_eq!(stored(&apart).await, stored(&natively).await);
                check_applied(&apart).await;
                // Later writes have the same effect in both worlds.
                for world in [&natively, &apart] {
                    applied!(doc("e", "second", 1).put(), &world.repository);
                    applied!(Doc::delete(("f", "gone"), 3u64), &world.repository);
                    applied!(Doc::rollback(("f", "a"), 1u64), &world.repository);
                }
                assert_eq!(stored(&apart).await, stored(&natively).await);
            }

            #[tokio::test]
            async fn n_writes_with_revisions_send_3n_plus_1_writes() {
                pause();
                let world = documents().await;
                let before = world.faults.events().len();
                let put = Transaction::new().put([doc("a", "new", 1).put(), doc("b", "new", 2).put()]);
                let closure = put.client_side().send(&world.repository).await.expect("sent");
                closure.applied().expect("applied");
                let events = &world.faults.events()[before..];
                let writes = events.iter().filter(|event| event.is_write()).count();
                // One more write creates the lane. The other four requests read lanes, indexes, items and histories.
                assert_eq!((writes, events.len() - writes), (3 * 2 + 1 + 1, 4), "{:?}", tally(events));
            }

            #[tokio::test]
            async fn any_process_that_finds_the_intent_writes_the_revision_once() {
                pause();
                let natively = documents().await;
                writes().native().send(&natively.repository).await.expect("sent").applied().expect("applied");
                let expected = stored(&natively).await;
                for (meeter, of, fault) in [
                    ("get", 0, Fault::DiesAfter),
                    ("put", 1, Fault::DiesAfter),
                    ("native", 5, Fault::DiesBefore),
                    ("intents", 0, Fault::DiesAfter),
                    ("sweep", 8, Fault::DiesAfter),
                    ("revisions", 0, Fault::DiesAfter),
                    ("query", 3, Fault::DiesPostponed),
                ] {
                    let world = documents().await;
                    let process = world.process(RetryConfig::disabled());
                    // The process dies at the commit, or at one of the requests that apply the transaction.
                    let which = if of == 0 { is_commit } else { is_application };
                    process.faults.on_request(of.max(1), which, fault);
                    let sent = process.run(writes().client_side().send(&process.repository)).await;
                    assert!(sent.is_none(), "{sent:?}");
                    meet(&world, meeter).await;
                    for name in ["a", "b", "c", "d", "e", "gone"] {
                        Doc::get(("f", name)).consistent().send(&world.other()).await.expect("a get");
                    }
                    while process.faults.deliver().await.is_some() {}
                    assert!(world.stored::<Doc>().await.iter().all(|row| !row.contains_key("_x")), "{meeter}");
                    assert_eq!(stored(&world).await, expected, "{meeter}");
                }
            }

            async fn meet(world: &World, meeter: &str) {
                let repository: &Repository = &world.repository;
                match meeter {
                    "get" => {
                        let found = Doc::get(("f", "a")).consistent().send(repository).await.expect("a get");
                        assert_eq!(found, Some(doc("a", "new", 2)));
                    }
                    "put" => assert_eq!(
                        refused!(doc("a", "mine", 1).put(), repository),
                        [Reason::Conflict { expected: 1, found: Some(2) }]
                    ),
                    "native" | "intents" => {
                        let transaction = Transaction::new().put(doc("a", "x", 1).put()).put(doc("e", "x", 0).create());
                        let transaction = if meeter == "native" { transaction } else { transaction.client_side() };
                        assert!(!transaction.send(repository).await.expect("sent").is_applied());
                    }
                    "sweep" => {
                        let report = Sweep::new().of::<Doc>().send(repository).await.expect("a sweep");
                        assert_eq!(report.failed(), 0, "{report:?}");
                    }
                    "revisions" => assert_eq!(timeline(world, "c").await, ["4 -", "3 three", "2 two", "1 one"]),
                    _ => {
                        let found = Doc::query("f").consistent().send(repository).await.expect("a query").items;
                        assert_eq!(found.len(), 5);
                    }
                }
            }

            /// The answers to puts of revisions and to applies are lost, or these requests are served twice.
            #[tokio::test]
            async fn a_revision_sent_twice_is_stored_once() {
                pause();
                for fault in [Fault::AnswerLost, Fault::ServedTwice] {
                    let world = documents().await;
                    for at in [1, 3, 5, 7, 9] {
                        world.faults.on_request(at, is_application, fault);
                    }
                    writes().client_side().send(&world.repository).await.expect("sent").applied().expect("applied");
                    check_applied(&world).await;
                }
            }

            /// A transaction is refused, and another one is aborted because its process died. Neither leaves a revision.
            #[tokio::test]
            async fn an_aborted_transaction_leaves_no_revision() {
                pause();
                let world = documents().await;
                // An ordered history may already record that an item was deleted, so these rows do not count.
                let but_deletions = async || {
                    let mut rows = stored(&world).await;
                    rows.retain(|_, row| !row.contains_key("_deleted"));
                    rows
                };
                let before = but_deletions().await;
                let refused = writes().put(doc("x", "x", 7).put()).client_side().send(&world.repository).await.expect("sent");
                assert!(!refused.is_applied());
                let process = world.process(RetryConfig::disabled());
                process.faults.on_request(1, is_commit, Fault::DiesBefore);
                assert!(process.run(writes().client_side().send(&process.repository)).await.is_none());
                let hasty = world.repository.clone().with_lock_timeout(Duration::ZERO);
                let report = Sweep::new().of::<Doc>().send(&hasty).await.expect("a sweep");
                assert_eq!(report.failed(), 0, "{report:?}");
                assert_eq!(but_deletions().await, before);
            }

            /// The closure finds no item, and another writer creates it afterwards. The history must not record a deletion.
            #[tokio::test]
            async fn an_item_created_after_the_read_is_not_recorded_as_deleted() {
                pause();
                let world = documents().await;
                let other = &world.other();
                let closure = Transaction::interactive(|tx| async move {
                    if tx.get(Doc::get(("f", "x"))).await?.is_none() {
                        applied!(doc("x", "one", 0).create(), other);
                        applied!(doc("x", "two", 1).put(), other);
                        tx.put(doc("x", "mine", 0).create());
                    }
                    Ok(())
                });
                closure.client_side().send(&world.repository).await.expect("sent").applied().expect("applied");
                applied!(doc("x", "three", 2).put(), &world.repository);
                assert_eq!(timeline(&world, "x").await, ["3 three", "2 two", "1 one"]);
            }

            /// Another program changes the item between intent and roll forward. The item becomes what the history records.
            #[tokio::test]
            async fn a_foreign_change_before_the_apply_does_not_split_the_history() {
                pause();
                let world = documents().await;
                let process = world.process(RetryConfig::disabled());
                // The process dies after it has put the revision, and before it applies the change.
                process.faults.on_request(1, is_record, Fault::DiesAfter);
                let put = Transaction::new().put(doc("a", "new", 1).put()).client_side();
                assert!(process.run(put.send(&process.repository)).await.is_none());
                let table = world.repository.table_name::<Doc>().expect("a name");
                let update = world.other().client().update_item().table_name(table);
                let update = update.set_key(Some(item([("folder", s("f")), ("name", s("a"))])));
                let update = update.update_expression("SET stray = :one").expression_attribute_values(":one", n(1));
                update.send().await.expect("a stranger's update");
                let found = Doc::get(("f", "a")).consistent().send(&world.repository).await.expect("a get");
                assert_eq!(found, Some(doc("a", "new", 2)));
                assert_eq!(timeline(&world, "a").await, ["2 new", "1 one"]);
                let row = world.stored::<Doc>().await.into_iter().find(|row| row.get("name") == Some(&s("a")));
                let revision = Doc::revision(("f", "a"), 2u64).send(&world.repository).await.expect("sent").expect("there");
                assert_eq!(row.as_ref(), Some(revision.item()));
            }

            /// Between the read of the history and the intent, a writer creates the item, and a foreign program deletes it.
            #[tokio::test]
            async fn a_revision_number_used_after_the_read_is_not_used_again() {
                pause();
                let create = || Transaction::new().put(doc("x", "mine", 0).create()).client_side();
                let dry = documents().await;
                let start = dry.faults.events().len();
                create().send(&dry.repository).await.expect("sent").applied().expect("applied");
                // The number of requests before the intent.
                let events = dry.faults.events().split_off(start);
                let before = events.iter().position(dyno_tests::witness::is_place).expect("an intent");
                let world = documents().await;
                let process = world.process(RetryConfig::disabled());
                process.faults.hold_after(before);
                let repository = process.repository.clone();
                let sending = tokio::spawn(async move { create().send(&repository).await });
                process.faults.held().await;
                applied!(doc("x", "other", 0).create(), &world.repository);
                remove(&world, "x").await;
                process.faults.release();
                sending.await.expect("no panic").expect("sent").applied().expect("applied");
                assert_eq!(timeline(&world, "x").await.first().map(String::as_str), Some(["2 mine", "3 mine"][usize::from(stringify!($kind).starts_with("ordered"))]));
            }

            /// A foreign row is in the history in place of the transaction's revision. The next write and the sweep report it.
            #[tokio::test]
            async fn a_foreign_row_in_place_of_a_revision_is_reported() {
                pause();
                let world = documents().await;
                let process = world.process(RetryConfig::disabled());
                process.faults.on_request(1, is_commit, Fault::DiesAfter);
                let put = Transaction::new().put(doc("a", "new", 1).put()).client_side();
                assert!(process.run(put.send(&process.repository)).await.is_none());
                let held = world.stored::<Doc>().await.into_iter().find(|row| row.contains_key("_x")).expect("held");
                let AttributeValue::M(record) = &held["_x"].as_m().expect("an intent")["row"] else { panic!("{held:?}") };
                let (mut row, table) = (record["row"].as_m().expect("a row").clone(), record["table"].as_s().expect("text"));
                row.insert("_image".to_owned(), AttributeValue::M(item([("text", s("strange")), ("_w", s("-strange"))])));
                let client = world.other().client().clone();
                client.put_item().table_name(table).set_item(Some(row)).send().await.expect("put");
                let error = doc("a", "mine", 2).put().send(&world.repository).await.expect_err("in the way");
                assert!(error.to_string().contains("the history already has a revision"), "{error}");
                let report = Sweep::new().of::<Doc>().send(&world.repository).await.expect("a sweep");
                assert_eq!(report.failed(), 1, "{report:?}");
                assert!(world.stored::<Doc>().await.contains(&held));
                // The foreign row is deleted, as the error advises.
                let key = record["row"].as_m().expect("a row").iter().filter(|(name, _)| match table.as_str() {
                    "documents" => ["folder", "name"].contains(&name.as_str()),
                    _ => ["_key", "_version"].contains(&name.as_str()),
                });
                let key = key.map(|(name, value)| (name.clone(), value.clone())).collect();
                client.delete_item().table_name(table).set_key(Some(key)).send().await.expect("deleted");
                let report = Sweep::new().of::<Doc>().send(&world.repository).await.expect("a sweep");
                assert_eq!(report.failed(), 0, "{report:?}");
                assert_eq!(timeline(&world, "a").await, ["2 new", "1 one"]);
            }

            /// Another program has overwritten the item with a lower version. New revisions continue the history's numbers.
            #[tokio::test]
            async fn revision_numbers_continue_after_a_foreign_put() {
                pause();
                let [natively, apart] = [documents().await, documents().await];
                for (world, is_apart) in [(&natively, false), (&apart, true)] {
                    let row = item([("folder", s("f")), ("name", s("c")), ("text", s("strange")), ("version", n(1))]);
                    world.write_foreign::<Doc>(row).await;
                    let put = Transaction::new().put(doc("c", "new", 1).put()).put(doc("a", "new", 1).put());
                    let put = if is_apart { put.client_side() } else { put };
                    put.send(&world.repository).await.expect("sent").applied().expect("applied");
                }
                assert_eq!(timeline(&apart, "c").await, timeline(&natively, "c").await);
                assert_eq!(stored(&apart).await, stored(&natively).await);
            }

            /// The table was restored without its history, which has another revision of the number. The write is refused.
            #[tokio::test]
            async fn a_revision_number_already_in_the_history_refuses_the_write() {
                pause();
                let world = documents().await;
                let mut old = world.stored::<Doc>().await.into_iter().find(|row| row.get("name") == Some(&s("c")) && !row.contains_key("_image"));
                let old = old.as_mut().expect("a row");
                old.insert("version".to_owned(), n(1));
                old.insert("_w".to_owned(), s("-restored"));
                world.write_foreign::<Doc>(old.clone()).await;
                let before = stored(&world).await;
                for is_apart in [false, true] {
                    let put = Transaction::new().put(doc("c", "new", 1).put()).put(doc("a", "new", 1).put());
                    let put = if is_apart { put.client_side() } else { put };
                    let refusal = put.send(&world.repository).await.expect("sent");
                    let refusal = refusal.refusal().and_then(|it| it.refusal_of::<Doc>(0)).expect("of the first");
                    assert!(matches!(refusal.reasons(), [Reason::Recorded { .. }]), "{is_apart} {refusal:?}");
                    assert_eq!(stored(&world).await, before, "{is_apart}");
                }
            }
        }
    )*};
}

kinds! {
    atomic #[history_table];
    atomic_in_the_same_table #[history_table(layout = "same_table")];
    ordered #[history_table(mode = "ordered", name = "document-revisions", ttl_days = 30)];
    ordered_in_the_same_table #[history_table(mode = "ordered", layout = "same_table")];
}

/// Removes the write id and the TTL.
fn plain(row: &mut Item) {
    for name in ["_w", "ttl", "_ttl"] {
        row.remove(name);
    }
}
