//! Every command, under every fault, with rows of strangers, concurrent clones and dropped futures. After each request that
//! the engine serves, the journal compares the tables with their previous state and attributes each change to the write that
//! sent the request.
//!
//! So the tests know what each write did, whatever it reported. A write that reported "applied" was applied once, a refused
//! write never, and no write removes attributes that it does not know. A replica that is built from a stream of the same
//! changes equals the table.
//!
//! `DYNO_SEEDS` is the number of runs of each kind. The tests run only on the embedded engine, in this process.

#![allow(clippy::print_stdout, reason = "how many writes there were, for who asks with `--nocapture`")]

mod batches;
mod held;
mod kinds;
mod passes;
mod transfers;

use crate::runs::{RunningClock, hedged, insist, retries, straggling};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::stream::{Changed, Event, Record};
use dyno::{Clock, Document, Entity, EpochMillis, Error, ErrorKind, Item, Outcome, Repository, TransactionOutcome};
use dyno_tests::faults::{Faults, Rates};
use dyno_tests::journal::{Change, Journal, attributed};
use dyno_tests::{World, item, journaled_world, n, s};
use held::check;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{Instant, sleep};

const WRITERS: usize = 6;
/// How many commands each writer sends.
const COMMANDS: usize = 12;
const ANY: Rates = Rates::ALL;
/// All faults except duplicates, which the network delivers again after the answer. DynamoDB cannot distinguish a duplicate
/// of an increment from a further increment, and the duplicate of a refused transfer can succeed when the account holds
/// more. Late requests are allowed, because their writes report that they may have been applied.
const ANSWERED_ONCE: Rates = Rates { duplicate: 0.0, ..ANY };
/// Without late requests, too.
const ONCE_DELIVERED: Rates = Rates { late: 0.0, ..ANSWERED_ONCE };
/// The keys of the items that the writers change.
const ITEMS: [&str; 3] = ["1", "2", "3"];

/// The result that a write reported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Told {
    Applied,
    Refused,
    /// Refused, but the requested change is already made, perhaps by this write itself.
    Superseded,
    /// It may have been applied: the write reported such an error, or its future was dropped.
    Unknown,
}

/// How often a write may be applied.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Made {
    /// Once, if it reported "applied". Never, if it was refused.
    Once,
    /// As `Once`, and once more for each time that another write has created the item again since this write was applied or
    /// refused. After a deletion without a tombstone, versions begin again, so a retry or a late copy of a write that
    /// expects only a version can be applied.
    OncePerItem,
    /// As `Once`, and once more for each time that the loaded item has been made again since, with the same write id,
    /// because a create or a write that expects only a version arrived more than once.
    OncePerCopy,
    /// As often as it arrives, although a later arrival may be refused. Such a write is, for example, a put without a
    /// version or a ratchet.
    AnyNumber,
}

#[derive(Clone, Debug)]
struct Sent {
    what: &'static str,
    made: Made,
    told: Told,
    /// The last of its requests that had been served when it reported its result.
    last: Option<usize>,
    /// Whether it keeps the attributes of an item that it does not know.
    keeps: bool,
}

/// All writes of a run, by their numbers.
#[derive(Clone)]
struct Log {
    sent: Arc<Mutex<Vec<Sent>>>,
    journal: Journal,
}

fn number(log: &Log, what: &'static str, made: Made, keeps: bool) -> usize {
    let mut sent = log.sent.lock().expect("no panic");
    sent.push(Sent { what, made, told: Told::Unknown, last: None, keeps });
    sent.len() - 1
}

fn tell(log: &Log, write: usize, told: Told) {
    let mut sent = log.sent.lock().expect("no panic");
    (sent[write].told, sent[write].last) = (told, log.journal.last_of(write));
}

/// An answer to a command, which says what the write reported.
pub(crate) trait Answer {
    fn told(self) -> Told;
}

impl Answer for () {
    fn told(self) -> Told {
        Told::Applied
    }
}

impl<E: Entity, T> Answer for Outcome<E, T> {
    fn told(self) -> Told {
        match self.refusal() {
            None => Told::Applied,
            Some(refusal) if refusal.is_superseded() || refusal.is_duplicate() || refusal.is_contained() => {
                Told::Superseded
            }
            Some(_) => Told::Refused,
        }
    }
}

impl<T> Answer for TransactionOutcome<T> {
    fn told(self) -> Told {
        match self.refusal() {
            None => Told::Applied,
            Some(refusal) if refusal.is_superseded() || refusal.is_duplicate() => Told::Superseded,
            Some(_) => Told::Refused,
        }
    }
}

/// Polls a future this many times and then drops it. Returns the result if the future is done earlier.
async fn dropped_after<T>(polls: usize, future: impl Future<Output = T>) -> Option<T> {
    let mut future = Box::pin(future);
    for _ in 0..polls {
        if let Some(done) = std::future::poll_fn(|context| {
            std::task::Poll::Ready(match future.as_mut().poll(context) {
                std::task::Poll::Ready(done) => Some(Some(done)),
                std::task::Poll::Pending => Some(None),
            })
        })
        .await
        .flatten()
        {
            return Some(done);
        }
        // Before the next poll, some time passes in which other futures can make progress.
        sleep(Duration::from_millis(fastrand::u64(1..100))).await;
    }
    None
}

/// Sends a command as `write`, and sometimes drops its future. Returns what the write reported, which is `Unknown` after a drop.
async fn once<A: Answer>(write: usize, sending: impl Future<Output = Result<A, Error>>) -> Result<Told, Error> {
    let sending = attributed(write, sending);
    let answer = match fastrand::u8(0..10) {
        0 => match dropped_after(fastrand::usize(0..45), sending).await {
            Some(answer) => answer,
            None => return Ok(Told::Unknown),
        },
        _ => sending.await,
    };
    answer.map(Answer::told)
}

/// Returns whether the same command can be sent again.
fn is_passing(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::OutcomeUnknown => false,
        ErrorKind::InvalidInput | ErrorKind::Decode | ErrorKind::Aborted => panic!("{error:?}"),
        _ => true,
    }
}

/// Sends a command, and further clones of it until one is answered. Sometimes sends two clones at once.
macro_rules! send {
    ($run:expr, $what:literal, $made:ident, keeps: $keeps:literal, $command:expr) => {{
        let (log, repository): (&$crate::attribution::Log, &dyno::Repository) = (&$run.log, &$run.repository);
        let write = $crate::attribution::number(log, $what, $crate::attribution::Made::$made, $keeps);
        let command = $command(write);
        let mut told = $crate::attribution::Told::Unknown;
        for _ in 0..30 {
            if $run.at_once && fastrand::u8(0..10) == 0 {
                let both = tokio::join!(
                    $crate::attribution::attributed(write, command.clone().send(repository)),
                    $crate::attribution::attributed(write, command.clone().send(repository)),
                );
                let both =
                    [both.0.map($crate::attribution::Answer::told), both.1.map($crate::attribution::Answer::told)];
                if let Some(one) = both.iter().flatten().find(|told| **told == $crate::attribution::Told::Applied) {
                    told = *one;
                    break;
                }
            }
            match $crate::attribution::once(write, command.clone().send(repository)).await {
                Ok($crate::attribution::Told::Unknown) if fastrand::bool() => break,
                Ok($crate::attribution::Told::Unknown) => {}
                Ok(one) => {
                    told = one;
                    break;
                }
                Err(error) if $crate::attribution::is_passing(&error) => {}
                Err(_) => break,
            }
        }
        $crate::attribution::tell(log, write, told);
    }};
}

/// Sends a command only once, because a second sending would be another write.
macro_rules! send_once {
    ($run:expr, $what:literal, $made:ident, keeps: $keeps:literal, $command:expr) => {{
        let write = $crate::attribution::number(&$run.log, $what, $crate::attribution::Made::$made, $keeps);
        let command = $command(write);
        match $crate::attribution::once(write, command.send(&$run.repository)).await {
            Ok(told) => $crate::attribution::tell(&$run.log, write, told),
            Err(error) => _ = $crate::attribution::is_passing(&error),
        }
    }};
}

use {send, send_once};

/// One of several concurrent writers.
#[derive(Clone)]
struct Writer {
    log: Log,
    repository: Repository,
    faults: Faults,
    /// Whether two clones of a command may be sent at once.
    at_once: bool,
}

/// A clock that is sometimes off by minutes.
#[derive(Debug)]
struct JumpingClock(RunningClock);

impl Clock for JumpingClock {
    fn now(&self) -> EpochMillis {
        let jump = if fastrand::u8(0..20) == 0 { fastrand::i64(-200_000..200_000) } else { 0 };
        EpochMillis::new(self.0.now().get() + jump)
    }
}

/// Runs the writers and the strangers. Returns the world, the journal of the changes, and the writes that were sent.
async fn simulate<E: Entity, W: Future<Output = ()> + Send + 'static>(
    seed: u64,
    rates: Rates,
    at_once: bool,
    writer: impl Fn(Writer) -> W,
) -> (World, Journal, Vec<Sent>) {
    let (world, journal) = journaled_world::<E>().await;
    let table = world.repository.table_name::<E>().expect("a table");
    for id in ITEMS {
        world.write_foreign::<E>(stranger(id)).await;
    }
    world.faults.seed(seed, straggling(seed, rates, 180));
    let (log, start) = (Log { sent: Arc::default(), journal: journal.clone() }, Instant::now());
    let mut tasks: Vec<_> = (0..WRITERS)
        .map(|_: usize| {
            let clock = JumpingClock(RunningClock::new(start, fastrand::i64(-3000..=3000)));
            let repository = hedged(seed, Repository::new(world.client(retries())).with_clock(clock));
            tokio::spawn(writer(Writer { log: log.clone(), repository, faults: world.faults.clone(), at_once }))
        })
        .collect();
    tasks.push(tokio::spawn(strangers(world.other(), table)));
    for task in tasks {
        task.await.expect("no panic");
    }
    world.faults.calm();
    world.faults.settled().await;
    let sent = std::mem::take(&mut *log.sent.lock().expect("no panic"));
    (world, journal, sent)
}

/// Returns a row as written by a program that does not know dyno's rules, with attributes that no entity here declares.
fn stranger(id: &str) -> Item {
    let inner = AttributeValue::M(item([("unknown", n(0)), ("text", s("inner"))]));
    item([
        ("id", s(id)),
        ("text", s("foreign")),
        ("count", n(10)),
        (
            "body",
            AttributeValue::M(item([
                ("text", s("body")),
                ("unknown", n(0)),
                ("parts", AttributeValue::L(vec![inner])),
            ])),
        ),
        ("unknown", n(0)),
        // The ratchet of one of the entities. The others do not declare this attribute.
        ("at", n(0)),
    ])
}

/// Changes an attribute that no entity declares, as a program that does not know dyno's rules.
async fn strangers(repository: Repository, table: String) {
    for number in 1..20 {
        sleep(Duration::from_millis(fastrand::u64(0..500))).await;
        let update = repository.client().update_item().table_name(&table);
        let update = update.key("id", s(ITEMS[fastrand::usize(0..ITEMS.len())]));
        let update = update.update_expression("SET #u = :n").expression_attribute_names("#u", "unknown");
        let update = update.expression_attribute_values(":n", n(number));
        // The row may not exist.
        let _refused = update.condition_expression("attribute_exists(#u)").send().await;
    }
}

#[derive(Document, Clone, Debug, PartialEq)]
struct Body {
    text: String,
    parts: Vec<Part>,
}

#[derive(Document, Clone, Debug, PartialEq)]
struct Part {
    text: String,
}

fn body(text: impl Into<String>) -> Body {
    let text = text.into();
    Body { parts: vec![Part { text: text.clone() }], text }
}

fn any() -> &'static str {
    ITEMS[fastrand::usize(0..ITEMS.len())]
}

/// Checks that a replica built from a stream of the changes equals the table.
async fn check_stream<E: Entity + Clone + PartialEq + std::fmt::Debug + Send>(
    seed: u64,
    world: &World,
    changes: &[Change],
) {
    let table = world.repository.table_name::<E>().expect("a table");
    let mut replica = BTreeMap::new();
    for change in changes.iter().filter(|change| change.table == table) {
        let event = match (&change.old, &change.new) {
            (None, _) => Event::Insert,
            (_, None) => Event::Remove,
            _ => Event::Modify,
        };
        let mut record = Record::new(event, change.keys.clone());
        record = change.old.iter().cloned().fold(record, Record::with_old_image);
        record = change.new.iter().cloned().fold(record, Record::with_new_image);
        let id = change.keys["id"].as_s().expect("a text").clone();
        match record.change::<E>().expect("entities on both sides") {
            None => {}
            Some(Changed::Created { new }) => assert_eq!(replica.insert(id, new), None, "seed {seed}"),
            Some(Changed::Updated { old, new }) => assert_eq!(replica.insert(id, new), Some(old), "seed {seed}"),
            Some(Changed::Deleted { old, .. }) => assert_eq!(replica.remove(&id), Some(old), "seed {seed}"),
        }
    }
    for id in ITEMS {
        let row = insist!(world.other().client().get_item().table_name(&table).key("id", s(id)).send()).item;
        let live = row.map(|row| dyno::Found::<E>::classify(row, world.repository.now()).expect("decodes"));
        assert_eq!(replica.get(id), live.and_then(dyno::Found::live).as_ref(), "seed {seed}");
    }
}
