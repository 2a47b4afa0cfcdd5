//! The recovery sweep: it scans all lanes, and all items of some tables, for transactions that were not completed.

use super::finish_committed::{Finished, committed, finish};
use super::sweep_report::SweepReport;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{About, Answer, CONCURRENCY, Caller, ItemRef, Repository, read};
use crate::key::matches_templates;
use crate::schema::Schema;
use crate::schema::names::INTENT;
use crate::transaction::record::{Intent, TransactionRecord, kept, lane, number_of, pages_prefix, record_key, tidy};
use crate::transaction::resolve::{Resolution, of_lanes, resolve_as, resolve_intent_of, send};
use aws_sdk_dynamodb::operation::scan::builders::ScanFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use futures_util::future::{BoxFuture, FutureExt as _};
use futures_util::stream;
use futures_util::stream::{BoxStream, StreamExt as _, TryStreamExt as _};
use std::collections::BTreeMap;

/// The number of transactions that the sweep waits for at once.
const TRANSACTIONS: usize = 200;

/// The days for which a page is left alone: half of its life.
const PAGE_AGE_DAYS: i64 = 15;

/// A table that is swept.
#[derive(Clone, Debug)]
pub(crate) struct Swept {
    pub(crate) table: String,
    pub(crate) schema: &'static Schema,
}

/// Sweeps all lanes, and then all items of these tables.
pub(crate) async fn sweep(repository: &Repository, tables: Vec<Swept>) -> Result<SweepReport, Error> {
    let mut report = SweepReport::default();
    lanes(repository, &mut report).await?;
    for Swept { table, schema } in tables {
        items(repository, &table, schema, &mut report).await?;
    }
    Ok(report)
}

fn caller(entity: &str) -> Caller<'_> {
    Caller { operation: "sweep", entity, priority: None }
}

/// Completes what the lanes of silent owners have committed.
async fn lanes(repository: &Repository, report: &mut SweepReport) -> Result<(), Error> {
    let (table, caller) = (repository.lane_table()?, caller("lane"));
    let records = || {
        let scan = repository.client().scan().filter_expression("#part = :head");
        let scan = scan.expression_attribute_names("#part", lane::PART);
        scan.expression_attribute_values(":head", AttributeValue::S(lane::HEAD.to_owned()))
    };
    let mut from = Some(None);
    while let Some(start) = from {
        let (records, next) = scan(repository, caller, &table, records(), start).await.map_err(of_lanes)?;
        let seen = records.into_iter().map(|item| -> BoxFuture<'_, _> { Box::pin(lane(repository, caller, item)) });
        let mut seen = stream::iter(seen.collect::<Vec<_>>()).buffered(CONCURRENCY);
        while let Some((at, seen)) = seen.next().await {
            match seen {
                Err(error) => report.fail(at, error),
                Ok(None) => {}
                Ok(Some((finished, is_tidied))) => {
                    report.add_applied(finished.applied);
                    finished.overwritten.into_iter().for_each(|overwritten| report.add_overwritten(overwritten));
                    if is_tidied {
                        report.add_tidied();
                    }
                    if let Some(error) = finished.unread {
                        report.fail(at, error);
                    }
                    for (place, error) in finished.open {
                        report.fail(place, error);
                    }
                }
            }
        }
        from = next.map(Some);
    }
    Ok(())
}

/// Completes what one lane has committed. Returns whether its list of participants is cleared.
async fn lane(
    repository: &Repository,
    caller: Caller<'_>,
    item: Item,
) -> (ItemRef, Result<Option<(Finished, bool)>, Error>) {
    let name = item.get(lane::LANE).and_then(|name| name.as_s().ok()).map_or("", String::as_str);
    let key = record_key(name);
    let seen = async {
        let table = repository.lane_table()?;
        let record = TransactionRecord::read(&item)?;
        if record.unfinished.is_none() || !is_silent(repository, &record) {
            return Ok(None);
        }
        let finished = finish(repository, caller, &record).await?;
        if finished.unread.is_some() || !finished.open.is_empty() {
            keep(repository, caller, &table, &record).await?;
            return Ok(Some((finished, false)));
        }
        let tidied = send(repository, caller, tidy(&table, &record)?).await?;
        Ok(Some((finished, matches!(tidied, Answer::Done(_)))))
    };
    let seen = seen.await;
    (ItemRef { table: repository.lane_table().unwrap_or_default(), key }, seen)
}

/// Whether the owner has sent no heartbeat for a while. (Completing its items earlier would be safe, too.) An owner whose clock is
/// ahead looks silent as well.
fn is_silent(repository: &Repository, record: &TransactionRecord) -> bool {
    let silence = repository.now().get().abs_diff(record.beat.get());
    u128::from(silence) > repository.patience().as_millis()
}

/// Extends the life of all pages of a lane's committed attempt, because they are still needed. The pages are found by their keys:
/// the items may be in tables that cannot be read now.
async fn keep(
    repository: &Repository,
    caller: Caller<'_>,
    table: &str,
    record: &TransactionRecord,
) -> Result<(), Error> {
    let now = repository.now();
    let soon = now.get().div_euclid(1000).saturating_add(PAGE_AGE_DAYS * 86_400);
    let mut from = Some(None);
    while let Some(start) = from {
        let (pages, next) = query(repository, caller, table, record, start).await?;
        for page in pages {
            let ttl = page.get(lane::TTL).and_then(number_of).and_then(|ttl| i64::try_from(ttl).ok());
            if ttl.is_none_or(|ttl| ttl <= soon) {
                send(repository, caller, kept(table, page, now)).await?;
            }
        }
        from = next.map(Some);
    }
    Ok(())
}

/// Reads the next pages of a lane's committed attempt.
async fn query(
    repository: &Repository,
    caller: Caller<'_>,
    table: &str,
    record: &TransactionRecord,
    start: Option<Item>,
) -> Result<(Vec<Item>, Option<Item>), Error> {
    let query = repository
        .client()
        .query()
        .table_name(table)
        .key_condition_expression("#lane = :lane AND begins_with(#part, :ticket)")
        .expression_attribute_names("#lane", lane::LANE)
        .expression_attribute_names("#part", lane::PART)
        .expression_attribute_values(":lane", AttributeValue::S(record.lane.clone()))
        .expression_attribute_values(":ticket", AttributeValue::S(pages_prefix(&committed(record))))
        .consistent_read(true)
        .set_exclusive_start_key(start)
        .return_consumed_capacity(ReturnConsumedCapacity::Total);
    let output = read(repository, About::new(caller.operation, caller.entity, table), query, None).await?;
    Ok((output.items.unwrap_or_default(), output.last_evaluated_key))
}

/// Resolves each intent in a table.
async fn items(
    repository: &Repository,
    table: &str,
    schema: &'static Schema,
    report: &mut SweepReport,
) -> Result<(), Error> {
    let mut settled = settled(repository, table, schema);
    while let Some(group) = settled.try_next().await? {
        for (at, settled) in group {
            report.add(at, settled);
        }
    }
    Ok(())
}

/// Resolves the intents of each transaction. The next pages are read while the sweep waits for transactions of this page.
fn settled<'a>(
    repository: &'a Repository,
    table: &'a str,
    schema: &'static Schema,
) -> BoxStream<'a, Result<Vec<Outcome>, Error>> {
    let caller = caller(schema.entity);
    let groups = pages(repository, caller, table).map_ok(move |items| {
        let groups = by_transaction(table, schema, items).into_iter();
        stream::iter(groups.map(Ok::<_, Error>))
    });
    let settled = groups.try_flatten().map_ok(move |group| settle_all(repository, caller, schema, group).map(Ok));
    Box::pin(settled.try_buffer_unordered(TRANSACTIONS))
}

/// Scans the items that have an intent, page by page.
fn pages<'a>(
    repository: &'a Repository,
    caller: Caller<'a>,
    table: &'a str,
) -> BoxStream<'a, Result<Vec<Item>, Error>> {
    Box::pin(stream::try_unfold(Some(None), move |from| async move {
        let Some(start) = from else { return Ok(None) };
        let held = repository.client().scan().filter_expression("attribute_exists(#x)");
        let held = held.expression_attribute_names("#x", INTENT);
        let (items, next) = scan(repository, caller, table, held, start).await?;
        Ok(Some((items, next.map(Some))))
    }))
}

/// The result for one item.
type Outcome = (ItemRef, Result<Resolution, Error>);

/// The items of one transaction.
type Group = Vec<(ItemRef, Item)>;

/// Groups the items by transaction. An item with a malformed intent is a group of its own.
fn by_transaction(table: &str, schema: &Schema, items: Vec<Item>) -> Vec<Group> {
    let (mut groups, mut others) = (BTreeMap::<String, Group>::new(), Vec::new());
    for item in items {
        let key = schema.keys().filter_map(|key| Some((key.name.to_owned(), item.get(key.name)?.clone()))).collect();
        let at = ItemRef { table: table.to_owned(), key };
        match Intent::of(&item, &at.key) {
            Ok(Some(intent)) => groups.entry(intent.transaction_id.to_string()).or_default().push((at, item)),
            Ok(None) | Err(_) => others.push(vec![(at, item)]),
        }
    }
    groups.into_values().chain(others).collect()
}

/// Resolves the items of one transaction. Only the first item can have to wait; the others share its outcome.
fn settle_all<'a>(
    repository: &'a Repository,
    caller: Caller<'a>,
    schema: &'static Schema,
    group: Group,
) -> BoxFuture<'a, Vec<Outcome>> {
    // Other entities can share the table.
    let schema_of = move |item: &Item| matches_templates(schema, item).then_some(schema);
    Box::pin(async move {
        let mut group = group.into_iter();
        let Some((at, item)) = group.next() else { return Vec::new() };
        let first = resolve_intent_of(repository, caller, &at, &item, schema_of(&item)).await;
        let is_committed = match first {
            Ok(Resolution::RolledForward(_) | Resolution::Overwritten(_)) => Some(true),
            Ok(Resolution::RolledBack(..)) => Some(false),
            Ok(Resolution::Gone) | Err(_) => None,
        };
        let mut done = vec![(at, first)];
        let others = group.map(|(at, item)| async move {
            let settled = match is_committed {
                Some(is_committed) => resolve_as(repository, caller, &at, &item, is_committed, schema_of(&item)).await,
                None => resolve_intent_of(repository, caller, &at, &item, schema_of(&item)).await,
            };
            (at, settled)
        });
        let mut others = stream::iter(others).buffered(CONCURRENCY);
        while let Some(other) = others.next().await {
            done.push(other);
        }
        done
    })
}

/// Returns a page of a consistent scan, and where the next one begins.
async fn scan(
    repository: &Repository,
    caller: Caller<'_>,
    table: &str,
    scan: ScanFluentBuilder,
    from: Option<Item>,
) -> Result<(Vec<Item>, Option<Item>), Error> {
    let scan = scan
        .table_name(table)
        .consistent_read(true)
        .set_exclusive_start_key(from)
        .return_consumed_capacity(ReturnConsumedCapacity::Total);
    let output = read(repository, About::new(caller.operation, caller.entity, table), scan, None).await?;
    Ok((output.items.unwrap_or_default(), output.last_evaluated_key.filter(|key| !key.is_empty())))
}
