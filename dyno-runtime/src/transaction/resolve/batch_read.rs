//! Reads many items of one table by key, without their entities.

use crate::attribute::{Item, equal};
use crate::error::{Error, ErrorKind};
use crate::exchange::batch_rounds::{Answer, Batch, Pace, run, unprocessed};
use crate::exchange::{CONCURRENCY, Caller, Repository, read};
use aws_sdk_dynamodb::operation::batch_get_item::BatchGetItemOutput;
use aws_sdk_dynamodb::types::{KeysAndAttributes, ReturnConsumedCapacity};
use futures_util::future::BoxFuture;
use std::collections::{HashMap, VecDeque};

/// The most keys of one `BatchGetItem`.
pub(crate) const KEYS: usize = 100;

/// The consistency of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consistency {
    Consistent,
    /// At half the cost. The result is only a hint.
    Eventual,
}

/// Returns the items at these keys, in their order; or the first error.
pub(crate) async fn read_rows(
    repository: &Repository,
    caller: Caller<'_>,
    table: &str,
    keys: &[Item],
    consistency: Consistency,
) -> Result<Vec<Option<Item>>, Error> {
    let batch = Keys { repository, caller, table, keys, consistency };
    let items = run(&batch, repository, keys.len(), Pace { concurrency: CONCURRENCY, stops: true }).await;
    if let Some(Some(Err(error))) = items.iter().find(|item| matches!(item, Some(Err(_)))) {
        return Err(error.share());
    }
    items.into_iter().map(|item| item.unwrap_or_else(|| Err(unprocessed(None)))).collect()
}

struct Keys<'a> {
    repository: &'a Repository,
    caller: Caller<'a>,
    table: &'a str,
    keys: &'a [Item],
    consistency: Consistency,
}

impl Keys<'_> {
    /// Assigns the items of a response to their keys. A key that is neither in the response nor unprocessed has no item.
    fn read(&self, chunk: &[usize], output: BatchGetItemOutput) -> Result<Answer<Option<Item>>, Error> {
        let mut open = chunk.to_vec();
        let mut take = |item: &Item| {
            let is_at =
                |key: &Item| key.iter().all(|(name, value)| item.get(name).is_some_and(|found| equal(found, value)));
            let at = open.iter().position(|entry| is_at(&self.keys[*entry])).ok_or_else(unrequested)?;
            Ok::<_, Error>(open.remove(at))
        };
        let unprocessed = output.unprocessed_keys.unwrap_or_default();
        let mut left = Vec::new();
        for key in unprocessed.values().flat_map(|of_table| &of_table.keys) {
            left.push(take(key)?);
        }
        let mut done = Vec::with_capacity(chunk.len());
        for item in output.responses.unwrap_or_default().into_values().flatten() {
            done.push((take(&item)?, Some(item)));
        }
        done.extend(open.into_iter().map(|entry| (entry, None)));
        left.sort_unstable();
        Ok(Answer::Served { is_full: false, done, left })
    }
}

impl Batch for Keys<'_> {
    type Done = Option<Item>;

    fn chunk(&self, pending: &mut VecDeque<usize>) -> Vec<usize> {
        pending.drain(..pending.len().min(KEYS)).collect()
    }

    fn send<'a>(&'a self, chunk: &'a [usize]) -> BoxFuture<'a, Answer<Option<Item>>> {
        let Self { repository, caller, table, .. } = self;
        Box::pin(async move {
            let keys = chunk.iter().map(|entry| self.keys[*entry].clone()).collect();
            let keys = KeysAndAttributes::builder()
                .set_keys(Some(keys))
                .set_consistent_read((self.consistency == Consistency::Consistent).then_some(true));
            let answer = async {
                let keys = keys.build().map_err(|error| Error::invalid(error.to_string()))?;
                let request = repository
                    .client()
                    .batch_get_item()
                    .set_request_items(Some(HashMap::from([((*table).to_owned(), keys)])))
                    .return_consumed_capacity(ReturnConsumedCapacity::Total);
                self.read(chunk, read(repository, caller.about(table), request, None).await?)
            };
            match answer.await {
                Ok(answer) => answer,
                Err(error) if error.is_throttled() => Answer::Throttled(error),
                Err(error) => Answer::Refused { error, parts: Vec::new() },
            }
        })
    }
}

/// DynamoDB never returns such an item. To ignore the item would report another one as missing.
#[cold]
fn unrequested() -> Error {
    Error::new(ErrorKind::Service, "DynamoDB's answer names an item that was not asked for")
}
