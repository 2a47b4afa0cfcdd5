//! A history that is ahead of its table: how this happens, and how it is repaired.

use super::{Draft, Page, draft, page};
use dyno::Reason;
use dyno_tests::faults::Fault;
use dyno_tests::{item, n, pause, s, world};

#[tokio::test]
async fn a_history_ahead_of_its_table_refuses_writes_until_a_repair() {
    let world = world::<Page>().await;
    let repository = &world.repository;
    applied!(page("a", 0).create(), repository);
    applied!(page("b", 1).put(), repository);
    let backup = world.stored::<Page>().await.remove(0);
    applied!(page("c", 2).put(), repository);
    // Only the table is restored from a backup.
    world.write_foreign::<Page>(backup).await;
    let refusal = page("x", 2).put().send(repository).await.expect("sent");
    let refusal = refusal.refusal().expect("refused");
    assert_eq!(refusal.reasons(), [Reason::Recorded { version: 3 }]);
    assert!(refusal.to_string().contains("let `repair` give the item a version"), "{refusal}");
    assert_eq!(refused!(Page::delete(1u64, 2u64), repository), [Reason::Recorded { version: 3 }]);
    let metered = repository.metered();
    assert_eq!(Page::repair(1u64).send(&metered).await.expect("repaired"), Some(4));
    assert_eq!(metered.usage().requests, 3);
    assert_eq!(timeline!(Page, 1u64, repository), ["4 b", "3 c", "2 b", "1 a"]);
    // A second repair has nothing to do.
    assert_eq!(Page::repair(1u64).send(repository).await.expect("repaired"), None);
    assert_eq!(applied!(page("x", 4).put(), repository), 5);

    repository.create_table::<Draft>().await.expect("a table");
    applied!(draft("a", 0).create(), repository);
    let backup = world.stored::<Draft>().await.remove(0);
    applied!(draft("b", 1).put(), repository);
    applied!(draft("c", 2).put(), repository);
    world.write_foreign::<Draft>(backup).await;
    // The first write after the restore cannot detect the restore.
    assert_eq!(applied!(draft("x", 1).put(), repository), 2);
    assert_eq!(refused!(draft("y", 2).put(), repository), [Reason::Recorded { version: 2 }]);
    assert_eq!(Draft::repair(vec![1, 2]).send(repository).await.expect("repaired"), Some(4));
    // The repair skips number 3, which the restore has undone, although no row has this number.
    assert_eq!(timeline!(Draft, vec![1, 2], repository), ["4 x", "2 b", "1 a"]);
    assert_eq!(Draft::repair(vec![1, 2]).send(repository).await.expect("repaired"), None);
    assert_eq!(applied!(draft("y", 4).put(), repository), 5);
    assert_eq!(timeline!(Draft, vec![1, 2], repository), ["5 y", "4 x", "2 b", "1 a"]);
    // If there is no item, there is nothing to repair.
    assert_eq!(Draft::repair(vec![9]).send(repository).await.expect("repaired"), None);
}

#[tokio::test]
async fn a_repair_under_faults_applies_once() {
    pause();
    for faults in [
        vec![Fault::AnswerLost],
        vec![Fault::Conflict],
        vec![Fault::Throttled; 2],
        vec![Fault::AnswerLost; 2],
        // The retry waits for the transaction, and finds the number that the repair itself has written.
        vec![Fault::AnswerLost, Fault::Conflict],
    ] {
        let world = world::<Page>().await;
        let repository = &world.repository;
        applied!(page("a", 0).create(), repository);
        let backup = world.stored::<Page>().await.remove(0);
        applied!(page("b", 1).put(), repository);
        world.write_foreign::<Page>(backup).await;
        // The faults come after the two reads of the repair.
        world.faults.next([Fault::Served, Fault::Served].into_iter().chain(faults));
        assert_eq!(Page::repair(1u64).send(repository).await.expect("repaired"), Some(3));
        assert_eq!(timeline!(Page, 1u64, repository), ["3 a", "2 b", "1 a"]);
        assert_eq!(applied!(page("c", 3).put(), repository), 4);
    }
}

/// The order of the article: the new revision is written first, under the number that it is to have.
#[tokio::test]
async fn without_dyno_writing_the_new_revision_first_corrupts_the_history() {
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
    // The history shows a text that the item never had.
    assert_eq!(row.get("text"), Some(&s("loser")));
    assert_eq!(Page::get(1u64).send(repository).await.expect("a get"), Some(page("winner", 2)));

    // The same two writers, in the order of dyno.
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
