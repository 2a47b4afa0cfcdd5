//! One moment of items, with all that is committed (M26): where transactions hold some, their lanes are read at the same moment, and
//! say what is committed of them. Nothing is written for that, unless they are more than one request can read.

use super::lane_errors::or_of_lanes;
use super::single_row::row;
use super::wait_until_free::settle;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::transact::ACTIONS;
use crate::exchange::{Caller, ItemRef, MOST_INTENTS, Repository, never_free};
use crate::read::{Moment, TransactGetCommand, is_held, named};
use crate::transaction::record::{Head, Intent, Status, head_key, missing, whole, without};
use aws_sdk_dynamodb::types::Get;
use futures_util::future::{FutureExt as _, try_join_all};
use std::collections::BTreeMap;

/// What a look at the lanes comes to.
enum Told {
    /// All items as they are committed.
    Items(Vec<Option<Item>>),
    /// Of these, it is not decided yet.
    Open(Vec<usize>),
}

impl TransactGetCommand {
    /// What is at each key, in the order of the gets: nothing of it is half of what another transaction has made.
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
            let mut named: Vec<String> = held.values().map(|intent| intent.ticket.lane.clone()).collect();
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
            match self.told(repository, &held, &known, moment.others, &moment.items).await? {
                Told::Items(items) => return Ok(items),
                Told::Open(open) => self.settle(repository, open.into_iter(), moment.items).await?,
            }
        }
        Err(never_free())
    }

    /// All items, and the heads of these lanes, at one moment.
    async fn moment(&self, repository: &Repository, lanes: &[String]) -> Result<Moment, Error> {
        let mut heads = Vec::with_capacity(lanes.len());
        for lane in lanes {
            let get = Get::builder().table_name(repository.lane_table()?).set_key(Some(head_key(lane))).build();
            heads.push(get.map_err(|error| Error::invalid(error.to_string()))?);
        }
        let is_of_lanes = !heads.is_empty();
        let moment = self.clone().send_with(repository, heads).await;
        moment.map_err(|error| if is_of_lanes { or_of_lanes(error) } else { error })
    }

    /// What holds items, by their places. What only keeps others out is taken off: whatever becomes of it, it makes nothing.
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

    /// What the lanes say of those that are held.
    async fn told(
        &self,
        repository: &Repository,
        held: &BTreeMap<usize, Intent>,
        lanes: &[String],
        heads: Vec<Option<Item>>,
        items: &[Option<Item>],
    ) -> Result<Told, Error> {
        let mut known = BTreeMap::new();
        for (lane, head) in lanes.iter().zip(heads) {
            known.insert(lane, head.map(|head| Head::read(&head)).transpose()?);
        }
        let (mut shown, mut open) = (items.to_vec(), Vec::new());
        for (&at, intent) in held {
            let get = &self.gets[at].0;
            let key = get.key.clone()?;
            let of_get = |error| named(error, at, get.schema, Some(&key));
            let lane = known.get(&intent.ticket.lane).and_then(Option::as_ref);
            let status = lane.map_or_else(|| Err(missing(&intent.ticket)), |lane| lane.status(&intent.ticket));
            let Some(item) = shown[at].take() else { continue };
            shown[at] = match status.map_err(of_get)? {
                Status::Committed => {
                    // Its pages never change: when they are read does not matter.
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
        Ok(if open.is_empty() { Told::Items(shown) } else { Told::Open(open) })
    }

    /// Settles what holds these of the items that were read.
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
            // Applied whole, it is made of all of the row.
            let whole = match get.projection {
                None => item,
                Some(_) => row(repository, caller, &at).await?,
            };
            match whole {
                Some(item) => settle(repository, caller, &at, &item).await.map(drop),
                None => Ok(()),
            }
        };
        settled.await.map_err(|error| named(error, index, get.schema, Some(&at.key)))
    }
}
