//! `BatchWriteItem`: up to 25 puts and deletes in one request, of any tables, and without conditions. The types of the commands
//! exclude writes with conditions. This file also refuses every write for which the rules compose one.

use super::write_command::WriteCommand;
use super::write_meaning::Terms;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::batch::batch_rounds::{Batch, BatchOptions, Response, TableNames, by_entity, run};
use crate::exchange::{About, Again, Answer, Ask, Attempts, Repeat, Repository, batch_rounds, call, capacity};
use crate::key::{Identity, check_item, check_keys};
use crate::rule;
use crate::rule::Phase;
use crate::schema::Schema;
use aws_sdk_dynamodb::operation::batch_write_item::BatchWriteItemOutput;
use aws_sdk_dynamodb::types::{AttributeValue, WriteRequest};
use futures_util::future::BoxFuture;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};

/// The most writes of one request, and its largest size. The size is that of the JSON, which can be several times that of the
/// items. (API reference, `BatchWriteItem`.)
const WRITES: usize = 25;
const REQUEST_BYTES: usize = 16 * 1024 * 1024;

/// A write of a batch, of any entity.
#[derive(Clone, Debug)]
pub struct BatchedWrite {
    pub(crate) command: WriteCommand,
    /// Returns the name of the entity's table.
    pub(crate) table: fn(&Repository) -> Result<String, Error>,
}

/// A write of a batch that failed.
#[derive(Debug)]
pub(crate) struct BatchFailure {
    pub(crate) index: usize,
    pub(crate) write: BatchedWrite,
    pub(crate) error: Error,
}

/// Sends the writes. Returns those that failed, in their order. If it returns an error, nothing was sent.
pub(crate) async fn batch_write(
    repository: &Repository,
    writes: Vec<BatchedWrite>,
    concurrency: usize,
) -> Result<Vec<BatchFailure>, Error> {
    let plan = Plan::new(repository, writes)?;
    let results = run(&plan, repository, plan.entries.len(), BatchOptions { concurrency, stops: false }).await;
    let failed = results.into_iter().zip(plan.entries).enumerate().filter_map(|(index, (result, entry))| {
        let Entry { write, in_doubt, .. } = entry;
        let error = result.unwrap_or_else(|| Err(batch_rounds::unprocessed(None))).err()?;
        let error = if in_doubt.into_inner() {
            error.in_doubt("write", "send it again, or load the item and decide")
        } else {
            error
        };
        let error = error.with_context(|| write.command.context());
        Some(BatchFailure { index, write, error })
    });
    Ok(failed.collect())
}

/// The writes of a batch, after the checks of their keys, sizes and conditions.
pub(super) struct Plan<'a> {
    repository: &'a Repository,
    /// The time of the writes, in all rounds.
    now: EpochMillis,
    tables: TableNames,
    pub(super) entries: Vec<Entry>,
}

/// A write of a batch.
pub(super) struct Entry {
    write: BatchedWrite,
    /// The index of its table.
    table: usize,
    identity: Identity,
    /// The most bytes that the write takes in a request.
    bytes: usize,
    /// `true` if a request attempt may have been applied, and no answer confirmed it.
    in_doubt: AtomicBool,
}

impl<'a> Plan<'a> {
    pub(super) fn new(repository: &'a Repository, writes: Vec<BatchedWrite>) -> Result<Self, Error> {
        let (now, mut tables) = (repository.now(), TableNames::default());
        let mut entries: Vec<Entry> = Vec::with_capacity(writes.len());
        let mut known: HashMap<Identity, usize> = HashMap::with_capacity(writes.len());
        for (index, write) in writes.into_iter().enumerate() {
            let mut place = || {
                let table = tables.index((write.table)(repository)?);
                let bytes = check(&write.command, now)?;
                let identity = Identity::of(table, write.command.schema, &write.command.key()?);
                match known.insert(identity.clone(), index) {
                    None => Ok((table, bytes, identity)),
                    Some(other) => Err(Error::invalid(format!(
                        "write {other} is for the same item, and a batch has no order: keep one of them, or send them one after the other"
                    ))),
                }
            };
            let (table, bytes, identity) = place().map_err(|error| {
                let error = error.with_context(|| write.command.context());
                error.of(&format!("write {index} of the batch"))
            })?;
            entries.push(Entry { write, table, identity, bytes, in_doubt: AtomicBool::new(false) });
        }
        Ok(Self { repository, now, tables, entries })
    }

    fn table(&self, entry: usize) -> &String {
        &self.tables.0[self.entries[entry].table]
    }

    fn schema(&self, entry: usize) -> &'static Schema {
        self.entries[entry].write.command.schema
    }

    /// Returns the writes as entries of the request, by table.
    fn requests(&self, chunk: &[usize]) -> Result<HashMap<String, Vec<WriteRequest>>, Error> {
        let mut requests: HashMap<String, Vec<WriteRequest>> = HashMap::new();
        for &entry in chunk {
            let mut command = self.entries[entry].write.command.clone();
            let (expected, phase) = (command.expected()?, Phase::default());
            let terms = Terms { table: String::new(), now: self.now, returns: None, expected, phase };
            let (row, _) = command.prepare(terms)?;
            let request = row.entry()?.ok_or_else(conditional)?;
            requests.entry(self.table(entry).clone()).or_default().push(request);
        }
        Ok(requests)
    }

    /// Evaluates an answer: every write that is not listed as unprocessed was applied.
    fn read(&self, chunk: &[usize], output: BatchWriteItemOutput) -> Response<()> {
        let mut processed: HashMap<&Identity, usize> =
            chunk.iter().map(|&entry| (&self.entries[entry].identity, entry)).collect();
        let mut left = Vec::new();
        for (table, unprocessed) in output.unprocessed_items.unwrap_or_default() {
            let table = self.tables.find(&table);
            let of_table = chunk.iter().find(|entry| Some(self.entries[**entry].table) == table);
            let schema = of_table.map(|&entry| self.schema(entry));
            for request in unprocessed {
                let item = match (&request.put_request, &request.delete_request) {
                    (Some(put), _) => Some(&put.item),
                    (None, Some(delete)) => Some(&delete.key),
                    (None, None) => None,
                };
                let identity =
                    table.zip(schema).zip(item).map(|((table, schema), item)| Identity::of(table, schema, item));
                match identity.and_then(|identity| processed.remove(&identity)) {
                    Some(entry) => left.push(entry),
                    // This does not happen. If the write cannot be identified, all of them are sent again.
                    None => return Response::Served { done: Vec::new(), left: chunk.to_vec(), is_full: false },
                }
            }
        }
        left.sort_unstable();
        Response::Served { done: processed.into_values().map(|entry| (entry, ())).collect(), left, is_full: false }
    }
}

impl Batch for Plan<'_> {
    type Done = ();

    fn chunk(&self, pending: &mut VecDeque<usize>) -> Vec<usize> {
        take(pending, |entry| self.entries[entry].bytes + self.table(entry).len())
    }

    fn send<'a>(&'a self, chunk: &'a [usize]) -> BoxFuture<'a, Response<()>> {
        let names = chunk.iter().map(|&entry| (self.schema(entry).entity, &**self.table(entry)));
        let about = About::several("batch_write", names);
        Box::pin(async move {
            let requests = match self.requests(chunk) {
                Ok(requests) => requests,
                Err(error) => return self.refused(chunk, error),
            };
            let request = self.repository.sender().batch_write_item().set_request_items(Some(requests));
            let reports_indexes = chunk.iter().any(|&entry| self.schema(entry).has_vectors());
            let request = request.return_consumed_capacity(capacity(reports_indexes));
            // `call` does not send this request again after a conflict with a transaction. The next round does, with all other
            // writes that are left.
            let attempts = Attempts::default();
            let ask = Ask::write(about, &attempts, Repeat::Freely);
            let answer = call(self.repository, ask, request, Again::Never).await;
            let in_doubt = if answer.is_ok() { attempts.has_lost_earlier() } else { attempts.may_be_applied() };
            if in_doubt {
                for &entry in chunk {
                    self.entries[entry].in_doubt.store(true, Ordering::Relaxed);
                }
            }
            match answer {
                Ok(Answer::Done(output)) => self.read(chunk, output),
                Err(error) => self.refused(chunk, error),
            }
        })
    }
}

/// Takes as many writes from the front as fit into one request.
fn take(pending: &mut VecDeque<usize>, bytes_of: impl Fn(usize) -> usize) -> Vec<usize> {
    let (mut chunk, mut bytes) = (Vec::with_capacity(WRITES.min(pending.len())), ENVELOPE);
    while chunk.len() < WRITES
        && let Some(&entry) = pending.front()
    {
        bytes += bytes_of(entry) + ENVELOPE;
        // One write always fits: an item has at most 400 KB, which is at most 4 MB of JSON.
        if !chunk.is_empty() && bytes > REQUEST_BYTES {
            break;
        }
        chunk.push(entry);
        pending.pop_front();
    }
    chunk
}

impl Plan<'_> {
    /// Evaluates an error of a request.
    fn refused(&self, chunk: &[usize], error: Error) -> Response<()> {
        // A conflict with a transaction passes soon.
        if error.is_throttled() || error.is_contended() {
            return Response::Throttled(error);
        }
        // DynamoDB validates all items of a request before it writes any. If one is invalid, for example by an empty index key or
        // a too large item collection, DynamoDB does not say which. Then each write is sent alone.
        let parts = if error.is_of_one_item() {
            chunk.iter().map(|&entry| vec![entry]).collect()
        } else {
            by_entity(chunk, &error, |entry| (self.entries[entry].table, self.schema(entry).entity))
        };
        Response::Refused { error, parts }
    }
}

/// Checks that a batch can hold the write. Returns the most bytes that it takes in a request.
fn check(command: &WriteCommand, now: EpochMillis) -> Result<usize, Error> {
    let write = command.rule_write(now, command.expected()?, Phase::default())?;
    let own = command.condition.clone().transpose()?;
    if rule::condition(&write, own).is_some() {
        return Err(conditional());
    }
    let item = command.item()?;
    if command.is_put() {
        check_item(item, command.schema)?;
    } else {
        check_keys(item, command.schema)?;
    }
    Ok(wire_size_of(item))
}

#[cold]
fn conditional() -> Error {
    Error::invalid("BatchWriteItem takes no condition, and this write has one: send it alone, or in a transaction")
}

/// The most bytes of JSON around a write or a table.
const ENVELOPE: usize = 64;

/// Returns the most bytes that an item has as JSON.
fn wire_size_of(item: &Item) -> usize {
    item.iter().map(|(name, value)| wire_text(name) + 2 + wire_size(value)).sum::<usize>() + 2
}

/// Returns the most bytes of a value as JSON, such as `{"S":"…"},`.
fn wire_size(value: &AttributeValue) -> usize {
    const AROUND: usize = r#"{"BOOL":false},"#.len();
    let texts = |texts: &[String]| texts.iter().map(|text| wire_text(text) + 1).sum();
    let bytes = |bytes: &aws_sdk_dynamodb::primitives::Blob| bytes.as_ref().len().div_ceil(3) * 4 + 3;
    let inner: usize = match value {
        AttributeValue::S(text) | AttributeValue::N(text) => wire_text(text),
        AttributeValue::B(value) => bytes(value),
        AttributeValue::Ss(elements) | AttributeValue::Ns(elements) => texts(elements),
        AttributeValue::Bs(elements) => elements.iter().map(bytes).sum(),
        AttributeValue::L(elements) => elements.iter().map(wire_size).sum(),
        AttributeValue::M(members) => wire_size_of(members),
        _ => 0,
    };
    AROUND + inner
}

/// Returns the most bytes of a text as JSON, with its quotes and escapes.
fn wire_text(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' => 2,
        0..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(escaped).sum::<usize>() + 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::primitives::Blob;

    #[test]
    fn requests_have_25_writes_or_16_megabytes() {
        let lengths = |writes: usize, bytes: usize| {
            let mut pending: VecDeque<usize> = (0..writes).collect();
            let mut lengths = Vec::new();
            while !pending.is_empty() {
                lengths.push(take(&mut pending, |_| bytes).len());
            }
            lengths
        };
        assert_eq!(lengths(60, 1000), [25, 25, 10]);
        assert_eq!(lengths(25, REQUEST_BYTES / 10), [9, 9, 7]);
        assert_eq!(lengths(2, REQUEST_BYTES), [1, 1]);
    }

    /// Values whose JSON is the longest for their size in DynamoDB.
    #[test]
    fn wire_sizes_are_at_least_those_of_the_json() {
        let s = |text: &str| AttributeValue::S(text.to_owned());
        for (value, json) in [
            (s("a\"b\\c\u{1}"), r#"{"S":"a\"b\\c\u0001"},"#),
            (AttributeValue::N("7".to_owned()), r#"{"N":"7"},"#),
            (AttributeValue::B(Blob::new([1, 2, 3, 4])), r#"{"B":"AQIDBA=="},"#),
            (AttributeValue::Bool(false), r#"{"BOOL":false},"#),
            (AttributeValue::Null(true), r#"{"NULL":true},"#),
            (AttributeValue::Ns(vec!["7".to_owned(); 3]), r#"{"NS":["7","7","7"]},"#),
            (AttributeValue::Bs(vec![Blob::new([1]); 2]), r#"{"BS":["AQ==","AQ=="]},"#),
            (AttributeValue::L(vec![s(""); 2]), r#"{"L":[{"S":""},{"S":""}]},"#),
            (AttributeValue::M(Item::from([("a".to_owned(), s("b"))])), r#"{"M":{"a":{"S":"b"}}},"#),
        ] {
            let size = wire_size(&value);
            assert!(size >= json.len() && size <= json.len() + 40, "{value:?}: {size} for {}", json.len());
        }
    }
}
