use super::database;
use dyno::lock::Lock;
use dyno::{EpochMillis, Error, ManualClock, Repository};
use dyno_examples::recipes::nightly_job::{Job, Run, run};
use std::cell::Cell;
use std::sync::Arc;

async fn tables(repository: &Repository) -> Result<(), Error> {
    repository.create_table::<Job>().await?;
    Lock::create_table(repository).await
}

#[tokio::test]
async fn the_job_runs_once_a_night() -> Result<(), Error> {
    let (repository, _) = database()?;
    tables(&repository).await?;
    let runs = Cell::new(0);
    let start = |night| {
        run(&repository, night, async |_| {
            runs.set(runs.get() + 1);
            Ok(())
        })
    };
    // Two hosts at the same moment.
    let (one, other) = tokio::join!(start("2026-11-26"), start("2026-11-26"));
    assert!([one?, other?].contains(&Run::Done));
    // A host whose cron is late.
    assert_eq!(start("2026-11-26").await?, Run::DoneBefore);
    assert_eq!(runs.get(), 1);
    assert_eq!(start("2026-11-27").await?, Run::Done);
    assert_eq!(start("2026-11-26").await?, Run::DoneBefore, "of an earlier night");
    assert_eq!(runs.get(), 2);
    Ok(())
}

#[tokio::test]
async fn a_job_that_fails_runs_again_in_the_same_night() -> Result<(), Error> {
    let (repository, _) = database()?;
    tables(&repository).await?;
    let failed = run(&repository, "2026-11-26", async |_| Job::get("").send(&repository).await.map(|_| ())).await;
    assert!(failed.is_err());
    assert_eq!(run(&repository, "2026-11-26", async |_| Ok(())).await?, Run::Done);
    Ok(())
}

#[tokio::test]
async fn a_later_start_takes_over_from_a_host_that_crashed() -> Result<(), Error> {
    let (repository, _) = database()?;
    tables(&repository).await?;
    let clock = Arc::new(ManualClock::new(EpochMillis::new(4_102_444_800_000)));
    let start = || {
        // Each start is a process of its own.
        let repository = repository.clone().with_clock(Arc::clone(&clock));
        async move { run(&repository, "2026-11-26", async |_| Ok(())).await }
    };
    // A host crashes in the middle of the job: its lock is never released, and has no heartbeats.
    let crashed = Lock::new("nightly").acquire(&repository.clone().with_clock(Arc::clone(&clock))).await?;
    std::mem::forget(crashed);

    assert_eq!(start().await?, Run::Busy, "the first start sees the lock");
    clock.advance(5_000);
    assert_eq!(start().await?, Run::Busy, "too early");
    clock.advance(300_000);
    assert_eq!(start().await?, Run::Done);
    assert_eq!(start().await?, Run::DoneBefore);
    Ok(())
}
