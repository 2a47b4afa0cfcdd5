//! A claim: after an attempt has lost three times, the coordinator prewrites intents that change nothing, and so keeps other
//! writers out while the closure runs.
//!
//! The claim has a transaction ID of its own, which never commits (M10). The attempt replaces its intents; the rest is removed in
//! the end, or is aborted as soon as the lane goes on.

use super::attempt_requests::{CONCURRENCY, NO_ENTITY, caller};
use super::heartbeat::while_alive;
use crate::attribute::Item;
use crate::error::{Context, Error};
use crate::exchange::{Answer, ItemRef, MOST_INTENTS, Priority, Repository, boxed_stream, within};
use crate::key::{distinct, key_text};
use crate::schema::Schema;
use crate::transaction::closure::Row;
use crate::transaction::lanes::{Lane, take};
use crate::transaction::record::{Change, Intent, TransactionId, is_of, parked, prewrite};
use crate::transaction::resolve::{inside, read_when_free, roll_back_own, send, trace_events};
use futures_util::future::join;
use futures_util::stream::StreamExt as _;
use std::collections::{BTreeMap, HashMap};
use std::pin::pin;
use std::time::Duration;

/// A row to claim.
#[derive(Clone)]
pub(crate) struct ClaimTarget {
    schema: &'static Schema,
    at: ItemRef,
    /// The row as it was last read.
    known: Option<Item>,
}

impl ClaimTarget {
    pub(crate) fn of(row: &Row) -> Self {
        let at = ItemRef { table: row.tables.main.clone(), key: row.key.clone() };
        Self { schema: row.of.schema, at, known: row.read.clone().flatten() }
    }
}

/// A row that no other process writes while the claim stands.
struct ClaimedRow {
    at: ItemRef,
    intent: Intent,
    /// The item, without the intent.
    item: Option<Item>,
}

/// Rows that no other process writes while the claim stands.
pub(crate) struct Claim {
    pub(crate) transaction_id: TransactionId,
    /// The lane, which the transaction's own attempt uses next.
    pub(crate) lane: Option<Lane>,
    /// The time for which the claim may still stand, while the closure runs and its run is prepared.
    left: Duration,
    /// The rows by key, sorted, so that a simulation repeats with its seed.
    rows: BTreeMap<String, ClaimedRow>,
}

impl Claim {
    /// Claims these rows for at most so long. A row that it does not get is left out, and the closure waits for it.
    pub(crate) async fn stake(
        repository: &Repository,
        wanted: &[ClaimTarget],
        priority: &Priority,
        limit: Duration,
    ) -> Result<Self, Error> {
        let begun = repository.moment();
        let entity = wanted.first().map_or("", |row| row.schema.entity);
        let mut lane = take(repository, caller(entity, priority)).await?;
        let transaction_id = lane.next_transaction_id()?;
        let priority = &Priority { name: transaction_id.to_string(), ..priority.clone() };
        let mut lane = Some(lane);
        let claimed = {
            let claims = boxed_stream(wanted.iter().map(|row| claim(repository, &transaction_id, row, priority)));
            let mut claims = pin!(claims.buffer_unordered(CONCURRENCY).collect::<Vec<_>>());
            let claimed = within(repository, limit, while_alive(repository, &mut lane, claims.as_mut())).await;
            match claimed.flatten() {
                Some(claimed) => claimed,
                // The lane is not renewed any more, so others abort the claim as soon as their lock timeout is over.
                None => claims.await,
            }
        };
        let left = limit.saturating_sub(begun.until(repository.moment()));
        let mut claim = Self { transaction_id, lane, left, rows: BTreeMap::new() };
        let mut failed = None;
        for claimed in claimed {
            match claimed {
                Ok(Some((name, row))) => drop(claim.rows.insert(name, row)),
                Ok(None) => {}
                Err(error) => failed = Some(error),
            }
        }
        trace_events::claim(&claim.transaction_id, "claimed", claim.rows.len());
        let Some(error) = failed else { return Ok(claim) };
        // A prewrite without an answer may have passed. The next owner of the lane ends it.
        drop(claim.lane.take());
        claim.release(repository).await;
        Err(error)
    }

    /// Returns the claimed rows, as they are.
    pub(crate) fn known(&self) -> HashMap<String, Option<Item>> {
        self.rows.iter().map(|(name, row)| (name.clone(), row.item.clone())).collect()
    }

    /// Marks a claimed row as read.
    pub(crate) fn tell(&self, row: &mut Row) -> Result<(), Error> {
        let name = distinct(&row.tables.main, row.of.schema, &row.key)?;
        if let Some(claimed) = self.rows.get(&name) {
            row.read = Some(claimed.item.clone());
        }
        Ok(())
    }

    /// Whether a row is claimed.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.rows.contains_key(name)
    }

    /// Runs the closure and renews the lane meanwhile. When the time is over, it releases the claim and calls `given_back`. Returns
    /// the result of the closure, and the claim, if it still stands.
    pub(crate) async fn during<T>(
        mut self,
        repository: &Repository,
        mut closure: impl Future<Output = T> + Unpin,
        given_back: impl FnOnce(),
    ) -> (T, Option<Self>) {
        let begun = repository.moment();
        let running = while_alive(repository, &mut self.lane, inside(&self.transaction_id, &mut closure));
        let returned = within(repository, self.left, running).await;
        match returned {
            Some(Some(returned)) => {
                self.left = self.left.saturating_sub(begun.until(repository.moment()));
                return (returned, Some(self));
            }
            Some(None) => self.lane.take().into_iter().for_each(Lane::forget),
            None => trace_events::claim_over(&self.transaction_id),
        }
        given_back();
        (join(closure, self.release(repository)).await.0, None)
    }

    /// Renews the lane while the run is prepared, within the time for which the claim may stand. Without heartbeats, other writers
    /// abort the claim.
    pub(crate) async fn while_planned<T>(
        &mut self,
        repository: &Repository,
        mut planning: impl Future<Output = T> + Unpin,
    ) -> T {
        let planned = within(repository, self.left, while_alive(repository, &mut self.lane, &mut planning)).await;
        match planned.flatten() {
            Some(planned) => planned,
            None => planning.await,
        }
    }

    /// Removes what is left of the claim. An intent that cannot be removed is aborted as soon as the lane goes on.
    pub(crate) async fn release(mut self, repository: &Repository) {
        trace_events::claim(&self.transaction_id, "released", self.rows.len());
        let is_clear = self.take_away(repository).await;
        if let Some(lane) = self.lane.take().filter(|_| is_clear) {
            lane.give_back();
        }
    }

    /// Returns whether all of the claim is gone.
    pub(crate) async fn take_away(&mut self, repository: &Repository) -> bool {
        let rows = std::mem::take(&mut self.rows);
        let rolls = rows.values().map(|row| roll_back_own(repository, NO_ENTITY, &row.at, &row.intent));
        let rolled: Vec<_> = boxed_stream(rolls).buffer_unordered(CONCURRENCY).collect().await;
        rolled.iter().all(Result::is_ok)
    }

    /// Notes that the attempt's own intent replaced the claim on this row.
    pub(crate) fn replaced(&mut self, name: &str) {
        self.rows.remove(name);
    }
}

/// Claims one row, and returns it as it is.
async fn claim(
    repository: &Repository,
    transaction_id: &TransactionId,
    row: &ClaimTarget,
    priority: &Priority,
) -> Result<Option<(String, ClaimedRow)>, Error> {
    let ClaimTarget { schema, at, known } = row.clone();
    let caller = caller(schema.entity, priority);
    let name = distinct(&at.table, schema, &at.key)?;
    let mut item = known;
    for _ in 0..MOST_INTENTS {
        let intent = Intent {
            transaction_id: transaction_id.clone(),
            since: priority.since,
            change: Change::default(),
            is_new: item.is_none(),
            parked: parked(schema, item.as_ref()),
            pages: None,
            revision_row: None,
        };
        let there = match send(repository, caller, prewrite(schema, &at, item.as_ref(), None, &intent)?).await? {
            Answer::Denied(there) if !is_of(there.as_ref(), transaction_id) => there,
            Answer::Done(_) | Answer::Denied(_) => return Ok(Some((name, ClaimedRow { at, intent, item }))),
        };
        item = read_when_free(repository, caller, &at, there).await.map_err(|error| {
            let key = key_text(&at.key, schema);
            error.with_context(|| Context { operation: caller.operation, entity: schema.entity, key })
        })?;
    }
    Ok(None)
}
