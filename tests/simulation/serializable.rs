//! Eight processes, six lists in two tables, and a network that loses, repeats, delays and refuses requests: interactive
//! transactions beside plain reads, plain writes and transactions without reads. All operations have one order that respects
//! real time, and in which each read shows the state at its place. An acknowledged write is stored once.
//!
//! `DYNO_SEEDS` sets the number of runs. The same seed gives the same run.

#![allow(clippy::print_stdout, reason = "what happened in all runs, for who asks with `--nocapture`")]

use crate::runs::{hedged, insist, retries, run, seeds, straggling};
use dyno::command::Tx;
use dyno::{Entity, Error, ErrorKind, Repository, Transaction};
use dyno_checker::{Handle, History, Recorder, Summary, check};
use dyno_tests::faults::Rates;
use dyno_tests::{World, world};
use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::sync::Arc;

const PROCESSES: usize = 8;
/// How many transactions each process sends.
const TRANSACTIONS: usize = 10;
/// How many lists each table has.
const LISTS: usize = 3;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "lefts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Left {
    #[partition_key]
    id: u64,
    list: Vec<u64>,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "rights")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Right {
    #[partition_key]
    id: u64,
    list: Vec<u64>,
    #[version]
    version: u64,
}

/// One of the lists.
#[derive(Clone, Copy, Debug)]
enum Place {
    Left(u64),
    Right(u64),
}

impl Place {
    fn any() -> Self {
        let id = fastrand::u64(0..LISTS as u64);
        if fastrand::bool() { Self::Left(id) } else { Self::Right(id) }
    }

    fn name(self) -> String {
        format!("{self:?}")
    }
}

/// Evaluates an expression for the entity and the number of a place.
macro_rules! at {
    ($place:expr, $E:ident, $id:ident => $body:expr) => {
        match $place {
            Place::Left($id) => {
                use Left as $E;
                $body
            }
            Place::Right($id) => {
                use Right as $E;
                $body
            }
        }
    };
}

/// What a closure does with a list.
#[derive(Clone, Copy, Debug)]
enum Step {
    Read(Place),
    /// Reads a list, and puts it back with one more element.
    Append(Place),
    /// Appends by an update, without a read.
    Push(Place),
}

impl Step {
    fn any() -> Self {
        let place = Place::any();
        match fastrand::u8(0..10) {
            0..4 => Self::Read(place),
            4..8 => Self::Append(place),
            _ => Self::Push(place),
        }
    }
}

type Boxed = Box<dyn StdError + Send + Sync>;

async fn read(tx: &Tx, handle: &Handle, place: Place) -> Result<Vec<u64>, Boxed> {
    let list = at!(place, E, id => tx.get(E::get(id)).await?.map(|found| found.list).unwrap_or_default());
    handle.read(place.name(), list.clone());
    Ok(list)
}

async fn append(tx: &Tx, handle: &Handle, place: Place, element: u64) -> Result<(), Boxed> {
    at!(place, E, id => match tx.get(E::get(id)).await? {
        Some(mut found) => {
            handle.read(place.name(), found.list.clone());
            found.list.push(element);
            tx.put(found.put());
        }
        None => {
            handle.read(place.name(), Vec::new());
            tx.put(E { id, list: vec![element], version: 0 }.create());
        }
    });
    handle.append(place.name(), element);
    Ok(())
}

fn push(tx: &Tx, handle: &Handle, place: Place, element: u64) {
    at!(place, E, id => tx.update(E::update(id).unchecked().with(E::fields().list.push(element))));
    handle.append(place.name(), element);
}

/// An interactive transaction of one to four steps. One in ten returns an error at the end.
async fn interactive(repository: &Repository, recorder: &Recorder, handle: Handle) {
    let steps: &Vec<Step> = &(0..fastrand::usize(1..=4)).map(|_| Step::any()).collect();
    let changes_its_mind = fastrand::u8(0..10) == 0;
    let shared = &handle;
    let transaction = Transaction::interactive(move |tx| async move {
        shared.restart();
        for step in steps {
            match *step {
                Step::Read(place) => {
                    read(&tx, shared, place).await?;
                }
                Step::Append(place) => append(&tx, shared, place, recorder.element()).await?,
                Step::Push(place) => push(&tx, shared, place, recorder.element()),
            }
        }
        if changes_its_mind { Err("never mind".into()) } else { Ok(()) }
    });
    // If the transaction may have been applied, the process mostly sends a clone, and otherwise leaves it in doubt.
    let mut sent = transaction.clone().send(repository).await.map(|outcome| outcome.is_applied());
    while let Err(error) = &sent
        && is_open(error)
        && fastrand::u8(0..4) > 0
    {
        sent = transaction.clone().send(repository).await.map(|outcome| outcome.is_applied());
    }
    drop(transaction);
    end(handle, sent);
}

/// Returns true if the write may have been applied.
fn is_open(error: &Error) -> bool {
    error.may_be_applied() || matches!(error.kind(), ErrorKind::InProgress | ErrorKind::OutcomeUnknown)
}

fn end(handle: Handle, sent: Result<bool, Error>) {
    match sent {
        Ok(true) => handle.commit(),
        // A row that was not read can refuse the request. A copy that arrives later may no longer find that row in this
        // state.
        Ok(false) => handle.unknown(),
        Err(error) if is_open(&error) => handle.unknown(),
        Err(error) if error.kind() == ErrorKind::Aborted => handle.decline(),
        Err(error) => match error.kind() {
            ErrorKind::Contended | ErrorKind::Throttled | ErrorKind::Service | ErrorKind::Unreachable => handle.abort(),
            _ => panic!("{error:?}"),
        },
    }
}

async fn plain_read(repository: &Repository, handle: Handle) {
    let place = Place::any();
    let found = at!(place, E, id => E::get(id).consistent().send(repository).await.map(|found| {
        found.map(|found| found.list).unwrap_or_default()
    }));
    match found {
        Ok(list) => {
            handle.read(place.name(), list);
            handle.commit();
        }
        Err(_) => handle.abort(),
    }
}

/// Loads a list, changes it and writes it back, outside a transaction.
async fn plain_write(repository: &Repository, recorder: &Recorder, handle: Handle) {
    let (place, element) = (Place::any(), recorder.element());
    handle.append(place.name(), element);
    let sent = at!(place, E, id => {
        let modify = E::modify(id, |found: &mut E| found.list.push(element));
        modify.send(repository).await.map(|outcome| outcome.is_applied())
    });
    end(handle, sent);
}

/// Appends to two lists in one transaction, without a read.
async fn plain_transaction(repository: &Repository, recorder: &Recorder, handle: Handle) {
    let id = fastrand::u64(0..LISTS as u64);
    let [left, right] = [recorder.element(), recorder.element()];
    handle.append(Place::Left(id).name(), left);
    handle.append(Place::Right(id).name(), right);
    let transaction = Transaction::new()
        .update(Left::update(id).unchecked().with(Left::fields().list.push(left)))
        .update(Right::update(id).unchecked().with(Right::fields().list.push(right)));
    end(handle, transaction.send(repository).await.map(|outcome| outcome.is_applied()));
}

async fn process(number: usize, repository: Repository, recorder: Recorder) {
    for _ in 0..TRANSACTIONS {
        let handle = recorder.begin(number);
        match fastrand::u8(0..10) {
            0..7 => interactive(&repository, &recorder, handle).await,
            7 => plain_read(&repository, handle).await,
            8 => plain_write(&repository, &recorder, handle).await,
            _ => plain_transaction(&repository, &recorder, handle).await,
        }
    }
}

/// Runs the processes, and returns what they have seen.
async fn simulate(seed: u64) -> History {
    let world = world::<Left>().await;
    Repository::new(world.client(retries())).create_table::<Right>().await.expect("a new table");
    // Some lists were created and deleted before, so their rows are tombstones.
    for place in [Place::Left(0), Place::Right(1), Place::Right(2)] {
        at!(place, E, id => {
            let new = E { id, list: Vec::new(), version: 0 };
            new.create().send(&world.repository).await.expect("sent").applied().expect("applied");
            E::delete(id, 1).send(&world.repository).await.expect("sent").applied().expect("applied");
        });
    }
    let recorder = Recorder::new();
    world.faults.seed(seed, straggling(seed, Rates::MANY, 180));
    let processes: Vec<_> = (0..PROCESSES)
        .map(|number| {
            let repository = Repository::new(world.client(retries())).with_clock(Arc::clone(&world.clock));
            tokio::spawn(process(number, hedged(seed, repository), recorder.clone()))
        })
        .collect();
    for process in processes {
        process.await.expect("no panic");
    }
    world.faults.calm();
    world.faults.settled().await;
    let last = last(&world).await;
    recorder.into_history(last)
}

async fn last(world: &World) -> BTreeMap<String, Vec<u64>> {
    let mut last = BTreeMap::new();
    for place in (0..LISTS as u64).flat_map(|id| [Place::Left(id), Place::Right(id)]) {
        let found = at!(place, E, id => insist!(E::get(id).consistent().send(&world.other())).map(|found| found.list));
        last.extend(found.map(|list| (place.name(), list)));
    }
    last
}

#[test]
fn interactive_transactions_and_plain_operations_are_serializable() {
    let mut sum = Summary::default();
    for seed in 0..seeds(4, 1) {
        match check(&run(seed, simulate(seed))) {
            Ok(summary) => sum += summary,
            Err(rejection) => panic!("seed {seed}: {rejection}"),
        }
    }
    println!("{} seeds: {sum:?}", seeds(4, 1));
    assert!(sum.committed > 0 && sum.read_write > 0 && sum.write_read > 0, "{sum:?}");
}
