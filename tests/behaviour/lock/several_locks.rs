//! Several locks that are acquired together.

use super::{lease, locks, nightly, other};
use dyno::lock::{Lock, Locks, Released};
use dyno_tests::faults::Fault;
use dyno_tests::pause;

fn named(names: [&str; 2]) -> Locks {
    Lock::many(names.map(|name| Lock::new(name).lease(lease())))
}

#[tokio::test]
async fn locks_acquired_in_opposite_orders_do_not_deadlock() {
    pause();
    let (world, repository) = locks().await;
    let others = other(&world);
    let work = |names: [&'static str; 2], repository: dyno::Repository| async move {
        for _ in 0..3 {
            let held = named(names).acquire(&repository).await.expect("acquired");
            assert!(held.get("a").is_some() && held.get("b").is_some() && held.get("c").is_none());
            held.during(tokio::time::sleep(lease() / 10)).await.expect("held");
            assert_eq!(held.release().await.expect("released"), Released::Free);
        }
    };
    tokio::join!(work(["a", "b"], repository), work(["b", "a"], others));
}

#[tokio::test]
async fn no_lock_is_held_if_one_is_not_free() {
    pause();
    let (world, repository) = locks().await;
    let others = other(&world);
    let b = Lock::new("b").lease(lease()).acquire(&others).await.expect("acquired");
    let waits = named(["a", "b"]).wait(lease() * 2);
    // The wait is longer than a lease, so `a` needs heartbeats in the meantime.
    let (error, ()) = tokio::join!(waits.acquire(&repository), async {
        let _lost = b.during(tokio::time::sleep(lease() * 3)).await;
    });
    assert!(error.expect_err("held").is_contended());
    let a = Lock::new("a").lease(lease()).try_acquire(&others).await.expect("asked");
    assert!(a.is_some(), "it was given back");
    drop(b);
}

#[tokio::test]
async fn the_loss_of_one_of_several_locks_names_the_lock() {
    pause();
    let (world, repository) = locks().await;
    let held = named(["a", "b"]).acquire(&repository).await.expect("acquired");
    assert_eq!(held.iter().map(dyno::lock::Held::fence).collect::<Vec<_>>(), [1, 1]);
    world.faults.next((0..400).map(|_| Fault::ErrorCode("AccessDeniedException")));
    let lost = held.during(tokio::time::sleep(lease() * 2)).await.expect_err("lost");
    assert!(["a", "b"].contains(&lost.lease().lock.as_str()), "{lost}");
}

#[tokio::test]
async fn no_locks_or_the_same_lock_twice_are_refused() {
    pause();
    let (_world, repository) = locks().await;
    let error = Lock::many([]).acquire(&repository).await.expect_err("none");
    assert_eq!(
        (error.is_invalid_input(), error.to_string().as_str()),
        (true, "there is no lock to acquire: give `Lock::many` at least one")
    );
    let error = Lock::many([nightly(), Lock::new("b"), nightly()]).acquire(&repository).await.expect_err("twice");
    let message = "the lock `reports/nightly` is given twice, so the program would wait for itself: give it once";
    assert_eq!((error.is_invalid_input(), error.to_string().as_str()), (true, message));
}
