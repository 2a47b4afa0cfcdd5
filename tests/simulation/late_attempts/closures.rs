//! Native and client-side transactions, with and without closures: they write items that they have read, and items that they
//! have not read.

use super::{Command, Other, Play, TEXT, command, play_all};
use dyno::{Entity, Transaction};

const IDS: &[&str] = &["1", "2", "3"];

/// What a transaction does with one item.
#[derive(Clone, Copy, Debug)]
enum Step {
    Read,
    /// Reads the item, and writes it back.
    Change,
    Create,
    Update,
    /// Puts the item with this version, which may be the stored one.
    Checked(u64),
    Delete(u64),
}

impl Step {
    fn any() -> Self {
        match fastrand::u8(0..8) {
            0 => Self::Read,
            1 => Self::Change,
            2 => Self::Create,
            3..6 => Self::Update,
            6 => Self::Checked(fastrand::u64(0..5)),
            _ => Self::Delete(fastrand::u64(0..5)),
        }
    }
}

/// How a transaction is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Natively,
    ByIntents,
}

macro_rules! transactional {
    ($($kind:ident $(#[$attribute:meta])* |$tx:ident, $id:ident| $blind:expr;)*) => {$(
        mod $kind {
            use super::*;

            #[derive(Entity, Clone, Debug, PartialEq)]
            #[entity(table = "things")]
            #[tombstone(ttl_days = 7)]
            #[transactional]
            $(#[$attribute])*
            struct Thing {
                #[partition_key]
                id: String,
                text: String,
                count: u64,
                #[version]
                version: u64,
            }

            fn thing(id: &str, text: &str, version: u64) -> Thing {
                Thing { id: id.to_owned(), text: text.to_owned(), count: 0, version }
            }

            /// Writes an existing item that the closure has not read.
            fn blind($tx: &dyno::command::Tx, $id: &str) {
                $blind;
            }

            /// A closure with one step for each item.
            fn closure(way: Way) -> Command {
                let steps: Vec<(&'static str, Step)> = IDS.iter().map(|id| (*id, Step::any())).collect();
                let closure = move |tx: dyno::command::Tx| {
                    let steps = steps.clone();
                    async move {
                        for (id, step) in steps {
                            match step {
                                Step::Read => _ = tx.get(Thing::get(id)).await?,
                                Step::Change => {
                                    let mut there = tx.get(Thing::get(id)).await?.unwrap_or_else(|| thing(id, "", 0));
                                    there.text = TEXT.to_owned();
                                    tx.put(there.put());
                                }
                                Step::Create => tx.put(thing(id, TEXT, 0).create()),
                                Step::Update => blind(&tx, id),
                                Step::Checked(version) => tx.put(thing(id, TEXT, version).put()),
                                Step::Delete(version) => tx.delete(Thing::delete(id, version)),
                            }
                        }
                        Ok(())
                    }
                };
                let transaction = Transaction::interactive(closure).attempts(4);
                match way {
                    Way::Natively => command!(transaction.native()),
                    Way::ByIntents => command!(transaction.client_side()),
                }
            }

            /// A transaction without a closure.
            fn actions(way: Way) -> Command {
                let version = || fastrand::u64(0..5);
                let transaction = IDS[..2].iter().fold(Transaction::new(), |transaction, id| match fastrand::u8(0..3) {
                    0 => transaction.put(thing(id, TEXT, version()).put()),
                    1 => transaction.put(thing(id, TEXT, 0).create()),
                    _ => transaction.put(thing(id, TEXT, version()).replace()),
                });
                match way {
                    Way::Natively => command!(transaction.native()),
                    Way::ByIntents => command!(transaction.client_side()),
                }
            }

            fn others() -> Vec<Other> {
                macro_rules! other {
                    ($send:expr) => {{
                        let other: Other = |repository, id| Box::pin(async move {
                            let send: fn(&'static str) -> _ = $send;
                            let _whatever = send(id).send(&repository).await;
                        });
                        other
                    }};
                }
                vec![
                    other!(|id| thing(id, "theirs", 0).create()),
                    other!(|id| thing(id, "theirs", 0).create()),
                    other!(|id| thing(id, "theirs", fastrand::u64(0..5)).put()),
                    other!(|id| Thing::delete(id, fastrand::u64(0..5))),
                    other!(|id| Thing::modify(id, |thing: &mut Thing| thing.count += 1)),
                ]
            }

            fn play(command: Command, way: Way) -> Play {
                Play { command, is_named: true, is_apart: way == Way::ByIntents, others: others(), ids: IDS }
            }

            #[test]
            fn a_refused_native_closure_or_transaction_is_never_applied() {
                play_all::<Thing>(concat!(stringify!($kind), " natively"), || play(closure(Way::Natively), Way::Natively));
                play_all::<Thing>(concat!(stringify!($kind), " without a closure"), || play(actions(Way::Natively), Way::Natively));
            }

            #[test]
            fn a_refused_client_side_closure_or_transaction_is_never_applied() {
                play_all::<Thing>(concat!(stringify!($kind), " by intents"), || play(closure(Way::ByIntents), Way::ByIntents));
                play_all::<Thing>(concat!(stringify!($kind), " by intents, without a closure"), || {
                    play(actions(Way::ByIntents), Way::ByIntents)
                });
            }
        }
    )*};
}

transactional! {
    without_a_history |tx, id| tx.update(Thing::update(id).unchecked().with(Thing::fields().text.set(TEXT)));
    with_atomic_history #[history_table] |tx, id| tx.put(thing(id, TEXT, 1).put());
    with_ordered_history #[history_table(mode = "ordered")] |tx, id| tx.put(thing(id, TEXT, 1).put());
}
