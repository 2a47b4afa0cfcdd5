//! A process that finds an aborted intent removes it, and the row is as before.

use super::{VERBS, held, held_tombstone, holding, placeholder, row, send, stored, tombstone};
use dyno::{ErrorKind, Item, Reason};
use dyno_tests::{lanes, n};

#[tokio::test]
async fn every_kind_of_write_first_rolls_back_an_aborted_intent() {
    for head in [lanes::void(), lanes::head(9, "z", 0), lanes::head(7, "of_another", 0)] {
        for verb in VERBS {
            let world = holding(held(), head.clone()).await;
            let reasons = send(verb, &world.repository).await.expect("an answer");
            let (expected, version) = match verb {
                "create" => (&[Reason::Exists][..], 3),
                "undelete" => (&[Reason::NotDeleted][..], 3),
                "transaction check" => (&[][..], 3),
                _ => (&[][..], 4),
            };
            assert_eq!(reasons, expected, "{verb}");
            let there = row(&world).await.expect("a row");
            assert!(there["version"] == n(version) && !there.contains_key("_x"), "{verb}: {there:?}");
            if version == 3 {
                assert_eq!(there, stored(), "{verb}");
            }
            assert_eq!(world.lane().await, head, "{verb}");
        }
    }
}

/// Sends a write over the intent of an aborted transaction. Returns the refusal's reasons, the row after the write, and the
/// number of requests.
async fn refused(held: Item, verb: &str) -> (Vec<Reason>, Option<Item>, u64) {
    let world = holding(held, lanes::void()).await;
    let metered = world.repository.metered();
    let reasons = send(verb, &metered).await.expect("an answer");
    (reasons, row(&world).await, metered.usage().requests)
}

/// The requests of an update: the write, a read of the lane, the removal, and the write again.
#[tokio::test]
async fn rolling_back_an_intent_restores_the_tombstone_s_ttl() {
    assert_eq!(refused(held_tombstone(), "update").await, (vec![Reason::Deleted], Some(tombstone()), 4));
    let (reasons, row, requests) = refused(held_tombstone(), "create").await;
    // A create over the tombstone continues its version numbers.
    assert_eq!((reasons, row.map(|row| row["version"].clone()), requests), (vec![], Some(n(4)), 5));
}

#[tokio::test]
async fn rolling_back_an_intent_deletes_its_placeholder() {
    assert_eq!(
        refused(placeholder(), "update").await,
        (vec![Reason::Missing, Reason::Conflict { expected: 3, found: None }], None, 4)
    );
    let (reasons, row, requests) = refused(placeholder(), "create").await;
    assert_eq!((reasons, row.map(|row| row["version"].clone()), requests), (vec![], Some(n(1)), 4));
}

/// Another program has put an item over the placeholder, and has kept the intent. The item is not deleted.
#[tokio::test]
async fn a_foreign_put_over_a_placeholder_is_not_deleted() {
    let intent = placeholder()["_x"].as_m().expect("an intent").clone();
    let there = lanes::with(stored(), intent);
    for verb in VERBS {
        let world = holding(there.clone(), lanes::void()).await;
        let reasons = send(verb, &world.repository).await.expect("an answer");
        let (expected, after) = match verb {
            "create" => (&[Reason::Exists][..], Some(3)),
            "undelete" => (&[Reason::NotDeleted][..], Some(3)),
            "transaction check" => (&[][..], Some(3)),
            _ => (&[][..], Some(4)),
        };
        assert_eq!(reasons, expected, "{verb}");
        let row = row(&world).await.expect("a row");
        assert!(row.get("version") == after.map(n).as_ref() && !row.contains_key("_x"), "{verb}: {row:?}");
        if after == Some(3) {
            assert_eq!(row, stored(), "{verb}");
        }
    }
}

/// Another program has changed the placeholder, which it took for an item. The change is kept, like a change of a tombstone,
/// and no write is blocked.
#[tokio::test]
async fn a_foreign_change_of_a_placeholder_is_kept() {
    let changed = |mut row: Item| {
        row.insert("points".to_owned(), n(1));
        row
    };
    for verb in VERBS {
        let world = holding(changed(placeholder()), lanes::void()).await;
        let reasons = match send(verb, &world.repository).await {
            // The closure finds no item.
            Err(error) if error.kind() == ErrorKind::Aborted => vec![Reason::Deleted],
            answered => answered.expect(verb),
        };
        let mut tombstone = placeholder();
        tombstone.remove("_x");
        let there = row(&world).await.expect("a row");
        assert!(!there.contains_key("_x"), "{verb}: {there:?}");
        if reasons.is_empty() {
            // The write has made an item of the tombstone.
            assert_eq!((there.get("version"), there.get("deleted")), (Some(&n(1)), None), "{verb}");
        } else {
            assert_eq!(there, changed(tombstone), "{verb}: {reasons:?}");
        }
    }
}
