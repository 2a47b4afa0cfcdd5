//! Updates with an idempotency key: the keys in the item can be in another phase than was guessed, which takes a second
//! request, and a key in a row of its own goes into one transaction with the update.

use super::command::{Terms, WriteCommand};
use super::pair;
use super::pair::Transacted;
use super::row::RowWrite;
use super::transmit::{Sent, transmit};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Error, ErrorKind};
use crate::exchange::{About, Attempts, Repeat, Repository, read, sleep};
use crate::key::{PARTITION_KEY_BYTES, check_key};
use crate::read::GetCommand;
use crate::rule;
use crate::rule::{Phase, Verdict, Write};
use crate::schema::{Schema, Store, Tables};
use aws_sdk_dynamodb::config::AsyncSleep as _;
use aws_sdk_dynamodb::types::{ReturnConsumedCapacity, ReturnValue};
use futures_util::future::{BoxFuture, Either, select};
use std::pin::pin;
use std::time::Duration;

/// How often a guess is corrected.
const ROUNDS: u32 = 8;

/// How to learn whether an update with a key was made.
const AGAIN: &str = "send it again, with the same idempotency key";

/// The request or transaction, and its answer.
pub(super) fn exchange(
    command: WriteCommand,
    repository: &Repository,
    tables: Tables,
    returns: Option<ReturnValue>,
) -> BoxFuture<'_, Result<(Sent, Write), Error>> {
    // Boxed, so that the futures of other writes stay small.
    Box::pin(async move {
        let attempts = Attempts::default();
        let sent = match tables.keys {
            Some(keys) => by_row(command, repository, &tables.main, &keys, returns, &attempts).await,
            None => {
                let schema = command.schema;
                in_time(repository, schema, in_item(command, repository, tables.main, returns, &attempts)).await
            }
        };
        sent.map_err(|error| attempts.recall(error, AGAIN))
    })
}

/// The phase that the item is most likely in. A set is of the turn at hand, almost always; a list is remembered.
pub(super) fn guess(repository: &Repository, schema: &Schema, table: &str, key: &Item) -> Phase {
    match schema.key_store() {
        Some(Store::Count { .. }) => repository.phases().of(table, key),
        _ => Phase::default(),
    }
}

/// Notes the phase that the item was in, for the next guess.
pub(super) fn note(repository: &Repository, schema: &Schema, table: &str, key: &Item, phase: Phase) {
    if let Some(Store::Count { .. }) = schema.key_store() {
        repository.phases().note(table, key, phase);
    }
}

/// Keys in the item: once more, if it is in another phase than was guessed.
async fn in_item(
    command: WriteCommand,
    repository: &Repository,
    table: String,
    returns: Option<ReturnValue>,
    attempts: &Attempts,
) -> Result<(Sent, Write), Error> {
    let now = repository.now();
    let key = command.key()?;
    let own_condition = command.condition.is_some();
    let schema = command.schema;
    let mut phase = guess(repository, schema, &table, &key);
    for _ in 0..ROUNDS {
        let terms = Terms { table: table.clone(), now, returns: returns.clone(), expected: None, phase };
        let (row, write) = command.clone().prepare(terms)?;
        let sent = transmit(repository, command.about(), row, attempts, Repeat::Freely).await?;
        let Sent::Refused(item) = &sent else { return Ok((sent, write)) };
        let Verdict::InPhase(other) = rule::read_refusal(&write, item.as_ref(), own_condition) else {
            return Ok((sent, write));
        };
        note(repository, schema, &table, &key, other);
        phase = other;
    }
    Err(unsettled())
}

/// Sends a keyed write within the time that clocks may differ. Its own time is fixed before its first attempt, and an
/// attempt that is later than that is as one from a clock that is off: it could empty sets that have come into use since.
pub(super) async fn in_time<T>(
    repository: &Repository,
    schema: &Schema,
    sent: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let Some(Store::Time { window, .. }) = schema.key_store() else {
        return sent.await;
    };
    within(repository, Duration::from_secs(window.max_skew_secs.into()), sent)
        .await
        .unwrap_or_else(|| Err(late("there was no answer within `max_skew_secs`")))
}

/// Nothing is waited for any more, and whatever is under way may yet be applied.
pub(super) fn late(message: &str) -> Error {
    Error::new(ErrorKind::Unreachable, message).in_doubt("write", AGAIN)
}

/// What comes of it in this time, if anything does.
pub(super) async fn within<T>(repository: &Repository, time: Duration, sent: impl Future<Output = T>) -> Option<T> {
    let Some(sleep) = sleep(repository) else {
        return Some(sent.await);
    };
    match select(pin!(sent), sleep.sleep(time)).await {
        Either::Left((sent, _)) => Some(sent),
        Either::Right(((), _)) => None,
    }
}

/// The phase changed with every request. Only one that is made to do so could.
pub(super) fn unsettled() -> Error {
    Error::new(ErrorKind::Contended, "the idempotency keys in the item changed with every request")
}

/// A key in a row of its own.
async fn by_row(
    command: WriteCommand,
    repository: &Repository,
    table: &str,
    keys: &str,
    returns: Option<ReturnValue>,
    attempts: &Attempts,
) -> Result<(Sent, Write), Error> {
    if returns.is_some() {
        return Err(Error::invalid(
            "an update whose idempotency key has a row of its own is a transaction, which returns no item: `get` it",
        ));
    }
    let now = repository.now();
    let key = command.key()?;
    let phase = Phase::default();
    let about = command.about();
    let terms = Terms { table: table.to_owned(), now, returns: None, expected: None, phase };
    let (request, mut write) = command.prepare(terms)?;
    let row = put_row(&write, table, &key, keys, now)?;
    match pair::send(repository, about, [row, request], attempts).await? {
        Transacted::Applied => Ok((Sent::Applied(None), write)),
        Transacted::Refused { of_item, item, row } => {
            write.is_known = row.is_some();
            // A transaction returns the item only where its own condition did not hold.
            let item = if of_item { item } else { load(&write, key, repository, table).await? };
            Ok((Sent::Refused(item), write))
        }
    }
}

/// The item as it is.
pub(super) async fn load(
    write: &Write,
    key: Item,
    repository: &Repository,
    table: &str,
) -> Result<Option<Item>, Error> {
    let get = GetCommand::consistent(write.schema, Ok(key));
    get.send(repository, table.to_owned()).await
}

/// The key's row, to be put where none is.
pub(super) fn put_row(write: &Write, table: &str, key: &Item, keys: &str, now: EpochMillis) -> Result<RowWrite, Error> {
    let row = rule::key_row(write, table, key, now)?;
    if let Some(id) = row.get(rule::KEY_ROW_ID) {
        check_key(id, PARTITION_KEY_BYTES).map_err(|error| Error::from(error).of("the row of the idempotency key"))?;
    }
    Ok(RowWrite::put_new(keys, row, rule::KEY_ROW_ID))
}

/// Whether the key of an update has a row already: asked where the update itself cannot be sent.
pub(super) async fn is_known(
    write: &Write,
    key: &Item,
    repository: &Repository,
    tables: &Tables,
) -> Result<bool, Error> {
    let (Some(keys), Some(_)) = (&tables.keys, &write.key) else { return Ok(false) };
    let mut row = rule::key_row(write, &tables.main, key, write.now)?;
    row.retain(|name, _| name == rule::KEY_ROW_ID);
    let get = repository
        .client()
        .get_item()
        .table_name(keys)
        .set_key(Some(row))
        .consistent_read(true)
        .return_consumed_capacity(ReturnConsumedCapacity::Total);
    let output = read(repository, About::new("update", write.schema.entity, keys), get).await?;
    Ok(output.item.is_some())
}
