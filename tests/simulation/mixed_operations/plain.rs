//! Operations without closures: plain reads and writes, transactions without reads, and sweeps.

use super::rows::{LISTS, Left, Place, Right, SHELF, at};
use super::{Told, Worker};
use dyno::{Error, Repository, Sweep, TransactGet, Transaction};
use dyno_checker::Handle;
use futures_util::future::join;

/// Reads the current state of one row.
pub(super) async fn read(worker: &Worker<'_>, repository: &Repository) {
    let (handle, place) = (worker.begin_get(), Place::any());
    let found = at!(place, E, id => E::get((SHELF, id)).consistent().send(repository).await.map(|found| found.map(|found| found.list)));
    match found {
        Ok(list) => {
            handle.read(place.name(), list.unwrap_or_default());
            handle.commit();
        }
        Err(_) => handle.abort(),
    }
}

/// Reads all rows at one moment.
pub(super) async fn read_all(worker: &Worker<'_>, repository: &Repository) {
    let handle = worker.begin();
    let lefts: Vec<_> = (0..LISTS).map(|id| Left::get((SHELF, id))).collect();
    let rights: Vec<_> = (0..LISTS).map(|id| Right::get((SHELF, id))).collect();
    match TransactGet::new((lefts, rights)).send(repository).await {
        Ok((lefts, rights)) => {
            for (id, (left, right)) in (0..LISTS).zip(lefts.into_iter().zip(rights)) {
                handle.read(Place::Left(id).name(), left.map(|found: Left| found.list).unwrap_or_default());
                handle.read(Place::Right(id).name(), right.map(|found: Right| found.list).unwrap_or_default());
            }
            handle.commit();
        }
        Err(_) => handle.abort(),
    }
}

/// Reads the current state of each row of a table, by a query, a scan or a batch.
pub(super) async fn read_each(worker: &Worker<'_>, repository: &Repository) {
    let (handle, table) = (worker.begin_get(), Place::one(0));
    let found = at!(table, E, _id => {
        let found = match fastrand::u8(0..3) {
            0 => E::query(SHELF).consistent().stream(repository).try_collect().await,
            1 => E::scan().consistent().stream(repository).try_collect().await,
            _ => {
                let keys = (0..LISTS).map(|id| (SHELF, id));
                let found = E::batch_get(keys).consistent().send(repository).await;
                found.map(|found| found.into_iter().flatten().collect())
            }
        };
        found.map(|found| found.into_iter().map(|found| (found.id, found.list)).collect::<Vec<_>>())
    });
    tell(handle, table, found);
}

/// Reads all rows of both tables as they are committed and applied, so not at one moment.
pub(super) async fn read_committed(worker: &Worker<'_>, repository: &Repository) {
    let handle = worker.begin_committed();
    let lefts = Left::query(SHELF).stream(repository).try_collect().await;
    let rights = Right::query(SHELF).stream(repository).try_collect().await;
    let (Ok(lefts), Ok(rights)) = (lefts, rights) else { return handle.abort() };
    for id in 0..LISTS {
        let left = lefts.iter().find(|found: &&Left| found.id == id).map(|found| found.list.clone());
        handle.read(Place::Left(id).name(), left.unwrap_or_default());
        let right = rights.iter().find(|found: &&Right| found.id == id).map(|found| found.list.clone());
        handle.read(Place::Right(id).name(), right.unwrap_or_default());
    }
    handle.commit();
}

/// Records the rows that a read of a table has found.
fn tell(handle: Handle, table: Place, found: Result<Vec<(u64, Vec<u64>)>, Error>) {
    let Ok(found) = found else { return handle.abort() };
    for id in 0..LISTS {
        let list = found.iter().find(|(found, _)| *found == id).map(|(_, list)| list.clone());
        handle.read(table.beside(id).name(), list.unwrap_or_default());
    }
    handle.commit();
}

/// Loads, changes, writes back.
pub(super) async fn modify(worker: &Worker<'_>, repository: &Repository) {
    let (handle, place, element) = (worker.begin(), Place::any(), worker.recorder.element());
    handle.append(place.name(), element);
    let sent = at!(place, E, id => {
        let modify = E::modify((SHELF, id), |found: &mut E| found.list.push(element));
        modify.send(repository).await.map(|outcome| outcome.is_applied())
    });
    Worker::end(handle, Told::of(Some(sent), false));
}

/// Appends an element to a list that it has read: by a put, or by a create if the list does not exist.
pub(super) async fn put(worker: &Worker<'_>, repository: &Repository) {
    let (handle, place, element) = (worker.begin(), Place::any(), worker.recorder.element());
    let sent = at!(place, E, id => match E::get((SHELF, id)).consistent().send(repository).await {
        Ok(Some(mut found)) => {
            handle.read(place.name(), found.list.clone());
            handle.append(place.name(), element);
            found.list.push(element);
            found.put().send(repository).await.map(|outcome| outcome.is_applied())
        }
        Ok(None) => {
            handle.read(place.name(), Vec::new());
            handle.append(place.name(), element);
            let new = E { shelf: SHELF, id, list: vec![element], version: 0 };
            new.create().send(repository).await.map(|outcome| outcome.is_applied())
        }
        Err(_) => return handle.abort(),
    });
    Worker::end(handle, Told::of(Some(sent), false));
}

/// Appends an element without a read, unless the list contains it.
pub(super) async fn push(worker: &Worker<'_>, repository: &Repository) {
    let (handle, place, element) = (worker.begin(), Place::any(), worker.recorder.element());
    handle.append(place.name(), element);
    let sent = at!(place, E, id => {
        let push = E::update((SHELF, id)).unchecked().with(E::fields().list.push_unique(element));
        // If the list contains the element, an earlier attempt has appended it.
        push.send(repository).await.map(|outcome| outcome.accept_contained().is_ok())
    });
    // The update expects no version, so a request that an intent has refused succeeds if the network delivers it again.
    Worker::end(handle, if matches!(sent, Ok(true)) { Told::Applied } else { Told::Unknown });
}

/// Deletes a list if it is empty, or creates it if it does not exist.
pub(super) async fn turn(worker: &Worker<'_>, repository: &Repository) {
    let (handle, place) = (worker.begin_get(), Place::cold());
    at!(place, E, id => match E::get((SHELF, id)).consistent().send(repository).await {
        Ok(Some(found)) => {
            handle.read(place.name(), found.list.clone());
            if found.list.is_empty() {
                _ = E::delete((SHELF, id), found.version).send(repository).await;
            }
        }
        Ok(None) => {
            handle.read(place.name(), Vec::new());
            _ = E { shelf: SHELF, id, list: Vec::new(), version: 0 }.create().send(repository).await;
        }
        Err(_) => return handle.abort(),
    });
    handle.commit();
}

/// Appends to two lists in one transaction without a read, sent once, or as two clones at the same time.
pub(super) async fn transaction(worker: &Worker<'_>, repository: &Repository) {
    let (handle, id) = (worker.begin(), fastrand::u64(0..LISTS));
    let [left, right] = [worker.recorder.element(), worker.recorder.element()];
    let is_new = fastrand::u8(0..3) == 0;
    if is_new {
        handle.read(Place::Left(id).name(), Vec::new());
    }
    handle.append(Place::Left(id).name(), left);
    handle.append(Place::Right(id).name(), right);
    let transaction =
        Transaction::new().update(Right::update((SHELF, id)).unchecked().with(Right::fields().list.push(right)));
    let transaction = if is_new {
        transaction.put(Left { shelf: SHELF, id, list: vec![left], version: 0 }.create())
    } else {
        transaction.update(Left::update((SHELF, id)).unchecked().with(Left::fields().list.push(left)))
    };
    let is_apart = fastrand::bool();
    let transaction = if is_apart { transaction.client_side() } else { transaction.native() };
    let at_once = fastrand::bool();
    let send = || async {
        let one = || async { transaction.clone().send(repository).await.map(|outcome| outcome.is_applied()) };
        if !at_once {
            return one().await;
        }
        match join(one(), one()).await {
            (Ok(true), _) | (_, Ok(true)) => Ok(true),
            // If one clone is in doubt, a refusal of the other proves nothing: it may have come before the first one was
            // applied.
            (Err(error), _) | (_, Err(error)) => Err(error),
            (Ok(false), Ok(false)) => Ok(false),
        }
    };
    let told = worker.fleet.tell(worker.number, send).await;
    Worker::end(handle, Told::of(told, is_apart && !at_once));
}

/// Resolves what other processes have left, which changes nothing that readers can see.
pub(super) async fn sweep(repository: &Repository) {
    // If a table could not be read, a later sweep resolves the rest.
    _ = Sweep::new().of::<Left>().of::<Right>().send(repository).await;
}
