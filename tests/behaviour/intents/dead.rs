//! What is dead is taken away by whoever meets it, and the row is what it was.

use super::{VERBS, held, held_tombstone, holding, placeholder, row, send, stored, tombstone};
use dyno::{Item, Reason};
use dyno_tests::{lanes, n};

#[tokio::test]
async fn each_write_finds_what_was_there() {
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

/// What a write leaves that is refused for what was there.
async fn refused(held: Item, verb: &str) -> (Vec<Reason>, Option<Item>, u64) {
    let world = holding(held, lanes::void()).await;
    let metered = world.repository.metered();
    let reasons = send(verb, &metered).await.expect("an answer");
    (reasons, row(&world).await, metered.usage().requests)
}

/// A write, a look at the lane, the removal, and the write again.
#[tokio::test]
async fn a_tombstone_has_its_ttl_again() {
    assert_eq!(refused(held_tombstone(), "update").await, (vec![Reason::Deleted], Some(tombstone()), 4));
    let (reasons, row, requests) = refused(held_tombstone(), "create").await;
    // Its numbers go on.
    assert_eq!((reasons, row.map(|row| row["version"].clone()), requests), (vec![], Some(n(4)), 5));
}

#[tokio::test]
async fn a_place_that_was_kept_for_nothing_is_gone() {
    assert_eq!(
        refused(placeholder(), "update").await,
        (vec![Reason::Missing, Reason::Conflict { expected: 3, found: None }], None, 4)
    );
    let (reasons, row, requests) = refused(placeholder(), "create").await;
    assert_eq!((reasons, row.map(|row| row["version"].clone()), requests), (vec![], Some(n(1)), 4));
}
