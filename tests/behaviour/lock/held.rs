//! What can happen to a lock while it is held.

use super::{acquired, assert_less, lease, locks, nightly, other};
use dyno::Error;
use dyno::lock::{AllHeld, Held, Lock, Lost, Released};
use dyno_tests::faults::{Fault, ms};
use dyno_tests::{n, pause, s};
use futures_util::future::select;
use std::error::Error as _;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test]
async fn during_keeps_the_lock_and_ends_the_work_when_the_lock_is_lost() {
    pause();
    let (world, repository) = locks().await;
    let held = acquired(&nightly(), &repository).await;
    let long = lease() * 3;
    assert_eq!(
        held.during(async {
            tokio::time::sleep(long).await;
            7
        })
        .await,
        Ok(7)
    );
    assert!(held.left().is_ok());
    // From now on, every heartbeat fails.
    let begun = Instant::now();
    world.faults.next((0..200).map(|_| Fault::ErrorCode("AccessDeniedException")));
    let lost = held.during(tokio::time::sleep(lease() * 2)).await.expect_err("lost");
    assert!(
        lost.to_string().contains("no heartbeat was confirmed in time: ") && lost.to_string().contains("AccessDenied"),
        "{lost}"
    );
    assert_less(begun, lease());
}

#[tokio::test]
async fn a_failed_heartbeat_is_retried() {
    pause();
    let (world, repository) = locks().await;
    let held = acquired(&nightly(), &repository).await;
    for fault in [
        Fault::AnswerLost,
        Fault::RequestLost,
        Fault::Throttled,
        Fault::ServerError { served: true },
        Fault::ErrorCode("Denied"),
    ] {
        world.faults.next([fault, fault]);
        let during = held.during(tokio::time::sleep(lease())).await;
        assert_eq!(during, Ok(()), "{fault:?}");
    }
    assert_eq!(held.release().await.expect("released"), Released::Free);
}

#[tokio::test]
async fn a_late_answer_to_a_heartbeat_does_not_lose_the_lock() {
    pause();
    let (world, repository) = locks().await;
    let held = acquired(&nightly(), &repository).await;
    // The next heartbeat gets no answer until the requests are released.
    world.faults.hold_after(0);
    let work = async {
        world.faults.held().await;
        tokio::time::sleep(lease() / 5).await;
        world.faults.release();
        tokio::time::sleep(lease() * 2).await;
    };
    assert_eq!(held.during(work).await, Ok(()));
    assert_eq!(held.release().await.expect("released"), Released::Free);
}

#[tokio::test]
async fn a_dropped_lock_is_free_one_lease_later() {
    pause();
    let (world, repository) = locks().await;
    let held = acquired(&nightly(), &repository).await;
    let driven = tokio::spawn(held.drive());
    tokio::time::sleep(lease() * 2).await;
    drop(held);
    driven.await.expect("it ends");
    let begun = Instant::now();
    let next = acquired(&nightly(), &other(&world)).await;
    assert_eq!(next.fence(), 2);
    assert!(begun.elapsed() >= lease(), "{:?}", begun.elapsed());
    assert_less(begun, lease() * 2);
}

#[tokio::test]
async fn a_release_succeeds_while_a_heartbeat_is_under_way() {
    pause();
    let (world, repository) = locks().await;
    let held = acquired(&nightly(), &repository).await;
    let driven = tokio::spawn(held.drive());
    // The heartbeat is served twice, the second time after 50 milliseconds.
    world.faults.next([Fault::Duplicated(ms(50))]);
    tokio::time::sleep(lease() / 3 + Duration::from_millis(20)).await;
    assert_eq!(held.release().await.expect("released"), Released::Free);
    driven.await.expect("it ends");
    world.faults.settled().await;
    let seen = nightly().inspect(&repository).await.expect("read").expect("a row");
    assert!(!seen.is_held, "{seen:?}");
}

#[tokio::test]
async fn a_loss_reports_the_fence_of_the_new_holder() {
    pause();
    let (world, repository) = locks().await;
    let held = acquired(&nightly(), &repository).await;
    // Another program writes the row without waiting for the lease.
    let set = world.other().client().update_item().table_name("dyno-locks").key("name", s("reports/nightly"));
    let set = set.update_expression("SET fence = :fence, holder = :holder, version = :version");
    let set = set.expression_attribute_values(":fence", n(9)).expression_attribute_values(":holder", s("another"));
    set.expression_attribute_values(":version", n(9)).send().await.expect("an update");
    let begun = Instant::now();
    let lost = held.during(tokio::time::sleep(lease() * 2)).await.expect_err("lost");
    assert!(matches!(lost, Lost::TakenOver { fence: 9, .. }), "{lost:?}");
    let text = "was lost: another process has acquired it, with the fence 9";
    assert!(lost.to_string().ends_with(text), "{lost}");
    assert_less(begun, lease() / 2);
    assert_eq!(held.lost().await, lost);
    assert_eq!(held.release().await.expect("no error"), Released::Lost);
}

#[tokio::test]
async fn a_lock_is_lost_if_its_row_is_removed() {
    pause();
    let (world, repository) = locks().await;
    let held = acquired(&nightly(), &repository).await;
    let delete = world.other().client().delete_item().table_name("dyno-locks").key("name", s("reports/nightly"));
    delete.send().await.expect("a delete");
    let lost = held.during(tokio::time::sleep(lease() * 2)).await.expect_err("lost");
    assert!(matches!(lost, Lost::Interfered { .. }), "{lost:?}");
    assert_eq!(held.release().await.expect("no error"), Released::Lost);
}

#[tokio::test]
async fn a_loss_converts_into_an_error_with_the_loss_as_its_source() {
    async fn work(held: &Held) -> Result<(), Error> {
        held.during(tokio::time::sleep(lease() * 2)).await?;
        Ok(())
    }
    async fn work_of_all(held: &AllHeld) -> Result<(), Error> {
        held.during(tokio::time::sleep(lease() * 2)).await?;
        Ok(())
    }
    pause();
    let (world, repository) = locks().await;
    let remove = || async {
        let delete = world.other().client().delete_item().table_name("dyno-locks").key("name", s("reports/nightly"));
        delete.send().await.expect("a delete");
    };
    let held = acquired(&nightly(), &repository).await;
    remove().await;
    let one = work(&held).await.expect_err("lost");
    let text = |fence| {
        format!(
            "the lock `reports/nightly` (fence {fence}, lease {:?}) was lost: another program has removed or changed its row; \
             writes sent under it may have been applied: acquire it again, load the items and decide",
            lease()
        )
    };
    assert_eq!(one.to_string(), text(held.fence()));
    let all = Lock::many([nightly()]).acquire(&repository).await.expect("free");
    remove().await;
    let several = work_of_all(&all).await.expect_err("lost");
    assert_eq!(several.to_string(), text(1));
    for error in [one, several] {
        assert!(error.is_lock_lost() && error.may_be_applied(), "{error:?}");
        let source = error.source().and_then(|source| source.downcast_ref::<Lost>());
        assert!(
            matches!(source, Some(Lost::Interfered { lease: lost, .. }) if lost.lock == "reports/nightly"),
            "{source:?}"
        );
    }
}

#[tokio::test]
async fn a_clock_set_forward_ends_the_lease() {
    pause();
    let (world, _) = locks().await;
    // The clock of the world stands still until it is set.
    let held = acquired(&nightly(), &world.repository).await;
    let millis = i64::try_from(lease().as_millis()).expect("a few");
    world.clock.advance(-5 * millis);
    assert!(held.left().is_ok());
    world.clock.advance(millis / 2);
    assert!(held.left().is_ok());
    world.clock.advance(millis / 2);
    let lost = tokio::time::timeout(lease(), held.lost()).await.expect("it ends");
    assert!(matches!(lost, Lost::Expired { .. }));
    // A lost lock stays lost.
    world.clock.advance(-2 * millis);
    assert!(held.left().is_err());
}

/// The process is stopped for longer than the lease. Whichever future wakes first, the work does not continue.
#[tokio::test]
async fn work_does_not_resume_after_a_pause_longer_than_the_lease() {
    pause();
    let (world, _) = locks().await;
    let repository = &world.repository;
    let held = acquired(&nightly(), repository).await;
    let all =
        Lock::many(["a", "b"].map(|name| Lock::new(name).lease(lease()))).acquire(repository).await.expect("free");
    let millis = i64::try_from(lease().as_millis()).expect("a few");
    let went_on = AtomicUsize::new(0);
    let work = || async {
        tokio::task::yield_now().await;
        // The process does not run for the time of a lease.
        world.clock.advance(millis);
        tokio::task::yield_now().await;
        went_on.fetch_add(1, Ordering::Relaxed);
    };
    let lost = held.during(work()).await.expect_err("lost");
    assert!(matches!(lost, Lost::Expired { .. }), "{lost:?}");
    let lost = all.during(work()).await.expect_err("lost");
    assert!(lost.lease().lock == "a" && matches!(lost, Lost::Expired { .. }), "{lost:?}");
    assert_eq!(went_on.into_inner(), 0);
    // New work does not begin either.
    let begun = held.during(async { unreachable!("it is lost") }).await;
    assert_eq!(begun, Err(held.left().expect_err("lost")));
}

#[tokio::test]
async fn a_row_removed_and_recreated_belongs_to_the_new_holder() {
    pause();
    let (world, repository) = locks().await;
    let held = acquired(&nightly(), &repository).await;
    let others = other(&world);
    let delete = others.client().delete_item().table_name("dyno-locks").key("name", s("reports/nightly"));
    delete.send().await.expect("a delete");
    let next = acquired(&nightly(), &others).await;
    assert_eq!((held.fence(), next.fence()), (1, 1), "who removes the row removes the number");
    // The new row has the same version as the first one, too.
    let lost = held.during(tokio::time::sleep(lease() * 2)).await.expect_err("lost");
    assert!(matches!(lost, Lost::Interfered { .. }), "{lost:?}");
    assert_eq!(held.release().await.expect("no error"), Released::Lost);
    assert_eq!(next.during(tokio::time::sleep(lease())).await, Ok(()));
    assert_eq!(next.release().await.expect("released"), Released::Free);
}

#[tokio::test]
async fn a_lock_can_be_driven_twice_at_once() {
    pause();
    let (world, repository) = locks().await;
    let held = acquired(&nightly(), &repository).await;
    let driven = tokio::spawn(held.drive());
    for fault in [Fault::Served, Fault::AnswerLost, Fault::Duplicated(ms(50))] {
        world.faults.next([fault, fault]);
        assert_eq!(held.during(tokio::time::sleep(lease() * 2)).await, Ok(()), "{fault:?}");
    }
    world.faults.settled().await;
    assert_eq!(held.release().await.expect("released"), Released::Free);
    driven.await.expect("it ends");
}

/// The drive future is kept without being polled, as after a `select!` whose other branch has ended.
#[tokio::test]
async fn an_unpolled_heartbeat_blocks_neither_a_release_nor_another_drive() {
    pause();
    let (world, repository) = locks().await;
    let held = acquired(&nightly(), &repository).await;
    let mut drive = Box::pin(held.drive());
    world.faults.hold_after(0);
    select(&mut drive, pin!(world.faults.held())).await;
    world.faults.release();
    assert_eq!(held.during(tokio::time::sleep(lease() * 2)).await, Ok(()));
    let released = tokio::time::timeout(lease(), held.release()).await.expect("it waits for nobody");
    assert_eq!(released.expect("released"), Released::Free);
    drive.await;
}

/// A heartbeat counts from its sending, however late its answer is, because other processes may have read the row before the
/// answer.
#[tokio::test]
async fn a_heartbeat_counts_from_its_sending() {
    pause();
    let (world, repository) = locks().await;
    let held = acquired(&nightly(), &repository).await;
    world.faults.hold_after(0);
    let work = async {
        world.faults.held().await;
        tokio::time::sleep(lease() / 5).await;
        world.faults.release();
        let mut left = held.left().expect("held");
        loop {
            tokio::time::sleep(lease() / 100).await;
            let now = held.left().expect("held");
            if now > left {
                break now;
            }
            left = now;
        }
    };
    let left = held.during(work).await.expect("held");
    assert!(left <= lease() * 7 / 10, "{left:?}");
}

#[tokio::test]
async fn an_acquisition_counts_from_its_sending() {
    pause();
    let (world, repository) = locks().await;
    // The write that follows the read is held.
    world.faults.hold_after(1);
    let lock = nightly();
    let (held, ()) = tokio::join!(acquired(&lock, &repository), async {
        world.faults.held().await;
        tokio::time::sleep(lease() / 2).await;
        world.faults.release();
    });
    let left = held.left().expect("held");
    assert!(left <= lease() * 4 / 10, "{left:?}");
    // An acquisition that takes longer than the lease does not count. The lock is acquired again when that lease has run
    // out.
    assert_eq!(held.release().await.expect("released"), Released::Free);
    world.faults.hold_after(1);
    let (held, ()) = tokio::join!(acquired(&lock, &repository), async {
        world.faults.held().await;
        tokio::time::sleep(lease()).await;
        world.faults.release();
    });
    assert_eq!(held.fence(), 3);
    assert!(held.left().is_ok());
}
