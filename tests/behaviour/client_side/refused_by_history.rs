//! A refusal that a history causes is reported only if everything that the transaction read still holds.

use super::{Account, account};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Entity, Reason, Transaction, TransactionOutcome};
use dyno_tests::{World, pause, s, world};
use std::sync::atomic::{AtomicU32, Ordering};

/// The tests that hold for both modes of a history.
macro_rules! modes {
    ($($mode:ident $(#[$attribute:meta])*;)*) => {$(
        mod $mode {
            use super::*;

            #[derive(Entity, Clone, Debug, PartialEq)]
            #[entity(table = "notes")]
            $(#[$attribute])*
            #[tombstone(ttl_days = 7)]
            #[transactional]
            struct Note {
                #[partition_key]
                id: String,
                text: String,
                #[version]
                version: u64,
            }

            fn note(text: &str, version: u64) -> Note {
                Note { id: "1".to_owned(), text: text.to_owned(), version }
            }

            /// A world with an account of balance 0, and a lane table.
            async fn notes() -> World {
                let world = world::<Note>().await;
                let other = world.other();
                other.create_table::<Account>().await.expect("a table");
                world.create_lanes().await;
                applied!(account("x", 0).create(), &other);
                world
            }

            async fn timeline(world: &World) -> Vec<String> {
                let revisions = Note::revisions("1").send(&world.other()).await.expect("revisions").items;
                let texts = revisions.iter().map(|revision| {
                    let text = revision.decode().expect("decodes").map_or("-".to_owned(), |note| note.text);
                    format!("{} {text}", revision.version())
                });
                texts.collect()
            }

            /// Another writer changes the row between its read and the read of its history. The closure runs again.
            #[tokio::test]
            async fn a_row_changed_after_its_read_reruns_the_closure() {
                pause();
                let world = notes().await;
                let other = &world.other();
                applied!(note("one", 0).create(), other);
                let runs = &AtomicU32::new(0);
                let closure = Transaction::interactive(|tx| async move {
                    let found: Note = tx.get(Note::get("1")).await?.ok_or("no note")?;
                    if runs.fetch_add(1, Ordering::SeqCst) == 0 {
                        applied!(note("other", 1).put(), other);
                    }
                    tx.put(Note { text: format!("mine after {}", found.text), ..found }.put());
                    Ok(())
                });
                let sent = closure.client_side().send(&world.repository).await.expect("sent");
                assert!(sent.is_applied(), "{sent:?}");
                assert_eq!(runs.load(Ordering::SeqCst), 2);
                assert_eq!(timeline(&world).await, ["3 mine after other", "2 other", "1 one"]);
            }

            /// Without a closure, the transaction itself reads the row that it puts. It is refused with a version conflict.
            #[tokio::test]
            async fn a_put_of_an_older_version_conflicts() {
                pause();
                let world = notes().await;
                let other = &world.other();
                applied!(note("one", 0).create(), other);
                let process = world.process(RetryConfig::standard());
                // The row is read first, and then its history.
                process.faults.hold_after(1);
                let repository = process.repository.clone();
                let sending = tokio::spawn(async move {
                    Transaction::new().put(note("mine", 1).put()).client_side().send(&repository).await
                });
                process.faults.held().await;
                applied!(note("other", 1).put(), other);
                process.faults.release();
                let sent = sending.await.expect("no panic").expect("sent");
                let refused = sent.refusal().and_then(|it| it.refusal_of::<Note>(0)).expect("refused");
                assert_eq!(refused.reasons(), [Reason::Conflict { expected: 1, found: Some(2) }]);
                assert_eq!(timeline(&world).await, ["2 other", "1 one"]);
            }

            /// Another writer changes an item that the closure has read, and then creates the item that the closure creates.
            /// The closure runs again, and is not refused.
            #[tokio::test]
            async fn a_create_is_not_refused_while_the_closure_s_reads_are_stale() {
                pause();
                for is_deleted_before in [false, true] {
                    let world = notes().await;
                    let other = &world.other();
                    if is_deleted_before {
                        applied!(note("old", 0).create(), other);
                        applied!(Note::delete("1", 1u64), other);
                    }
                    let closure = Transaction::interactive(|tx| async move {
                        let x = tx.get(Account::get("x")).await?.ok_or("no x")?;
                        if x.balance == 0 {
                            applied!(Account::update("x").unchecked().with(Account::fields().balance.set(1)), other);
                            applied!(note("other", 0).create(), other);
                            tx.put(note("mine", 0).create());
                        }
                        Ok(x.balance)
                    });
                    let sent = closure.client_side().send(&world.repository).await.expect("sent");
                    assert!(matches!(sent, TransactionOutcome::Applied(1)), "{is_deleted_before} {sent:?}");
                }
            }

            /// A refusal is reported if everything that the closure has read still holds.
            #[tokio::test]
            async fn a_create_over_an_item_is_refused() {
                pause();
                let world = notes().await;
                applied!(note("other", 0).create(), &world.other());
                let closure = Transaction::interactive(|tx| async move {
                    let x = tx.get(Account::get("x")).await?.ok_or("no x")?;
                    tx.put(note("mine", 0).create());
                    Ok(x.balance)
                });
                let sent = closure.client_side().send(&world.repository).await.expect("sent");
                let refused = sent.refusal().and_then(|it| it.refusal_of::<Note>(0)).expect("refused");
                assert_eq!(refused.reasons(), [Reason::Exists]);
                assert_eq!(refused.item().map(|item| item["text"].clone()), Some(s("other")));
            }

            /// While a create places its intent over a tombstone, another writer creates and deletes the item, and then
            /// creates it again.
            #[tokio::test]
            async fn a_create_over_a_tombstone_that_changes_meanwhile_is_refused_as_existing() {
                pause();
                let create = || Transaction::new().put(note("mine", 0).create()).client_side();
                let dry = notes().await;
                applied!(note("one", 0).create(), &dry.other());
                applied!(Note::delete("1", 1u64), &dry.other());
                let start = dry.faults.events().len();
                create().send(&dry.repository).await.expect("sent").applied().expect("applied");
                let events = dry.faults.events().split_off(start);
                let before = events.iter().position(dyno_tests::witness::is_place).expect("an intent");
                let world = notes().await;
                let other = &world.other();
                applied!(note("one", 0).create(), other);
                applied!(Note::delete("1", 1u64), other);
                let process = world.process(RetryConfig::standard());
                process.faults.hold_after(before);
                let repository = process.repository.clone();
                let sending = tokio::spawn(async move { create().send(&repository).await });
                process.faults.held().await;
                applied!(note("three", 0).create(), other);
                applied!(Note::delete("1", 3u64), other);
                // The intent is refused; then the history is read.
                process.faults.hold_after(1);
                process.faults.held().await;
                applied!(note("five", 0).create(), other);
                process.faults.release();
                let sent = sending.await.expect("no panic").expect("sent");
                let refused = sent.refusal().and_then(|it| it.refusal_of::<Note>(0)).expect("refused");
                assert_eq!(refused.reasons(), [Reason::Exists]);
            }
        }
    )*};
}

modes! {
    atomic #[history_table];
    ordered #[history_table(mode = "ordered")];
}
