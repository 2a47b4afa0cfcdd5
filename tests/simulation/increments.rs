//! Many workers, one item, records that are delivered more than once, and a network that loses, repeats, delays and refuses
//! requests: with an idempotency key the sum is exact, wherever the keys are stored.
//!
//! `DYNO_SEEDS` sets the number of runs of each kind, `DYNO_WORKERS` and `DYNO_RECORDS` their size. With fewer workers than
//! the default of 20, a record can be redelivered after the window of `by_time`, which then rightly counts it twice.

#![allow(clippy::print_stdout, reason = "how many requests there were, for who asks with `--nocapture`")]

use crate::runs::{RunningClock, hedged, insist, retries, run, seeds, straggling};
use dyno::{Entity, Error, ErrorKind, Outcome, Repository, Usage};
use dyno_tests::faults::Rates;
use dyno_tests::{World, is_remote, n, s, world};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Returns a size of the runs: the value of this environment variable, or the default.
fn size(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |size| size.parse().expect("a number"))
}

/// The numbers of the records that are still to be delivered.
type Queue = Arc<Mutex<VecDeque<u64>>>;

/// The results that were reported to the workers.
#[derive(Debug, Default)]
struct Log {
    applied: u64,
    duplicates: u64,
    /// The sum of the amounts of writes that were neither acknowledged nor refused.
    unknown: u64,
    acknowledged: u64,
    redelivered: u64,
}

fn amount(record: u64) -> u64 {
    record % 7 + 1
}

/// What a worker does with the result of an update.
enum Answer {
    Applied,
    Duplicate,
    Unknown,
    /// The record has to be delivered again.
    Again,
}

fn read<E: Entity>(sent: Result<Outcome<E>, Error>) -> Answer {
    match sent {
        Ok(outcome) => match outcome.accept_duplicate() {
            Ok(Some(())) => Answer::Applied,
            Ok(None) => Answer::Duplicate,
            Err(error) => panic!("{error:?}"),
        },
        Err(error) => match error.kind() {
            ErrorKind::OutcomeUnknown => Answer::Unknown,
            // A response with status 500 is reported as `Service`.
            ErrorKind::Unreachable | ErrorKind::Throttled | ErrorKind::Contended | ErrorKind::Service => Answer::Again,
            _ => panic!("{error:?}"),
        },
    }
}

/// Sleeps. On a remote engine, time is real, so the sleep is shorter.
fn pause(millis: u64) -> tokio::time::Sleep {
    sleep(Duration::from_millis(if is_remote() { millis / 40 } else { millis }))
}

/// Returns each record once, and a fifth of them a second time, some places later.
fn deliveries(records: u64) -> VecDeque<u64> {
    let once = (0..records).map(|record| (record, record));
    let twice = (0..records).filter(|_| fastrand::u8(0..10) < 2).map(|record| (record + fastrand::u64(0..30), record));
    let mut queue: Vec<(u64, u64)> = once.chain(twice).collect();
    queue.sort_by_key(|(at, _)| *at);
    queue.into_iter().map(|(_, record)| record).collect()
}

/// Puts a record back near the front of the queue, so that it is delivered again within the window.
fn again(queue: &Queue, record: u64) {
    let mut queue = queue.lock().expect("no panic");
    let at = queue.len().min(10);
    queue.insert(at, record);
}

/// Runs the workers, and returns what was reported to them.
async fn simulate<E: Entity, W: Future<Output = ()> + Send + 'static>(
    seed: u64,
    rates: Rates,
    make: impl AsyncFnOnce(&Repository),
    worker: impl Fn(Repository, Queue, Arc<Mutex<Log>>) -> W,
) -> (World, Log, Usage) {
    let world = world::<E>().await;
    make(&world.repository).await;
    world.faults.seed(seed, rates);
    let queue = Arc::new(Mutex::new(deliveries(size("DYNO_RECORDS", 200) as u64)));
    let log = Arc::<Mutex<Log>>::default();
    let start = Instant::now();
    let metered = hedged(seed, Repository::new(world.client(retries())));
    let workers: Vec<_> = (0..size("DYNO_WORKERS", 20))
        .map(|_| {
            // Any two clocks differ by up to 5 s. The skew is at least 10 s, which leaves the rest for late requests.
            let clock = RunningClock::new(start, fastrand::i64(0..=5000));
            let repository = metered.clone().with_clock(clock);
            tokio::spawn(worker(repository, Arc::clone(&queue), Arc::clone(&log)))
        })
        .collect();
    for worker in workers {
        worker.await.expect("no panic");
    }
    world.faults.calm();
    world.faults.settled().await;
    let log = std::mem::take(&mut *log.lock().expect("no panic"));
    (world, log, metered.usage())
}

/// An entity for each way to store idempotency keys, and its test.
macro_rules! stores {
    ($($store:ident $straggle:literal $(#[$attribute:meta])*;)*) => {$(
        mod $store {
            use super::*;

            #[derive(Entity, Clone, Debug, PartialEq)]
            #[entity(table = "bills")]
            $(#[$attribute])*
            struct Bill {
                #[partition_key]
                id: String,
                total: u64,
                count: u64,
            }

            async fn worker(repository: Repository, queue: Queue, log: Arc<Mutex<Log>>) {
                loop {
                    let next = queue.lock().expect("no panic").pop_front();
                    let Some(record) = next else { break };
                    let f = Bill::fields();
                    let update = Bill::update("1")
                        .with([f.total.add(amount(record)), f.count.add(1)])
                        .idempotency_key(format!("record {record}"));
                    let answer = read(update.send(&repository).await);
                    {
                        let mut log = log.lock().expect("no panic");
                        match answer {
                            Answer::Applied => log.applied += 1,
                            Answer::Duplicate => log.duplicates += 1,
                            Answer::Again => {
                                log.redelivered += 1;
                                again(&queue, record);
                            }
                            Answer::Unknown => panic!("with a key there is no doubt"),
                        }
                    }
                    pause(fastrand::u64(0..16_000)).await;
                }
            }

            #[test]
            fn keyed_increments_count_exactly_once() {
                let (mut requests, mut redelivered, mut applied, mut duplicates) = (0, 0, 0, 0);
                for seed in 0..seeds(2, 1) {
                    let rates = if $straggle { straggling(seed, Rates::MANY, 4) } else { Rates::MANY };
                    let (world, log, usage) = run(seed, simulate::<Bill, _>(seed, rates, async |repository| {
                        let bill = Bill { id: "1".to_owned(), total: 0, count: 0 };
                        bill.create().send(repository).await.expect("sent").applied().expect("applied");
                    }, worker));
                    let bill = run(seed, async {
                        insist!(Bill::get("1").consistent().send(&world.other())).expect("a bill")
                    });
                    let records = size("DYNO_RECORDS", 200) as u64;
                    assert_eq!((bill.count, bill.total), (records, (0..records).map(amount).sum()), "seed {seed}: {log:?}");
                    requests += usage.requests;
                    redelivered += log.redelivered;
                    applied += log.applied;
                    duplicates += log.duplicates;
                }
                println!(
                    "{}: {} seeds, {} workers, {} records: {applied} applied, {duplicates} duplicates, {redelivered} delivered \
                     again after an error; {requests} requests",
                    stringify!($store), seeds(2, 1), size("DYNO_WORKERS", 20), size("DYNO_RECORDS", 200),
                );
            }
        }
    )*};
}

stores! {
    // dyno sends a request until the skew is used up. A dropped request that arrives even later would exceed it, so here none
    // does. The window is longer than the time between the first and the last delivery of a record, including deliveries
    // after errors.
    by_time false #[idempotency(window_secs = 60, max_skew_secs = 10)];
    // A longer skew leaves room for dropped requests that arrive late.
    by_time_and_late true #[idempotency(window_secs = 60, max_skew_secs = 40)];
    by_count true #[idempotency(keys = 300)];
    by_row true #[idempotency(store = "row", window_secs = 3600)];
}

mod without_a_key {
    use super::*;

    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "counters")]
    struct Counter {
        #[partition_key]
        id: String,
        total: u64,
    }

    async fn make(repository: &Repository) {
        Counter { id: "1".to_owned(), total: 0 }.put().send(repository).await.expect("a put");
    }

    /// The network delivers nothing twice here, because only a key protects against duplicates.
    const RATES: Rates = Rates { duplicate: 0.0, ..Rates::MANY };

    async fn worker(repository: Repository, queue: Queue, log: Arc<Mutex<Log>>) {
        loop {
            let next = queue.lock().expect("no panic").pop_front();
            let Some(record) = next else { break };
            let update = Counter::update("1").with(Counter::fields().total.add(amount(record)));
            let answer = read(update.send(&repository).await);
            {
                let mut log = log.lock().expect("no panic");
                match answer {
                    Answer::Applied => log.acknowledged += amount(record),
                    Answer::Unknown => log.unknown += amount(record),
                    Answer::Again => again(&queue, record),
                    Answer::Duplicate => panic!("there is no key"),
                }
            }
            pause(fastrand::u64(0..200)).await;
        }
    }

    /// Does the same with the SDK alone.
    async fn plain_worker(repository: Repository, queue: Queue, log: Arc<Mutex<Log>>) {
        loop {
            let next = queue.lock().expect("no panic").pop_front();
            let Some(record) = next else { break };
            let update = repository.client().update_item().table_name("counters").key("id", s("1"));
            let update = update.update_expression("ADD #t :n").expression_attribute_names("#t", "total");
            let sent = update.expression_attribute_values(":n", n(amount(record))).send().await;
            match sent {
                Ok(_) => log.lock().expect("no panic").acknowledged += amount(record),
                Err(_) => log.lock().expect("no panic").unknown += amount(record),
            }
            pause(fastrand::u64(0..200)).await;
        }
    }

    async fn total(world: &World) -> u64 {
        insist!(Counter::get("1").consistent().send(&world.other())).expect("a counter").total
    }

    #[test]
    fn unkeyed_increments_are_reported_as_unknown_where_the_plain_sdk_counts_twice() {
        let (mut over, mut unknown, mut applied) = (0, 0, 0);
        for seed in 0..seeds(2, 1) {
            let (world, log, _) = run(seed, simulate::<Counter, _>(seed, RATES, make, worker));
            let total = run(seed, total(&world));
            assert!(
                (log.acknowledged..=log.acknowledged + log.unknown).contains(&total),
                "seed {seed}: {total} {log:?}"
            );
            unknown += log.unknown;
            applied += total - log.acknowledged;
            let (world, log, _) = run(seed, simulate::<Counter, _>(seed, RATES, make, plain_worker));
            let total = run(seed, self::total(&world));
            over += total.saturating_sub(log.acknowledged + log.unknown);
        }
        assert!(over > 0, "the plain SDK has counted twice");
        println!("without a key: {unknown} unknown, {applied} of them applied; the plain SDK counted {over} too much");
    }
}

mod requests {
    use super::*;

    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "bills")]
    #[idempotency(window_secs = 60)]
    struct Bill {
        #[partition_key]
        id: String,
        total: u64,
    }

    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "versioned")]
    struct Versioned {
        #[partition_key]
        id: String,
        total: u64,
        #[version]
        version: u64,
    }

    const WRITERS: u64 = 40;

    /// Runs all writers at the same time, with a network where each request takes time, and returns the number of requests.
    async fn at_once<E: Entity, W: Future<Output = ()> + Send + 'static>(
        make: impl AsyncFnOnce(&Repository),
        write: impl Fn(Repository) -> W,
    ) -> u64 {
        let world = world::<E>().await;
        make(&world.repository).await;
        world.faults.seed(1, Rates { delay: 1e-9, ..Rates::NONE });
        let metered = world.repository.metered();
        let writers: Vec<_> = (0..WRITERS).map(|_| tokio::spawn(write(metered.clone()))).collect();
        for writer in writers {
            writer.await.expect("no panic");
        }
        metered.usage().requests
    }

    /// Optimistic locking as commonly described: read, write if the version is unchanged, and otherwise retry at once.
    async fn optimistic(repository: Repository) {
        loop {
            let read = Versioned::get("1").consistent().send(&repository).await.expect("a get").expect("there");
            let next = Versioned { total: read.total + 1, ..read };
            if next.put().send(&repository).await.expect("sent").is_applied() {
                break;
            }
        }
    }

    /// N writers on one item: N requests with keys, about N² with optimistic locking, half of them writes.
    #[test]
    fn keyed_writes_send_one_request_each() {
        if is_remote() {
            // An engine in another process has its own time, so which writers conflict is left to chance.
            return;
        }
        let keyed = run(1, async {
            let make = async |repository: &Repository| {
                let bill = Bill { id: "1".to_owned(), total: 0 };
                bill.create().send(repository).await.expect("sent").applied().expect("applied");
            };
            let key = Arc::new(std::sync::atomic::AtomicU64::new(0));
            at_once::<Bill, _>(make, move |repository| {
                let key = key.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                async move {
                    let update = Bill::update("1").with(Bill::fields().total.add(1));
                    let sent = update.idempotency_key(key.to_be_bytes()).send(&repository).await;
                    assert!(sent.expect("sent").is_applied());
                }
            })
            .await
        });
        let make = async |repository: &Repository| {
            let new = Versioned { id: "1".to_owned(), total: 0, version: 0 };
            new.create().send(repository).await.expect("sent").applied().expect("applied");
        };
        let locked = run(1, at_once::<Versioned, _>(make, optimistic));
        let modified = run(
            1,
            at_once::<Versioned, _>(make, async |repository| {
                let modify = Versioned::modify("1", |versioned| versioned.total += 1).attempts(100);
                modify.send(&repository).await.expect("sent").applied().expect("applied");
            }),
        );
        println!(
            "{WRITERS} writers at once: {keyed} requests with keys, {locked} with optimistic locking, {modified} with `modify`"
        );
        assert_eq!(keyed, WRITERS);
        assert!(locked > WRITERS * WRITERS / 2, "{locked}");
        assert!(modified < locked, "{modified}");
    }
}
