//! Time: the latency of requests, and the clocks of processes, which advance with the runtime's clock. On a remote engine, time is
//! real.

use super::{Account, bank, retries, transfer};
use dyno::lock::Lock;
use dyno::{Clock as _, Entity, EpochSeconds};
use dyno_tests::clock::AlongClock;
use dyno_tests::{NOW, is_remote, world};
use futures_util::future::join_all;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const HOUR: i64 = 3_600_000;

#[tokio::test(start_paused = true)]
async fn latency_adds_up_only_for_sequential_requests() {
    if is_remote() {
        return;
    }
    let (world, process) = bank().await;
    process.faults.latency_ms(2, 3);
    let start = Instant::now();
    transfer(process.repository.clone(), 1).await.expect("sent");
    assert_eq!(start.elapsed(), Duration::from_millis(15), "two reads, one after the other, and a transaction");
    let start = Instant::now();
    join_all((0..20).map(|_| Account::get("a").send(&process.repository))).await;
    assert_eq!(start.elapsed(), Duration::from_millis(5), "all at once");
    // Other processes have no latency.
    let start = Instant::now();
    transfer(world.process(retries()).repository, 1).await.expect("sent");
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "sessions")]
struct Session {
    #[partition_key]
    id: String,
    #[ttl]
    expires: EpochSeconds,
}

#[tokio::test]
async fn each_process_has_a_clock_of_its_own() {
    let world = world::<Session>().await;
    let [one, ahead] = [(); 2].map(|()| world.process(retries()));
    ahead.clock.advance(HOUR);
    let session = Session { id: "1".to_owned(), expires: EpochSeconds::new(NOW / 1000 + 60) };
    session.put().send(&one.repository).await.expect("sent");
    for (process, is_there) in [(&one, true), (&ahead, false)] {
        let found = Session::get("1").send(&process.repository).await.expect("a get");
        assert_eq!(found.is_some(), is_there);
    }
}

/// Two clocks advance with the runtime, one of them an hour ahead. The clock of a third process stands still.
#[tokio::test(start_paused = true)]
async fn the_clocks_of_processes_advance_with_the_runtime() {
    if is_remote() {
        return;
    }
    let (world, one) = bank().await;
    let (one, ahead, still) = (one.along(), world.process(retries()).along(), world.process(retries()));
    ahead.clock.advance(HOUR);
    Lock::create_table(&world.repository).await.expect("a table");
    let lease = Duration::from_secs(10);
    let mut held = Vec::new();
    for (name, process) in [("one", &one), ("ahead", &ahead), ("still", &still)] {
        held.push(Lock::new(name).lease(lease).acquire(&process.repository).await.expect("acquired"));
    }
    let left = |held: &[dyno::lock::Held]| held.iter().map(|held| held.left().ok()).collect::<Vec<_>>();
    let before = left(&held);
    assert!(before.iter().all(|left| *left == before[0] && left.is_some()), "{before:?}");
    sleep(Duration::from_secs(4)).await;
    let (whole, part) = (before[0], before[0].and_then(|left| left.checked_sub(Duration::from_secs(4))));
    assert_eq!(left(&held), [part, part, whole]);
    sleep(lease).await;
    assert_eq!(left(&held), [None, None, whole]);
}

/// The SDK's pauses between attempts also pass on the process's clock.
#[tokio::test(start_paused = true)]
async fn the_pauses_between_retries_advance_the_clock_of_the_process() {
    if is_remote() {
        return;
    }
    let (_world, process) = bank().await;
    let (process, start) = (process.along(), Instant::now());
    let clock = AlongClock::new(process.clock.clone(), start);
    process.faults.latency_ms(2, 3);
    process.faults.throttle(3);
    Account::get("a").send(&process.repository).await.expect("a get");
    let events = process.faults.events();
    assert_eq!(events.len(), 4);
    let passed = clock.monotonic();
    assert!(passed > Duration::from_millis(4 * 5), "four round trips and three pauses: {passed:?}");
    assert_eq!(passed, start.elapsed());
    assert_eq!(u128::try_from(clock.now().get() - NOW).expect("later"), passed.as_millis());
}
