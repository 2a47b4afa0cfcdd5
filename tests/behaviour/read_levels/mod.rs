//! What each kind of read returns for an item that a client-side transaction changes, and how many requests it sends.
//!
//! The table beside this file is generated. `Level::shows_it` says what each read must return, and the requests are counted.
//! `UPDATE_EXPECT=1` writes the table.

mod filters;
mod input;
mod pages;

use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Entity, Error, Projection, Repository, TransactGet, Transaction};
use dyno_tests::faults::Fault;
use dyno_tests::witness::{is_commit, is_end};
use dyno_tests::{World, is_remote, world};
use std::fmt::Write as _;
use std::time::Duration;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "entries")]
#[tombstone(ttl_days = 7)]
#[transactional]
#[index(name = "by_kind", partition = kind, sort = line)]
struct Entry {
    #[partition_key]
    book: String,
    #[sort_key]
    line: u64,
    sum: u64,
    kind: String,
    #[version]
    version: u64,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Entry)]
struct Line {
    line: u64,
    sum: u64,
}

fn entry(book: &str, line: u64, sum: u64) -> Entry {
    Entry { book: book.to_owned(), line, sum, kind: "kind".to_owned(), version: 0 }
}

/// How the transaction changes line 1 of the book.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Update,
    Create,
    Delete,
    CreateOverTombstone,
}

impl Change {
    const ALL: [Self; 4] = [Self::Update, Self::Create, Self::Delete, Self::CreateOverTombstone];

    fn before(self) -> Option<u64> {
        matches!(self, Self::Update | Self::Delete).then_some(5)
    }

    fn after(self) -> Option<u64> {
        (self != Self::Delete).then_some(7)
    }
}

/// How far the transaction has come.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    Open,
    Void,
    Committed,
    Applied,
}

impl Stage {
    const ALL: [Self; 4] = [Self::Open, Self::Void, Self::Committed, Self::Applied];
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Level {
    Committed,
    Consistent,
    Uncommitted,
    /// All items as of one moment: the read waits for open transactions.
    Isolated,
}

impl Level {
    const ALL: [Self; 3] = [Self::Committed, Self::Consistent, Self::Uncommitted];

    /// Whether a read at this level returns what the transaction writes.
    fn shows_it(self, stage: Stage) -> bool {
        match self {
            Self::Committed => stage == Stage::Applied,
            Self::Consistent | Self::Isolated => matches!(stage, Stage::Committed | Stage::Applied),
            Self::Uncommitted => true,
        }
    }
}

/// A book whose line 1 is in a transaction at this stage. Lines 0 and 2 exist. The same transaction changes a line of
/// another book.
async fn book(change: Change, stage: Stage) -> World {
    let world = world::<Entry>().await;
    world.create_lanes_only().await;
    for (book, line, sum) in [("ledger", 0, 1), ("ledger", 2, 1), ("other", 0, 1)] {
        applied!(entry(book, line, sum).create(), &world.repository);
    }
    if change != Change::Create {
        applied!(entry("ledger", 1, 5).create(), &world.repository);
    }
    if change == Change::CreateOverTombstone {
        applied!(Entry::delete(("ledger", 1), 1), &world.repository);
    }
    let other = Entry::update(("other", 0)).unchecked().with(Entry::fields().sum.add(1));
    let transaction = Transaction::new().update(other).client_side();
    let transaction = match change {
        Change::Update => transaction.update(Entry::update(("ledger", 1)).version(1).with(Entry::fields().sum.set(7))),
        Change::Create | Change::CreateOverTombstone => transaction.put(entry("ledger", 1, 7).create()),
        Change::Delete => transaction.delete(Entry::delete(("ledger", 1), 1)),
    };
    let process = world.process(RetryConfig::disabled());
    match stage {
        Stage::Open | Stage::Void => process.faults.on_request(1, is_commit, Fault::DiesBefore),
        Stage::Committed => process.faults.on_request(1, is_end, Fault::DiesBefore),
        Stage::Applied => {}
    }
    let sent = process.run(transaction.send(&process.repository)).await;
    assert_eq!(sent.is_some(), stage == Stage::Applied);
    if stage == Stage::Void {
        // A writer with a lock timeout of zero meets the other line, and aborts the transaction.
        let hasty = world.other().with_lock_timeout(Duration::ZERO);
        applied!(Entry::update(("other", 0)).unchecked().with(Entry::fields().sum.add(1)), &hasty);
    }
    world
}

/// A way to read line 1.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reading {
    Get,
    BatchGet,
    Query,
    QueryOf(u64),
    Scan,
    ScanOf(u64),
    Index,
    TransactGet,
    Transaction,
}

impl Reading {
    const ALL: [Self; 11] = [
        Self::Get,
        Self::BatchGet,
        Self::Query,
        Self::QueryOf(5),
        Self::QueryOf(7),
        Self::Scan,
        Self::ScanOf(5),
        Self::ScanOf(7),
        Self::Index,
        Self::TransactGet,
        Self::Transaction,
    ];

    fn levels(self) -> &'static [Level] {
        match self {
            Self::Index => &[Level::Committed],
            Self::TransactGet | Self::Transaction => &[Level::Isolated],
            _ => &Level::ALL,
        }
    }

    /// Reads the sum of line 1.
    async fn read(self, level: Level, repository: &Repository) -> Result<Option<u64>, Error> {
        macro_rules! at_level {
            ($reading:expr) => {
                match level {
                    Level::Committed => $reading,
                    Level::Consistent => $reading.consistent(),
                    Level::Uncommitted => $reading.uncommitted(),
                    Level::Isolated => unreachable!(),
                }
            };
        }
        macro_rules! of {
            ($page:expr) => {
                $page.items.iter().find(|entry| entry.line == 1 && entry.book == "ledger").map(|entry| entry.sum)
            };
        }
        let sum = || Entry::fields().sum;
        Ok(match self {
            Self::Get => at_level!(Entry::get(("ledger", 1))).send(repository).await?.map(|entry| entry.sum),
            Self::BatchGet => {
                let keys = [0, 1, 2].map(|line| ("ledger", line));
                let read = at_level!(Entry::batch_get(keys)).send(repository).await?;
                assert!(read[0].is_some() && read[2].is_some());
                read[1].as_ref().map(|entry| entry.sum)
            }
            Self::Query => of!(at_level!(Entry::query("ledger")).send(repository).await?),
            Self::QueryOf(it) => of!(at_level!(Entry::query("ledger")).filter(sum().eq(it)).send(repository).await?),
            Self::Scan => of!(at_level!(Entry::scan()).send(repository).await?),
            Self::ScanOf(it) => of!(at_level!(Entry::scan()).filter(sum().eq(it)).send(repository).await?),
            Self::Index => of!(Entry::by_kind("kind").send(repository).await?),
            Self::TransactGet => {
                let gets = [0, 1, 2].map(|line| Entry::get(("ledger", line)));
                TransactGet::new(gets).send(repository).await?[1].as_ref().map(|entry| entry.sum)
            }
            Self::Transaction => {
                let reading = Transaction::interactive(|tx| async move {
                    let read = tx.batch_get(Entry::batch_get([0, 1, 2].map(|line| ("ledger", line)))).await?;
                    Ok(read[1].as_ref().map(|entry: &Entry| entry.sum))
                });
                reading.send(repository).await?.applied().expect("nothing can be refused")
            }
        })
    }

    /// Reads the sum of line 1 with a projection.
    async fn read_a_part(self, level: Level, repository: &Repository) -> Result<Option<u64>, Error> {
        macro_rules! at_level {
            ($reading:expr) => {
                match level {
                    Level::Committed => $reading,
                    Level::Consistent => $reading.consistent(),
                    Level::Uncommitted => $reading.uncommitted(),
                    Level::Isolated => unreachable!(),
                }
            };
        }
        macro_rules! of {
            ($page:expr) => {
                $page.items.iter().find(|entry| entry.line == 1).map(|entry| entry.sum)
            };
        }
        let version = || Entry::fields().sum;
        Ok(match self {
            Self::Get => {
                at_level!(Entry::get(("ledger", 1))).project::<Line>().send(repository).await?.map(|entry| entry.sum)
            }
            Self::BatchGet => {
                let read = at_level!(Entry::batch_get([("ledger", 1)])).project::<Line>().send(repository).await?;
                read[0].as_ref().map(|entry| entry.sum)
            }
            Self::Query => of!(at_level!(Entry::query("ledger")).project::<Line>().send(repository).await?),
            Self::QueryOf(it) => {
                let query = at_level!(Entry::query("ledger")).filter(version().eq(it));
                of!(query.project::<Line>().send(repository).await?)
            }
            Self::Scan => of!(at_level!(Entry::scan()).project::<Line>().send(repository).await?),
            Self::ScanOf(it) => {
                of!(at_level!(Entry::scan()).filter(version().eq(it)).project::<Line>().send(repository).await?)
            }
            Self::Index => of!(Entry::by_kind("kind").project::<Line>().send(repository).await?),
            Self::TransactGet => {
                let gets = [0, 1].map(|line| Entry::get(("ledger", line)).project::<Line>());
                TransactGet::new(gets).send(repository).await?[1].as_ref().map(|entry| entry.sum)
            }
            Self::Transaction => {
                let reading =
                    Transaction::interactive(|tx| async move { Ok(tx.get(Entry::get(("ledger", 1))).await?) });
                let read = reading.send(repository).await?.applied().expect("nothing can be refused");
                read.map(|entry| entry.sum)
            }
        })
    }

    fn keeps(self, sum: u64) -> bool {
        !matches!(self, Self::QueryOf(it) | Self::ScanOf(it) if it != sum)
    }
}

/// What the read returns, and in brackets the number of its requests.
async fn cell(reading: Reading, is_part: bool, level: Level, change: Change, stage: Stage) -> String {
    let world = book(change, stage).await;
    // With a lock timeout of zero, a read that would wait for the transaction aborts it at once.
    let metered = world.repository.metered().with_lock_timeout(Duration::ZERO);
    let shown = if is_part { reading.read_a_part(level, &metered).await } else { reading.read(level, &metered).await };
    let shown = shown.expect("a reading");
    let made = if level.shows_it(stage) { change.after() } else { change.before() };
    let case = format!("{reading:?}, {is_part}, {level:?}, {change:?}, {stage:?}");
    assert_eq!(shown, made.filter(|sum| reading.keeps(*sum)), "{case}");
    // After the read, a consistent get of another process still returns the committed state.
    if level != Level::Uncommitted {
        let again = Entry::get(("ledger", 1)).consistent().send(&world.other()).await.expect("a get");
        let committed = if Level::Consistent.shows_it(stage) { change.after() } else { change.before() };
        assert_eq!(again.map(|entry| entry.sum), committed, "{case}");
    }
    let shown = shown.map_or("-".to_owned(), |sum| sum.to_string());
    format!("{shown} ({})", metered.usage().requests)
}

#[tokio::test]
async fn each_read_shows_the_version_of_its_level() {
    if is_remote() {
        return; // Its requests are the same, and it takes a thousand tables.
    }
    let mut table = "What each reading shows, and its requests: of an item that is 5 or not there before a transaction,\nand 7 or not there behind it. Written by `UPDATE_EXPECT=1`.\n".to_owned();
    for (reading, is_part) in Reading::ALL.into_iter().flat_map(|reading| [(reading, false), (reading, true)]) {
        let part = if is_part { ", a part" } else { "" };
        let _ = write!(table, "\n{reading:?}{part}\n{:35}", "");
        let levels = reading.levels();
        for level in levels {
            let _ = write!(table, "{:14}", format!("{level:?}"));
        }
        for (change, stage) in Change::ALL.into_iter().flat_map(|change| Stage::ALL.map(|stage| (change, stage))) {
            let _ = write!(table, "\n{:35}", format!("{change:?}, {stage:?}"));
            for level in levels {
                let _ = write!(table, "{:14}", cell(reading, is_part, *level, change, stage).await);
            }
        }
        table.push('\n');
    }
    let table = table.lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n";
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/behaviour/read_levels/table.txt"), &table)
            .expect("written");
    }
    let written = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/behaviour/read_levels/table.txt"));
    assert!(table == written.expect("a table"), "another table than is written: `UPDATE_EXPECT=1` writes\n{table}");
}
