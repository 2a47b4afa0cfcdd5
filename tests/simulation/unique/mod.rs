//! A simulation of unique values under network faults. dyno's programs write few values to few items with every command, and
//! other writes bypass the guards. No two items that dyno has guarded have the same value, each of their values has its
//! guard, a refusal names an item that had the refused value, and searches find the right item.

#![allow(clippy::print_stdout, reason = "what the runs met, for who asks with `--nocapture`")]

mod entities;
mod oracle;
mod writers;

use crate::runs::{hedged, retries, run, seeds, straggling};
use dyno::{Entity, EpochMillis, ManualClock, Repository};
use dyno_tests::faults::Rates;
use dyno_tests::{NOW, journaled_world};
use entities::{Contract, Job, Member, Player, Rated, User};
use oracle::{Claims, Oracle};
use std::sync::{Arc, Mutex};
use writers::{Met, Witness};

const WRITERS: usize = 4;
/// The number of commands that each writer sends.
const COMMANDS: usize = 14;

/// Returns the clock of a process, which differs from the others' by up to two minutes.
fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(EpochMillis::new(NOW + fastrand::i64(-60_000..60_000))))
}

async fn simulate(seed: u64, met: &Arc<Mutex<Met>>) {
    let (world, journal) = journaled_world::<User>().await;
    let repository = &world.repository;
    repository.create_table::<Member>().await.expect("a table");
    repository.create_table::<Contract>().await.expect("a table");
    repository.create_table::<Player>().await.expect("a table");
    repository.create_table::<Rated>().await.expect("a table");
    repository.create_table::<Job>().await.expect("a table");
    repository.create_lane_table().await.expect("a table");
    // A program without guards has written some of the users.
    writers::put_foreign_users(repository).await;
    world.faults.seed(seed, straggling(seed, Rates::MANY, 60));
    let claims = Claims::default();
    let programs = (0..WRITERS).map(|_| {
        let repository = hedged(seed, Repository::new(world.client(retries())).with_clock(clock()));
        let witness = Witness { journal: journal.clone(), claims: claims.clone(), met: Arc::clone(met) };
        tokio::spawn(async move {
            for _ in 0..COMMANDS {
                Box::pin(writers::send_one(&repository, &witness)).await;
            }
        })
    });
    let programs: Vec<_> = programs.collect();
    for program in programs {
        program.await.expect("no panic");
    }
    world.faults.calm();
    world.faults.settled().await;
    // In the end, `modify_each` creates the missing guards, or reports duplicates.
    let progress = User::scan().modify_each(|_| {}).send(repository).await.expect("a run");
    assert!(progress.is_finished());
    Oracle::new(&journal).check(&claims);
}

#[test]
fn no_two_items_have_one_unique_value() {
    let met = Arc::<Mutex<Met>>::default();
    let seeds = seeds(20, 0);
    for seed in 0..seeds {
        run(seed, simulate(seed, &met));
    }
    let met = met.lock().expect("no panic");
    println!("{met:?} in {seeds} runs");
    assert!(seeds == 0 || met.taken > 0 && met.applied > 0 && met.found > 0, "{met:?}");
}

/// A user without `#[unique]`. The program searches an index for the email before it creates the user.
#[derive(Entity, Clone)]
#[entity(table = "users")]
#[index(name = "by_email", partition = email)]
struct Unguarded {
    #[partition_key]
    id: String,
    email: String,
}

/// Runs writers that search an index for a value and create an item if they find none. Returns `true` if several items have
/// the value.
async fn simulate_a_look_before_the_write(seed: u64) -> bool {
    let (world, _) = journaled_world::<Unguarded>().await;
    world.faults.seed(seed, straggling(seed, Rates::MANY, 60));
    let writers = (0..WRITERS).map(|writer| {
        let repository = Repository::new(world.client(retries())).with_clock(clock());
        tokio::spawn(async move {
            let (id, email) = (writer.to_string(), "a".to_owned());
            let found = Unguarded::by_email("a").send(&repository).await;
            if found.is_ok_and(|found| found.items.is_empty()) {
                let _ = Unguarded { id, email }.create().send(&repository).await;
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("no panic");
    }
    world.faults.calm();
    world.faults.settled().await;
    Unguarded::scan().send(&world.repository).await.expect("a scan").items.len() > 1
}

#[test]
fn a_look_before_the_write_keeps_no_value_unique() {
    let found = (0..seeds(3, 0)).filter(|seed| run(*seed, simulate_a_look_before_the_write(*seed))).count();
    assert!(seeds(3, 0) == 0 || found > 0, "the simulation finds nothing");
}
