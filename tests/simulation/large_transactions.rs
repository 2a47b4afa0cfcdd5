//! One client-side transaction of 500 rows among small writers, which never pause: plain updates, and closures and
//! transactions of three rows, native and client-side. The large transaction commits within its attempts, all small writes
//! are applied, and each counts once.
//!
//! `DYNO_SEEDS` sets the number of runs, and `DYNO_FIRST` the first seed.

#![allow(clippy::print_stdout, reason = "what happened in all runs, for who asks with `--nocapture`")]

use crate::runs::{from_first, retries, run, seeds};
use dyno::command::{Tx, Update};
use dyno::{Entity, Error, Repository, Transaction};
use dyno_tests::{World, world};
use futures_util::future::{join, join_all};
use std::ops::AddAssign;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The number of rows. The large transaction writes all of them.
const ROWS: u64 = 500;
/// The balance of each row at the beginning.
const FIRST: u64 = 100;
/// What the large transaction adds to each row. All small writes together add less.
const LARGE: u64 = 1_000_000;
/// How many small writers there are at once.
const WRITERS: usize = 4;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Account {
    #[partition_key]
    id: u64,
    balance: u64,
    #[version]
    version: u64,
}

/// What happened in the runs.
#[derive(Debug, Default)]
struct Done {
    /// How often the closure of the large transaction ran.
    runs: u32,
    /// How many rows small writers changed in the meantime, each by 1.
    small: u64,
}

impl AddAssign for Done {
    fn add_assign(&mut self, other: Self) {
        self.runs += other.runs;
        self.small += other.small;
    }
}

fn updates(ids: &[u64], sum: u64) -> Vec<Update<Account>> {
    ids.iter().map(|id| Account::update(*id).unchecked().with(Account::fields().balance.add(sum))).collect()
}

/// Adds an amount to these rows in a closure that reads them.
async fn add(tx: Tx, ids: &[u64], sum: u64) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    for account in tx.batch_get(Account::batch_get(ids.iter().copied())).await? {
        let mut account = account.ok_or("no such account")?;
        account.balance += sum;
        tx.put(account.put());
    }
    Ok(())
}

/// Adds 1 to some rows in a random way, and returns how many rows it changed.
async fn small(repository: &Repository) -> Result<u64, Error> {
    let is_plain = fastrand::bool();
    let ids = &fastrand::choose_multiple(0..ROWS, if is_plain { 10 } else { 3 });
    if is_plain {
        let plain = updates(ids, 1).into_iter().map(|update| async { update.send(repository).await?.applied() });
        join_all(plain).await.into_iter().collect::<Result<Vec<_>, _>>()?;
        return Ok(10);
    }
    let closure = Transaction::interactive(|tx| add(tx, ids, 1));
    let at_once = Transaction::new().update(updates(ids, 1));
    match fastrand::u8(0..4) {
        0 => closure.native().send(repository).await?.applied().map(drop)?,
        1 => closure.client_side().send(repository).await?.applied().map(drop)?,
        2 => at_once.native().send(repository).await?.applied().map(drop)?,
        _ => at_once.client_side().send(repository).await?.applied().map(drop)?,
    }
    Ok(3)
}

async fn bank() -> World {
    let world = world::<Account>().await;
    world.create_lanes().await;
    let creates = (0..ROWS).map(|id| Account { id, balance: FIRST, version: 0 }.create());
    let creates = Transaction::new().put(creates.collect::<Vec<_>>());
    creates.send(&world.other()).await.expect("sent").applied().expect("new rows");
    world
}

/// Runs the large transaction, with or without a closure, beside small writers that stop when it is done.
async fn simulate(is_closure: bool) -> Done {
    let world = bank().await;
    let process = || {
        let process = world.process(retries()).along();
        process.faults.latency_ms(2, 3);
        process
    };
    let (is_done, runs) = (AtomicBool::new(false), AtomicU32::new(0));
    let writers = (0..WRITERS).map(|_| async {
        let (process, mut sum) = (process(), 0);
        while !is_done.load(Ordering::Relaxed) {
            sum += small(&process.repository).await.expect("applied");
        }
        sum
    });
    let large = async {
        let (process, ids) = (process(), &(0..ROWS).collect::<Vec<_>>());
        let sent = if is_closure {
            let closure = Transaction::interactive(|tx| {
                runs.fetch_add(1, Ordering::Relaxed);
                add(tx, ids, LARGE)
            });
            closure.send(&process.repository).await.map(|outcome| outcome.is_applied())
        } else {
            let transaction = Transaction::new().update(updates(ids, LARGE));
            transaction.send(&process.repository).await.map(|outcome| outcome.is_applied())
        };
        is_done.store(true, Ordering::Relaxed);
        assert!(sent.expect("it commits within its attempts"), "nothing can refuse it");
    };
    let (small, ()) = join(join_all(writers), large).await;
    let small = small.iter().sum();
    let accounts = Account::scan().stream(&world.other()).try_collect().await.expect("a scan");
    assert!(accounts.iter().all(|account| account.balance / LARGE == 1), "{accounts:?}");
    let sum: u64 = accounts.iter().map(|account| account.balance % LARGE).sum();
    assert_eq!((accounts.len() as u64, sum), (ROWS, ROWS * FIRST + small));
    Done { runs: runs.into_inner(), small }
}

fn check(is_closure: bool) {
    let (mut sum, count) = (Done::default(), seeds(1, 0));
    for seed in from_first(count) {
        sum += run(seed, simulate(is_closure));
    }
    println!("{count} seeds: {sum:?}");
    // Otherwise the small writers did not compete enough with the large transaction.
    assert!(sum.small >= 100 * count && (!is_closure || u64::from(sum.runs) >= 2 * count), "{sum:?}");
}

#[test]
fn a_closure_of_500_rows_commits_among_small_writers() {
    check(true);
}

#[test]
fn a_transaction_of_500_updates_commits_among_small_writers() {
    check(false);
}
