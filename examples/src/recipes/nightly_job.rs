//! A job that cron starts on every host, every few minutes of the night, and that runs once a night.

use dyno::lock::Lock;
use dyno::{Entity, Error, Repository};
use std::time::Duration;

/// The last night for which the job has run.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "jobs")]
pub struct Job {
    #[partition_key]
    pub name: String,
    /// A date such as `2026-11-26`, which sorts as text.
    pub night: String,
    #[fence]
    pub fence: u64,
}

/// What became of a start of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    Done,
    /// Another host has done the job for this night.
    DoneBefore,
    /// Another host is doing it.
    Busy,
}

/// Runs the job for this night, unless it has run already. The job gets the lock's fencing token, for its own writes.
pub async fn run(
    repository: &Repository,
    night: &str,
    job: impl AsyncFnOnce(u64) -> Result<(), Error>,
) -> Result<Run, Error> {
    // Each start of the job is a process of its own, so it stores in the lock's row what it has seen there. Without that,
    // no start would ever take over the lock of a host that crashed.
    let lock = Lock::new("nightly").persist_observations(Duration::from_secs(1));
    let Some(held) = lock.try_acquire(repository).await? else { return Ok(Run::Busy) };
    let work = async {
        // A host whose cron is late gets the lock after the first one has released it.
        let last = Job::get("nightly").consistent().send(repository).await?;
        if last.is_some_and(|job| *job.night >= *night) {
            return Ok(Run::DoneBefore);
        }
        job(held.fence()).await?;
        let done = Job { name: "nightly".into(), night: night.into(), fence: 0 };
        done.put().fenced(&held).send(repository).await?.applied()?;
        Ok(Run::Done)
    };
    let run = held.during(work).await?;
    let _ = held.release().await; // if it fails, the lock is free when its lease has run out
    run
}
