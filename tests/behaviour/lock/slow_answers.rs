//! Slow answers and failed requests during a wait for a lock.

use super::{acquired, assert_less, lease, locks, nightly, other};
use dyno::lock::{Lock, Released};
use dyno_tests::faults::{Event, Fault};
use dyno_tests::{is_remote, pause};
use std::time::Duration;
use tokio::time::Instant;

/// Faults that pass. The SDK makes three attempts before it gives up a request.
const PASSING: [Fault; 4] =
    [Fault::RequestLost, Fault::Throttled, Fault::ServerError { served: false }, Fault::ConnectionRefused];

#[tokio::test]
async fn a_wait_bounds_an_unanswered_read() {
    pause();
    let (world, repository) = locks().await;
    world.faults.hold_after(0);
    let (begun, wait) = (Instant::now(), lease() / 5);
    let ended = tokio::time::timeout(lease(), nightly().wait(wait).acquire(&repository)).await;
    let error = ended.expect("the wait ends").expect_err("no answer");
    assert!(begun.elapsed() >= wait, "{:?}", begun.elapsed());
    assert_less(begun, wait * 2);
    assert!(error.is_unreachable() && !error.may_be_applied(), "{error:?}");
    let message = format!("the lock `reports/nightly` was not acquired within {wait:?}: DynamoDB did not answer");
    assert_eq!(error.to_string(), message);
    // If the waiter has seen that the lock is held, the error says so.
    world.faults.release();
    let _held = acquired(&nightly().owner("worker 3"), &other(&world)).await;
    world.faults.hold_after(1);
    let ended = tokio::time::timeout(lease(), nightly().wait(wait).acquire(&repository)).await;
    let error = ended.expect("the wait ends").expect_err("held");
    assert!(error.is_contended() && error.to_string().contains("was held by worker 3"), "{error}");
}

#[tokio::test]
async fn a_wait_bounds_an_unanswered_acquisition() {
    pause();
    let (world, repository) = locks().await;
    // The read is answered, and the write that acquires the lock is not.
    world.faults.hold_after(1);
    let (begun, wait) = (Instant::now(), lease() / 5);
    let ended = tokio::time::timeout(lease(), nightly().wait(wait).acquire(&repository)).await;
    let error = ended.expect("the wait ends").expect_err("no answer");
    assert_less(begun, wait * 2);
    assert!(error.may_be_applied() && error.to_string().contains("one lease later"), "{error}");
    assert!(!error.to_string().contains("send it again"), "{error}");
}

#[tokio::test]
async fn one_wait_bounds_several_locks() {
    pause();
    let (world, repository) = locks().await;
    let both = || Lock::many(["a", "b"].map(|name| Lock::new(name).lease(lease())));
    // The read of `a` gets no answer. The second time, `a` is acquired by a read and a write, and the read of `b` gets no
    // answer.
    for requests in [0, 2] {
        world.faults.hold_after(requests);
        let (begun, wait) = (Instant::now(), lease() / 5);
        let acquire = tokio::spawn({
            let (all, repository) = (both().wait(wait), repository.clone());
            async move { all.acquire(&repository).await.map(drop) }
        });
        tokio::time::sleep(wait + wait / 2).await;
        world.faults.release();
        acquire.await.expect("no panic").expect_err("no answer");
        assert_less(begun, wait * 2);
    }
}

#[tokio::test]
async fn a_failed_read_does_not_end_a_waiter_with_time_left() {
    pause();
    let (world, repository) = locks().await;
    for (fence, fault) in (1..).step_by(2).zip(PASSING) {
        let held = acquired(&nightly(), &other(&world)).await;
        assert_eq!(held.fence(), fence);
        // All attempts of two reads fail, and then the first attempt of the write.
        world.faults.next([fault; 6]);
        world.faults.on_request(1, Event::is_write, fault);
        let limited = nightly().wait(lease() * 3);
        let waiter = if fence == 1 { nightly() } else { limited };
        let (next, released) = tokio::join!(waiter.acquire(&repository), async {
            tokio::time::sleep(lease() / 2).await;
            held.release().await
        });
        assert_eq!(released.expect("released"), Released::Free);
        let next = next.unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        assert_eq!(next.fence(), fence + 1, "{fault:?}");
        assert_eq!(next.release().await.expect("released"), Released::Free);
    }
}

#[tokio::test]
async fn a_waiter_whose_reads_keep_failing_ends_with_an_error() {
    if is_remote() {
        return; // Time is another there.
    }
    pause();
    let (world, repository) = locks().await;
    world.faults.next(std::iter::repeat_n(Fault::Throttled, 2000));
    let wait = lease() * 2;
    let begun = Instant::now();
    let error = nightly().wait(wait).acquire(&repository).await.expect_err("throttled");
    let message =
        format!("the lock `reports/nightly` was not acquired within {wait:?}: DynamoDB throttled the request");
    assert!(error.is_throttled() && error.to_string().contains(&message), "{error}");
    assert!(begun.elapsed() <= wait + Duration::from_millis(10), "{:?}", begun.elapsed());
    // Without a limit, the waiter gives up after a minute of errors.
    let begun = Instant::now();
    let error = nightly().acquire(&repository).await.expect_err("throttled");
    assert!(error.is_throttled() && error.to_string().contains("for a minute"), "{error}");
    assert!(
        begun.elapsed() >= Duration::from_mins(1) && begun.elapsed() < Duration::from_mins(2),
        "{:?}",
        begun.elapsed()
    );
}
