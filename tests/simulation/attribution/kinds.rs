//! Every command of each kind of entity, sent by several writers to a few items.

use super::{
    ANSWERED_ONCE, ANY, Body, COMMANDS, Writer, any, body, check, check_stream, is_passing, send, send_once, simulate,
};
use crate::runs::{run, seeds};
use dyno::{Entity, Repository};
use dyno_tests::is_remote;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::sleep;

/// A kind of entity, and the commands that its writers send.
macro_rules! kinds {
    ($($kind:ident in $faults:ident at_once: $at_once:literal $(#[$attribute:meta])* { $($(#[$rule:meta])* $field:ident: $type:ty),* }
        |$run:ident, $id:ident| { $($chance:pat => $command:expr,)* })*) => {$(
        mod $kind {
            use super::*;

            #[derive(Entity, Clone, Debug, PartialEq)]
            #[entity(table = "things")]
            $(#[$attribute])*
            pub(super) struct Thing {
                #[partition_key]
                id: String,
                text: String,
                count: u64,
                body: Body,
                $($(#[$rule])* $field: $type,)*
            }

            async fn writer(writer: Writer) {
                let $run = &writer;
                for _ in 0..COMMANDS {
                    let $id = any();
                    match fastrand::u8(0..12) {
                        $($chance => $command,)*
                        _ => sleep(Duration::from_millis(fastrand::u64(0..2000))).await,
                    }
                }
            }

            #[test]
            fn every_change_belongs_to_a_write_reported_as_possibly_applied() {
                if is_remote() {
                    return;
                }
                let mut told = BTreeMap::<String, usize>::new();
                for seed in 0..seeds(5, 0) {
                    run(seed, async {
                        let (world, journal, sent) = simulate::<Thing, _>(seed, $faults, $at_once, writer).await;
                        let changes = journal.changes();
                        check(seed, &world.repository.table_name::<Thing>().expect("a table"), &sent, &changes);
                        check_stream::<Thing>(seed, &world, &changes).await;
                        for sent in sent {
                            *told.entry(format!("{:?}", sent.told)).or_default() += 1;
                        }
                    });
                }
                println!("{}: {} seeds, {told:?}", stringify!($kind), seeds(5, 0));
            }
        }
    )*};
}

/// The change that a `modify` of this write makes to a thing.
macro_rules! change {
    ($write:expr) => {{
        let write: usize = $write;
        move |thing: &mut Thing| {
            thing.text = write.to_string();
            thing.body.text = write.to_string();
            thing.count += 1;
        }
    }};
}

/// Loads the thing, if it exists.
macro_rules! load {
    ($run:expr, $id:expr) => {
        load!(@ $run, Thing::get($id).consistent())
    };
    (@ $run:expr, $get:expr) => {
        loop {
            match $get.send(&$run.repository).await {
                Ok(loaded) => break loaded,
                Err(error) => _ = is_passing(&error),
            }
        }
    };
}

/// Loads the thing together with its item, if it exists.
macro_rules! load_whole {
    ($run:expr, $id:expr) => {
        load!(@ $run, Thing::get($id).consistent().loaded())
    };
}

/// A thing of this write, with the additional fields of its kind.
macro_rules! thing {
    ($id:expr, $write:expr $(, $field:ident: $value:expr)*) => {
        Thing {
            id: $id.to_owned(), text: $write.to_string(), count: 0, body: body($write.to_string()), $($field: $value,)*
        }
    };
}

kinds! {
    plain in ANSWERED_ONCE at_once: true {} |run, id| {
        0 => send!(run, "put", AnyNumber, keeps: false, |write: usize| thing!(id, write).put()),
        1 => send!(run, "create", AnyNumber, keeps: false, |write: usize| thing!(id, write).create()),
        2 => send!(run, "replace", AnyNumber, keeps: false, |write: usize| thing!(id, write).replace()),
        3 => send!(run, "delete", AnyNumber, keeps: false, |_: usize| Thing::delete(id)),
        4 => send!(run, "set", AnyNumber, keeps: true, |write: usize| {
            let f = Thing::fields();
            Thing::update(id).with([f.text.set(write.to_string()), f.body.fields().text.set(write.to_string())])
        }),
        5..8 => send_once!(run, "add", Once, keeps: true, |_: usize| Thing::update(id).with(Thing::fields().count.add(1))),
    }
    ratcheted in ANY at_once: true #[tombstone(ttl_days = 7)] { #[ratchet] at: u64 } |run, id| {
        0..4 => send!(run, "put", Once, keeps: false, |write: usize| thing!(id, write, at: token(&run.repository, write)).put()),
        4 => send!(run, "create", AnyNumber, keeps: false, |write: usize| thing!(id, write, at: token(&run.repository, write)).create()),
        5..7 => send!(run, "delete", Once, keeps: false, |write: usize| Thing::delete(id, token(&run.repository, write))),
        7 => send!(run, "undelete", AnyNumber, keeps: false, |write: usize| thing!(id, write, at: token(&run.repository, write)).undelete()),
    }
    versioned in ANY at_once: true #[tombstone(ttl_days = 7)] { #[version] version: u64 } |run, id| {
        0..2 => if let Some(loaded) = load!(run, id) {
            send!(run, "put", Once, keeps: false, |write: usize| thing!(id, write, version: loaded.version).put());
        },
        2 => if let Some(loaded) = load!(run, id) {
            send!(run, "replace", Once, keeps: false, |write: usize| thing!(id, write, version: loaded.version).replace());
        },
        3 => send!(run, "create", Once, keeps: false, |write: usize| thing!(id, write, version: 0).create()),
        4..6 => if let Some(loaded) = load!(run, id) {
            send!(run, "update", Once, keeps: true, |write: usize| {
                Thing::update(id).version(loaded.version).with(Thing::fields().text.set(write.to_string()))
            });
        },
        6 => if let Some(loaded) = load!(run, id) {
            send!(run, "delete", Once, keeps: false, |_: usize| Thing::delete(id, loaded.version));
        },
        7 => send_once!(run, "unchecked", AnyNumber, keeps: true, |_: usize| {
            Thing::update(id).unchecked().with(Thing::fields().count.add(1))
        }),
        8..11 => send_once!(run, "modify", Once, keeps: true, |write: usize| {
            Thing::modify(id, change!(write))
        }),
    }
    // Some commands expect only a version number, and others expect the loaded item. Only the latter can distinguish the
    // loaded item from a later one of the same version. (A put with version 0 is a create.)
    versioned_without_tombstone in ANY at_once: true { #[version] version: u64 } |run, id| {
        0 => if let Some(loaded) = load!(run, id) && loaded.version > 0 {
            send!(run, "put", OncePerItem, keeps: false, |write: usize| thing!(id, write, version: loaded.version).put());
        },
        1 => if let Some(loaded) = load_whole!(run, id) {
            send!(run, "replace over", OncePerCopy, keeps: false, |write: usize| {
                thing!(id, write, version: loaded.entity.version).replace().over(&loaded)
            });
        },
        2 => if let Some(loaded) = load!(run, id) {
            send!(run, "update", OncePerItem, keeps: true, |write: usize| {
                Thing::update(id).version(loaded.version).with(Thing::fields().text.set(write.to_string()))
            });
        },
        3 => if let Some(loaded) = load_whole!(run, id) {
            send!(run, "update over", OncePerCopy, keeps: true, |write: usize| {
                Thing::update(id).over(&loaded).with(Thing::fields().text.set(write.to_string()))
            });
        },
        4 => if let Some(loaded) = load!(run, id) {
            send!(run, "delete", OncePerItem, keeps: false, |_: usize| Thing::delete(id, loaded.version));
        },
        5 => if let Some(loaded) = load_whole!(run, id) {
            send!(run, "delete over", OncePerCopy, keeps: false, |_: usize| {
                Thing::delete(id, loaded.entity.version).over(&loaded)
            });
        },
        6..8 => send!(run, "create", AnyNumber, keeps: false, |write: usize| thing!(id, write, version: 0).create()),
        8..11 => send_once!(run, "modify", OncePerCopy, keeps: true, |write: usize| {
            Thing::modify(id, change!(write))
        }),
    }
    with_atomic_history in ANY at_once: false #[tombstone(ttl_days = 7)] #[history_table] { #[version] version: u64 } |run, id| {
        0..2 => if let Some(loaded) = load!(run, id) {
            send!(run, "put", Once, keeps: false, |write: usize| thing!(id, write, version: loaded.version).put());
        },
        2..4 => send!(run, "create", Once, keeps: false, |write: usize| thing!(id, write, version: 0).create()),
        4 => if let Some(loaded) = load!(run, id) {
            send!(run, "delete", Once, keeps: false, |_: usize| Thing::delete(id, loaded.version));
        },
        5..10 => send_once!(run, "modify", Once, keeps: true, |write: usize| {
            Thing::modify(id, change!(write))
        }),
        10 => send_once!(run, "rollback", Once, keeps: false, |_: usize| Thing::rollback(id, 1)),
    }
    with_ordered_history in ANY at_once: false #[tombstone(ttl_days = 7)] #[history_table(mode = "ordered")] { #[version] version: u64 } |run, id| {
        0..2 => if let Some(loaded) = load!(run, id) {
            send!(run, "put", Once, keeps: false, |write: usize| thing!(id, write, version: loaded.version).put());
        },
        2..4 => send!(run, "create", Once, keeps: false, |write: usize| thing!(id, write, version: 0).create()),
        4 => if let Some(loaded) = load!(run, id) {
            send!(run, "delete", Once, keeps: false, |_: usize| Thing::delete(id, loaded.version));
        },
        5..10 => send_once!(run, "modify", Once, keeps: true, |write: usize| {
            Thing::modify(id, change!(write))
        }),
        10 => send_once!(run, "rollback", Once, keeps: false, |_: usize| Thing::rollback(id, 1)),
    }
    keyed_by_time in ANY at_once: true #[idempotency(window_secs = 3600, max_skew_secs = 600)] {} |run, id| {
        0..8 => send!(run, "add", Once, keeps: true, |write: usize| {
            Thing::update(id).with(Thing::fields().count.add(1)).idempotency_key(write.to_string())
        }),
        8 => send!(run, "set", AnyNumber, keeps: true, |write: usize| {
            Thing::update(id).with(Thing::fields().text.set(write.to_string()))
        }),
    }
    keyed_by_count in ANY at_once: true #[idempotency(keys = 500)] {} |run, id| {
        0..8 => send!(run, "add", Once, keeps: true, |write: usize| {
            Thing::update(id).with(Thing::fields().count.add(1)).idempotency_key(write.to_string())
        }),
    }
    keyed_in_rows in ANY at_once: true #[idempotency(store = "row", window_secs = 3600)] {} |run, id| {
        0..8 => send!(run, "add", Once, keeps: true, |write: usize| {
            Thing::update(id).with(Thing::fields().count.add(1)).idempotency_key(write.to_string())
        }),
    }
}

/// A token that no other write has.
fn token(repository: &Repository, write: usize) -> u64 {
    u64::try_from(repository.now().get()).expect("after 1970") * 10_000 + write as u64
}
