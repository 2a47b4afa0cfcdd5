//! Documents with a history, written by client-side transactions, some of which query, by native transactions, and by plain
//! writes, while processes die, pause, resume and drop what they send. Each revision matches one state of the document. Each
//! acknowledged write is in exactly one revision, and no write that was certainly not applied is in any.
//!
//! In two of three runs, another program works at the same table, which knows nothing of histories or transactions: see
//! `foreign_writer`. A careless one harms only the document that it writes.
//!
//! Each text lists the writes since the document was created, so a revision shows what was stored before it. `DYNO_SEEDS`
//! sets the number of runs of each kind. With `DYNO_SHOW`, a run that fails shows its requests.

#![allow(clippy::print_stdout, reason = "what happened in all runs, for who asks with `--nocapture`")]

mod foreign_writer;

use crate::fleet::{Fleet, Trouble, check_kind, is_open};
use crate::runs::{from_first, run, seeds};
use dyno::{Entity, Error, Repository, Revision, Sweep, Transaction, TransactionOutcome};
use dyno_tests::faults::{Rates, ms};
use foreign_writer::Stranger;
use futures_util::future::{join, join_all};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;
use tokio::time::{sleep, timeout};

const WRITERS: usize = 6;
const PIECES: usize = 8;
const FOLDER: &str = "f";
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// What was reported of the writes, by their numbers.
#[derive(Debug, Default)]
struct Log {
    last: u32,
    /// Writes of documents that another program spoils.
    spoiled: BTreeSet<u32>,
    applied: BTreeSet<u32>,
    refused: BTreeSet<u32>,
}

/// The revisions of a document, as a reader sees them: each revision's number and text, the newest first. A deletion has no
/// text.
type Timeline = Vec<(u64, Option<String>)>;

/// The writes that a text lists.
fn listed(text: &str) -> Vec<u32> {
    text.split_terminator(';').map(|write| write.parse().expect("a number")).collect()
}

/// Returns the text with one more write.
fn with(text: &str, write: u32) -> String {
    format!("{text}{write};")
}

/// Returns the writes of a timeline, and checks that each text is the one before it with one more write.
fn writes(timeline: &Timeline) -> Vec<u32> {
    let mut found = Vec::new();
    for (at, (version, text)) in timeline.iter().rev().enumerate() {
        assert_eq!(*version, at as u64 + 1, "each number once: {timeline:?}");
        let before = at.checked_sub(1).and_then(|before| timeline[timeline.len() - 1 - before].1.clone());
        let Some(text) = text else {
            assert!(before.is_some(), "only what is there is deleted: {timeline:?}");
            continue;
        };
        let (all, before) = (listed(text), listed(&before.unwrap_or_default()));
        let (write, rest) = all.split_last().expect("a write");
        assert_eq!(rest, before, "revision {version} goes on from another one: {timeline:?}");
        found.push(*write);
    }
    found
}

/// A writer under one of the names.
struct Writer<'a> {
    number: usize,
    fleet: &'a Fleet,
    log: &'a Mutex<Log>,
    stranger: Stranger,
}

impl Writer<'_> {
    fn begin(&self, name: &str) -> u32 {
        let mut log = self.log.lock().expect("no panic");
        log.last += 1;
        let last = log.last;
        if self.stranger.spoils(name) {
            log.spoiled.insert(last);
        }
        last
    }

    /// Records the outcome of these writes, if it is known.
    fn told(&self, writes: &[u32], sent: Option<Result<bool, Error>>) {
        let mut log = self.log.lock().expect("no panic");
        match sent {
            Some(Ok(true)) => log.applied.extend(writes),
            Some(Ok(false)) => log.refused.extend(writes),
            Some(Err(error)) if !is_open(&error) => {
                if !self.stranger.stands_in_the_way(&error) {
                    check_kind(&error);
                }
                log.refused.extend(writes);
            }
            None | Some(Err(_)) => {}
        }
    }
}

/// Prints the requests of a run that fails, if `DYNO_SHOW` is set.
struct Shown<'a>(&'a Fleet);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("{}", self.0.witness.shown(&["dyno-lanes", "documents", "documents-history"]));
        }
    }
}

fn rates() -> Rates {
    Rates { late_when_dropped: 0.7, late_when_dropped_by: ms(180_000), ..Rates::MANY }
}

/// The simulation and the test of each kind of history.
macro_rules! chronicles {
    ($($kind:ident $(#[$attribute:meta])*;)*) => {$(
        mod $kind {
            use super::*;

            #[derive(Entity, Clone, Debug, PartialEq)]
            #[entity(table = "documents")]
            $(#[$attribute])*
            #[tombstone(ttl_days = 7)]
            #[transactional]
            struct Doc {
                #[partition_key]
                folder: String,
                #[sort_key]
                name: String,
                text: String,
                #[version]
                version: u64,
            }

            fn key(name: &'static str) -> (&'static str, &'static str) {
                (FOLDER, name)
            }

            fn new(name: &str, text: String) -> Doc {
                Doc { folder: FOLDER.to_owned(), name: name.to_owned(), text, version: 0 }
            }

            /// Returns a write that extends the document, creates it, or deletes it.
            fn write(found: Option<Doc>, name: &str, write: u32, deletes: bool) -> Write {
                match found {
                    Some(found) if deletes => Write::Delete(found.version),
                    Some(found) => Write::Put(Doc { text: with(&found.text, write), ..found }),
                    None => Write::Create(new(name, with("", write))),
                }
            }

            enum Write {
                Put(Doc),
                Create(Doc),
                Delete(u64),
            }

            fn enlist(transaction: Transaction, name: &'static str, write: Write) -> Transaction {
                match write {
                    Write::Put(doc) => transaction.put(doc.put()),
                    Write::Create(doc) => transaction.put(doc.create()),
                    Write::Delete(version) => transaction.delete(Doc::delete(key(name), version)),
                }
            }

            fn any() -> Vec<(&'static str, bool)> {
                let names = fastrand::choose_multiple(NAMES, fastrand::usize(1..=3));
                names.into_iter().map(|name| (name, fastrand::u8(0..5) == 0)).collect()
            }

            async fn piece(writer: &Writer<'_>, repository: Repository) {
                sleep(Duration::from_millis(fastrand::u64(0..1_000))).await;
                match fastrand::u8(0..10) {
                    0..4 => closure(writer, &repository).await,
                    4..6 => at_once(writer, &repository).await,
                    6..8 => alone(writer, &repository).await,
                    _ => look(writer, &repository).await,
                }
            }

            async fn closure(writer: &Writer<'_>, repository: &Repository) {
                let (some, client_side, queries) = (&any(), fastrand::u8(0..4) > 0, fastrand::u8(0..4) == 0);
                let numbers = &some.iter().map(|(name, _)| writer.begin(name)).collect::<Vec<_>>();
                let closure = Transaction::interactive(|tx| async move {
                    let mut listed = Vec::new();
                    let all = if queries { tx.query(Doc::query(FOLDER)).await? } else { Vec::new() };
                    for ((name, deletes), number) in some.iter().zip(numbers) {
                        let found = if queries {
                            all.iter().find(|doc| doc.name == *name).cloned()
                        } else {
                            tx.get(Doc::get(key(name))).await?
                        };
                        match write(found, name, *number, *deletes) {
                            Write::Delete(version) => tx.delete(Doc::delete(key(name), version)),
                            Write::Put(doc) => {
                                listed.push(*number);
                                tx.put(doc.put());
                            }
                            Write::Create(doc) => {
                                listed.push(*number);
                                tx.put(doc.create());
                            }
                        }
                    }
                    Ok(listed)
                });
                let closure = if client_side { closure.client_side() } else { closure };
                let told = writer.fleet.tell(writer.number, || closure.clone().send(repository)).await;
                match told {
                    Some(Ok(TransactionOutcome::Applied(listed))) => writer.told(&listed, Some(Ok(true))),
                    Some(Ok(TransactionOutcome::Refused(_))) => writer.told(numbers, Some(Ok(false))),
                    Some(Err(error)) => writer.told(numbers, Some(Err(error))),
                    None => {}
                }
            }

            /// Sends a transaction without a closure. The documents that it has read may have changed since.
            async fn at_once(writer: &Writer<'_>, repository: &Repository) {
                let (mut transaction, mut listed) = (Transaction::new(), Vec::new());
                for (name, deletes) in any() {
                    let read = Doc::get(key(name)).send(repository).await;
                    let found = if fastrand::u8(0..6) == 0 { None } else { read.unwrap_or_default() };
                    let number = writer.begin(name);
                    let write = write(found, name, number, deletes);
                    if !matches!(write, Write::Delete(_)) {
                        listed.push(number);
                    }
                    transaction = enlist(transaction, name, write);
                }
                let transaction = if fastrand::u8(0..4) > 0 { transaction.client_side() } else { transaction };
                let send = || async { transaction.clone().send(repository).await.map(|sent| sent.is_applied()) };
                writer.told(&listed, writer.fleet.tell(writer.number, send).await);
            }

            async fn alone(writer: &Writer<'_>, repository: &Repository) {
                let name = *fastrand::choice(&NAMES).expect("some");
                let number = writer.begin(name);
                if fastrand::bool() {
                    let modify = Doc::modify(key(name), move |doc| doc.text = with(&doc.text, number));
                    // A second send would be another write.
                    let time = Duration::from_millis(fastrand::u64(1..fastrand::u64(50..200_000)));
                    let told = timeout(time, modify.send(repository)).await.ok();
                    return writer.told(&[number], told.map(|sent| sent.map(|sent| sent.is_applied())));
                }
                let read = Doc::get(key(name)).send(repository).await.unwrap_or_default();
                let write = write(read, name, number, fastrand::u8(0..5) == 0);
                let listed = if matches!(write, Write::Delete(_)) { vec![] } else { vec![number] };
                macro_rules! send {
                    ($command:expr) => {{
                        let command = $command;
                        let send = || async { command.clone().send(repository).await.map(|sent| sent.is_applied()) };
                        writer.fleet.tell(writer.number, send).await
                    }};
                }
                let told = match write {
                    Write::Put(doc) => send!(doc.put()),
                    Write::Create(doc) => send!(doc.create()),
                    Write::Delete(version) => send!(Doc::delete(key(name), version)),
                };
                writer.told(&listed, told);
            }

            /// Reads all revisions of a document, and checks that each extends the one before it.
            async fn look(writer: &Writer<'_>, repository: &Repository) {
                let name = *fastrand::choice(&NAMES).expect("some");
                if let Ok(revisions) = Doc::revisions(key(name)).stream(repository).try_collect().await
                    && !writer.stranger.spoils(name)
                {
                    writes(&timeline(&revisions));
                }
            }

            fn timeline(revisions: &[Revision<Doc>]) -> Timeline {
                let shown = revisions.iter().map(|revision| {
                    let text = revision.decode().expect("decodes").map(|doc| doc.text);
                    (revision.version(), text)
                });
                shown.collect()
            }

            async fn simulate(seed: u64) -> [usize; 4] {
                let fleet = Fleet::new::<Doc>(seed, rates()).await;
                let _shown = Shown(&fleet);
                let trouble = Trouble { death: 0.7, within: 12, commits: 3, pause: 0.4, fork: 0.1 };
                let log = Mutex::new(Log::default());
                // Another program works under one more name.
                let (stranger, notes) = (Stranger::of(seed), AtomicUsize::new(0));
                let others = async {
                    if stranger != Stranger::None {
                        let notes = &notes;
                        let piece = |repository| Box::pin(async move { stranger.piece(&repository, notes).await });
                        Box::pin(fleet.live(WRITERS, 4 * PIECES, trouble, piece)).await;
                    }
                };
                let writers = (0..WRITERS).map(|number| {
                    let (fleet, log) = (&fleet, &log);
                    let writer = Writer { number, fleet, log, stranger };
                    Box::pin(async move {
                        let piece = |repository| Box::pin(piece(&writer, repository));
                        Box::pin(fleet.live(number, PIECES, trouble, piece)).await;
                    })
                });
                join(join_all(writers), others).await;
                fleet.calm().await;
                if let Some(stray) = fleet.stray() {
                    // This sweep uses another lane table, so it need not resolve what the other processes have left.
                    let _report = Sweep::new().of::<Doc>().send(&stray).await.expect("a sweep");
                }
                let repository = fleet.process().repository;
                if seed.is_multiple_of(2) {
                    let report = Sweep::new().of::<Doc>().send(&repository).await.expect("a sweep");
                    let is_left = report.unresolved().iter().any(|unresolved| !stranger.has_spoilt(unresolved.key()));
                    assert!(!is_left, "seed {seed}: {report:?}");
                }
                let log = log.into_inner().expect("no panic");
                let (mut found, mut revisions) = (BTreeMap::<u32, usize>::new(), 0);
                for name in NAMES.into_iter().filter(|name| !stranger.spoils(name)) {
                    // A transaction resolves the intents in the items that it reads.
                    let read = Transaction::interactive(|tx| async move { Ok(tx.get(Doc::get(key(name))).await?) });
                    let current = read.send(&repository).await.expect("sent").applied().expect("read");
                    let shown = Doc::revisions(key(name)).send(&repository).await.expect("revisions").items;
                    let timeline = timeline(&shown);
                    assert_eq!(timeline.first().and_then(|(_, text)| text.clone()), current.map(|doc| doc.text), "{name}");
                    for write in writes(&timeline) {
                        *found.entry(write).or_default() += 1;
                    }
                    revisions += timeline.len();
                }
                let rows = fleet.world.stored::<Doc>().await;
                let held = rows.iter().find(|row| row.contains_key("_x") && !stranger.has_spoilt(row));
                assert_eq!(held, None, "seed {seed}");
                foreign_writer::check(&rows);
                let noted = notes.into_inner();
                assert!(found.values().all(|times| *times == 1), "seed {seed}: {found:?}");
                for write in log.applied.difference(&log.spoiled) {
                    assert!(found.contains_key(write), "seed {seed}: {write} was acknowledged, and is in no revision");
                }
                for write in &log.refused {
                    assert!(!found.contains_key(write), "seed {seed}: {write} was said not to be applied");
                }
                [revisions, log.applied.len(), log.refused.len(), noted]
            }

            #[test]
            fn every_revision_matches_a_state_of_its_item() {
                let (mut sum, count) = ([0; 4], seeds(4, 1));
                for seed in from_first(count) {
                    let done = run(seed, simulate(seed));
                    sum.iter_mut().zip(done).for_each(|(sum, done)| *sum += done);
                }
                let [revisions, applied, refused, noted] = sum;
                println!(
                    "{}: {count} seeds, {revisions} revisions, {applied} writes acknowledged, {refused} refused, {noted} \
                     notes of another program answered",
                    stringify!($kind)
                );
                assert!(applied > 0 && refused > 0 && (noted > 0 || count < 4));
            }
        }
    )*};
}

chronicles! {
    atomic #[history_table];
    atomic_in_the_same_table #[history_table(layout = "same_table")];
    ordered #[history_table(mode = "ordered", ttl_days = 30)];
    ordered_in_the_same_table #[history_table(mode = "ordered", layout = "same_table")];
}
