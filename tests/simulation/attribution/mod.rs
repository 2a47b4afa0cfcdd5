//! Every command, every fault, strangers' rows, clones at once and futures that are dropped; and after each request that
//! the engine serves, the tables are compared with what they were, and each change is laid to the write that sent it.
//!
//! So it is known of each write what it did, whatever it was told: a write that was applied was made once, one that was
//! refused never, and no write takes away what it does not know. What a stream makes of the same changes is what the
//! table holds.
//!
//! `DYNO_SEEDS` says how many runs there are of each kind. In this process only, where the engine is.

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
/// Without what the network delivers once more, after it was answered: nothing tells an increment from one that comes later, and a
/// transfer that was refused can pass when there is more on the account. What arrives after it was given up is reported as such.
const ANSWERED_ONCE: Rates = Rates { duplicate: 0.0, ..ANY };
/// Without that, too.
const ONCE_DELIVERED: Rates = Rates { late: 0.0, ..ANSWERED_ONCE };
/// The keys of the items that they write.
const ITEMS: [&str; 3] = ["1", "2", "3"];

/// What a write was told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Told {
    Applied,
    Refused,
    /// Refused, but what it wanted has been done: by itself, perhaps.
    Superseded,
    /// It may have been applied: by an error, or since its future was dropped.
    Unknown,
}

/// How often a write may be made.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Made {
    /// Once, if it was applied; never, if it was refused.
    Once,
    /// As `Once`; and once for each item that another write has made anew since it was made, or since it was refused: where
    /// numbers begin again behind a deletion and the write says no more than a number, a retry or a late copy is applied.
    OncePerItem,
    /// As `Once`; and once for each time that the item which was loaded has been made again since, with the same write id: by
    /// a create, or a write by number, that came more than once.
    OncePerCopy,
    /// A put without rules and the like: as often as it arrives, and a second arrival may be refused.
    AnyNumber,
}

#[derive(Clone, Debug)]
struct Sent {
    what: &'static str,
    made: Made,
    told: Told,
    /// The last of its requests that had been served when it was told.
    last: Option<usize>,
    /// Whether it keeps what it does not know of an item.
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

/// How the answer to a command is read.
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

/// Lets a future run for so many polls, and drops it then.
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
        // Until something has happened, and perhaps not to this future.
        sleep(Duration::from_millis(fastrand::u64(1..100))).await;
    }
    None
}

/// Sends a command as `write`, and perhaps drops its future: what it was told, or that there is no telling.
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

/// Whether to send the same command once more.
fn is_passing(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::OutcomeUnknown => false,
        ErrorKind::InvalidInput | ErrorKind::Decode | ErrorKind::Aborted => panic!("{error:?}"),
        _ => true,
    }
}

/// Sends a command, and clones of it until one is answered; perhaps two at once.
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

/// Sends a command that is another write if it is sent again.
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

/// One of several that write at once.
#[derive(Clone)]
struct Writer {
    log: Log,
    repository: Repository,
    faults: Faults,
    /// Whether clones of a command may be sent at once.
    at_once: bool,
}

/// A clock that is off by minutes now and then, and right again.
#[derive(Debug)]
struct JumpingClock(RunningClock);

impl Clock for JumpingClock {
    fn now(&self) -> EpochMillis {
        let jump = if fastrand::u8(0..20) == 0 { fastrand::i64(-200_000..200_000) } else { 0 };
        EpochMillis::new(self.0.now().get() + jump)
    }
}

/// The writers, and strangers, at work: what was sent, and what changed.
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

/// A row as a program writes it that knows no rules, with more than any entity here declares.
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
        // Of an entity with a ratchet, and nobody's of the others.
        ("at", n(0)),
    ])
}

/// A program that knows no rules changes what no entity declares.
async fn strangers(repository: Repository, table: String) {
    for number in 1..20 {
        sleep(Duration::from_millis(fastrand::u64(0..500))).await;
        let update = repository.client().update_item().table_name(&table);
        let update = update.key("id", s(ITEMS[fastrand::usize(0..ITEMS.len())]));
        let update = update.update_expression("SET #u = :n").expression_attribute_names("#u", "unknown");
        let update = update.expression_attribute_values(":n", n(number));
        // There may be no row.
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

/// What a stream makes of the changes is what the table holds.
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
