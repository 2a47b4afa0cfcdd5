//! `BatchGetItem`: up to 100 keys of any tables a request, each key once.
//!
//! A request reads all its keys of one table with one consistency and one projection. So keys of one table that are to be read
//! with different consistencies go into different requests, and a key that is to be read in both ways is read consistently. All
//! keys of a table are read with every attribute that any of them is to be read with: DynamoDB charges for the whole items
//! anyway.

use super::batch_rounds::{Batch, BatchOptions, Response, TableNames, by_entity, run, unprocessed};
use crate::attribute::{Item, Peek, RawItem};
use crate::error::{Error, ErrorKind};
use crate::exchange::repository::Repository;
use crate::exchange::request::request_subject::About;
use crate::exchange::resolve::ItemRef;
use crate::exchange::send::call::read;
use crate::exchange::send::page_request::BatchAnswer;
use crate::expression::{Placeholders, render_projection};
use crate::key::{Identity, item_size};
use aws_sdk_dynamodb::types::builders::KeysAndAttributesBuilder;
use aws_sdk_dynamodb::types::{KeysAndAttributes, ReturnConsumedCapacity};
use futures_util::future::BoxFuture;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// The most keys of one request. (API reference, `BatchGetItem`.)
pub(crate) const KEYS: usize = 100;

/// The size of a full response, at least: 16 MB, less the largest item, which did not fit.
pub(crate) const FULL_BYTES: usize = (16 * 1024 - 400) * 1024;

/// The consistency of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Consistency {
    /// The result may lack writes that were acknowledged before, and costs half as much.
    Eventual,
    /// The result includes every write that was acknowledged before.
    Consistent,
}

impl Consistency {
    /// Returns the value of the request's parameter `ConsistentRead`.
    pub(crate) fn flag(self) -> Option<bool> {
        (self == Self::Consistent).then_some(true)
    }
}

/// Keys of any tables that are read together, each once.
pub(crate) struct KeyBatch<'a> {
    repository: &'a Repository,
    operation: &'static str,
    hedge: Option<Duration>,
    tables: TableNames,
    /// The attributes to read of each table's items, unless it is all of them.
    projections: Vec<Option<Vec<&'static str>>>,
    keys: Vec<Key>,
    indexes: HashMap<Identity, usize>,
}

/// A key that is read once.
struct Key {
    entity: &'static str,
    table: usize,
    key: Item,
    consistency: Consistency,
    /// How often it was added.
    uses: usize,
}

impl<'a> KeyBatch<'a> {
    pub(crate) fn new(repository: &'a Repository, operation: &'static str, hedge: Option<Duration>) -> Self {
        Self {
            repository,
            operation,
            hedge,
            tables: TableNames::default(),
            projections: Vec::new(),
            keys: Vec::new(),
            indexes: HashMap::new(),
        }
    }

    /// Returns the index of a table, and adds these attributes, or all, to those that are read of its items.
    pub(crate) fn table(&mut self, name: String, attributes: Option<Vec<&'static str>>) -> usize {
        let table = self.tables.index(name);
        match (self.projections.get_mut(table), attributes) {
            (None, attributes) => self.projections.push(attributes),
            (Some(Some(known)), Some(attributes)) => known.extend(attributes),
            (Some(known), _) => *known = None,
        }
        table
    }

    /// Adds a key, and returns its index. If the key was added before, that is the same index.
    pub(crate) fn key(&mut self, entity: &'static str, table: usize, key: Item, consistency: Consistency) -> usize {
        let index = *self.indexes.entry(Identity::of_key(table, &key)).or_insert_with(|| {
            self.keys.push(Key { entity, table, key, consistency, uses: 0 });
            self.keys.len() - 1
        });
        let key = &mut self.keys[index];
        key.consistency = key.consistency.max(consistency);
        key.uses += 1;
        index
    }

    /// Returns the table and the key of this index.
    pub(crate) fn item_ref(&self, index: usize) -> ItemRef {
        let Key { table, key, .. } = &self.keys[index];
        ItemRef { table: self.tables.0[*table].clone(), key: key.clone() }
    }

    /// Returns `true` if all attributes of the item with this index are read.
    pub(crate) fn is_whole(&self, index: usize) -> bool {
        self.projections[self.keys[index].table].is_none()
    }

    /// Reads the items.
    pub(crate) async fn read(&self, options: BatchOptions) -> KeyResults {
        let results = run(self, self.repository, self.keys.len(), options).await;
        KeyResults { results, uses: self.keys.iter().map(|key| key.uses).collect() }
    }

    /// Assigns the items of a response to the keys. A key that is neither there nor unprocessed has no item.
    fn evaluate(&self, chunk: &[usize], answer: BatchAnswer) -> Result<Response<Option<RawItem>>, Error> {
        let mut open = chunk.to_vec();
        let mut take = |table: &str, item: &dyn Peek| {
            let found = self.tables.find(table).and_then(|table| {
                let key = chunk.iter().map(|&index| &self.keys[index]).find(|key| key.table == table)?;
                let index = self.indexes.get(&Identity::of_item(table, &key.key, item))?;
                Some(open.swap_remove(open.iter().position(|open| open == index)?))
            });
            found.ok_or_else(unasked)
        };
        let (mut done, mut left) = (Vec::with_capacity(chunk.len()), Vec::new());
        for (table, unprocessed) in answer.unprocessed {
            for key in unprocessed.keys {
                left.push(take(&table, &key)?);
            }
        }
        for (table, items) in answer.items {
            for item in items {
                done.push((take(&table, &item)?, Some(item)));
            }
        }
        let is_full = !left.is_empty()
            && is_full(done.iter().filter_map(|(_, item)| item.clone()).map(|item| item_size(&item.into_item())));
        done.extend(open.into_iter().map(|index| (index, None)));
        left.sort_unstable();
        Ok(Response::Served { done, left, is_full })
    }

    /// Returns the part of a request that concerns one table, without its keys.
    fn of_table(&self, table: usize) -> KeysAndAttributesBuilder {
        let mut placeholders = Placeholders::default();
        let names = self.projections[table].as_ref();
        let mut projection = names.map(|names| render_projection(names.iter().copied(), &mut placeholders));
        // DynamoDB refuses a projection that is too long even so.
        placeholders.fit([projection.as_mut()]).ok();
        KeysAndAttributes::builder()
            .set_projection_expression(projection)
            .set_expression_attribute_names(placeholders.into_parts().0)
    }
}

impl Batch for KeyBatch<'_> {
    type Done = Option<RawItem>;

    fn chunk(&self, pending: &mut VecDeque<usize>) -> Vec<usize> {
        let mut chunk = Vec::with_capacity(KEYS.min(pending.len()));
        let (mut passed_over, mut consistencies) = (Vec::new(), vec![None; self.tables.0.len()]);
        while chunk.len() < KEYS
            && let Some(index) = pending.pop_front()
        {
            let Key { table, consistency, .. } = self.keys[index];
            if *consistencies[table].get_or_insert(consistency) == consistency {
                chunk.push(index);
            } else {
                passed_over.push(index);
            }
        }
        for index in passed_over.into_iter().rev() {
            pending.push_front(index);
        }
        chunk
    }

    fn send<'a>(&'a self, chunk: &'a [usize]) -> BoxFuture<'a, Response<Option<RawItem>>> {
        let keys = || chunk.iter().map(|&index| &self.keys[index]);
        let about = About::several(self.operation, keys().map(|key| (key.entity, &*self.tables.0[key.table])));
        let sent = async move {
            // Collect the keys of each table.
            let mut requests = HashMap::new();
            for Key { table, key, consistency, .. } in keys() {
                let keys = requests.entry(self.tables.0[*table].clone()).or_insert_with(|| self.of_table(*table));
                *keys = std::mem::take(keys).keys(key.clone()).set_consistent_read(consistency.flag());
            }
            let mut request = self.repository.sender().batch_get_item();
            for (table, keys) in requests {
                request =
                    request.request_items(table, keys.build().map_err(|error| Error::invalid(error.to_string()))?);
            }
            let request = request.return_consumed_capacity(ReturnConsumedCapacity::Total);
            read(self.repository, about, request, self.hedge).await
        };
        Box::pin(async move {
            // If DynamoDB refuses the request, its entities are asked for apart.
            match sent.await {
                Ok(answer) => {
                    let response = self.evaluate(chunk, answer);
                    response.unwrap_or_else(|error| Response::Refused { error, parts: Vec::new() })
                }
                Err(error) if error.is_throttled() => Response::Throttled(error),
                Err(error) => {
                    let parts = by_entity(chunk, &error, |index| (self.keys[index].table, self.keys[index].entity));
                    Response::Refused { error, parts }
                }
            }
        })
    }
}

/// The results of a [`KeyBatch`], by the indexes of its keys.
pub(crate) struct KeyResults {
    results: Vec<Option<Result<Option<RawItem>, Error>>>,
    /// How often each result may still be taken.
    uses: Vec<usize>,
}

impl KeyResults {
    /// Returns the first error, the index of its key, and the number of keys that were not read.
    pub(crate) fn error(&self) -> Option<(Error, usize, usize)> {
        let failed =
            self.results.iter().enumerate().find_map(|(index, result)| Some((index, result.as_ref()?.as_ref().err()?)));
        let (index, error) = failed?;
        let not_read = self.results.iter().filter(|result| !matches!(result, Some(Ok(_)))).count();
        Some((error.share(), index, not_read))
    }

    /// Returns the item of this index, if it was read and exists.
    pub(crate) fn item(&self, index: usize) -> Option<&RawItem> {
        self.results[index].as_ref()?.as_ref().ok()?.as_ref()
    }

    /// Takes the result of this index. A key that was added several times has a copy for each, and the item itself for the last.
    pub(crate) fn take(&mut self, index: usize) -> Result<Option<RawItem>, Error> {
        self.uses[index] = self.uses[index].saturating_sub(1);
        match &mut self.results[index] {
            Some(Ok(item)) if self.uses[index] == 0 => Ok(item.take()),
            Some(Ok(item)) => Ok(item.clone()),
            Some(Err(error)) => Err(error.share()),
            None => Err(unprocessed(None)),
        }
    }
}

/// Returns `true` if a response could not hold another item, so that keys were left unprocessed because of its size.
fn is_full(item_sizes: impl Iterator<Item = usize>) -> bool {
    item_sizes.sum::<usize>() > FULL_BYTES
}

/// The error of a response with an item or key that was not asked for, which DynamoDB does not do. Ignoring it would report
/// another item as missing.
#[cold]
fn unasked() -> Error {
    Error::new(ErrorKind::Service, "DynamoDB's answer names an item that was not asked for")
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::types::AttributeValue;

    /// DynamoDB fills a response until the next item would exceed the limit.
    #[test]
    fn a_full_answer_is_distinguished_from_a_partial_one() {
        for item_kb in [400, 300, 7] {
            let text = AttributeValue::S("x".repeat(item_kb * 1024 - 4));
            let item = Item::from([("text".to_owned(), text)]);
            let fitting = 16 * 1024 / item_kb;
            assert!(is_full(std::iter::repeat_n(item_size(&item), fitting)), "{fitting} items of {item_kb} KB");
            let few = (15 * 1024) / item_kb;
            assert!(!is_full(std::iter::repeat_n(item_size(&item), few)), "{few} items of {item_kb} KB");
        }
    }
}
