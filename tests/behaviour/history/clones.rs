//! Clones of one write, sent at the same time, apply once in every kind of history, whatever other writers do meanwhile.

use dyno::{Entity, Outcome, Repository};
use dyno_tests::{World, pause, world};

/// Sends a clone of a command that may have been applied before. It may only have to read that, so it can cost less than the command.
macro_rules! again {
    ($clone:expr, $repository:expr) => {
        $clone.send($repository).await.expect("sent").applied().expect("applied")
    };
}

macro_rules! kinds {
    ($($kind:ident $(#[$attribute:meta])*;)*) => {$(
        mod $kind {
            use super::*;

            #[derive(Entity, Clone, Debug, PartialEq)]
            #[entity(table = "documents")]
            $(#[$attribute])*
            struct Doc {
                #[partition_key]
                id: String,
                text: String,
                #[version]
                version: u64,
            }

            fn doc(text: &str, version: u64) -> Doc {
                Doc { id: "1".to_owned(), text: text.to_owned(), version }
            }

            /// Changes the item as another writer, after one clone was applied as `version`. Returns the history after that.
            async fn others(then: &str, version: u64, other: &Repository) -> Vec<String> {
                match then {
                    "delete" => {
                        applied!(Doc::delete("1", version), other);
                    }
                    "put" => {
                        applied!(doc("theirs", version).put(), other);
                    }
                    "delete and create" => {
                        applied!(Doc::delete("1", version), other);
                        applied!(doc("theirs", 0).create(), other);
                    }
                    _ => {}
                }
                timeline!(Doc, "1", other)
            }

            /// Holds one clone after `held_after` requests, sends the other clone, and then releases the first.
            macro_rules! at_once {
                ($write:expr, $held_after:expr, $then:expr, $world:expr) => {{
                    let (world, write): (&World, _) = ($world, $write);
                    let (repository, other, clone) = (world.repository.clone(), world.other(), write.clone());
                    world.faults.hold_after($held_after);
                    let mut slow = tokio::spawn(async move { clone.send(&repository).await });
                    let first = tokio::select! {
                        () = world.faults.held() => None,
                        first = &mut slow => Some(first),
                    };
                    let version = again!(write, &other);
                    let then = others($then, version, &other).await;
                    let there = Doc::get("1").consistent().send(&other).await.expect("a get");
                    world.faults.release();
                    let slow = match first {
                        Some(first) => first,
                        None => slow.await,
                    };
                    let what = format!("{}, {} after {} requests", stringify!($write), $then, $held_after);
                    match slow.expect("no panic") {
                        Ok(Outcome::Applied(its)) => assert_eq!(its, version, "{what}"),
                        Ok(Outcome::Refused(refusal)) => panic!("{what}: {:?}", refusal.reasons()),
                        Err(error) => assert!(error.is_outcome_unknown(), "{what}: {error:?}"),
                    }
                    assert_eq!(timeline!(Doc, "1", &other), then, "{what}");
                    assert_eq!(Doc::get("1").consistent().send(&other).await.expect("a get"), there, "{what}");
                }};
            }

            const OTHERS: [&str; 4] = ["nothing", "put", "delete", "delete and create"];

            #[tokio::test]
            async fn concurrent_clones_of_a_create_apply_once() {
                pause();
                for then in OTHERS {
                    for held_after in 0..3 {
                        let world = world::<Doc>().await;
                        at_once!(doc("mine", 0).create(), held_after, then, &world);
                    }
                }
            }

            #[tokio::test]
            async fn concurrent_clones_of_a_create_over_a_deletion_apply_once() {
                pause();
                for then in OTHERS {
                    for held_after in 0..5 {
                        let world = world::<Doc>().await;
                        applied!(doc("a", 0).create(), &world.other());
                        applied!(Doc::delete("1", 1u64), &world.other());
                        at_once!(doc("mine", 0).create(), held_after, then, &world);
                    }
                }
            }

            #[tokio::test]
            async fn concurrent_clones_of_a_put_apply_once() {
                pause();
                for then in OTHERS {
                    for held_after in 0..4 {
                        let world = world::<Doc>().await;
                        applied!(doc("a", 0).create(), &world.other());
                        at_once!(doc("mine", 1).put(), held_after, then, &world);
                    }
                }
            }

            #[tokio::test]
            async fn concurrent_clones_of_a_delete_apply_once() {
                pause();
                for held_after in 0..4 {
                    let world = world::<Doc>().await;
                    applied!(doc("a", 0).create(), &world.other());
                    at_once!(Doc::delete("1", 1u64), held_after, "nothing", &world);
                }
            }

            #[tokio::test]
            async fn concurrent_clones_of_a_delete_apply_once_despite_a_later_create() {
                pause();
                for held_after in 0..4 {
                    let world = world::<Doc>().await;
                    applied!(doc("a", 0).create(), &world.other());
                    let (repository, other) = (world.repository.clone(), world.other());
                    let delete = Doc::delete("1", 1u64);
                    let clone = delete.clone();
                    world.faults.hold_after(held_after);
                    let mut slow = tokio::spawn(async move { clone.send(&repository).await });
                    let first = tokio::select! {
                        () = world.faults.held() => None,
                        first = &mut slow => Some(first),
                    };
                    assert_eq!(again!(delete, &other), 2);
                    assert_eq!(applied!(doc("theirs", 0).create(), &other), 3);
                    world.faults.release();
                    let slow = match first {
                        Some(first) => first,
                        None => slow.await,
                    };
                    match slow.expect("no panic") {
                        Ok(Outcome::Applied(version)) => assert_eq!(version, 2, "{held_after}"),
                        Ok(Outcome::Refused(refusal)) => panic!("{held_after}: {:?}", refusal.reasons()),
                        Err(error) => assert!(error.is_outcome_unknown(), "{held_after}: {error:?}"),
                    }
                    assert_eq!(timeline!(Doc, "1", &other), ["3 theirs", "2 -", "1 a"], "{held_after}");
                }
            }
        }
    )*};
}

kinds! {
    atomic #[history_table];
    atomic_with_tombstones #[history_table] #[tombstone(ttl_days = 7)];
    ordered #[history_table(mode = "ordered")] #[tombstone(ttl_days = 7)];
}
