//! The clock of a repository that nobody has given one, where Tokio's time is paused: leases and the loss of a lock go by it.

use super::nightly;
use dyno::Repository;
use dyno::local::{Engine, Fault, Faults};
use dyno::lock::Lock;
use std::time::Duration;
use tokio::time::{Instant, sleep};

async fn office() -> (Engine, Repository) {
    let engine = Engine::in_memory().expect("an engine");
    let repository = Repository::new(engine.client());
    Lock::create_table(&repository).await.expect("a table");
    (engine, repository)
}

#[tokio::test(start_paused = true)]
async fn a_take_over_takes_no_real_time_and_few_requests() {
    let (engine, repository) = office().await;
    let lock = Lock::new("reports/nightly").lease(Duration::from_secs(10));
    drop(lock.acquire(&repository).await.expect("acquired"));
    let begun = Instant::now();
    let other = Repository::new(engine.client());
    let held = lock.acquire(&other).await.expect("acquired");
    assert_eq!(held.fence(), 2);
    let waited = begun.elapsed();
    assert!((Duration::from_secs(10)..Duration::from_secs(13)).contains(&waited), "{waited:?}");
    assert!(other.usage().requests < 20, "{} requests", other.usage().requests);
}

#[tokio::test(start_paused = true)]
async fn work_beyond_the_lease_without_heartbeats_is_a_lost_lock() {
    let (engine, _) = office().await;
    let faults = Faults::new();
    let repository = Repository::new(engine.client_with(&faults));
    let held = nightly().acquire(&repository).await.expect("acquired");
    faults.next(std::iter::repeat(Fault::RequestLost));
    let outcome = held.during(sleep(Duration::from_mins(1))).await;
    assert!(outcome.is_err(), "{outcome:?}");
}

#[tokio::test(start_paused = true)]
async fn an_item_expires_when_its_time_has_passed() {
    use dyno::{Clock as _, Entity, EpochSeconds, SystemClock};
    #[derive(Entity)]
    #[entity(table = "notes")]
    struct Note {
        #[partition_key]
        id: u32,
        #[ttl]
        expires: EpochSeconds,
    }
    let (_, repository) = office().await;
    repository.create_table::<Note>().await.expect("a table");
    let expires = EpochSeconds::new(SystemClock.now().get() / 1000 + 3600);
    Note { id: 1, expires }.put().send(&repository).await.expect("a put");
    assert!(Note::get(1u32).send(&repository).await.expect("a get").is_some());
    sleep(Duration::from_mins(61)).await;
    assert!(Note::get(1u32).send(&repository).await.expect("a get").is_none());
}
