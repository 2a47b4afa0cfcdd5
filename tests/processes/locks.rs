//! Lock holders that write with a fence. Some of them do not check whether they still hold the lock.

use crate::journal::{Begun, Journal, Known, begun};
use crate::verdict::Verdict;
use dyno::lock::{Held, Lock};
use dyno::{Entity, Error, Repository};
use futures_util::future::{join, select};
use std::collections::{HashMap, HashSet};
use std::future::pending;
use std::pin::pin;
use std::time::Duration;
use tokio::time::sleep;

const LEASE: Duration = Duration::from_secs(1);
const LOCKS: [&str; 2] = ["a", "b"];

/// The row that the lock of this name guards.
#[derive(Entity, Clone, Debug)]
#[entity(table = "reports")]
struct Report {
    #[partition_key]
    name: String,
    /// The numbers of all writes.
    writes: Vec<u64>,
    #[fence]
    epoch: u64,
    #[version]
    version: u64,
}

fn lock(name: &str) -> Lock {
    Lock::new(name).lease(LEASE).wait(LEASE * 10)
}

pub(super) async fn prepare(repository: &Repository) {
    repository.create_table::<Report>().await.expect("a table");
    Lock::create_table(repository).await.expect("a table");
    for name in LOCKS {
        let report = Report { name: name.to_owned(), writes: Vec::new(), epoch: 0, version: 0 };
        report.create().send(repository).await.expect("sent").applied().expect("a new row");
    }
}

/// Acquires one lease after another, without end.
pub(super) async fn work(repository: &Repository, journal: &Journal, first: u64) {
    let mut id = first;
    loop {
        let name = *fastrand::choice(&LOCKS).expect("some");
        let Ok(held) = lock(name).acquire(repository).await else { continue };
        journal.note(&format!("acquired {name} {}", held.fence()));
        let writes = fastrand::u64(1..8);
        let work = Box::pin(write_each(id..id + writes, name, &held, repository, journal));
        id += writes;
        match fastrand::u8(0..3) {
            0 => _ = held.during(work).await,
            // These two continue when the lock is lost.
            1 => _ = select(work, pin!(join(held.drive(), pending::<()>()))).await,
            _ => work.await,
        }
        if fastrand::u8(0..4) > 0 {
            // If the release fails, the lock is free when its lease has expired.
            _ = held.release().await;
        }
    }
}

async fn write_each(ids: std::ops::Range<u64>, name: &str, held: &Held, repository: &Repository, journal: &Journal) {
    for id in ids {
        sleep(Duration::from_millis(fastrand::u64(0..300))).await;
        journal.note(&format!("begin {id} {name} {}", held.fence()));
        let sent = write(id, name, held, repository).await;
        journal.note(&format!("{} {id}", Known::of(&sent).word()));
    }
}

async fn write(id: u64, name: &str, held: &Held, repository: &Repository) -> Result<bool, Error> {
    let outcome = Report::modify(name, |report| report.writes.push(id)).fenced(held).send(repository).await?;
    if let Some(refusal) = outcome.refusal() {
        assert!(refusal.is_fenced(), "{refusal:?}");
    }
    Ok(outcome.is_applied())
}

pub(super) async fn judge(repository: &Repository, lines: &[Vec<String>]) -> Verdict {
    let writes = begun(lines);
    let mut verdict = Verdict::of(&writes);
    let mut last = check_leases(lines, &mut verdict);
    for name in LOCKS {
        let report = Report::get(name).consistent().send(repository).await.expect("a get").expect("a report");
        check_writes(&writes, &report, &mut verdict);
        let held = lock(name).acquire(repository).await.expect("a lock that nobody holds any more is free");
        let greatest = last.remove(name).unwrap_or_default().max(report.epoch);
        verdict.check(held.fence() > greatest, || format!("{name}: fence {} behind {greatest}", held.fence()));
    }
    verdict
}

/// Checks that no fence was given twice. Returns the greatest fence of each lock.
fn check_leases(lines: &[Vec<String>], verdict: &mut Verdict) -> HashMap<String, u64> {
    let (mut given, mut last) = (HashSet::new(), HashMap::<String, u64>::new());
    for line in lines.iter().filter(|line| line[0] == "acquired") {
        let fence: u64 = line[2].parse().expect("a fence");
        verdict.done += 1;
        verdict.check(given.insert((line[1].clone(), fence)), || format!("{}: fence {fence} was given twice", line[1]));
        let last = last.entry(line[1].clone()).or_default();
        *last = fence.max(*last);
    }
    last
}

/// Checks that the writes of a row are as they were reported, and in the order of their fences.
fn check_writes(writes: &[Begun], report: &Report, verdict: &mut Verdict) {
    let mut fences = HashMap::new();
    for write in writes.iter().filter(|write| write.words[0] == report.name) {
        let times = report.writes.iter().filter(|id| **id == write.id).count();
        let is_as_reported = match write.known {
            Known::Applied => times == 1,
            Known::Refused => times == 0,
            Known::InDoubt => times <= 1,
        };
        verdict
            .check(is_as_reported, || format!("{} reported {:?}, and is there {times} times", write.id, write.known));
        fences.insert(write.id, write.words[1].parse::<u64>().expect("a fence"));
    }
    let fences: Option<Vec<_>> = report.writes.iter().map(|id| fences.get(id).copied()).collect();
    let Some(fences) = fences else { return verdict.wrong.push(format!("{}: a write was never begun", report.name)) };
    verdict.check(fences.is_sorted(), || {
        format!("{}: a lesser fence wrote behind a greater one: {fences:?}", report.name)
    });
    verdict.check(fences.last().is_none_or(|last| *last == report.epoch), || {
        format!("{}: fence {}", report.name, report.epoch)
    });
}
