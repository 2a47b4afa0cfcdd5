//! A claim: intents that change nothing. After a transaction has lost three attempts, its next attempt places a claim on the rows
//! of the last one, which keeps other writers out of them while the closure runs.
//!
//! The claim has a transaction ID of its own, which never commits (M10). The prewrites of the attempt replace the intents of the
//! claim. At the end of the attempt, the coordinator removes the others. One that it cannot remove is dead once the lane commits
//! a later attempt.

use super::attempt_requests::{CONCURRENCY, NO_ENTITY, caller};
use super::heartbeat::while_alive;
use crate::attribute::Item;
use crate::error::{Context, Error};
use crate::exchange::{Answer, ItemRef, MOST_INTENTS, Priority, Repository, boxed_stream, within};
use crate::key::{distinct, key_text};
use crate::schema::Schema;
use crate::transaction::attempt::Row;
use crate::transaction::lanes::{Lane, take};
use crate::transaction::record::{Change, Intent, TransactionId, has_intent_of, parked_ttl, prewrite};
use crate::transaction::resolve::{inside, read_when_free, roll_back_own, send_write, trace_events};
use futures_util::future::{BoxFuture, join};
use futures_util::stream::StreamExt as _;
use std::collections::{BTreeMap, HashMap};
use std::pin::pin;
use std::time::Duration;

/// A row to claim.
#[derive(Clone)]
pub(crate) struct ClaimTarget {
    schema: &'static Schema,
    at: ItemRef,
    /// The item as it was last read.
    item: Option<Item>,
}

impl ClaimTarget {
    pub(crate) fn of(row: &Row) -> Self {
        let at = ItemRef { table: row.tables.main.clone(), key: row.key.clone() };
        Self { schema: row.of.schema, at, item: row.read.clone().flatten() }
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
    /// The lane. The transaction's attempt takes it over from the claim.
    pub(crate) lane: Option<Lane>,
    /// The time for which the claim may still stand.
    left: Duration,
    /// The claimed rows by key. They are sorted so that a simulation with the same seed sends the same requests.
    rows: BTreeMap<String, ClaimedRow>,
}

impl Claim {
    /// Claims these rows for at most the time `limit`. A row that other transactions hold again and again is left out, and the
    /// closure waits for it when it reads it.
    pub(crate) async fn place(
        repository: &Repository,
        wanted: &[ClaimTarget],
        priority: &Priority,
        limit: Duration,
    ) -> Result<Self, Error> {
        let began = repository.moment();
        let entity = wanted.first().map_or("", |row| row.schema.entity);
        let mut lane = take(repository, caller(entity, priority)).await?;
        let transaction_id = lane.next_transaction_id()?;
        let priority = &Priority { name: transaction_id.to_string(), ..priority.clone() };
        let mut lane = Some(lane);
        let claimed = {
            let claims = boxed_stream(wanted.iter().map(|row| claim_row(repository, &transaction_id, row, priority)));
            let mut claims = pin!(claims.buffer_unordered(CONCURRENCY).collect::<Vec<_>>());
            let claimed = within(repository, limit, while_alive(repository, &mut lane, claims.as_mut())).await;
            match claimed.flatten() {
                Some(claimed) => claimed,
                // The lane is not renewed any more, so other processes abort the claim after their lock timeout.
                None => claims.await,
            }
        };
        let left = limit.saturating_sub(began.until(repository.moment()));
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
        // A prewrite without an answer may still arrive. If the lane is abandoned, its next owner makes that intent dead.
        drop(claim.lane.take());
        claim.release(repository).await;
        Err(error)
    }

    /// Returns the claimed items by the key of their row, without the intents.
    pub(crate) fn items(&self) -> HashMap<String, Option<Item>> {
        self.rows.iter().map(|(name, row)| (name.clone(), row.item.clone())).collect()
    }

    /// Marks a row as read, if it is claimed: the claim keeps it as it is (M10).
    pub(crate) fn mark_as_read(&self, row: &mut Row) -> Result<(), Error> {
        let name = distinct(&row.tables.main, row.of.schema, &row.key)?;
        if let Some(claimed) = self.rows.get(&name) {
            row.read = Some(claimed.item.clone());
        }
        Ok(())
    }

    /// Whether a row is claimed.
    pub(crate) fn covers(&self, name: &str) -> bool {
        self.rows.contains_key(name)
    }

    /// Awaits the closure, and renews the lane meanwhile. When the claim's time is over, or another process owns the lane, it
    /// calls `on_release` and releases the claim, and the closure continues. Returns the result of the closure, and the claim if
    /// it still stands.
    pub(crate) async fn run_closure<T>(
        mut self,
        repository: &Repository,
        mut closure: impl Future<Output = T> + Unpin,
        on_release: impl FnOnce(),
    ) -> (T, Option<Self>) {
        let began = repository.moment();
        let running = while_alive(repository, &mut self.lane, inside(&self.transaction_id, &mut closure));
        let returned = within(repository, self.left, running).await;
        match returned {
            Some(Some(returned)) => {
                self.left = self.left.saturating_sub(began.until(repository.moment()));
                return (returned, Some(self));
            }
            Some(None) => self.lane.take().into_iter().for_each(Lane::forget),
            None => trace_events::claim_over(&self.transaction_id),
        }
        on_release();
        (join(closure, self.release(repository)).await.0, None)
    }

    /// Awaits the preparation of the attempt, and renews the lane meanwhile, as long as the claim may stand. Without heartbeats,
    /// other writers would abort the claim.
    pub(crate) async fn run_preparation<T>(
        &mut self,
        repository: &Repository,
        mut preparation: impl Future<Output = T> + Unpin,
    ) -> T {
        let prepared = within(repository, self.left, while_alive(repository, &mut self.lane, &mut preparation)).await;
        match prepared.flatten() {
            Some(prepared) => prepared,
            None => preparation.await,
        }
    }

    /// Removes the intents of the claim, and returns the lane to the pool. If an intent cannot be removed, the lane is abandoned,
    /// and its next owner makes the intent dead.
    pub(crate) fn release(mut self, repository: &Repository) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            trace_events::claim(&self.transaction_id, "released", self.rows.len());
            let is_clear = self.remove_intents(repository).await;
            if let Some(lane) = self.lane.take().filter(|_| is_clear) {
                lane.give_back();
            }
        })
    }

    /// Removes the intents of the claim. Returns whether all requests had an answer.
    pub(crate) fn remove_intents<'a>(&'a mut self, repository: &'a Repository) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let rows = std::mem::take(&mut self.rows);
            let rolls = rows.values().map(|row| roll_back_own(repository, NO_ENTITY, &row.at, &row.intent));
            let rolled: Vec<_> = boxed_stream(rolls).buffer_unordered(CONCURRENCY).collect().await;
            rolled.iter().all(Result::is_ok)
        })
    }

    /// Notes that the intent of the attempt has replaced the claim on this row.
    pub(crate) fn note_replaced(&mut self, name: &str) {
        self.rows.remove(name);
    }
}

/// Claims one row. Returns `None` if other transactions hold it again and again.
async fn claim_row(
    repository: &Repository,
    transaction_id: &TransactionId,
    row: &ClaimTarget,
    priority: &Priority,
) -> Result<Option<(String, ClaimedRow)>, Error> {
    let ClaimTarget { schema, at, mut item } = row.clone();
    let caller = caller(schema.entity, priority);
    let name = distinct(&at.table, schema, &at.key)?;
    for _ in 0..MOST_INTENTS {
        let intent = Intent {
            transaction_id: transaction_id.clone(),
            since: priority.since,
            change: Change::default(),
            is_new: item.is_none(),
            parked: parked_ttl(schema, item.as_ref()),
            pages: None,
            revision_row: None,
        };
        let found = match send_write(repository, caller, prewrite(schema, &at, item.as_ref(), None, &intent)?).await? {
            Answer::Denied(found) if !has_intent_of(found.as_ref(), transaction_id) => found,
            Answer::Done(_) | Answer::Denied(_) => return Ok(Some((name, ClaimedRow { at, intent, item }))),
        };
        item = read_when_free(repository, caller, &at, found).await.map_err(|error| {
            let key = key_text(&at.key, schema);
            error.with_context(|| Context { operation: caller.operation, entity: schema.entity, key })
        })?;
    }
    Ok(None)
}
