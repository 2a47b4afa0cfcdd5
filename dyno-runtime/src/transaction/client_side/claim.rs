//! A claim on rows, for a transaction that has lost again and again: intents that change nothing are placed first, and keep
//! others out while the closure runs.
//!
//! They stand under a ticket of their own, which is never committed (M10). What is written afterwards replaces them; what is left of
//! them is taken away in the end, or is dead as soon as its lane goes on.

use super::heartbeat::keep_alive;
use super::participant::OPERATION;
use crate::attribute::Item;
use crate::error::{Context, Error};
use crate::exchange::{About, Answer, Ask, Caller, ItemRef, MOST_INTENTS, Priority, Repository, within, write_row};
use crate::key::{distinct, key_text};
use crate::schema::Tables;
use crate::transaction::closure::{Of, Row};
use crate::transaction::lanes::{Lane, take};
use crate::transaction::record::{Base, Change, Intent, Ticket, is_of, parked, place};
use crate::transaction::resolve::{free, inside, take_back, trace_events};
use futures_util::future::{BoxFuture, Either, join, select};
use futures_util::stream::{self, StreamExt as _};
use std::collections::{BTreeMap, HashMap};
use std::pin::pin;
use std::time::Duration;

/// How many rows are claimed at once.
const CONCURRENCY: usize = 100;

/// A row that is to be claimed.
#[derive(Clone)]
pub(crate) struct Wanted {
    of: Of,
    tables: Tables,
    key: Item,
    /// What was there when it was last read.
    known: Option<Item>,
}

impl Wanted {
    pub(crate) fn of(row: &Row) -> Self {
        Self { of: row.of, tables: row.tables.clone(), key: row.key.clone(), known: row.read.clone().flatten() }
    }

    fn place(&self) -> ItemRef {
        ItemRef { table: self.tables.main.clone(), key: self.key.clone() }
    }

    fn caller<'a>(&self, priority: &'a Priority) -> Caller<'a> {
        Caller { operation: OPERATION, entity: self.of.schema.entity, priority: Some(priority) }
    }
}

/// Rows that nobody else writes, as long as the claim stands.
pub(crate) struct Claim {
    pub(crate) ticket: Ticket,
    /// Of its lane, the transaction's own ticket will be, too.
    pub(crate) lane: Option<Lane>,
    priority: Priority,
    /// How long it may still stand while the closure runs, and its run is planned.
    left: Duration,
    /// The rows, by their keys, as they are: in an order, so that what a seed has done is done again.
    rows: BTreeMap<String, (ItemRef, Intent, Option<Item>)>,
}

impl Claim {
    /// Claims these rows, until the closure has returned, and for so long at most. A row that cannot be had is left out: the
    /// closure will wait for it.
    pub(crate) async fn stake(
        repository: &Repository,
        wanted: &[Wanted],
        priority: &Priority,
        limit: Duration,
    ) -> Result<Self, Error> {
        let begun = repository.moment();
        let entity = wanted.first().map_or("", |row| row.of.schema.entity);
        let caller = Caller { operation: OPERATION, entity, priority: Some(priority) };
        let mut lane = take(repository, caller).await?;
        let ticket = lane.ticket()?;
        let priority = &Priority { name: ticket.to_string(), ..priority.clone() };
        let mut lane = Some(lane);
        let claimed = {
            // Made before they are polled: a stream that made them would not be known to be `Send`.
            let claimed: Vec<BoxFuture<'_, _>> = wanted
                .iter()
                .map(|row| -> BoxFuture<'_, _> { Box::pin(claim(repository, &ticket, row, priority)) })
                .collect();
            let mut claimed = pin!(stream::iter(claimed).buffer_unordered(CONCURRENCY).collect::<Vec<_>>());
            let beats = pin!(keep_alive(repository, caller, &mut lane));
            match within(repository, limit, select(claimed.as_mut(), beats)).await {
                Some(Either::Left((claimed, _))) => claimed,
                // It is not kept alive any more: others make it void as soon as they lose patience.
                Some(Either::Right(_)) | None => claimed.await,
            }
        };
        let left = limit.saturating_sub(begun.until(repository.moment()));
        let mut claim = Self { ticket, lane, priority: priority.clone(), left, rows: BTreeMap::new() };
        let mut failed = None;
        for claimed in claimed {
            match claimed {
                Ok(Some((name, row))) => drop(claim.rows.insert(name, row)),
                Ok(None) => {}
                Err(error) => failed = Some(error),
            }
        }
        trace_events::claim(&claim.ticket, "claimed", claim.rows.len());
        let Some(error) = failed else { return Ok(claim) };
        // What was not answered may stand all the same: whoever takes the lane next ends it.
        drop(claim.lane.take());
        claim.release(repository).await;
        Err(error)
    }

    /// What is there, of the rows that are claimed.
    pub(crate) fn known(&self) -> HashMap<String, Option<Item>> {
        self.rows.iter().map(|(name, (_, _, item))| (name.clone(), item.clone())).collect()
    }

    /// Takes a row that is claimed as read.
    pub(crate) fn tell(&self, row: &mut Row) -> Result<(), Error> {
        let name = distinct(&row.tables.main, row.of.schema, &row.key)?;
        if let Some((_, _, item)) = self.rows.get(&name) {
            row.read = Some(item.clone());
        }
        Ok(())
    }

    /// Whether a row is claimed.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.rows.contains_key(name)
    }

    /// Waits for the closure, and keeps the claim up meanwhile; but for no longer than it may stand: then it is given back, and
    /// `given_back` is called. What the closure has returned, and the claim, if it still stands.
    pub(crate) async fn during<T>(
        mut self,
        repository: &Repository,
        mut closure: impl Future<Output = T> + Unpin,
        given_back: impl FnOnce(),
    ) -> (T, Option<Self>) {
        let caller = Caller { operation: OPERATION, entity: "", priority: Some(&self.priority) };
        let until_it_is_lost = async {
            let running = pin!(inside(&self.ticket, &mut closure));
            match select(running, pin!(keep_alive(repository, caller, &mut self.lane))).await {
                Either::Left((returned, _)) => Some(returned),
                Either::Right(_) => None,
            }
        };
        let begun = repository.moment();
        match within(repository, self.left, until_it_is_lost).await {
            Some(Some(returned)) => {
                self.left = self.left.saturating_sub(begun.until(repository.moment()));
                return (returned, Some(self));
            }
            Some(None) => self.lane.take().into_iter().for_each(Lane::forget),
            None => tracing::warn!(
                transaction = %self.ticket,
                "a closure has kept others out of its items for as long as it may, and goes on without that"
            ),
        }
        given_back();
        (join(closure, self.release(repository)).await.0, None)
    }

    /// Keeps the claim up while the run is planned, within the time for which it may stand. Without it, other writers take the
    /// claim for dead once they lose patience.
    pub(crate) async fn while_planned<T>(
        &mut self,
        repository: &Repository,
        mut planning: impl Future<Output = T> + Unpin,
    ) -> T {
        let caller = Caller { operation: OPERATION, entity: "", priority: Some(&self.priority) };
        let beats = pin!(keep_alive(repository, caller, &mut self.lane));
        match within(repository, self.left, select(&mut planning, beats)).await {
            Some(Either::Left((planned, _))) => planned,
            Some(Either::Right(_)) | None => planning.await,
        }
    }

    /// Takes away what is left of it. What cannot be taken away is dead as soon as its lane goes on.
    pub(crate) async fn release(mut self, repository: &Repository) {
        trace_events::claim(&self.ticket, "released", self.rows.len());
        let is_clear = self.take_away(repository).await;
        if let Some(lane) = self.lane.take().filter(|_| is_clear) {
            lane.give_back();
        }
    }

    /// Whether all of it is gone.
    pub(crate) async fn take_away(&mut self, repository: &Repository) -> bool {
        let priority = &self.priority;
        let caller = Caller { operation: OPERATION, entity: "", priority: Some(priority) };
        let rows: Vec<_> = std::mem::take(&mut self.rows).into_values().collect();
        let taken: Vec<BoxFuture<'_, _>> = rows
            .iter()
            .map(|(at, intent, _)| -> BoxFuture<'_, _> { Box::pin(take_back(repository, caller, at, intent)) })
            .collect();
        let taken: Vec<Result<(), Error>> = stream::iter(taken).buffer_unordered(CONCURRENCY).collect().await;
        taken.iter().all(Result::is_ok)
    }

    /// The row is claimed no more: something else stands there.
    pub(crate) fn replaced(&mut self, name: &str) {
        self.rows.remove(name);
    }
}

/// Claims one row, and returns it as it is.
async fn claim(
    repository: &Repository,
    ticket: &Ticket,
    row: &Wanted,
    priority: &Priority,
) -> Result<Option<(String, (ItemRef, Intent, Option<Item>))>, Error> {
    let schema = row.of.schema;
    let (at, caller) = (row.place(), row.caller(priority));
    let name = distinct(&at.table, schema, &at.key)?;
    let mut known = row.known.clone();
    for _ in 0..MOST_INTENTS {
        let intent = Intent {
            ticket: ticket.clone(),
            since: priority.since,
            change: Change::default(),
            is_new: known.is_none(),
            parked: parked(schema, known.as_ref()),
            pages: None,
            record: None,
        };
        let base = known.as_ref().map_or(Base::Nothing, Base::Row);
        let ask = Ask::new(About::new(OPERATION, schema.entity, &at.table));
        let there = match write_row(repository, ask, place(schema, &at, base, &intent)?).await? {
            Answer::Done(_) => return Ok(Some((name, (at, intent, known)))),
            Answer::Denied(there) if is_of(there.as_ref(), ticket) => return Ok(Some((name, (at, intent, known)))),
            Answer::Denied(there) => there,
        };
        known = free(repository, caller, &at, there).await.map_err(|error| {
            let key = key_text(&at.key, schema);
            error.with_context(|| Context { operation: OPERATION, entity: schema.entity, key })
        })?;
    }
    Ok(None)
}
