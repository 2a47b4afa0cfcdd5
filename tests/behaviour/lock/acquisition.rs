//! Which process acquires a lock, and when.

use super::{acquired, assert_less, lease, locks, nightly, other};
use dyno::Repository;
use dyno::lock::{Lost, Released};
use dyno_tests::clock::RunningClock;
use dyno_tests::faults::{Fault, ms};
use dyno_tests::{is_remote, item, n, pause, s};
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test]
async fn each_holder_has_a_greater_fence_than_the_last() {
    pause();
    let (_world, repository) = locks().await;
    for fence in 1..4 {
        let held = acquired(&nightly(), &repository).await;
        assert_eq!((held.name(), held.fence()), ("reports/nightly", fence));
        assert_eq!(held.release().await.expect("released"), Released::Free);
    }
}

#[tokio::test]
async fn a_lock_that_another_holder_has_is_not_acquired() {
    pause();
    let (world, repository) = locks().await;
    let held = acquired(&nightly().owner("worker 3"), &repository).await;
    let other = other(&world);
    assert!(nightly().try_acquire(&other).await.expect("asked").is_none());
    let wait = lease() / 5;
    let error = nightly().wait(wait).acquire(&other).await.expect_err("held");
    assert!(error.is_contended(), "{error}");
    let message = format!("the lock `reports/nightly` was held by worker 3, and not free within {wait:?}: ");
    assert!(error.to_string().starts_with(&message), "{error}");
    assert_eq!(held.release().await.expect("released"), Released::Free);
    let next = nightly().try_acquire(&other).await.expect("asked").expect("free");
    assert_eq!(next.fence(), 2);
}

#[tokio::test]
async fn a_holder_that_sends_heartbeats_keeps_the_lock() {
    pause();
    let (world, repository) = locks().await;
    let held = acquired(&nightly(), &repository).await;
    tokio::spawn(held.drive());
    let error = nightly().wait(lease() * 4).acquire(&other(&world)).await.expect_err("held");
    assert!(error.is_contended(), "{error}");
    assert!(held.left().expect("held") > lease() / 2);
    assert_eq!(held.release().await.expect("released"), Released::Free);
}

#[tokio::test]
async fn a_holder_without_heartbeats_loses_the_lock_before_the_next_acquisition() {
    pause();
    let (world, repository) = locks().await;
    let begun = Instant::now();
    let held = acquired(&nightly(), &repository).await;
    let other = other(&world);
    let lock = nightly();
    let (lost, next) = tokio::join!(
        async {
            let lost = held.lost().await;
            (lost, begun.elapsed())
        },
        async {
            let next = acquired(&lock, &other).await;
            (next, begun.elapsed())
        }
    );
    assert!(lost.0.to_string().ends_with("was lost: no heartbeat was sent in time"), "{lost:?}");
    assert!(lost.1 < next.1 && next.1 >= lease(), "{lost:?} {next:?}");
    assert_eq!((held.fence(), next.0.fence()), (1, 2));
    assert!(matches!(held.left(), Err(Lost::Expired { .. })));
    // A holder that has lost the lock cannot release it.
    assert_eq!(held.release().await.expect("no error"), Released::Lost);
    assert!(next.0.left().is_ok() && nightly().try_acquire(&repository).await.expect("asked").is_none());
}

#[tokio::test]
async fn each_lock_and_clock_has_its_own_observations() {
    pause();
    let (world, repository) = locks().await;
    let held = acquired(&nightly(), &repository).await;
    drop(held);
    let (other, lock) = (other(&world), nightly());
    assert!(lock.try_acquire(&other).await.expect("asked").is_none());
    tokio::time::sleep(lease() / 2).await;
    assert!(lock.try_acquire(&other).await.expect("asked").is_none());
    // A new `Lock` has no earlier observation, and observations of one clock do not count for another clock.
    tokio::time::sleep(lease() / 2).await;
    assert!(nightly().try_acquire(&other).await.expect("asked").is_none());
    assert!(lock.try_acquire(&super::other(&world)).await.expect("asked").is_none());
    tokio::time::sleep(lease()).await;
    assert!(lock.try_acquire(&super::other(&world)).await.expect("asked").is_none());
}

#[tokio::test]
async fn try_acquire_takes_over_a_lock_seen_unchanged_for_a_lease() {
    pause();
    let (world, repository) = locks().await;
    drop(acquired(&nightly(), &repository).await);
    let (other, lock) = (other(&world), nightly());
    assert!(lock.try_acquire(&other).await.expect("asked").is_none());
    tokio::time::sleep(lease()).await;
    let held = lock.clone().try_acquire(&other).await.expect("asked").expect("taken over");
    assert_eq!(held.fence(), 2);
}

#[tokio::test]
async fn an_acquisition_with_lost_answers_recognizes_its_own_write() {
    pause();
    let (world, repository) = locks().await;
    // The answers to some or all attempts of the write are lost.
    for (fence, lost) in [(1, 1), (2, 1), (3, 3)] {
        world.faults.next(std::iter::once(Fault::Served).chain((0..lost).map(|_| Fault::AnswerLost)));
        let begun = Instant::now();
        let held = acquired(&nightly(), &repository).await;
        assert_eq!(held.fence(), fence);
        assert_less(begun, lease());
        assert_eq!(held.release().await.expect("released"), Released::Free);
    }
}

#[tokio::test]
async fn a_denied_acquisition_is_an_error() {
    pause();
    let (world, repository) = locks().await;
    world.faults.next([Fault::Served, Fault::ErrorCode("AccessDeniedException")]);
    let error = nightly().acquire(&repository).await.expect_err("denied");
    assert!(error.to_string().contains("AccessDenied"), "{error}");
    assert_eq!(acquired(&nightly(), &repository).await.fence(), 1);
}

#[tokio::test]
async fn a_late_acquisition_does_not_take_the_lock_from_its_holder() {
    pause();
    let (world, repository) = locks().await;
    // The only attempt of this write arrives after another process has acquired the lock.
    let alone = world.client(dyno::aws_sdk_dynamodb::config::retry::RetryConfig::disabled());
    let late = Repository::new(alone).with_clock(RunningClock::new(Instant::now(), 0));
    let after = u64::try_from(lease().as_millis() / 4).expect("a few");
    world.faults.next([Fault::Served, Fault::Late(ms(after))]);
    let first = nightly().wait(Duration::ZERO).acquire(&late).await;
    let held = match first {
        Ok(held) => held,
        Err(_) => acquired(&nightly(), &repository).await,
    };
    world.faults.settled().await;
    let fence = held.fence();
    let seen = nightly().inspect(&repository).await.expect("read").expect("a row");
    assert!(seen.is_held && seen.fence == fence);
    assert_eq!(held.release().await.expect("released"), Released::Free);
}

#[tokio::test]
async fn foreign_attributes_of_a_lock_s_row_are_kept() {
    pause();
    let (world, repository) = locks().await;
    let put = world.other().client().put_item().table_name("dyno-locks");
    let lock = [("name", s("reports/nightly")), ("version", n(7)), ("fence", n(41)), ("lease_millis", n(10))];
    let mut theirs = item(lock);
    theirs.insert("theirs".to_owned(), s("kept"));
    let put = put.set_item(Some(theirs));
    put.send().await.expect("a put");
    let held = acquired(&nightly(), &repository).await;
    assert_eq!(held.fence(), 42);
    assert_eq!(held.release().await.expect("released"), Released::Free);
    let get = world.other().client().get_item().table_name("dyno-locks").key("name", s("reports/nightly"));
    let row = get.send().await.expect("a get").item.expect("a row");
    assert_eq!((row.get("theirs"), row.get("holder")), (Some(&s("kept")), None));
}

/// The requests, and the whole units that were read and written.
fn units(repository: &Repository) -> [u32; 3] {
    let usage = repository.usage();
    let whole = |units: f64| (0..1000).find(|whole| (f64::from(*whole) - units).abs() < 0.01).expect("whole units");
    [u32::try_from(usage.requests).expect("a few"), whole(usage.read_units), whole(usage.write_units)]
}

#[tokio::test]
async fn acquiring_holding_waiting_and_releasing_send_a_bounded_number_of_requests() {
    pause();
    let (world, repository) = locks().await;
    let (holder, waiter) = (repository.metered(), other(&world).metered());
    let held = acquired(&nightly(), &holder).await;
    assert_eq!(units(&holder), [2, 1, 1], "a look, and a write");
    let waiting = lease() * 4;
    let end = held.during(nightly().wait(waiting).acquire(&waiter)).await.expect("held");
    assert!(end.expect_err("held").is_contended());
    // The holder sends at most three heartbeats in each lease, and at least one in each nine tenths of a lease.
    if is_remote() {
        // If time is real, a heartbeat can be under way at the end, and its answer is not counted.
        return;
    }
    let [requests, reads, writes] = units(&holder);
    let beats = requests - 2;
    assert!((4..=12).contains(&beats), "{beats}");
    assert_eq!([reads, writes], [1, 1 + beats]);
    // The waiter reads the lock at most once in an eighth of a lease or in a second, whichever is shorter.
    let [looks, reads, writes] = units(&waiter);
    let most = waiting.div_duration_f64((lease() / 8).min(Duration::from_secs(1)));
    assert!(looks >= 2 && f64::from(looks) <= most + 2.0, "{looks} of {most}");
    assert_eq!([reads, writes], [looks, 0]);
    assert_eq!(held.release().await.expect("released"), Released::Free);
    assert_eq!(units(&holder), [requests + 1, 1, beats + 2]);
}

/// An observation of a lock counts from the answer to the read, however long the answer takes.
#[tokio::test]
async fn an_observation_counts_from_its_answer() {
    pause();
    let (world, repository) = locks().await;
    let held = acquired(&nightly(), &other(&world)).await;
    let begun = Instant::now();
    world.faults.hold_after(0);
    let lock = nightly();
    let (next, served) = tokio::join!(acquired(&lock, &repository), async {
        world.faults.held().await;
        // The holder sends a heartbeat before the read is served.
        assert_eq!(held.during(tokio::time::sleep(lease() / 2)).await, Ok(()));
        let served = begun.elapsed();
        world.faults.release();
        served
    });
    assert!(begun.elapsed() >= served + lease(), "{:?}", begun.elapsed());
    assert!(held.left().is_err() && next.left().is_ok());
}

/// The holder's clock is too slow, so its heartbeat is late. But the heartbeat arrives before the take-over.
#[tokio::test]
async fn a_heartbeat_between_the_read_and_the_take_over_keeps_the_lock() {
    pause();
    let (world, repository) = locks().await;
    let slow = world.other().with_clock(RunningClock::new(Instant::now(), 0).at_rate(0.5));
    let held = acquired(&nightly(), &slow).await;
    let lock = nightly();
    assert!(lock.try_acquire(&repository).await.expect("asked").is_none());
    tokio::time::sleep(lease()).await;
    // The read is answered, and the write of the take-over is not served yet.
    world.faults.hold_after(1);
    let (taken, ()) = tokio::join!(lock.try_acquire(&repository), async {
        world.faults.held().await;
        assert_eq!(held.during(tokio::time::sleep(lease() / 5)).await, Ok(()));
        world.faults.release();
    });
    assert!(taken.expect("asked").is_none());
    assert_eq!(held.release().await.expect("released"), Released::Free);
}

#[tokio::test]
async fn only_one_of_two_concurrent_take_overs_succeeds() {
    pause();
    let (world, repository) = locks().await;
    let others = other(&world);
    drop(acquired(&nightly(), &others).await);
    let (one, other) = (nightly(), nightly());
    assert!(one.try_acquire(&repository).await.expect("asked").is_none());
    assert!(other.try_acquire(&others).await.expect("asked").is_none());
    tokio::time::sleep(lease()).await;
    world.faults.hold_after(1);
    let (late, held) = tokio::join!(one.try_acquire(&repository), async {
        world.faults.held().await;
        let held = other.try_acquire(&others).await.expect("asked").expect("free");
        world.faults.release();
        held
    });
    assert!(late.expect("asked").is_none());
    assert_eq!(held.during(tokio::time::sleep(lease())).await, Ok(()));
    assert_eq!((held.fence(), held.release().await.expect("released")), (2, Released::Free));
}
