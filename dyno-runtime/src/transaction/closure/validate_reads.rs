//! Validates reads: reads once more what was only read, all at one moment. No row returns to an earlier state. So if everything is
//! unchanged, there was a moment at which all of it was as the closure saw it.

use super::read_ranges::Range;
use super::read_write_set::Row;
use super::row_identity::is_same;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::transact::ACTIONS;
use crate::exchange::{CONCURRENCY, Caller, ItemRef, Priority, Repository};
use crate::read::{BatchGetCommand, GetCommand, Level, TransactGetCommand, batch_get};
use crate::transaction::record::{TransactionId, has_intent_of, without_intent};
use crate::transaction::resolve::read_when_free;

/// A row, and the item that was seen there.
pub(crate) struct Seen<'a> {
    pub(crate) row: &'a Row,
    pub(crate) item: Option<&'a Item>,
}

/// Returns the indexes of the rows that have changed.
pub(crate) async fn moved(repository: &Repository, seen: &[Seen<'_>]) -> Result<Vec<usize>, Error> {
    let mut moved = Vec::new();
    for (chunk, seen) in seen.chunks(ACTIONS).enumerate() {
        let gets = seen.iter().map(|Seen { row, .. }| {
            let get = GetCommand::consistent(row.of.schema, Ok(row.key.clone()));
            (get, row.tables.main.clone())
        });
        let there = TransactGetCommand { gets: gets.collect(), hedge: None }.send(repository).await?;
        let pairs = seen.iter().zip(&there).enumerate();
        let others = pairs.filter(|(_, (seen, there))| !is_same(seen.row.of.schema, seen.item, there.as_ref()));
        moved.extend(others.map(|(at, _)| chunk * ACTIONS + at));
    }
    Ok(moved)
}

/// Whether everything that was read was true at one moment (M25). A single row costs no request, because it was true when it was
/// read.
pub(crate) async fn are_of_one_moment(
    repository: &Repository,
    rows: &[Row],
    ranges: &[Range],
    priority: &Priority,
) -> Result<bool, Error> {
    let is_single = ranges.is_empty() && rows.iter().filter_map(seen).nth(1).is_none();
    Ok(is_single || are_still(repository, rows, ranges, priority).await?)
}

/// Whether everything that was read is still true. This also reads a single row, if something else was read after it.
pub(crate) async fn are_still(
    repository: &Repository,
    rows: &[Row],
    ranges: &[Range],
    priority: &Priority,
) -> Result<bool, Error> {
    if !ranges.is_empty() {
        // No request reads ranges at one moment. But what is unchanged now was true at the first read of the last range.
        let read: Vec<&Row> = rows.iter().filter(|row| row.read.is_some() && !row.is_ranged).collect();
        return Ok(
            are_free(repository, &read, priority, None).await? && hold(repository, rows, ranges, priority, &[]).await?
        );
    }
    let seen: Vec<Seen<'_>> = rows.iter().filter_map(seen).collect();
    Ok(moved(repository, &seen).await?.is_empty())
}

/// Whether these ranges have the rows that they had, and no others (M14).
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

/// Returns a row that was read, with the item as it was read.
pub(crate) fn seen(row: &Row) -> Option<Seen<'_>> {
    Some(Seen { row, item: row.read.as_ref()?.as_ref() })
}

/// Whether rows that were only read are unchanged and free of other intents (M13). They are read after all intents of the attempt
/// are in place, so they stay valid until the commit, as far as any serial order can tell.
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
    let there = batch_get(repository, commands.collect(), CONCURRENCY).await?;
    for (row, there) in rows.iter().zip(there.into_iter().flatten()) {
        let at = ItemRef { table: row.tables.main.clone(), key: row.key.clone() };
        let caller = Caller { operation: "transaction", entity: row.of.schema.entity, priority: Some(priority) };
        let there = match (there?, claim) {
            (Some(there), Some(claim)) if has_intent_of(Some(&there), claim) => without_intent(there, &at.key)?,
            (there, _) => read_when_free(repository, caller, &at, there).await?,
        };
        if !row.read.as_ref().is_some_and(|read| is_same(row.of.schema, read.as_ref(), there.as_ref())) {
            return Ok(false);
        }
    }
    Ok(true)
}
