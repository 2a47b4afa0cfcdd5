//! Eight writers, one item, and a network that loses, repeats, delays and refuses: whatever happens, the version is the
//! number of acknowledged writes, and every revision is what one of them wrote.
//!
//! `DYNO_SEEDS` says how many runs there are of each kind. The same seed gives the same run.

#![allow(clippy::print_stdout, reason = "how many runs there were, for who asks with `--nocapture`")]

use crate::runs::{hedged, insist, retries, run, seeds, straggling};
use dyno::{Entity, Error, ErrorKind, Found, Outcome, Repository};
use dyno_tests::faults::{Event, Faults, Rates};
use dyno_tests::{World, endpoint, world};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

const WRITERS: usize = 8;
/// How many writes each writer gets acknowledged.
const WRITES: usize = 3;

/// What the writers were told.
#[derive(Default)]
struct Log {
    /// Acknowledged: the version, and the text or that it was a deletion.
    writes: BTreeMap<u64, Option<String>>,
    /// Neither acknowledged nor refused: it cannot be told.
    unknown: usize,
    conflicts: usize,
    faults: Option<Faults>,
}

type SharedLog = Arc<Mutex<Log>>;

/// How an answer goes on.
enum Answer {
    Applied(u64),
    Refused,
    Unknown,
    /// The same command again: it is the same write.
    Again,
}

fn read<E: Entity>(sent: Result<Outcome<E, u64>, Error>) -> Answer {
    match sent {
        Ok(Outcome::Applied(version)) => Answer::Applied(version),
        Ok(Outcome::Refused(_)) => Answer::Refused,
        Err(error) => match error.kind() {
            ErrorKind::OutcomeUnknown => Answer::Unknown,
            // A 500 is a `Service`.
            ErrorKind::Unreachable | ErrorKind::Throttled | ErrorKind::Contended | ErrorKind::Service => Answer::Again,
            _ => panic!("{error:?}"),
        },
    }
}

/// Sends a command until it is answered, and logs that.
///
/// A create whose first answer was lost is refused only for now as long as there is an item, because that attempt may still arrive
/// when the item has been deleted. If all other writers are done, nobody deletes it. So after a hundred sends, the writer waits
/// until no attempt is on its way, and what is refused then is refused for good.
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

/// The writers at work; what they were told, and what came by.
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

/// With a history: a kind of it, and whether a deletion leaves a tombstone.
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
                for revision in Doc::revisions(KEY).send(&other).await.expect("revisions") {
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
                // And it goes on from there.
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
                if endpoint().is_some() {
                    // Another process has its own time.
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

    /// The version in the end, and what the writers were told.
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
        // As long as every write has an answer, which says of each whether it was applied.
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
            // Without a history, a writer that was overtaken after a lost answer is told that it cannot be known. All
            // that was applied and not acknowledged is of those.
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
