//! Many workers append elements to one list, and remove them by value. Whatever happens to requests and answers, the list
//! holds exactly the elements that were added and not removed.

#![allow(clippy::print_stdout, reason = "how many there were, for who asks with `--nocapture`")]

use crate::runs::{RunningClock, hedged, insist, retries, run, seeds, straggling};
use dyno::{Entity, Error, ErrorKind, Outcome, Reason, Repository};
use dyno_tests::faults::Rates;
use dyno_tests::{World, world};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{Instant, sleep};

const WORKERS: usize = 16;
const WRITES: usize = 6;
/// Only a few values, so that the list has many equal elements.
const ELEMENTS: [&str; 4] = ["ann", "bob", "cat", "dan"];

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "lists")]
#[idempotency(window_secs = 300)]
struct List {
    #[partition_key]
    id: String,
    elements: Vec<String>,
}

/// For each element, how often it was certainly added and removed, and how often it may have been.
#[derive(Debug, Default)]
struct Log {
    put: BTreeMap<&'static str, usize>,
    taken: BTreeMap<&'static str, usize>,
    maybe_put: BTreeMap<&'static str, usize>,
    maybe_taken: BTreeMap<&'static str, usize>,
    /// Removals that were refused because the list had no such element.
    absent: BTreeMap<&'static str, usize>,
}

enum Answer {
    Made,
    Absent,
    Unknown,
    Again,
}

fn read(sent: Result<Outcome<List>, Error>) -> Answer {
    match sent {
        Ok(Outcome::Applied(())) => Answer::Made,
        Ok(Outcome::Refused(refusal)) if refusal.is_duplicate() => Answer::Made,
        Ok(Outcome::Refused(refusal)) => {
            assert!(matches!(refusal.reasons(), [Reason::NotContained { .. }]), "{refusal:?}");
            Answer::Absent
        }
        Err(error) => match error.kind() {
            ErrorKind::OutcomeUnknown => Answer::Unknown,
            ErrorKind::Unreachable | ErrorKind::Throttled | ErrorKind::Contended | ErrorKind::Service => Answer::Again,
            _ => panic!("{error:?}"),
        },
    }
}

async fn worker(number: usize, keyed: bool, repository: Repository, log: Arc<Mutex<Log>>) {
    for write in 0..WRITES {
        let element = ELEMENTS[fastrand::usize(..ELEMENTS.len())];
        let puts = fastrand::bool();
        let f = List::fields();
        let update =
            List::update("1").with(if puts { f.elements.push(element) } else { f.elements.remove_value(element) });
        let update = if keyed { update.idempotency_key(format!("{number} {write}")) } else { update };
        let mut sends = 0;
        let answer = loop {
            match read(update.clone().send(&repository).await) {
                // A refusal is in doubt for as long as an earlier request may arrive.
                Answer::Again if sends > 20 => sleep(Duration::from_mins(1)).await,
                Answer::Again => sends += 1,
                answer => break answer,
            }
        };
        let mut log = log.lock().expect("no panic");
        let count = match (answer, puts) {
            (Answer::Made, true) => &mut log.put,
            (Answer::Made, false) => &mut log.taken,
            (Answer::Unknown, true) => &mut log.maybe_put,
            (Answer::Unknown, false) => &mut log.maybe_taken,
            (Answer::Absent | Answer::Again, _) => &mut log.absent,
        };
        *count.entry(element).or_default() += 1;
    }
}

async fn simulate(seed: u64, keyed: bool, rates: Rates) -> (World, Log) {
    let world = world::<List>().await;
    let mut elements: Vec<String> = ELEMENTS.iter().cycle().take(12).map(|element| (*element).to_owned()).collect();
    fastrand::shuffle(&mut elements);
    let list = List { id: "1".to_owned(), elements };
    list.create().send(&world.repository).await.expect("sent").applied().expect("applied");
    world.faults.seed(seed, straggling(seed, rates, 4));
    let log = Arc::<Mutex<Log>>::default();
    let start = Instant::now();
    let workers: Vec<_> = (0..WORKERS)
        .map(|number| {
            let clock = RunningClock::new(start, fastrand::i64(0..=100_000));
            let repository = hedged(seed, Repository::new(world.client(retries())).with_clock(clock));
            tokio::spawn(worker(number, keyed, repository, Arc::clone(&log)))
        })
        .collect();
    for worker in workers {
        worker.await.expect("no panic");
    }
    world.faults.calm();
    world.faults.settled().await;
    let log = std::mem::take(&mut *log.lock().expect("no panic"));
    (world, log)
}

/// How many of each element there are.
fn count(world: &World, seed: u64) -> BTreeMap<&'static str, usize> {
    let list = run(seed, async { insist!(List::get("1").consistent().send(&world.other())).expect("a list") });
    let of = |element: &&'static str| (*element, list.elements.iter().filter(|found| found == element).count());
    ELEMENTS.iter().map(of).collect()
}

fn of(counts: &BTreeMap<&'static str, usize>, element: &str) -> usize {
    counts.get(element).copied().unwrap_or_default()
}

#[test]
fn with_keys_a_list_has_exactly_the_elements_added_and_not_removed() {
    let (mut put, mut taken, mut absent) = (0, 0, 0);
    for seed in 0..seeds(6, 2) {
        // The network delivers nothing twice here, so the counts are exact.
        let (world, log) = run(seed, simulate(seed, true, Rates { duplicate: 0.0, ..Rates::MANY }));
        for (element, count) in count(&world, seed) {
            assert_eq!(count, 3 + of(&log.put, element) - of(&log.taken, element), "seed {seed}: {element} {log:?}");
        }
        assert!(log.maybe_put.is_empty() && log.maybe_taken.is_empty(), "seed {seed}: with a key there is no doubt");
        put += log.put.values().sum::<usize>();
        taken += log.taken.values().sum::<usize>();
        absent += log.absent.values().sum::<usize>();
        // If the network delivers twice, a refused removal that arrives again seconds later can succeed: the refusal stored
        // no key.
        let (world, log) = run(seed, simulate(seed, true, Rates::MANY));
        for (element, count) in count(&world, seed) {
            let exact = 3 + of(&log.put, element) - of(&log.taken, element);
            let least = exact.saturating_sub(of(&log.absent, element));
            assert!((least..=exact).contains(&count), "seed {seed}: {element} {count}, {least} to {exact} {log:?}");
        }
    }
    println!("lists with keys: {} seeds, {put} put in, {taken} taken out, {absent} not there", seeds(6, 2));
}

#[test]
fn without_keys_every_unanswered_change_is_reported_as_unknown() {
    for seed in 0..seeds(6, 2) {
        // With these rates, every write gets an answer.
        let rates = Rates { lose_request: 0.0, lose_answer: 0.0, fail: 0.0, duplicate: 0.0, ..Rates::MANY };
        let (world, log) = run(seed, simulate(seed, false, rates));
        for (element, count) in count(&world, seed) {
            assert_eq!(count, 3 + of(&log.put, element) - of(&log.taken, element), "seed {seed}: {element} {log:?}");
        }
        // The network delivers nothing twice here, because only a key protects against duplicates.
        let (world, log) = run(seed, simulate(seed, false, Rates { duplicate: 0.0, ..Rates::MANY }));
        for (element, count) in count(&world, seed) {
            let sure = 3 + of(&log.put, element);
            let taken = of(&log.taken, element);
            let least = sure.saturating_sub(taken + of(&log.maybe_taken, element));
            let most = sure + of(&log.maybe_put, element) - taken;
            assert!((least..=most).contains(&count), "seed {seed}: {element} {count}, {least} to {most} {log:?}");
        }
    }
}
