//! Reads several items at one moment, with all that is committed then (M26). If transactions hold some of the items, the same
//! request also reads the lane rows of these transactions, which show what is committed. The read itself writes
//! nothing. If a transaction is open, or the items and lane rows are more than one request can read, it resolves the intents first.

use super::resolve_intent::resolve_intent;
use super::single_row::read_item;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::row::transact::ACTIONS;
use crate::exchange::{Caller, ItemRef, MOST_INTENTS, Repository, Waits, never_free};
use crate::read::{Snapshot, TransactGetCommand, error_of_get, is_held};
use crate::transaction::record::explain_missing_lane_table;
use crate::transaction::record::{
    Intent, Status, TransactionRecord, complete, lane_missing, record_key, without_intent,
};
use aws_sdk_dynamodb::types::Get;
use futures_util::future::{BoxFuture, FutureExt as _, try_join_all};
use std::collections::BTreeMap;

impl TransactGetCommand {
    /// Returns the item at each key, in the order of the gets. Together, the items show each transaction completely or not at
    /// all.
    pub(crate) fn snapshot(self, repository: &Repository) -> BoxFuture<'_, Result<Vec<Option<Item>>, Error>> {
        Box::pin(async move {
            if !self.gets.iter().any(|(get, _)| get.schema.is_transactional) {
                return self.send(repository).await;
            }
            let mut lanes: Vec<String> = Vec::new();
            for _ in 0..MOST_INTENTS {
                // Read the items together with the lane rows that the last round has found to be needed.
                let mut moment = self.moment(repository, &lanes).await?;
                let held = self.held(&mut moment.items)?;
                if held.is_empty() {
                    return Ok(moment.items);
                }
                let mut needed: Vec<String> = held.values().map(|intent| intent.transaction_id.lane.clone()).collect();
                needed.sort_unstable();
                needed.dedup();
                // If they exceed one request, resolve all intents instead.
                if self.gets.len() + needed.len() > ACTIONS {
                    self.resolve(repository, held.into_keys(), moment.items).await?;
                    lanes.clear();
                    continue;
                }
                // If an intent is of a lane that was not read, read again, with its row.
                let has_all = needed.iter().all(|name| lanes.contains(name));
                let read = std::mem::replace(&mut lanes, needed);
                if !has_all {
                    continue;
                }
                // Show committed changes. Wait for transactions that are undecided.
                let (items, open) = self.committed(repository, &held, &read, moment.others, &moment.items).await?;
                if open.is_empty() {
                    return Ok(items);
                }
                self.resolve(repository, open.into_iter(), moment.items).await?;
            }
            Err(never_free())
        })
    }

    /// Reads all items and these lane rows at one moment.
    async fn moment(&self, repository: &Repository, lanes: &[String]) -> Result<Snapshot, Error> {
        let mut records = Vec::with_capacity(lanes.len());
        for lane in lanes {
            let get = Get::builder().table_name(repository.lane_table()?).set_key(Some(record_key(lane))).build();
            records.push(get.map_err(|error| Error::invalid(error.to_string()))?);
        }
        let is_of_lanes = !records.is_empty();
        let moment = self.clone().send_with(repository, records).await;
        moment.map_err(|error| if is_of_lanes { explain_missing_lane_table(error) } else { error })
    }

    /// Returns the intents, by the index of their item. Removes claims from the items, because a claim changes nothing.
    fn held(&self, items: &mut [Option<Item>]) -> Result<BTreeMap<usize, Intent>, Error> {
        let mut held = BTreeMap::new();
        for (at, item) in items.iter_mut().enumerate() {
            let get = &self.gets[at].0;
            let Some(found) = item.as_ref().filter(|item| get.schema.is_transactional && is_held(*item)) else {
                continue;
            };
            let key = get.key.clone()?;
            let of_get = |error| error_of_get(error, at, get.schema, Some(&key));
            match Intent::of(found, &key).map_err(of_get)? {
                Some(intent) if intent.is_claim() => {
                    let old = item.take().map(|item| without_intent(item, &key)).transpose().map_err(of_get)?;
                    *item = old.flatten().map(|item| get.apply_projection(item));
                }
                intent => held.extend(intent.map(|intent| (at, intent))),
            }
        }
        Ok(held)
    }

    /// Returns the committed version of each item, and the indexes of the items whose transactions are open.
    async fn committed(
        &self,
        repository: &Repository,
        held: &BTreeMap<usize, Intent>,
        lanes: &[String],
        records: Vec<Option<Item>>,
        items: &[Option<Item>],
    ) -> Result<(Vec<Option<Item>>, Vec<usize>), Error> {
        let mut by_lane = BTreeMap::new();
        for (lane, record) in lanes.iter().zip(records) {
            by_lane.insert(lane, record.map(|record| TransactionRecord::read(&record)).transpose()?);
        }
        let (mut committed, mut open) = (items.to_vec(), Vec::new());
        for (&at, intent) in held {
            let get = &self.gets[at].0;
            let key = get.key.clone()?;
            let of_get = |error| error_of_get(error, at, get.schema, Some(&key));
            let lane = by_lane.get(&intent.transaction_id.lane).and_then(Option::as_ref);
            let status = lane
                .map_or_else(|| Err(lane_missing(&intent.transaction_id)), |lane| lane.status(&intent.transaction_id));
            let Some(item) = committed[at].take() else { continue };
            committed[at] = match status.map_err(of_get)? {
                Status::Committed => {
                    // The pages never change, so it does not matter when they are read.
                    let caller = Caller { operation: "get", entity: get.schema.entity, priority: None };
                    let intent = complete(repository, caller, &key, intent.clone()).await;
                    Some(intent.map_err(of_get)?.applied_to(item))
                }
                Status::Dead => without_intent(item, &key).map_err(of_get)?,
                Status::Open => {
                    open.push(at);
                    None
                }
            };
            committed[at] = committed[at].take().map(|item| get.apply_projection(item));
        }
        Ok((committed, open))
    }

    /// Resolves the intents of these items.
    async fn resolve(
        &self,
        repository: &Repository,
        held: impl Iterator<Item = usize>,
        mut items: Vec<Option<Item>>,
    ) -> Result<(), Error> {
        let resolved = held.map(|at| self.resolve_one(repository, at, items[at].take()).boxed());
        try_join_all(resolved.collect::<Vec<_>>()).await.map(drop)
    }

    async fn resolve_one(&self, repository: &Repository, index: usize, item: Option<Item>) -> Result<(), Error> {
        let (get, table) = &self.gets[index];
        let at = ItemRef { table: table.clone(), key: get.key.clone()? };
        let caller = Caller { operation: "get", entity: get.schema.entity, priority: None };
        let resolved = async {
            // A roll forward by put needs all attributes of the item.
            let item = match get.projection {
                None => item,
                Some(_) => read_item(repository, caller, &at).await?,
            };
            match item {
                Some(item) => resolve_intent(repository, caller, &at, &item, &Waits::default(), None).await.map(drop),
                None => Ok(()),
            }
        };
        resolved.await.map_err(|error| error_of_get(error, index, get.schema, Some(&at.key)))
    }
}
