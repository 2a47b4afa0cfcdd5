//! Programs that start anew each time, such as cron jobs: none of them runs long enough to see the lock unchanged for a
//! lease.

use super::{acquired, lease, locks, nightly};
use dyno::Repository;
use dyno::lock::{Held, Lock, Released};
use dyno_tests::clock::RunningClock;
use dyno_tests::faults::Fault;
use dyno_tests::{World, is_remote, pause};
use std::time::Duration;
use tokio::time::Instant;

/// The greatest difference between the wall clocks of two programs.
fn max_skew() -> Duration {
    lease() / 5
}

/// How long after an observation the lock is free, if the clocks agree.
fn free_after() -> Duration {
    lease() + max_skew() * 2
}

/// The programs of a test. Each has a clock with an offset of its own.
struct Programs {
    world: World,
    start: Instant,
}

impl Programs {
    async fn new() -> Self {
        let (world, _) = locks().await;
        Self { world, start: Instant::now() }
    }

    /// A program whose clock has this offset, in hundredths of the greatest difference.
    fn repository(&self, off: i64) -> Repository {
        let skew = i64::try_from(max_skew().as_millis()).expect("a few");
        self.world.other().with_clock(RunningClock::new(self.start, skew * off / 100))
    }

    /// Starts a program that tries once to acquire the lock, and ends.
    async fn start(&self, off: i64) -> Option<Held> {
        observed().try_acquire(&self.repository(off)).await.expect("asked")
    }
}

fn observed() -> Lock {
    nightly().persist_observations(max_skew())
}

#[tokio::test]
async fn a_crashed_holder_s_lock_becomes_free_for_restarted_programs() {
    if is_remote() {
        return; // Time is real there, and a lease too short to be held exactly.
    }
    pause();
    // The clock of the first program is behind or ahead of that of the second one by the greatest difference.
    for (first, second) in [(0, 0), (-50, 50), (50, -50)] {
        let programs = Programs::new().await;
        drop(acquired(&nightly(), &programs.repository(0)).await);
        assert!(programs.start(first).await.is_none());
        tokio::time::sleep(lease()).await;
        assert!(programs.start(second).await.is_none(), "{first} {second}: after a lease by the true time");
        tokio::time::sleep(max_skew() * 3).await;
        let held = programs.start(second).await.expect("taken over");
        assert_eq!((held.fence(), held.release().await.expect("released")), (2, Released::Free));
    }
}

#[tokio::test]
async fn a_short_wait_takes_over_a_crashed_holder_s_lock() {
    if is_remote() {
        return; // Time is real there, and a lease too short to be held exactly.
    }
    pause();
    let programs = Programs::new().await;
    drop(acquired(&nightly(), &programs.repository(0)).await);
    let wait = async |off| observed().wait(lease() / 10).acquire(&programs.repository(off)).await;
    assert!(wait(0).await.expect_err("held").is_contended());
    tokio::time::sleep(free_after()).await;
    assert_eq!(wait(0).await.expect("taken over").fence(), 2);
}

#[tokio::test]
async fn a_live_holder_keeps_its_lock_from_restarted_programs() {
    if is_remote() {
        return; // Time is real there, and a lease too short to be held exactly.
    }
    pause();
    let programs = Programs::new().await;
    let repository = programs.repository(-50).metered();
    let held = acquired(&nightly(), &repository).await;
    let before = repository.usage().requests;
    let work = async {
        for program in 0..60 {
            let off = [-50, 0, 50][program % 3];
            assert!(programs.start(off).await.is_none(), "{program}");
            tokio::time::sleep(lease() / 7).await;
        }
    };
    held.during(work).await.expect("held");
    // The observations cost the holder no request: it sends at most three heartbeats in each lease, and none is refused.
    let beats = repository.usage().requests - before;
    assert!((60 / 7..=60 * 3 / 7 + 1).contains(&usize::try_from(beats).expect("a few")), "{beats}");
    assert_eq!(held.release().await.expect("released"), Released::Free);
    assert_eq!(programs.start(0).await.expect("free").fence(), 2);
}

#[tokio::test]
async fn the_first_observation_counts_however_often_programs_look() {
    if is_remote() {
        return; // Time is real there, and a lease too short to be held exactly.
    }
    pause();
    let programs = Programs::new().await;
    drop(acquired(&nightly(), &programs.repository(0)).await);
    let begun = Instant::now();
    let held = loop {
        if let Some(held) = programs.start(0).await {
            break held;
        }
        tokio::time::sleep(lease() / 10).await;
    };
    assert_eq!(held.fence(), 2);
    assert!(begun.elapsed() >= free_after() && begun.elapsed() <= free_after() + lease() / 5, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn an_observation_of_an_earlier_heartbeat_does_not_free_the_lock() {
    pause();
    let programs = Programs::new().await;
    let held = acquired(&nightly(), &programs.repository(0)).await;
    assert!(programs.start(0).await.is_none());
    // The holder sends a heartbeat, and then crashes.
    assert_eq!(held.during(tokio::time::sleep(lease() / 2)).await, Ok(()));
    drop(held);
    tokio::time::sleep(lease() / 2 + max_skew() * 2).await;
    assert!(programs.start(0).await.is_none(), "the heartbeat is younger than the observation");
    tokio::time::sleep(free_after()).await;
    assert_eq!(programs.start(0).await.expect("taken over").fence(), 2);
}

#[tokio::test]
async fn an_observation_by_a_clock_far_ahead_is_replaced() {
    pause();
    let programs = Programs::new().await;
    drop(acquired(&nightly(), &programs.repository(0)).await);
    assert!(programs.start(1_000_000).await.is_none());
    tokio::time::sleep(free_after()).await;
    assert!(programs.start(0).await.is_none());
    tokio::time::sleep(free_after()).await;
    assert_eq!(programs.start(0).await.expect("taken over").fence(), 2);
}

#[tokio::test]
async fn an_observation_that_arrives_late_does_not_end_a_lease() {
    pause();
    let programs = Programs::new().await;
    let (world, clock) = (&programs.world, RunningClock::new(programs.start, 0));
    let held = acquired(&nightly(), &programs.repository(0)).await;
    // The read is answered. The write of the observation arrives after the next heartbeat and the holder's crash.
    let alone = world.client(dyno::aws_sdk_dynamodb::config::retry::RetryConfig::disabled());
    let slow = Repository::new(alone).with_clock(clock);
    world.faults.next([Fault::Served, Fault::Postponed]);
    assert!(observed().try_acquire(&slow).await.is_err(), "an observation that fails is an error of the look");
    assert_eq!(held.during(tokio::time::sleep(lease() / 2)).await, Ok(()));
    drop(held);
    let late = world.faults.deliver().await.expect("one is under way");
    assert_eq!(late.status, 400, "{}", late.body);
    tokio::time::sleep(lease() / 2 + max_skew() * 2).await;
    assert!(programs.start(0).await.is_none());
}

#[tokio::test]
async fn an_observation_costs_one_write_for_each_observed_heartbeat() {
    pause();
    let programs = Programs::new().await;
    drop(acquired(&nightly(), &programs.repository(0)).await);
    let requests = async || {
        let repository = programs.repository(0).metered();
        drop(observed().try_acquire(&repository).await.expect("asked"));
        repository.usage().requests
    };
    assert_eq!(requests().await, 2, "a look, and the observation");
    assert_eq!(requests().await, 1, "it stands already");
    tokio::time::sleep(free_after()).await;
    assert_eq!(requests().await, 2, "a look, and the take-over");
}

#[tokio::test]
async fn a_persisted_observation_does_not_prolong_the_lease() {
    pause();
    let programs = Programs::new().await;
    let repository = programs.repository(0);
    drop(acquired(&nightly(), &repository).await);
    // This `Lock` remembers its own observation, while other programs store theirs.
    let lock = nightly();
    assert!(lock.try_acquire(&repository).await.expect("asked").is_none());
    assert!(programs.start(0).await.is_none());
    tokio::time::sleep(lease()).await;
    assert_eq!(lock.try_acquire(&repository).await.expect("asked").expect("taken over").fence(), 2);
}

#[tokio::test]
async fn the_error_of_an_expired_wait_says_when_the_lock_is_free() {
    if is_remote() {
        return; // Time is another there.
    }
    pause();
    let programs = Programs::new().await;
    let repository = programs.repository(0);
    drop(acquired(&nightly().owner("worker 3"), &repository).await);
    let (wait, lease) = (lease() / 5, lease());
    let text = async |lock: Lock| lock.wait(wait).acquire(&repository).await.expect_err("held").to_string();
    let seconds = |time: Duration| format!("{}s", time.as_secs());
    let held = format!("the lock `reports/nightly` was held by worker 3, and not free within {wait:?}");
    let anew = text(nightly()).await;
    let message = format!(
        "{held}: if that holder has crashed, this `Lock` and its clones can take the lock over in {}; a program that starts anew for each attempt never can, unless it waits longer than the lease of {lease:?} or calls `persist_observations`",
        seconds(lease.saturating_sub(wait))
    );
    assert_eq!(anew, message);
    let persisted = text(observed()).await;
    let message = format!(
        "{held}: if that holder has crashed, this `Lock` and its clones can take the lock over in {}, and every program that calls `persist_observations` in {}",
        seconds(lease.saturating_sub(wait)),
        seconds(free_after().saturating_sub(wait))
    );
    assert_eq!(persisted, message);
}
