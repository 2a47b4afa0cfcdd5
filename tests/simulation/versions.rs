//! A simulation of eight writers of one item, on a network that loses, repeats, delays and refuses requests. If no outcome
//! is unknown, the version is the number of acknowledged writes. Every revision of a history has the content of an
//! acknowledged write.
//!
//! `DYNO_SEEDS` sets the number of runs of each kind. The same seed gives the same run.

#![allow(clippy::print_stdout, reason = "how many runs there were, for who asks with `--nocapture`")]

use crate::runs::{hedged, insist, retries, run, seeds, straggling};
use dyno::{Entity, Error, ErrorKind, Found, Outcome, Repository};
use dyno_tests::faults::{Event, Faults, Rates};
use dyno_tests::{World, is_remote, world};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

const WRITERS: usize = 8;
/// The number of acknowledged writes after which a writer ends.
const WRITES: usize = 3;

/// The results that the writers received.
#[derive(Default)]
struct Log {
    /// The acknowledged writes, by version: the text, or `None` for a delete.
    writes: BTreeMap<u64, Option<String>>,
    /// The number of writes with an unknown outcome.
    unknown: usize,
    conflicts: usize,
    faults: Option<Faults>,
}

type SharedLog = Arc<Mutex<Log>>;

/// The result of one send.
enum Answer {
    Applied(u64),
    Refused,
    Unknown,
    /// The writer sends the command again, as the same write.
    Again,
}

fn read<E: Entity>(sent: Result<Outcome<E, u64>, Error>) -> Answer {
    match sent {
        Ok(Outcome::Applied(version)) => Answer::Applied(version),
        Ok(Outcome::Refused(_)) => Answer::Refused,
        Err(error) => match error.kind() {
            ErrorKind::OutcomeUnknown => Answer::Unknown,
            // Status 500 has the kind `Service`.
            ErrorKind::Unreachable | ErrorKind::Throttled | ErrorKind::Contended | ErrorKind::Service => Answer::Again,
            _ => panic!("{error:?}"),
        },
    }
}

/// Sends a command until it has a final result, and logs the result.
///
/// If the first answer to a create was lost, later sends cannot report a final refusal while the item exists, because the
/// first attempt can still arrive after a delete of the item. Once all other writers have ended, nobody deletes the item. So
/// after 100 sends, the writer waits until no attempt is under way. If the next send has no final result either, it counts
/// as refused.
macro_rules! write {
    ($log:expr, $repository:expr, $text:expr, $command:expr) => {{
        let (command, mut sends) = ($command, 0);
        let answer = loop {
            if sends == 100 {
                let faults = $log.lock().expect("no panic").faults.clone();
                faults.expect("a network").settled().await;
            }
            match read(command.clone().send($repository).await) {
                Answer::Again if sends >= 100 => break Answer::Refused,
                Answer::Again => sends += 1,
                answer => break answer,
            }
        };
        let mut log = $log.lock().expect("no panic");
        match answer {
            Answer::Applied(version) => {
                let before = log.writes.insert(version, $text);
                assert_eq!(before, None, "two writers were told that they wrote version {version}");
                true
            }
            Answer::Unknown => {
                log.unknown += 1;
                false
            }
            _ => {
                log.conflicts += 1;
                false
            }
        }
    }};
}

/// Runs the writers. Returns the world, the results that the writers received, and the requests that were sent.
async fn simulate<E: Entity, W: Future<Output = ()> + Send + 'static>(
    seed: u64,
    rates: Rates,
    writer: impl Fn(usize, Repository, SharedLog) -> W,
) -> (World, Log, Vec<Event>) {
    let world = world::<E>().await;
    let log = SharedLog::default();
    log.lock().expect("no panic").faults = Some(world.faults.clone());
    world.faults.seed(seed, straggling(seed, rates, 180));
    let writers: Vec<_> = (0..WRITERS)
        .map(|number| {
            let repository = Repository::new(world.client(retries())).with_clock(Arc::clone(&world.clock));
            let repository = hedged(seed, repository);
            tokio::spawn(writer(number, repository, Arc::clone(&log)))
        })
        .collect();
    for writer in writers {
        writer.await.expect("no panic");
    }
    world.faults.calm();
    world.faults.settled().await;
    let log = std::mem::take(&mut *log.lock().expect("no panic"));
    let events = world.faults.events();
    (world, log, events)
}

/// Tests for each kind of history. The flag says whether a delete leaves a tombstone.
macro_rules! histories {
    ($($kind:ident $tombstones:tt $(#[$attribute:meta])*;)*) => {$(
        mod $kind {
            use super::*;

            #[derive(Entity, Clone, Debug, PartialEq)]
            #[entity(table = "documents")]
            $(#[$attribute])*
            struct Doc {
                #[partition_key]
                folder: String,
                #[sort_key]
                name: String,
                text: String,
                #[version]
                version: u64,
            }

            const KEY: (&str, &str) = ("f", "n");

            fn doc(text: &str, version: u64) -> Doc {
                Doc { folder: "f".to_owned(), name: "n".to_owned(), text: text.to_owned(), version }
            }

            async fn writer(number: usize, repository: Repository, log: SharedLog) {
                let repository = &repository;
                let mut written = 0;
                let mut tries = 0;
                while written < WRITES {
                    tries += 1;
                    let text = format!("{number}-{tries}");
                    let some = Some(text.clone());
                    let live = insist!(Doc::get(KEY).consistent().send(repository));
                    let applied = match live {
                        Some(Doc { version, .. }) => match fastrand::u8(0..10) {
                            0..=4 => write!(log, repository, some, doc(&text, version).put()),
                            5 | 6 => write!(log, repository, some, doc(&text, version).replace()),
                            7 => write!(log, repository, some, doc(&text, 0).create()),
                            _ => write!(log, repository, None, Doc::delete(KEY, version)),
                        },
                        None => histories!(@absent $tombstones log repository some text),
                    };
                    written += usize::from(applied);
                }
            }

            async fn check(seed: u64) -> (usize, usize) {
                let (world, log, _) = simulate::<Doc, _>(seed, Rates::MANY, writer).await;
                let other = world.other();
                assert_eq!(log.unknown, 0, "seed {seed}: the history tells");
                let count = log.writes.len() as u64;
                assert_eq!(log.writes.keys().copied().collect::<Vec<_>>(), (1..=count).collect::<Vec<_>>(), "seed {seed}");
                assert_eq!(count, (WRITERS * WRITES) as u64);
                let mut found = BTreeMap::new();
                for revision in Doc::revisions(KEY).send(&other).await.expect("revisions").items {
                    found.insert(revision.version(), revision.decode().expect("decodes").map(|doc| doc.text));
                }
                assert_eq!(found, log.writes, "seed {seed}");
                for (version, text) in &log.writes {
                    let revision = Doc::revision(KEY, *version).send(&other).await.expect("sent").expect("there");
                    assert_eq!(revision.decode().expect("decodes").map(|doc| doc.text), *text, "seed {seed}");
                }
                let current = Doc::get(KEY).consistent().send(&other).await.expect("a get");
                let newest = log.writes[&count].clone().map(|text| doc(&text, count));
                assert_eq!(current, newest, "seed {seed}");
                // If the item is live, another process can modify it.
                let modified = Doc::modify(KEY, |doc| doc.text.push('!')).send(&other).await.expect("sent");
                assert_eq!(modified.is_applied(), newest.is_some());
                (log.writes.len(), log.conflicts)
            }

            #[test]
            fn every_revision_is_an_acknowledged_write() {
                let (mut writes, mut conflicts) = (0, 0);
                for seed in 0..seeds(5, 2) {
                    let (more, refused) = run(seed, check(seed));
                    writes += more;
                    conflicts += refused;
                }
                println!("{}: {} seeds, {writes} writes, {conflicts} conflicts", stringify!($kind), seeds(5, 2));
            }

            #[test]
            fn the_same_seed_gives_the_same_run() {
                if is_remote() {
                    // An engine in another process runs in real time, so no two runs are equal.
                    return;
                }
                let events = |seed| run(seed, async { simulate::<Doc, _>(seed, Rates::MANY, writer).await.2 });
                assert_eq!(events(7), events(7));
                assert_ne!(events(7), events(8));
            }
        }
    )*};
    (@absent true $log:ident $repository:ident $some:ident $text:ident) => {{
        let found = insist!(Doc::get(KEY).include_deleted().consistent().send($repository));
        match found {
            Some(Found::Deleted(tombstone)) if fastrand::bool() => {
                write!($log, $repository, $some, doc(&$text, tombstone.version()).undelete())
            }
            _ => write!($log, $repository, $some, doc(&$text, 0).put()),
        }
    }};
    (@absent false $log:ident $repository:ident $some:ident $text:ident) => {
        write!($log, $repository, $some, doc(&$text, 0).put())
    };
}

histories! {
    atomic false #[history_table];
    atomic_with_tombstones true #[tombstone(ttl_days = 7)] #[history_table];
    atomic_in_the_same_table false #[history_table(layout = "same_table")];
    ordered true #[tombstone(ttl_days = 7)] #[history_table(mode = "ordered")];
    ordered_in_the_same_table true #[tombstone(ttl_days = 7)] #[history_table(mode = "ordered", layout = "same_table")];
}

mod plain {
    use super::*;

    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "counters")]
    #[tombstone(ttl_days = 7)]
    struct Counter {
        #[partition_key]
        id: String,
        text: String,
        #[version]
        version: u64,
    }

    fn counter(text: &str, version: u64) -> Counter {
        Counter { id: "1".to_owned(), text: text.to_owned(), version }
    }

    async fn writer(number: usize, repository: Repository, log: SharedLog) {
        let repository = &repository;
        let mut written = 0;
        let mut tries = 0;
        while written < WRITES {
            tries += 1;
            let text = format!("{number}-{tries}");
            let some = Some(text.clone());
            let found = insist!(Counter::get("1").include_deleted().consistent().send(repository));
            let applied = match found {
                Some(Found::Live(Counter { version, .. })) => match fastrand::u8(0..10) {
                    0..=2 => write!(log, repository, some, counter(&text, version).put()),
                    3 | 4 => write!(log, repository, some, counter(&text, version).replace()),
                    5..=7 => {
                        let update = Counter::update("1").version(version).with(Counter::fields().text.set(&*text));
                        write!(log, repository, some, update)
                    }
                    _ => write!(log, repository, None, Counter::delete("1", version)),
                },
                Some(Found::Deleted(tombstone)) if fastrand::bool() => {
                    write!(log, repository, some, counter(&text, tombstone.version()).undelete())
                }
                _ => write!(log, repository, some, counter(&text, 0).create()),
            };
            written += usize::from(applied);
        }
    }

    /// Runs the writers. Returns the final version and the results that the writers received.
    fn version(seed: u64, rates: Rates) -> (u64, Log) {
        run(seed, async {
            let (world, log, _) = simulate::<Counter, _>(seed, rates, writer).await;
            let found = Counter::get("1").include_deleted().send(&world.other()).await.expect("a get");
            let (version, text) = match found.expect("there") {
                Found::Deleted(tombstone) => (tombstone.version(), None),
                Found::Live(counter) | Found::Expired(counter) => (counter.version, Some(counter.text)),
            };
            if let Some(last) = log.writes.get(&version) {
                assert_eq!(*last, text, "seed {seed}");
            }
            assert_eq!(log.writes.len(), WRITERS * WRITES);
            (version, log)
        })
    }

    #[test]
    fn the_version_is_the_number_of_acknowledged_writes() {
        // No request or answer is lost and no status 500 occurs, so each writer learns whether its write was applied.
        let rates = Rates { lose_request: 0.0, lose_answer: 0.0, fail: 0.0, ..Rates::MANY };
        for seed in 0..seeds(5, 2) {
            let (version, log) = version(seed, rates);
            assert_eq!(log.unknown, 0, "seed {seed}");
            assert_eq!(
                log.writes.keys().copied().collect::<Vec<_>>(),
                (1..=version).collect::<Vec<_>>(),
                "seed {seed}"
            );
        }
        println!("plain, every write answered: {} seeds", seeds(5, 2));
    }

    #[test]
    fn every_unacknowledged_write_is_reported_as_unknown() {
        let (mut writes, mut conflicts, mut unknown, mut applied) = (0, 0, 0, 0);
        for seed in 0..seeds(5, 2) {
            let (version, log) = version(seed, Rates::MANY);
            // Without a history, a writer learns `OutcomeUnknown` if its answer is lost and another write follows. Every
            // write that was applied but not acknowledged is one of these.
            let acknowledged = log.writes.len() as u64;
            let not_acknowledged = version - acknowledged;
            assert!(not_acknowledged <= log.unknown as u64, "seed {seed}: {not_acknowledged} of {}", log.unknown);
            writes += log.writes.len();
            conflicts += log.conflicts;
            unknown += log.unknown;
            applied += not_acknowledged;
        }
        println!(
            "plain: {} seeds, {writes} writes, {conflicts} conflicts; {unknown} unknown, {applied} of them applied",
            seeds(5, 2)
        );
    }
}
