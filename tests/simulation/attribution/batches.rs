//! Batches of which a part is left unprocessed, under all faults except late and duplicate requests. The writers retry until
//! each write is done, and then each write has been applied.

use super::{ITEMS, Made, ONCE_DELIVERED, Sent, Told, Writer, attributed, is_passing, number, simulate, tell};
use crate::runs::{run, seeds};
use dyno::{BatchWrite, Entity, Repository};
use dyno_tests::faults::Unprocessed;
use dyno_tests::journal::Change;
use dyno_tests::{is_remote, s};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "things")]
struct Thing {
    #[partition_key]
    id: String,
    text: String,
}

/// Each writer writes items of its own. The strangers' items are in the same table.
async fn writer(writer: Writer) {
    writer.faults.leave_unprocessed(Unprocessed::Half);
    for _ in 0..3 {
        let write = number(&writer.log, "batch", Made::AnyNumber, false);
        let puts = (0..30).map(|item| Thing { id: format!("{write}-{item}"), text: write.to_string() });
        let put =
            attributed(write, finish(BatchWrite::new().add_all(puts.map(|thing| thing.put())), &writer.repository));
        put.await;
        let deletes = (0..10).map(|item| Thing::delete(format!("{write}-{item}")));
        attributed(write, finish(BatchWrite::new().add_all(deletes), &writer.repository)).await;
        tell(&writer.log, write, Told::Applied);
    }
}

/// Sends a batch, and sends its failed writes again until none fails.
async fn finish(mut batch: BatchWrite, repository: &Repository) {
    while !batch.is_empty() {
        match batch.clone().send(repository).await {
            Ok(written) => {
                for failure in written.failures() {
                    _ = is_passing(failure.error());
                }
                batch = written.into_retry();
            }
            Err(error) => _ = is_passing(&error),
        }
    }
}

/// Checks that every put and then every delete was applied, and that only the strangers changed their rows.
fn check_batches(seed: u64, sent: &[Sent], changes: &[Change]) {
    for (write, _) in sent.iter().enumerate() {
        for item in 0..30 {
            let key = s(&format!("{write}-{item}"));
            let here: Vec<_> = changes.iter().filter(|change| change.keys["id"] == key).collect();
            assert!(here.iter().all(|change| change.write == Some(write)), "seed {seed}: {here:#?}");
            let is_there = here.last().expect("it was put").new.is_some();
            assert_eq!(is_there, item >= 10, "seed {seed}: {write}-{item}, {here:#?}");
        }
    }
    let mut foreign = changes.iter().filter(|change| ITEMS.iter().any(|id| change.keys["id"] == s(id)));
    assert!(foreign.all(|change| change.write.is_none()), "seed {seed}");
}

#[test]
fn each_write_of_a_batch_is_applied_or_reported_as_failed() {
    if is_remote() {
        return;
    }
    for seed in 0..seeds(5, 0) {
        run(seed, async {
            // A request that is delivered again could delete an item that was put since, or put an item that was deleted since.
            let (_, journal, sent) = simulate::<Thing, _>(seed, ONCE_DELIVERED, false, writer).await;
            check_batches(seed, &sent, &journal.changes());
        });
    }
    println!("batches: {} seeds", seeds(5, 0));
}
