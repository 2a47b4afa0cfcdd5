//! What a repository hedges, after which delay, and how often.

use super::{DELAY, counts, sent};
use crate::entities::{Bill, Cart, Plain, cart, plain};
use dyno::{Hedge, Repository};
use dyno_tests::clock::RunningClock;
use dyno_tests::{is_remote, pause, world};
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test]
async fn a_hedged_repository_hedges_only_reads_and_repeatable_writes() {
    pause();
    let carts = world::<Cart>().await;
    let plains = world::<Plain>().await;
    let bills = world::<Bill>().await;
    let hedged = |world: &dyno_tests::World| world.repository.clone().hedged(Hedge::after(DELAY).budget(1.0));
    let late = |world: &dyno_tests::World| world.faults.slow([(200, 0), (0, 0)]);
    macro_rules! requests {
        ($world:expr, $command:expr) => {{
            late(&$world);
            let send = async |repository: &Repository| $command.send(repository).await.map(drop);
            let (sent, requests) = sent(&hedged(&$world), send).await;
            sent.expect(stringify!($command));
            requests[1]
        }};
    }
    assert_eq!(requests!(carts, cart(1, 0).put()), 1);
    assert_eq!(requests!(carts, Cart::get("1")), 1);
    assert_eq!(requests!(carts, Cart::update("1").unchecked().with(Cart::fields().lines.set(2))), 0);
    assert_eq!(requests!(carts, Cart::delete("1", 2)), 1);
    assert_eq!(requests!(plains, plain(1).put()), 0);
    assert_eq!(requests!(plains, plain(1).replace()), 0);
    assert_eq!(requests!(plains, Plain::update("1").with(Plain::fields().count.increment(1))), 0);
    assert_eq!(requests!(plains, Plain::delete("1")), 0);
    assert_eq!(requests!(plains, Plain::scan()), 1);
    assert_eq!(requests!(bills, Bill { id: "1".to_owned(), total: 0 }.create()), 0);
    assert_eq!(requests!(bills, Bill::update("1").with(Bill::fields().total.increment(1))), 0);
    let keyed = Bill::update("1").with(Bill::fields().total.increment(1)).idempotency_key("a");
    assert_eq!(requests!(bills, keyed), 1);
}

#[tokio::test]
async fn the_budget_bounds_hedges_and_counts_suppressed_ones() {
    if is_remote() {
        return; // Time is another there.
    }
    pause();
    let world = world::<Plain>().await;
    plain(7).put().send(&world.other()).await.expect("put");
    let repository = world.repository.clone().hedged(Hedge::after(DELAY).budget(0.1));
    for _ in 0..100 {
        world.faults.slow([(100, 0), (0, 0)]);
        assert_eq!(Plain::get("1").send(&repository).await.expect("read"), Some(plain(7)));
    }
    let usage = repository.usage();
    // Ten hedges are saved at first, and each request adds a tenth of a hedge.
    assert!((18..=20).contains(&usage.hedges), "{usage:?}");
    assert_eq!(usage.hedges + usage.hedges_suppressed, 100);
}

#[tokio::test]
async fn a_percentile_follows_the_latency_of_recent_requests() {
    if is_remote() {
        return; // Time is another there.
    }
    pause();
    let world = world::<Plain>().await;
    plain(7).put().send(&world.other()).await.expect("put");
    let clock = RunningClock::new(Instant::now(), 0);
    let repository = world.repository.clone().with_clock(clock).hedged(Hedge::percentile(0.9).budget(1.0));
    let get = async |delay: u64| {
        world.faults.slow([(delay, 0), (delay, 0)]);
        let metered = repository.metered();
        Plain::get("1").send(&metered).await.expect("read");
        counts(metered.usage())
    };
    for request in 0..100 {
        assert_eq!(get(request).await, [1, 0, 0], "nothing is known yet");
    }
    assert_eq!(get(80).await, [1, 0, 0]);
    assert_eq!(get(500).await, [2, 1, 0]);
    // Requests stay slow, so the percentile rises.
    for _ in 0..2100 {
        get(200).await;
    }
    assert_eq!(get(190).await, [1, 0, 0]);
    // Each operation has its own percentile.
    world.faults.slow([(500, 0)]);
    let metered = repository.metered();
    drop(Plain::scan().send(&metered).await.expect("read"));
    assert_eq!(counts(metered.usage()), [1, 0, 0]);
}

#[tokio::test]
async fn a_command_s_own_delay_overrides_the_repository_s() {
    if is_remote() {
        return; // Time is another there.
    }
    pause();
    let world = world::<Plain>().await;
    let repository = world.repository.clone().hedged(Hedge::after(DELAY));
    world.faults.slow([(100, 0), (0, 0)]);
    let metered = repository.metered();
    Plain::get("1").hedge(Duration::from_millis(300)).send(&metered).await.expect("read");
    assert_eq!(counts(metered.usage()), [1, 0, 0]);
}

#[tokio::test]
async fn a_percentile_sends_no_hedges_under_a_stopped_clock() {
    pause();
    let world = world::<Plain>().await;
    let repository = world.repository.clone().hedged(Hedge::percentile(0.95).budget(1.0));
    for _ in 0..200 {
        Plain::get("1").send(&repository).await.expect("read");
    }
    assert_eq!(repository.usage().hedges, 0);
}
