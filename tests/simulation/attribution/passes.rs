//! Passes of `modify_each` over a table that other writers change. Some passes are interrupted and continue from their
//! checkpoints.

use super::{
    ANY, Body, ITEMS, Log, Made, Sent, Told, Writer, any, attributed, check, dropped_after, number, send_once,
    simulate, tell,
};
use crate::runs::{run, seeds};
use dyno::{Checkpoint, Entity};
use dyno_tests::is_remote;
use dyno_tests::journal::Change;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// A kind of entity. Each item holds the number of every write that has changed it.
macro_rules! kinds {
    ($($kind:ident $(#[$attribute:meta])* { $($(#[$rule:meta])* $field:ident: $type:ty),* } $other:ident;)*) => {$(
        mod $kind {
            use super::*;

            #[derive(Entity, Clone, Debug, PartialEq)]
            #[entity(table = "things")]
            $(#[$attribute])*
            struct Thing {
                #[partition_key]
                id: String,
                text: String,
                body: Body,
                #[attribute(default)]
                writes: BTreeSet<u64>,
                $($(#[$rule])* $field: $type,)*
            }

            async fn writer(writer: Writer) {
                // Three of the writers pass over the whole table, once each.
                if number_of_passes(&writer.log) < 3 {
                    pass(&writer).await;
                } else {
                    for _ in 0..8 {
                        kinds!(@$other writer any());
                    }
                }
            }

            /// One pass. If a fault or a drop interrupts it, it continues from its last checkpoint.
            async fn pass(writer: &Writer) {
                let write = number(&writer.log, "pass", Made::AnyNumber, true);
                let kept = Arc::new(Mutex::new(None::<Checkpoint>));
                loop {
                    let keep = Arc::clone(&kept);
                    let from = keep.lock().expect("no panic").clone();
                    let pass = Thing::scan()
                        .parallel(2)
                        .modify_each(move |thing| _ = thing.writes.insert(write as u64))
                        .after(from)
                        .on_progress(move |progress| {
                            *keep.lock().expect("no panic") = Some(progress.checkpoint().clone());
                        });
                    let passing = attributed(write, pass.send(&writer.repository));
                    let passed = match fastrand::u8(0..3) {
                        0 => dropped_after(fastrand::usize(0..60), passing).await,
                        _ => Some(passing.await),
                    };
                    if let Some(Ok(progress)) = passed && progress.completed().is_ok() {
                        return tell(&writer.log, write, Told::Applied);
                    }
                }
            }

            #[test]
            fn a_completed_modify_each_has_visited_every_item() {
                if is_remote() {
                    return;
                }
                for seed in 0..seeds(5, 0) {
                    run(seed, async {
                        let (world, journal, sent) = simulate::<Thing, _>(seed, ANY, true, writer).await;
                        let changes = journal.changes();
                        let table = world.repository.table_name::<Thing>().expect("a table");
                        check(seed, &table, &sent, &changes);
                        check_passes(seed, &table, &sent, &changes);
                    });
                }
                println!("passes, {}: {} seeds", stringify!($kind), seeds(5, 0));
            }
        }
    )*};
    (@update $writer:ident $id:expr) => {
        send_once!($writer, "update", Once, keeps: true, |write: usize| {
            Thing::update($id).with(Thing::fields().writes.insert(write as u64))
        })
    };
    (@modify $writer:ident $id:expr) => {
        send_once!($writer, "modify", Once, keeps: true, |write: usize| {
            Thing::modify($id, move |thing: &mut Thing| _ = thing.writes.insert(write as u64))
        })
    };
}

fn number_of_passes(log: &Log) -> usize {
    log.sent.lock().expect("no panic").iter().filter(|sent| sent.what == "pass").count()
}

kinds! {
    plain {} update;
    versioned { #[version] version: u64 } modify;
    without_a_write_id { #[version(write_id = false)] version: u64 } modify;
    recorded #[history_table] { #[version] version: u64 } modify;
}

/// Checks that every pass has added its number to every item, and that no write has removed a number.
fn check_passes(seed: u64, table: &str, sent: &[Sent], changes: &[Change]) {
    for id in ITEMS {
        let here = changes.iter().filter(|change| change.table == table && change.keys["id"] == dyno_tests::s(id));
        let mut known = BTreeSet::new();
        for change in here {
            let new = change.new.as_ref().expect("nobody deletes");
            let found: BTreeSet<String> = new
                .get("writes")
                .map_or_else(BTreeSet::new, |writes| writes.as_ns().expect("numbers").iter().cloned().collect());
            assert!(known.is_subset(&found), "seed {seed}: {known:?} was there before {change:#?}");
            known = found;
        }
        for (number, _) in sent.iter().enumerate().filter(|(_, sent)| sent.what == "pass") {
            assert!(
                known.contains(&number.to_string()),
                "seed {seed}: the pass {number} was not at {id}, only {known:?}"
            );
        }
    }
}
