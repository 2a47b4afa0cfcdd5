//! The duration of client-side transactions in round trips, and their cost in write units.

use super::{Account, account, bank, name};
use dyno::{Entity, Repository, Transaction};
use dyno_tests::{is_remote, pause, world};
use std::time::Duration;
use tokio::time::Instant;

#[derive(Entity, Clone)]
#[entity(table = "wides")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Wide {
    #[partition_key]
    id: String,
    text: String,
    sum: u64,
    #[version]
    version: u64,
}

/// The duration of a request.
const TRIP: Duration = Duration::from_millis(5);

/// Returns how many round trips `work` takes.
async fn trips<T>(work: impl Future<Output = T>) -> u32 {
    let begun = Instant::now();
    work.await;
    let elapsed = begun.elapsed();
    assert_eq!(elapsed.as_millis() % TRIP.as_millis(), 0, "{elapsed:?}");
    u32::try_from(elapsed.as_millis() / TRIP.as_millis()).expect("not that long")
}

async fn read_and_write(repository: &Repository, reads: usize, writes: usize) {
    let all = Transaction::interactive(|tx| async move {
        let accounts = tx.batch_get(Account::batch_get((0..reads).map(name))).await?;
        for mut account in accounts.into_iter().flatten().take(writes) {
            account.balance += 1;
            tx.put(account.put());
        }
        Ok(())
    });
    all.client_side().send(repository).await.expect("sent").applied().expect("applied");
}

#[tokio::test(start_paused = true)]
async fn a_transaction_commits_after_two_round_trips_and_returns_one_later() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = bank(100).await;
    let repository = &world.repository;
    // This first transaction takes a lane, so the next ones do not have to.
    read_and_write(repository, 1, 1).await;
    world.faults.latency_ms(2, 3);
    for count in [2, 50, 100] {
        assert_eq!(trips(read_and_write(repository, count, count)).await, 1 + 3, "{count} are read and written");
    }
    // Items that are only read are read once more before the commit.
    assert_eq!(trips(read_and_write(repository, 100, 60)).await, 1 + 4);
    let creates =
        |from: usize| (from..from + 100).map(|at| account(&format!("new {at}"), 1).create()).collect::<Vec<_>>();
    let all = Transaction::new().put(creates(0)).client_side();
    assert_eq!(trips(async { all.send(repository).await.expect("sent").applied().expect("applied") }).await, 3);
}

/// A row of 400 bytes and its intent cost one unit for each write. The commit names the participants, or pages do.
#[tokio::test]
async fn a_transaction_costs_two_write_units_per_row_plus_its_lane() {
    // With time that passes, two of a thousand intents are now and then sent in the other order.
    pause();
    for (count, units) in [(10, 21.0), (100, 201.0), (1000, 2007.0)] {
        let mut world = world::<Wide>().await;
        world.repository = world.repository.with_lock_timeout(Duration::from_mins(10));
        world.create_lanes().await;
        let wide = |at: usize| Wide { id: name(at), text: "x".repeat(340), sum: 0, version: 0 };
        let creates: Vec<_> = (0..count).map(|at| wide(at).create()).collect();
        let made = Transaction::new().put(creates).client_side().send(&world.repository).await;
        made.expect("sent").applied().expect("applied");
        let metered = world.repository.metered();
        let updates = (0..count).map(|at| Wide::update(name(at)).version(1).with(Wide::fields().sum.add(1)));
        let sent = Transaction::new().update(updates.collect::<Vec<_>>()).client_side().send(&metered).await;
        sent.expect("sent").applied().expect("applied");
        assert!((metered.usage().write_units - units).abs() < 0.5, "{count}: {:?}", metered.usage());
    }
}
