//! Five workers elect a leader, which writes a report. The leader is killed, and a second worker takes over. The second worker is
//! stopped, as by a debugger, and resumes when a third one already writes. The fence refuses its late write.
//!
//! Run it with `cargo run --example leader`: the database is in this process.

#![allow(clippy::print_stdout, reason = "an example prints")]

use anyhow::Result;
use dyno::lock::Lock;
use dyno::{Entity, Repository};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;
use tokio::time::sleep;

const LEASE: Duration = Duration::from_secs(1);

/// The item that the lock guards. Once a later holder has written it, a worker that lost the lock can no longer write it.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "reports")]
struct Report {
    #[partition_key]
    name: String,
    lines: u32,
    writer: String,
    #[fence]
    epoch: u64,
}

/// An event that a worker reports.
enum Told {
    Elected { worker: usize, fence: u64 },
    Wrote { worker: usize, lines: u32 },
}

/// Waits until the worker is elected, and then writes one line after the other.
async fn work(worker: usize, repository: Repository, told: Sender<Told>) -> Result<()> {
    let lock = Lock::new("reports/nightly").lease(LEASE).owner(format!("worker {worker}"));
    let held = lock.acquire(&repository).await?;
    told.send(Told::Elected { worker, fence: held.fence() }).await?;
    let write = async {
        for lines in 1.. {
            report(worker, lines).put().fenced(&held).send(&repository).await?.applied()?;
            told.send(Told::Wrote { worker, lines }).await?;
            sleep(LEASE / 4).await;
        }
        Ok(())
    };
    held.during(write).await?
}

fn report(worker: usize, lines: u32) -> Report {
    Report { name: "nightly".to_owned(), lines, writer: format!("worker {worker}"), epoch: 0 }
}

/// The workers, and the events that they report.
struct Office {
    begun: Instant,
    workers: Vec<JoinHandle<Result<()>>>,
    told: Receiver<Told>,
}

impl Office {
    fn say(&self, what: &str) {
        println!("{:4.1} s  {what}", self.begun.elapsed().as_secs_f64());
    }

    /// Waits until a worker is elected and has written `wanted` lines. Returns the worker and its fence.
    async fn until_written(&mut self, wanted: u32) -> Option<(usize, u64)> {
        let mut elected = None;
        while let Some(told) = self.told.recv().await {
            match told {
                Told::Elected { worker, fence } => {
                    self.say(&format!("worker {worker} is elected: fence {fence}"));
                    elected = Some((worker, fence));
                }
                Told::Wrote { worker, lines } => {
                    self.say(&format!("worker {worker} has written {lines}"));
                    if lines == wanted {
                        return elected;
                    }
                }
            }
        }
        None
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    // In production: `Repository::new(aws_client)`.
    let repository = Repository::local().await?;
    repository.create_table::<Report>().await?;
    Lock::create_table(&repository).await?;

    let (tell, told) = channel(16);
    let workers = (0..5).map(|worker| tokio::spawn(work(worker, repository.clone(), tell.clone())));
    let mut office = Office { begun: Instant::now(), workers: workers.collect(), told };

    let (first, _) = office.until_written(3).await.expect("one is elected");
    office.workers[first].abort();
    office.say(&format!("worker {first} is killed: the lock is free one lease later, which is {LEASE:?}"));

    let (second, fence) = office.until_written(2).await.expect("one is elected");
    // A stopped process sends no heartbeats, and does not know that it was stopped when it resumes.
    office.workers[second].abort();
    office.say(&format!("worker {second} is stopped"));
    let (third, _) = office.until_written(2).await.expect("one is elected");

    office.say(&format!("worker {second} goes on, and writes what it was about to write"));
    let outcome = report(second, 3).put().fenced(fence).send(&repository).await?;
    let refusal = outcome.refusal().expect("its fence is the lesser one");
    office.say(&format!("it is refused: {refusal}"));

    let stored = Report::get("nightly").consistent().send(&repository).await?.expect("a report");
    assert_eq!(stored.writer, format!("worker {third}"));
    let seen = Lock::new("reports/nightly").inspect(&repository).await?.expect("a lock");
    office.say(&format!("the lock is held by {}, with fence {}", seen.owner.unwrap_or_default(), seen.fence));
    Ok(())
}
