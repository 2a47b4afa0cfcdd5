//! A snapshot of several items, with all that is committed (M26). The lane rows of the transactions that hold some of them are read
//! in the same request, and say what is committed. The read writes nothing, unless items and lane rows are more than one request
//! can read.

use super::lane_errors::or_of_lanes;
use super::single_row::row;
use super::wait_until_free::resolve_intent;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::transact::ACTIONS;
use crate::exchange::{Caller, ItemRef, MOST_INTENTS, Repository, Waits, never_free};
use crate::read::{Moment, TransactGetCommand, is_held, named};
use crate::transaction::record::{Intent, Status, TransactionRecord, missing, record_key, whole, without};
use aws_sdk_dynamodb::types::Get;
use futures_util::future::{FutureExt as _, try_join_all};
use std::collections::BTreeMap;

impl TransactGetCommand {
    /// Returns the item at each key, in the order of the gets. No item shows half of a transaction.
    pub(crate) async fn settled(self, repository: &Repository) -> Result<Vec<Option<Item>>, Error> {
        if !self.gets.iter().any(|(get, _)| get.schema.is_transactional) {
            return self.send(repository).await;
        }
        let mut lanes: Vec<String> = Vec::new();
        for _ in 0..MOST_INTENTS {
            let mut moment = self.moment(repository, &lanes).await?;
            let held = self.held(&mut moment.items)?;
            if held.is_empty() {
                return Ok(moment.items);
            }
            let mut named: Vec<String> = held.values().map(|intent| intent.transaction_id.lane.clone()).collect();
            named.sort_unstable();
            named.dedup();
            if self.gets.len() + named.len() > ACTIONS {
                self.settle(repository, held.into_keys(), moment.items).await?;
                lanes.clear();
                continue;
            }
            let is_known = named.iter().all(|name| lanes.contains(name));
            let known = std::mem::replace(&mut lanes, named);
            if !is_known {
                continue;
            }
            let (items, open) = self.committed(repository, &held, &known, moment.others, &moment.items).await?;
            if open.is_empty() {
                return Ok(items);
            }
            self.settle(repository, open.into_iter(), moment.items).await?;
        }
        Err(never_free())
    }

    /// Reads all items and the rows of these lanes at one moment.
    async fn moment(&self, repository: &Repository, lanes: &[String]) -> Result<Moment, Error> {
        let mut records = Vec::with_capacity(lanes.len());
        for lane in lanes {
            let get = Get::builder().table_name(repository.lane_table()?).set_key(Some(record_key(lane))).build();
            records.push(get.map_err(|error| Error::invalid(error.to_string()))?);
        }
        let is_of_lanes = !records.is_empty();
        let moment = self.clone().send_with(repository, records).await;
        moment.map_err(|error| if is_of_lanes { or_of_lanes(error) } else { error })
    }

    /// Returns the intents, by the index of their item. It removes claims from the items, because a claim changes nothing.
    fn held(&self, items: &mut [Option<Item>]) -> Result<BTreeMap<usize, Intent>, Error> {
        let mut held = BTreeMap::new();
        for (at, item) in items.iter_mut().enumerate() {
            let get = &self.gets[at].0;
            let Some(there) = item.as_ref().filter(|item| get.schema.is_transactional && is_held(item)) else {
                continue;
            };
            let key = get.key.clone()?;
            let of_get = |error| named(error, at, get.schema, Some(&key));
            match Intent::of(there, &key).map_err(of_get)? {
                Some(intent) if intent.is_claim() => {
                    let there = item.take().map(|item| without(item, &key)).transpose().map_err(of_get)?;
                    *item = there.flatten().map(|item| get.as_asked(item));
                }
                intent => held.extend(intent.map(|intent| (at, intent))),
            }
        }
        Ok(held)
    }

    /// Returns the items as the lane rows say that they are committed, and the indexes of those whose transactions are open.
    async fn committed(
        &self,
        repository: &Repository,
        held: &BTreeMap<usize, Intent>,
        lanes: &[String],
        records: Vec<Option<Item>>,
        items: &[Option<Item>],
    ) -> Result<(Vec<Option<Item>>, Vec<usize>), Error> {
        let mut known = BTreeMap::new();
        for (lane, record) in lanes.iter().zip(records) {
            known.insert(lane, record.map(|record| TransactionRecord::read(&record)).transpose()?);
        }
        let (mut shown, mut open) = (items.to_vec(), Vec::new());
        for (&at, intent) in held {
            let get = &self.gets[at].0;
            let key = get.key.clone()?;
            let of_get = |error| named(error, at, get.schema, Some(&key));
            let lane = known.get(&intent.transaction_id.lane).and_then(Option::as_ref);
            let status =
                lane.map_or_else(|| Err(missing(&intent.transaction_id)), |lane| lane.status(&intent.transaction_id));
            let Some(item) = shown[at].take() else { continue };
            shown[at] = match status.map_err(of_get)? {
                Status::Committed => {
                    // The pages never change, so it does not matter when they are read.
                    let caller = Caller { operation: "get", entity: get.schema.entity, priority: None };
                    let whole = whole(repository, caller, &key, intent.clone()).await;
                    Some(whole.map_err(of_get)?.applied_to(item))
                }
                Status::Dead => without(item, &key).map_err(of_get)?,
                Status::Open => {
                    open.push(at);
                    None
                }
            };
            shown[at] = shown[at].take().map(|item| get.as_asked(item));
        }
        Ok((shown, open))
    }

    /// Resolves the intents of these items.
    async fn settle(
        &self,
        repository: &Repository,
        held: impl Iterator<Item = usize>,
        mut items: Vec<Option<Item>>,
    ) -> Result<(), Error> {
        let settled = held.map(|at| self.settle_one(repository, at, items[at].take()).boxed());
        try_join_all(settled.collect::<Vec<_>>()).await.map(drop)
    }

    async fn settle_one(&self, repository: &Repository, index: usize, item: Option<Item>) -> Result<(), Error> {
        let (get, table) = &self.gets[index];
        let at = ItemRef { table: table.clone(), key: get.key.clone()? };
        let caller = Caller { operation: "get", entity: get.schema.entity, priority: None };
        let settled = async {
            // A roll forward by put needs the whole row.
            let whole = match get.projection {
                None => item,
                Some(_) => row(repository, caller, &at).await?,
            };
            match whole {
                Some(item) => resolve_intent(repository, caller, &at, &item, &Waits::default(), None).await.map(drop),
                None => Ok(()),
            }
        };
        settled.await.map_err(|error| named(error, index, get.schema, Some(&at.key)))
    }
}
