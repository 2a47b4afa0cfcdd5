//! Interactive transactions of one to four steps, sent natively, client-side, or as dyno chooses.

use super::rows::{LISTS, Left, Place, Right, SHELF, at};
use super::{Told, Worker};
use dyno::command::Tx;
use dyno::{Repository, Transaction};
use dyno_checker::Handle;
use std::error::Error as StdError;

/// What a closure does with a list.
#[derive(Clone, Copy, Debug)]
enum Step {
    Read(Place),
    /// Reads all lists of both tables.
    ReadAll,
    /// Queries a partition from this list on, up to this number of lists.
    Query(Place, usize),
    /// Reads a list, and puts it back with one more element.
    Append(Place),
    /// Appends by an update, without a read.
    Push(Place),
    /// Deletes a list if it is empty, or creates it if it does not exist.
    Turn(Place),
}

impl Step {
    fn any() -> Self {
        match fastrand::u8(0..12) {
            0..3 => Self::Read(Place::any()),
            3 => Self::ReadAll,
            4 => Self::Query(Place::one(0), usize::MAX),
            5 => Self::Query(Place::one(fastrand::u64(0..LISTS)), fastrand::usize(1..4)),
            6..8 => Self::Append(Place::any()),
            8..10 => Self::Push(Place::any()),
            _ => Self::Turn(Place::cold()),
        }
    }
}

type Boxed = Box<dyn StdError + Send + Sync>;

async fn read(tx: &Tx, handle: &Handle, place: Place) -> Result<(), Boxed> {
    let list = at!(place, E, id => tx.get(E::get((SHELF, id))).await?.map(|found| found.list).unwrap_or_default());
    handle.read(place.name(), list);
    Ok(())
}

async fn read_all(tx: &Tx, handle: &Handle) -> Result<(), Boxed> {
    let ids = 0..LISTS;
    let keys = || ids.clone().map(|id| (SHELF, id));
    let lefts = tx.batch_get(Left::batch_get(keys())).await?;
    let rights = tx.batch_get(Right::batch_get(keys())).await?;
    for ((id, left), right) in ids.zip(lefts).zip(rights) {
        handle.read(Place::Left(id).name(), left.map(|found| found.list).unwrap_or_default());
        handle.read(Place::Right(id).name(), right.map(|found| found.list).unwrap_or_default());
    }
    Ok(())
}

/// Records a list as empty if it is missing from the query's result, up to the last list that the limit admits.
async fn query(tx: &Tx, handle: &Handle, from: Place, limit: usize) -> Result<(), Boxed> {
    at!(from, E, first => {
        let found = tx.query(E::query(SHELF).sort_ge(first).limit(limit)).await?;
        let last = found.last().filter(|_| found.len() == limit).map_or(LISTS - 1, |last| last.id);
        for id in first..=last {
            let shown = found.iter().find(|found| found.id == id).map(|found| found.list.clone());
            handle.read(from.beside(id).name(), shown.unwrap_or_default());
        }
    });
    Ok(())
}

async fn append(tx: &Tx, handle: &Handle, place: Place, element: u64) -> Result<(), Boxed> {
    at!(place, E, id => match tx.get(E::get((SHELF, id))).await? {
        Some(mut found) => {
            handle.read(place.name(), found.list.clone());
            found.list.push(element);
            tx.put(found.put());
        }
        None => {
            handle.read(place.name(), Vec::new());
            tx.put(E { shelf: SHELF, id, list: vec![element], version: 0 }.create());
        }
    });
    handle.append(place.name(), element);
    Ok(())
}

fn push(tx: &Tx, handle: &Handle, place: Place, element: u64) {
    at!(place, E, id => tx.update(E::update((SHELF, id)).unchecked().with(E::fields().list.push(element))));
    handle.append(place.name(), element);
}

async fn turn(tx: &Tx, handle: &Handle, place: Place) -> Result<(), Boxed> {
    at!(place, E, id => {
        let found = tx.get(E::get((SHELF, id))).await?;
        handle.read(place.name(), found.as_ref().map(|found| found.list.clone()).unwrap_or_default());
        match found {
            Some(found) if found.list.is_empty() => tx.delete(E::delete((SHELF, id), found.version)),
            Some(_) => {}
            None => tx.put(E { shelf: SHELF, id, list: Vec::new(), version: 0 }.create()),
        }
    });
    Ok(())
}

/// Sends a random interactive transaction. One in ten returns an error at the end.
pub(super) async fn interactive(worker: &Worker<'_>, repository: &Repository) {
    let handle = worker.begin();
    let steps: &Vec<Step> = &(0..fastrand::usize(1..=4)).map(|_| Step::any()).collect();
    let changes_its_mind = fastrand::u8(0..10) == 0;
    let (shared, recorder) = (&handle, &worker.recorder);
    let transaction = Transaction::interactive(move |tx| async move {
        shared.restart();
        for step in steps {
            match *step {
                Step::Read(place) => read(&tx, shared, place).await?,
                Step::ReadAll => read_all(&tx, shared).await?,
                Step::Query(from, limit) => query(&tx, shared, from, limit).await?,
                Step::Append(place) => append(&tx, shared, place, recorder.element()).await?,
                Step::Push(place) => push(&tx, shared, place, recorder.element()),
                Step::Turn(place) => turn(&tx, shared, place).await?,
            }
        }
        if changes_its_mind { Err("never mind".into()) } else { Ok(()) }
    });
    let queries = steps.iter().any(|step| matches!(step, Step::Query(..)));
    // A transaction that queries and writes is never native.
    let way = if queries { 3 } else { fastrand::u8(0..6) };
    let transaction = match way {
        0 => transaction,
        1 | 2 => transaction.native(),
        _ => transaction.client_side(),
    };
    let send = || async { transaction.clone().send(repository).await.map(|outcome| outcome.is_applied()) };
    let told = worker.fleet.tell(worker.number, send).await;
    drop(transaction);
    Worker::end(handle, Told::of(told, way > 2));
}
