//! Validates reads: reads again, at one moment, what the closure only read. No row returns to an earlier state. So if every row
//! is unchanged, there was a moment at which all of them were as the closure saw them.

use super::read_write_set::Row;
use super::row_identity::is_same;
use super::validate_ranges::{Range, ignore_or_resolve_intent};
use crate::attribute::{Item, RawItem};
use crate::error::Error;
use crate::exchange::row::transact::ACTIONS;
use crate::exchange::{CONCURRENCY, ItemRef, Priority, Repository};
use crate::read::{BatchGetCommand, GetCommand, Level, TransactGetCommand, batch_get};
use crate::transaction::record::TransactionId;

/// A row, and the item that was read there.
pub(crate) struct ReadRow<'a> {
    pub(crate) row: &'a Row,
    pub(crate) item: Option<&'a Item>,
}

impl<'a> ReadRow<'a> {
    /// Returns the row with the item that the closure read, if it read the row.
    pub(crate) fn of(row: &'a Row) -> Option<Self> {
        Some(Self { row, item: row.read.as_ref()?.as_ref() })
    }
}

/// Returns the indexes of the rows that have changed.
pub(crate) async fn changed_rows(repository: &Repository, rows: &[ReadRow<'_>]) -> Result<Vec<usize>, Error> {
    let mut changed = Vec::new();
    for (chunk, rows) in rows.chunks(ACTIONS).enumerate() {
        let gets = rows.iter().map(|ReadRow { row, .. }| {
            let get = GetCommand::consistent(row.of.schema, Ok(row.key.clone()));
            (get, row.tables.main.clone())
        });
        let items = TransactGetCommand { gets: gets.collect(), hedge: None }.send(repository).await?;
        let pairs = rows.iter().zip(&items).enumerate();
        let others = pairs.filter(|(_, (read, item))| !is_same(read.row.of.schema, read.item, item.as_ref()));
        changed.extend(others.map(|(at, _)| chunk * ACTIONS + at));
    }
    Ok(changed)
}

/// Returns `true` if everything that was read was true at one moment (M25). A single row costs no request, because it was true
/// when it was read.
pub(crate) async fn are_of_one_moment(
    repository: &Repository,
    rows: &[Row],
    ranges: &[Range],
    priority: &Priority,
) -> Result<bool, Error> {
    let is_single = ranges.is_empty() && rows.iter().filter_map(ReadRow::of).nth(1).is_none();
    Ok(is_single || are_unchanged(repository, rows, ranges, priority).await?)
}

/// Returns `true` if everything that was read is still true. It also reads a single row again, for a caller that has read
/// something else after it.
pub(crate) async fn are_unchanged(
    repository: &Repository,
    rows: &[Row],
    ranges: &[Range],
    priority: &Priority,
) -> Result<bool, Error> {
    if !ranges.is_empty() {
        // No request reads ranges at one moment. But a range that is unchanged now was the same when the last range was first read.
        let read: Vec<&Row> = rows.iter().filter(|row| row.read.is_some() && !row.is_ranged).collect();
        return Ok(
            are_free(repository, &read, priority, None).await? && hold(repository, rows, ranges, priority, &[]).await?
        );
    }
    let read: Vec<ReadRow<'_>> = rows.iter().filter_map(ReadRow::of).collect();
    Ok(changed_rows(repository, &read).await?.is_empty())
}

/// Returns `true` if these ranges have the rows that they had, and no others (M14).
pub(crate) async fn hold(
    repository: &Repository,
    rows: &[Row],
    ranges: &[Range],
    priority: &Priority,
    own: &[&TransactionId],
) -> Result<bool, Error> {
    let now = repository.now();
    for range in ranges {
        if !range.holds(repository, rows, priority, own, now).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns `true` if rows that were only read are unchanged, and no other transaction holds them (M13). The coordinator asks
/// after all intents of the attempt are in place, so in the serial order of all transactions, the rows stay valid until the
/// commit.
pub(crate) async fn are_free(
    repository: &Repository,
    rows: &[&Row],
    priority: &Priority,
    claim: Option<&TransactionId>,
) -> Result<bool, Error> {
    if rows.is_empty() {
        return Ok(true);
    }
    let commands = rows.iter().map(|row| {
        let keys = vec![Ok(row.key.clone())];
        (BatchGetCommand::new(row.of.schema, keys, Level::Stored), Ok(row.tables.main.clone()))
    });
    let items = batch_get(repository, commands.collect(), CONCURRENCY).await?;
    for (row, item) in rows.iter().zip(items.into_iter().flatten()) {
        let (schema, at) = (row.of.schema, ItemRef { table: row.tables.main.clone(), key: row.key.clone() });
        let item = item?.map(RawItem::into_item);
        let item = ignore_or_resolve_intent(repository, schema, &at, item, claim.as_slice(), priority).await?;
        if !row.read.as_ref().is_some_and(|read| is_same(schema, read.as_ref(), item.as_ref())) {
            return Ok(false);
        }
    }
    Ok(true)
}
