//! Locks that are held by others, or lost.

use super::Messages;
use super::shop::Shop;
use dyno::Error;
use dyno::local::Fault;
use dyno::lock::Lock;
use dyno_tests::clock::RunningClock;
use dyno_tests::{item, n, s};
use std::time::Duration;
use tokio::time::Instant;

pub(super) async fn messages(to: &mut Messages) {
    to.group("Locks");
    let shop = Shop::open().await;
    let repository = &shop.repository.clone().with_clock(RunningClock::new(Instant::now(), 0));
    Lock::create_table(repository).await.expect("a table");
    let lock = || Lock::new("reports/nightly").lease(Duration::from_secs(10));
    let held = lock().owner("worker-1").acquire(repository).await.expect("free");
    let other = repository.clone();
    to.error("the lock is held", lock().wait(Duration::ZERO).acquire(&other).await);
    to.error("the lock is held until the wait ends", lock().wait(Duration::from_millis(3_500)).acquire(&other).await);
    shop.faults.next([Fault::ErrorCode("AccessDeniedException")]);
    to.error("the lock table denies the program", Lock::new("other").acquire(repository).await);
    let foreign = item([
        ("name", s("reports/nightly")),
        ("fence", n(9)),
        ("holder", s("x")),
        ("version", n(9)),
        ("lease_millis", n(10_000)),
    ]);
    shop.put("dyno-locks", foreign).await;
    let lost = held.during(std::future::pending::<()>()).await.expect_err("lost");
    to.note("another process has taken the lock over", &lost);
    to.note("the same as an error", Error::from(lost));

    let held = Lock::new("jobs").lease(Duration::from_secs(10)).acquire(repository).await.expect("free");
    let delete = repository.client().delete_item().table_name("dyno-locks").key("name", s("jobs"));
    delete.send().await.expect("a delete");
    let lost = held.during(std::future::pending::<()>()).await.expect_err("lost");
    to.note("another program has deleted the lock's row", Error::from(lost));

    let held = Lock::new("idle").lease(Duration::from_secs(10)).acquire(repository).await.expect("free");
    tokio::time::sleep(Duration::from_secs(20)).await;
    to.note("no heartbeat was sent", Error::from(held.left().expect_err("lost")));

    let held = Lock::new("denied").lease(Duration::from_secs(10)).acquire(repository).await.expect("free");
    shop.faults.next([Fault::ErrorCode("AccessDeniedException"); 500]);
    let lost = held.during(std::future::pending::<()>()).await.expect_err("lost");
    to.note("each heartbeat was denied", Error::from(lost));
    to.error("the release was denied", held.release().await);
    shop.faults.calm();
    let lock = Lock::new("run").lease(Duration::from_secs(10));
    let failed = lock.run(repository, async |_| Err::<(), _>("the disk is full")).await;
    to.error("the work under a lock returns an error", failed);
}
