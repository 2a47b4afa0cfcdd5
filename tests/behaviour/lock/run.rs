//! Work under a lock in one call.

use super::{acquired, lease, locks, nightly, other};
use dyno::lock::Lock;
use dyno::{Error, ErrorKind, Repository};
use dyno_tests::faults::Fault;
use dyno_tests::pause;
use std::fmt;

/// An error of the work's own.
#[derive(Debug, PartialEq)]
struct Empty;

impl fmt::Display for Empty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing to report")
    }
}

impl std::error::Error for Empty {}

async fn is_free(lock: &Lock, repository: &Repository) -> bool {
    !lock.inspect(repository).await.expect("read").expect("a row").is_held
}

#[tokio::test]
async fn run_returns_the_result_of_the_work_and_releases_the_lock() {
    pause();
    let (world, repository) = locks().await;
    let lock = nightly();
    // It can be spawned, and the work can be longer than the lease.
    let task = {
        let (lock, repository, held_by_another) = (lock.clone(), repository.clone(), other(&world));
        tokio::spawn(async move {
            lock.run(&repository, async |held| {
                tokio::time::sleep(lease() * 2).await;
                assert!(nightly().try_acquire(&held_by_another).await?.is_none());
                Ok::<_, Error>(held.fence())
            })
            .await
        })
    };
    assert_eq!(task.await.expect("no panic").expect("done"), 1);
    assert!(is_free(&lock, &repository).await);
    assert_eq!(lock.run(&repository, async |held| Ok::<_, Error>(held.fence())).await.expect("done"), 2);
}

#[tokio::test]
async fn run_releases_the_lock_after_an_error_of_the_work() {
    pause();
    let (_world, repository) = locks().await;
    let lock = nightly();
    let error = lock.run(&repository, async |_| Err::<(), _>(Empty)).await.expect_err("an error");
    assert_eq!(error.kind(), ErrorKind::Aborted);
    assert_eq!(error.closure_error().and_then(|error| error.downcast_ref()), Some(&Empty));
    assert!(is_free(&lock, &repository).await);

    // An error of this library stays what it is.
    let work = async |_: &_| Lock::new("").acquire(&repository).await.map(drop);
    let error = lock.run(&repository, work).await.expect_err("no name");
    assert!(error.is_invalid_input() && error.closure_error().is_none(), "{error}");
    assert!(is_free(&lock, &repository).await);
}

#[tokio::test]
async fn run_reports_the_error_of_the_work_and_that_of_the_release() {
    pause();
    let (world, repository) = locks().await;
    let lock = nightly();
    let denied = || world.faults.next([Fault::ErrorCode("AccessDeniedException")]);
    let error = lock
        .run(&repository, async |_| {
            denied();
            Err::<(), _>(Empty)
        })
        .await
        .expect_err("two errors");
    let text = error.to_string();
    assert!(text.contains("nothing to report; and the lock `reports/nightly` was not released"), "{text}");
    assert!(text.contains("AccessDenied") && text.contains("becomes free at the latest when its lease"), "{text}");
    assert_eq!(error.closure_error().and_then(|error| error.downcast_ref()), Some(&Empty));

    // It is free one lease later. What was done is done, whatever becomes of the release.
    let done = lock
        .run(&repository, async |_| {
            denied();
            Ok::<_, Error>(7)
        })
        .await;
    assert_eq!(done.expect("done"), 7);
    assert!(!is_free(&lock, &repository).await);
}

#[tokio::test]
async fn run_drops_the_work_when_the_lock_is_lost() {
    pause();
    let (world, repository) = locks().await;
    let lock = nightly();
    let work = async |_: &_| {
        world.faults.next((0..200).map(|_| Fault::ErrorCode("AccessDeniedException")));
        tokio::time::sleep(lease() * 2).await;
        panic!("the work goes on");
        #[expect(unreachable_code, reason = "the type of the work's result")]
        Ok::<(), Error>(())
    };
    let error = lock.run(&repository, work).await.expect_err("lost");
    assert!(error.is_lock_lost() && error.may_be_applied(), "{error}");
    assert!(error.to_string().contains("was lost: no heartbeat was confirmed"), "{error}");
}

#[tokio::test]
async fn run_does_not_begin_the_work_without_the_lock() {
    pause();
    let (world, repository) = locks().await;
    let lock = nightly();
    let held = acquired(&lock, &other(&world)).await;
    let impatient = nightly().wait(std::time::Duration::ZERO);
    let work = async |_: &_| -> Result<(), Error> { panic!("two work at once") };
    let error = impatient.run(&repository, work).await.expect_err("held by another");
    assert!(error.is_contended(), "{error}");
    let _free = held.release().await.expect("released");
}

#[tokio::test]
async fn after_a_panic_or_a_drop_the_lock_is_free_one_lease_later() {
    pause();
    let (world, repository) = locks().await;
    for panics in [true, false] {
        let of_task = repository.clone();
        let task = tokio::spawn(async move {
            let work = async |_: &_| {
                assert!(!panics, "the work panics");
                tokio::time::sleep(lease() * 100).await;
                Ok::<_, Error>(())
            };
            nightly().run(&of_task, work).await
        });
        if panics {
            assert!(task.await.expect_err("a panic").is_panic());
        } else {
            while is_free(&nightly(), &repository).await {
                tokio::time::sleep(lease() / 100).await;
            }
            task.abort();
        }
        let another = other(&world);
        let begun = tokio::time::Instant::now();
        let held = acquired(&nightly(), &another).await;
        assert!(begun.elapsed() >= lease() * 9 / 10, "{:?}", begun.elapsed());
        let _free = held.release().await.expect("released");
    }
}
