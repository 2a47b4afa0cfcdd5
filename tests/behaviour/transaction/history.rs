//! Entities with a history in a transaction: their revisions are actions of the same transaction.

use super::{Account, Doc, account, assert_units, patient, reasons};
use dyno::{Entity, Reason, Transaction};
use dyno_tests::{NOW, World, item, n, pause, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered", ttl_days = 30)]
struct Page {
    #[partition_key]
    id: u64,
    text: String,
    #[version]
    version: u64,
}

/// The tests of both modes of history.
macro_rules! recorded {
    ($module:ident, $entity:ident) => {
        mod $module {
            use super::*;

            fn entity(id: u64, text: &str, version: u64) -> $entity {
                $entity { id, text: text.to_owned(), version }
            }

            async fn library() -> World {
                let world = world::<$entity>().await;
                world.repository.create_table::<Account>().await.expect("a table");
                account(1, 100).put().send(&world.repository).await.expect("a put");
                world
            }

            fn count() -> dyno::command::Update<Account> {
                Account::update(1).with(Account::fields().balance.add(1))
            }

            async fn revisions(world: &World, id: u64) -> Vec<(u64, Option<String>)> {
                let mut revisions = $entity::revisions(id).stream(&world.repository);
                let mut found = Vec::new();
                while let Some(revision) = revisions.next().await {
                    let revision = revision.expect("a revision");
                    let text = revision.decode().expect("it decodes").map(|entity| entity.text);
                    found.push((revision.version(), text));
                }
                found
            }

            #[tokio::test]
            async fn revisions_are_written_with_their_transaction_or_not_at_all() {
                let world = library().await;
                let repository = &world.repository;
                let send = async |transaction: Transaction| transaction.send(repository).await.expect("an answer");
                let new =
                    Transaction::new().put([entity(1, "a", 0).create(), entity(2, "x", 0).create()]).update(count());
                let committed = send(new).await.applied().expect("applied");
                assert_eq!(
                    (committed.version_of::<$entity>(0), committed.version_of::<$entity>(1)),
                    (Some(1), Some(1))
                );
                let committed = send(Transaction::new().put(entity(1, "b", 1).put()).update(count())).await;
                assert_eq!(committed.applied().expect("applied").version_of::<$entity>(0), Some(2));
                // If the item's own version or another action refuses the transaction, it leaves no revision.
                let outcome = send(Transaction::new().put(entity(1, "c", 1).put()).update(count())).await;
                assert_eq!(reasons(&outcome), [(0, vec![Reason::Conflict { expected: 1, found: Some(2) }])]);
                let outcome = send(Transaction::new().put(entity(1, "c", 2).put()).check(Account::check(7))).await;
                assert_eq!(reasons(&outcome), [(1, vec![Reason::Missing])]);
                let expected = [(2, Some("b".to_owned())), (1, Some("a".to_owned()))];
                assert_eq!(revisions(&world, 1).await, expected);
                // The item is deleted and created again, and its version numbers continue.
                let committed = send(Transaction::new().delete($entity::delete(1, 2u64)).update(count())).await;
                assert_eq!(committed.applied().expect("applied").version_of::<$entity>(0), Some(3));
                let committed = send(Transaction::new().put(entity(1, "d", 0).create()).update(count())).await;
                assert_eq!(committed.applied().expect("applied").version_of::<$entity>(0), Some(4));
                let [first, last] = [(4, Some("d".to_owned())), (3, None)];
                assert_eq!(revisions(&world, 1).await, [&[first, last][..], &expected].concat());
                assert_eq!(Account::get(1).send(repository).await.expect("a get"), Some(account(1, 104)));
            }

            #[tokio::test]
            async fn only_one_of_concurrent_transactions_on_one_version_applies() {
                let world = library().await;
                let repository = &world.repository;
                entity(1, "a", 0).put().send(repository).await.expect("sent").applied().expect("applied");
                let writers = (0..5).map(|writer| {
                    let repository = repository.clone();
                    let transaction = Transaction::new().put(entity(1, &writer.to_string(), 1).put()).update(count());
                    tokio::spawn(async move { transaction.send(&repository).await.expect("an answer").is_applied() })
                });
                let mut applied = 0;
                for writer in writers.collect::<Vec<_>>() {
                    applied += u64::from(writer.await.expect("no panic"));
                }
                assert_eq!(applied, 1);
                assert_eq!(revisions(&world, 1).await.len(), 2);
                assert_eq!(Account::get(1).send(repository).await.expect("a get"), Some(account(1, 101)));
            }

            #[tokio::test]
            async fn a_lost_answer_is_not_a_conflict() {
                pause();
                let world = library().await;
                entity(1, "a", 0).put().send(&world.repository).await.expect("sent").applied().expect("applied");
                let repository = patient(&world);
                let before = world.faults.transactions().len();
                let transaction = Transaction::new()
                    .put(entity(1, "b", 1).put().over(
                        &$entity::get(1).loaded().consistent().send(&repository).await.expect("a get").expect("there"),
                    ))
                    .update(count());
                world.lose_answers(1);
                transaction.clone().send(&repository).await.expect_err("no answer");
                let committed = transaction.send(&repository).await.expect("an answer").applied().expect("applied");
                assert_eq!(committed.version_of::<$entity>(0), Some(2));
                assert_eq!(world.faults.transactions().len() - before, 2);
                assert_eq!(revisions(&world, 1).await.len(), 2);
            }
        }
    };
}

recorded!(atomic, Doc);

recorded!(ordered, Page);

#[tokio::test]
async fn history_rows_count_as_actions_of_a_transaction() {
    let world = world::<Doc>().await;
    world.repository.create_table::<Page>().await.expect("a table");
    let doc = |version| Doc { id: 1, text: "a".to_owned(), version };
    let page = |version| Page { id: 1, text: "a".to_owned(), version };
    let cost = async |transaction: Transaction| {
        let metered = world.repository.metered();
        assert!(transaction.send(&metered).await.expect("an answer").is_applied());
        (metered.usage().requests, metered.usage().write_units)
    };
    // A create reads the history first. Each write also puts a revision: the new version, or in an ordered history the
    // version that it replaces, if there is one.
    let (requests, units) = cost(Transaction::new().put(doc(0).put()).put(page(0).put())).await;
    assert_eq!(requests, 3);
    assert_units(units, 4);
    let (requests, units) = cost(Transaction::new().put(doc(1).put()).put(page(1).put())).await;
    assert_eq!(requests, 2);
    assert_units(units, 4);
    let loaded = Page::get(1).loaded().consistent().send(&world.repository).await.expect("a get").expect("a page");
    let (requests, units) = cost(Transaction::new().put(doc(2).put()).put(loaded.entity.put().over(&loaded))).await;
    assert_eq!(requests, 1);
    assert_units(units, 4);
    // The rows of histories count towards the limit of 100 actions.
    let docs = (10..61).map(|id| Doc { id, ..doc(1) }.put()).collect::<Vec<_>>();
    let error = Transaction::new().put(docs).send(&world.repository).await.expect_err("too many");
    assert!(error.is_invalid_input() && error.to_string().contains("51 actions, and 51 rows of histories"), "{error}");
}

/// A plain write crashes, and leaves a copy of the version that is still current.
#[tokio::test]
async fn a_transaction_replaces_the_copy_that_a_crashed_write_left_in_the_history() {
    pause();
    let world = world::<Page>().await;
    let page = |text: &str, version| Page { id: 1, text: text.to_owned(), version };
    let repository = patient(&world);
    page("a", 0).put().send(&repository).await.expect("sent").applied().expect("applied");
    // The process sends the get and the row of the history, and dies.
    world.faults.dies_of(2, true);
    let (crashing, put) = (repository.clone(), page("lost", 1).put());
    let process = tokio::spawn(async move { put.send(&crashing).await.map(|outcome| outcome.is_applied()) });
    world.faults.stopped().await;
    process.abort();
    world.faults.go_on();
    let stored = || async { world.other().client().scan().table_name("pages-history").send().await.expect("a scan") };
    assert_eq!(stored().await.count, 1);
    world.clock.advance(1000);
    let before = repository.usage().requests;
    let committed = Transaction::new().put(page("b", 1).put()).send(&repository).await.expect("an answer");
    assert_eq!(committed.applied().expect("applied").version_of::<Page>(0), Some(2));
    assert_eq!(repository.usage().requests - before, 2, "the get, and the transaction");
    // The TTL of the copy starts again, because the version is superseded only now.
    let rows = stored().await.items.unwrap_or_default();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["_ttl"], n(NOW / 1000 + 1 + 30 * 86_400));

    // A row that is not a copy of the item is not replaced.
    let mut row = rows[0].clone();
    row.insert("_version".to_owned(), n(2));
    row.insert("_image".to_owned(), dyno::aws_sdk_dynamodb::types::AttributeValue::M(item([("id", n(1))])));
    let put = world.other();
    put.client().put_item().table_name("pages-history").set_item(Some(row)).send().await.expect("a row");
    let outcome = Transaction::new().put(page("c", 2).put()).send(&repository).await.expect("an answer");
    assert_eq!(reasons(&outcome), [(0, vec![Reason::Recorded { version: 2 }])]);
}

/// With a caller's token, a clone first sends the contents that another clone has sent, whatever it has read itself.
#[tokio::test]
async fn a_refusal_of_contents_built_by_another_clone_is_retried() {
    let world = world::<Page>().await;
    let other = world.other();
    other.create_table::<Account>().await.expect("a table");
    let create = Page { id: 1, text: "mine".to_owned(), version: 0 }.create();
    let transaction = Transaction::new().put(create).check(Account::check(1)).token("message 1");
    world.faults.hold_after(0);
    let (slow, same) = (transaction.clone(), world.repository.clone());
    let slow = tokio::spawn(async move { slow.send(&same).await });
    world.faults.held().await;
    // The item does not exist, so the contents of this clone expect a new item.
    let outcome = transaction.send(&other).await.expect("an answer");
    assert_eq!(reasons(&outcome), [(1, vec![Reason::Missing])]);
    account(1, 0).put().send(&other).await.expect("a put");
    let theirs = Page { id: 1, text: "theirs".to_owned(), version: 0 };
    assert_eq!(theirs.create().send(&other).await.expect("sent").applied().ok(), Some(1));
    assert_eq!(Page::delete(1u64, 1u64).send(&other).await.expect("sent").applied().ok(), Some(2));
    world.faults.release();
    let outcome = slow.await.expect("no panic").expect("an answer");
    assert_eq!(outcome.applied().expect("applied").version_of::<Page>(0), Some(3));
}
