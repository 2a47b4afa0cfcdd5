//! Reads many rows of one table by key, whatever their entities are.

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
    /// The result is only a hint, at half the cost.
    Eventual,
}

/// Returns the items at these keys, in their order; or the first error.
pub(crate) async fn rows(
    repository: &Repository,
    caller: Caller<'_>,
    table: &str,
    keys: &[Item],
    look: Consistency,
) -> Result<Vec<Option<Item>>, Error> {
    let batch = Keys { repository, caller, table, keys, look };
    let rows = run(&batch, repository, keys.len(), Pace { concurrency: CONCURRENCY, stops: true }).await;
    if let Some(Some(Err(error))) = rows.iter().find(|row| matches!(row, Some(Err(_)))) {
        return Err(error.share());
    }
    rows.into_iter().map(|row| row.unwrap_or_else(|| Err(unprocessed(None)))).collect()
}

struct Keys<'a> {
    repository: &'a Repository,
    caller: Caller<'a>,
    table: &'a str,
    keys: &'a [Item],
    look: Consistency,
}

impl Keys<'_> {
    /// Sorts out a response: a key that is neither in it nor unprocessed has no item.
    fn read(&self, chunk: &[usize], output: BatchGetItemOutput) -> Result<Answer<Option<Item>>, Error> {
        let mut open = chunk.to_vec();
        let mut take = |item: &Item| {
            let is_at =
                |key: &Item| key.iter().all(|(name, value)| item.get(name).is_some_and(|found| equal(found, value)));
            let at = open.iter().position(|entry| is_at(&self.keys[*entry])).ok_or_else(unasked)?;
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
                .set_consistent_read((self.look == Consistency::Consistent).then_some(true));
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

/// DynamoDB does not do this. Ignoring it would report another item as missing.
#[cold]
fn unasked() -> Error {
    Error::new(ErrorKind::Service, "DynamoDB's answer names an item that was not asked for")
}
