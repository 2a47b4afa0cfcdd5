//! The recovery sweep: scans all lanes, and all items of some tables, for transactions that are not complete, and rolls them
//! forward or back.

use super::finish_committed::{Outcome, finish};
use super::sweep_report::SweepReport;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Answer, CONCURRENCY, Caller, ItemRef, Repository, Waits, boxed_stream, read, scan_rows};
use crate::key::matches_templates;
use crate::schema::Schema;
use crate::schema::names::INTENT;
use crate::transaction::record::explain_lane_error;
use crate::transaction::record::{
    Intent, TransactionRecord, clear_participants, lane, page_key_prefix, read_number, record_key, renew_page,
};
use crate::transaction::resolve::{Resolution, resolve_intent, roll_back, roll_forward_item, send_write};
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use futures_util::future::{BoxFuture, FutureExt as _, ready};
use futures_util::stream;
use futures_util::stream::{BoxStream, StreamExt as _, TryStreamExt as _};
use std::collections::BTreeMap;

/// The number of transactions that the sweep waits for at once.
const TRANSACTIONS: usize = 200;

/// The days that a page must have left, or the sweep renews it: half of its lifetime.
const PAGE_AGE_DAYS: i64 = 15;

/// A table that is swept.
#[derive(Clone, Debug)]
pub(crate) struct SweptTable {
    pub(crate) table: String,
    pub(crate) schema: &'static Schema,
}

/// Sweeps all lanes, and then all items of these tables.
pub(crate) async fn sweep(repository: &Repository, tables: Vec<SweptTable>) -> Result<SweepReport, Error> {
    let mut report = SweepReport::default();
    sweep_lanes(repository, &mut report).await?;
    for SweptTable { table, schema } in tables {
        let mut outcomes = items(repository, &table, schema);
        while let Some(outcomes) = outcomes.try_next().await? {
            report.add(outcomes);
        }
    }
    Ok(report)
}

fn caller(entity: &'static str) -> Caller<'static> {
    Caller { operation: "sweep", entity, priority: None }
}

/// Finishes the committed attempts of lanes whose owners are silent.
async fn sweep_lanes(repository: &Repository, report: &mut SweepReport) -> Result<(), Error> {
    let (table, caller) = (repository.lane_table()?, caller("lane"));
    let records = repository.sender().scan().filter_expression("#part = :head");
    let records = records.expression_attribute_names("#part", lane::PART);
    let records = records.expression_attribute_values(":head", AttributeValue::S(lane::HEAD.to_owned()));
    let mut pages = scan_rows(repository, caller, &table, records);
    while let Some(records) = pages.try_next().await.map_err(explain_lane_error)? {
        let lanes = boxed_stream(records.into_iter().map(|item| sweep_lane(repository, caller, &table, item)));
        let mut lanes = lanes.buffered(CONCURRENCY);
        while let Some((outcomes, is_cleared)) = lanes.next().await {
            report.add(outcomes);
            report.add_cleared(is_cleared.into());
        }
    }
    Ok(())
}

/// Finishes the committed attempt of one lane. Returns the outcomes, and whether the list of participants is cleared now.
async fn sweep_lane(repository: &Repository, caller: Caller<'_>, table: &str, item: Item) -> (Vec<Outcome>, bool) {
    let completed = async {
        let record = TransactionRecord::read(&item)?;
        if record.unfinished.is_none() || !is_silent(repository, &record) {
            return Ok((Vec::new(), false));
        }
        let outcomes = finish(repository, caller, &record).await?;
        if outcomes.iter().any(|(_, rolled)| rolled.is_err()) {
            renew_pages(repository, caller, table, &record).await?;
            return Ok((outcomes, false));
        }
        let cleared = send_write(repository, caller, clear_participants(table, &record)?).await?;
        Ok((outcomes, matches!(cleared, Answer::Done(_))))
    };
    completed.await.unwrap_or_else(|error| {
        let name = item.get(lane::LANE).and_then(|name| name.as_s().ok()).map_or("", String::as_str);
        let at = ItemRef { table: table.to_owned(), key: record_key(name) };
        (vec![(at, Err(error))], false)
    })
}

/// Whether the owner has sent no heartbeat for longer than `with_lock_timeout`. It would be safe to finish its attempt earlier, but a
/// living owner does that itself. An owner whose clock is ahead looks silent, too.
fn is_silent(repository: &Repository, record: &TransactionRecord) -> bool {
    let silence = repository.now().get().abs_diff(record.beat.get());
    u128::from(silence) > repository.lock_timeout().as_millis()
}

/// Renews all pages of a lane's committed attempt before they expire, because they are still needed (M20). It finds pages of
/// values, too, by their keys, because the intents that name them may be in tables that cannot be read now.
async fn renew_pages(
    repository: &Repository,
    caller: Caller<'_>,
    table: &str,
    record: &TransactionRecord,
) -> Result<(), Error> {
    let now = repository.now();
    let soon = now.get().div_euclid(1000).saturating_add(PAGE_AGE_DAYS * 86_400);
    let mut next_start = Some(None);
    while let Some(start) = next_start {
        let (pages, next) = query_pages(repository, caller, table, record, start).await?;
        for page in pages {
            let ttl = page.get(lane::TTL).and_then(read_number).and_then(|ttl| i64::try_from(ttl).ok());
            if ttl.is_none_or(|ttl| ttl <= soon) {
                send_write(repository, caller, renew_page(table, page, now)).await?;
            }
        }
        next_start = next.map(Some);
    }
    Ok(())
}

/// Reads the next pages of a lane's committed attempt, and where the following ones begin.
async fn query_pages(
    repository: &Repository,
    caller: Caller<'_>,
    table: &str,
    record: &TransactionRecord,
    start: Option<Item>,
) -> Result<(Vec<Item>, Option<Item>), Error> {
    let query = repository
        .sender()
        .query()
        .table_name(table)
        .key_condition_expression("#lane = :lane AND begins_with(#part, :ticket)")
        .expression_attribute_names("#lane", lane::LANE)
        .expression_attribute_names("#part", lane::PART)
        .expression_attribute_values(":lane", AttributeValue::S(record.lane.clone()))
        .expression_attribute_values(":ticket", AttributeValue::S(page_key_prefix(&record.committed_id())))
        .consistent_read(true)
        .set_exclusive_start_key(start)
        .return_consumed_capacity(ReturnConsumedCapacity::Total);
    Ok(read(repository, caller.about(table), query, None).await?.into_maps())
}

/// Resolves the intents in a table, transaction by transaction. The next pages are read while the sweep waits for transactions of
/// this page.
fn items<'a>(
    repository: &'a Repository,
    table: &'a str,
    schema: &'static Schema,
) -> BoxStream<'a, Result<Vec<Outcome>, Error>> {
    let caller = caller(schema.entity);
    let held = repository.sender().scan().filter_expression("attribute_exists(#x)");
    let held = held.expression_attribute_names("#x", INTENT);
    let groups = scan_rows(repository, caller, table, held).map_ok(move |items| {
        let groups = by_transaction(table, schema, items).into_iter();
        stream::iter(groups.map(Ok::<_, Error>))
    });
    let resolved = groups.try_flatten().map_ok(move |group| resolve_all(repository, caller, schema, group).map(Ok));
    Box::pin(resolved.try_buffer_unordered(TRANSACTIONS))
}

/// The items that hold intents of one transaction attempt.
type Group = Vec<(ItemRef, Item)>;

/// Groups the items by transaction attempt. An item with a malformed intent is a group of its own.
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

/// Resolves the items of one transaction attempt. Only the first item can have to wait. The attempt is committed or aborted after
/// that, so the other items need no further look at the lane row.
fn resolve_all<'a>(
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
        let first = resolve_intent(repository, caller, &at, &item, &Waits::default(), schema_of(&item)).await;
        let is_committed = match first {
            Ok(Resolution::RolledForward(_) | Resolution::Overwritten(_)) => Some(true),
            Ok(Resolution::RolledBack { .. }) => Some(false),
            Ok(Resolution::Gone(_)) | Err(_) => None,
        };
        let others = boxed_stream(group.map(|(at, item)| async move {
            let schema = schema_of(&item);
            let resolved = match is_committed {
                Some(true) => roll_forward_item(repository, caller, &at, item, schema).await,
                Some(false) => roll_back(repository, caller, &at, item).await,
                None => resolve_intent(repository, caller, &at, &item, &Waits::default(), schema).await,
            };
            (at, resolved)
        }));
        let first = stream::once(ready((at, first)));
        first.chain(others.buffered(CONCURRENCY)).collect().await
    })
}
