//! How large an item can become by intents: as large as ever; and what is too large is refused before anything is written.

use super::{File, KB, file, files, pages, small, stored};
use crate::apart::is_commit;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Entity, Item, Transaction};
use dyno_tests::faults::Fault;
use dyno_tests::{pause, s, world};

#[tokio::test]
async fn whatever_an_item_can_hold_it_can_become() {
    pause();
    let world = files().await;
    let rest = |texts: &[(&str, usize)]| -> Item {
        texts.iter().map(|(name, kilobytes)| ((*name).to_owned(), s(&name.repeat(kilobytes * KB)))).collect()
    };
    let parts = rest(&[("p", 180), ("q", 180), ("r", 30)]);
    let made = |id: &str, version| File { id: id.to_owned(), rest: parts.clone(), version, ..small(0) };
    let whole = File { id: "whole".to_owned(), body: "w".repeat(400 * KB - 100), ..small(0) };
    // A tombstone, one that is not there, and one of a single attribute.
    applied!(File::delete("small", 1u64), &world.repository);
    let all = Transaction::new().put([made("small", 0).create(), made("new", 0).create(), whole.clone().create()]);
    let all = all.put(File { rest: parts.clone(), version: 1, ..File { id: "a".to_owned(), ..small(0) } }.put());
    all.by_intents().send(&world.repository).await.expect("sent").applied().expect("applied");
    // What is made anew has nothing beside it.
    assert_eq!(pages(&world).await.len(), 4);
    for (id, expected) in [("small", made("small", 3)), ("new", made("new", 1)), ("a", made("a", 2))] {
        assert_eq!(File::get(id).send(&world.repository).await.expect("a get"), Some(expected), "{id}");
    }
    let found = File::get("whole").send(&world.repository).await.expect("a get");
    assert_eq!(found, Some(File { version: 1, ..whole }));
    assert!(stored(&world).await.values().all(|row| !row.contains_key("_x") && !row.contains_key("deleted")));
}

#[tokio::test]
async fn what_is_lost_leaves_the_row_as_it_was() {
    pause();
    let world = files().await;
    let before = stored(&world).await;
    let both = Transaction::new().put([file("a", 'y', 1).put(), small(7).put()]).by_intents();
    assert!(!both.send(&world.repository).await.expect("sent").is_applied());
    // Found out when its intent is placed.
    let other = Transaction::new().put(file("a", 'y', 1).put()).put(small(0).create()).by_intents();
    assert!(!other.send(&world.repository).await.expect("sent").is_applied());
    assert_eq!(stored(&world).await, before);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "papers")]
#[tombstone(ttl_days = 7)]
#[history_table]
#[transactional]
struct Paper {
    #[partition_key]
    id: u64,
    head: String,
    body: String,
    #[version]
    version: u64,
}

/// An item of 400 KB, of a write with a long name, and its revision.
#[tokio::test]
async fn what_would_be_too_large_when_it_is_committed_is_refused_before_it() {
    let world = files().await;
    world.other().create_table::<Paper>().await.expect("a new table");
    let (paper, before) = (Paper { id: 1, head: String::new(), body: String::new(), version: 0 }, stored(&world).await);
    applied!(paper.clone().create(), &world.repository);
    let large = Paper { body: "w".repeat(400 * KB - 60), version: 1, ..paper };
    let error = Transaction::new().put(large.put()).by_intents().send(&world.repository).await.expect_err("too large");
    assert!(error.is_invalid_input() && error.to_string().contains("the revision in the history"), "{error}");
    // Its own size, with names of 17 bytes, is just possible.
    let body = "w".repeat(400 * KB - 42);
    let file = File { body: body.clone(), ..file("a", 'x', 1) };
    let file = File { head: String::new(), ..file };
    let error = Transaction::new().put(file.put()).by_intents().send(&world.repository).await.expect_err("too large");
    assert!(error.is_invalid_input(), "{error}");
    assert_eq!(stored(&world).await, before);
    assert_eq!(Paper::get(1).send(&world.repository).await.expect("a get").map(|paper| paper.version), Some(1));
}

#[tokio::test]
async fn its_history_has_all_of_it() {
    pause();
    for fault in [Fault::None, Fault::DiesAfter] {
        let world = world::<Paper>().await;
        world.create_lanes().await;
        let [head, x, y] = ["h", "x", "y"].map(|text| text.repeat(150 * KB));
        let paper = |body: &String, version| Paper { id: 1, head: head.clone(), body: body.clone(), version };
        applied!(paper(&x, 0).create(), &world.repository);
        let both = Paper { head: y.clone(), ..paper(&y, 1) };
        let process = world.process(RetryConfig::disabled());
        process.faults.nth(1, is_commit, fault);
        process.run(Transaction::new().put(both.put()).by_intents().send(&process.repository)).await;
        let now = Paper::get(1).consistent().send(&world.repository).await.expect("a get");
        assert_eq!(now, Some(Paper { head: y.clone(), ..paper(&y, 2) }));
        for (version, expected) in [(1, paper(&x, 1)), (2, Paper { head: y.clone(), ..paper(&y, 2) })] {
            let revision = Paper::revision(1, version).send(&world.repository).await.expect("sent").expect("there");
            assert_eq!(revision.decode().expect("decodes"), Some(expected));
        }
    }
}
