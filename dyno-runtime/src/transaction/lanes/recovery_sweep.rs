//! What transactions have left that were not seen to their ends: found by looking at all lanes, and at all items of a table.

use super::finish_committed::{Finished, committed, finish};
use super::sweep_report::SweepReport;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{About, Answer, CONCURRENCY, Caller, ItemRef, Repository, read};
use crate::key::matches_templates;
use crate::schema::Schema;
use crate::schema::names::INTENT;
use crate::transaction::record::{Head, Intent, head_key, kept, lane, number_of, pages_prefix, tidy};
use crate::transaction::resolve::{Settled, of_lanes, send, settle_as, settle_of};
use aws_sdk_dynamodb::operation::scan::builders::ScanFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use futures_util::future::{BoxFuture, FutureExt as _};
use futures_util::stream;
use futures_util::stream::{BoxStream, StreamExt as _, TryStreamExt as _};
use std::collections::BTreeMap;

/// How many transactions are waited for at once.
const TRANSACTIONS: usize = 200;

/// For how long a page is left as it is: half the time that it has.
const PAGE_AGE_DAYS: i64 = 15;

/// A table whose items are looked at.
#[derive(Clone, Debug)]
pub(crate) struct Swept {
    pub(crate) table: String,
    pub(crate) schema: &'static Schema,
}

/// Looks at all lanes, and then at all items of these tables.
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

/// Sees to its end what lanes have committed, of owners that are silent.
async fn lanes(repository: &Repository, report: &mut SweepReport) -> Result<(), Error> {
    let (table, caller) = (repository.lane_table()?, caller("lane"));
    let heads = || {
        let scan = repository.client().scan().filter_expression("#part = :head");
        let scan = scan.expression_attribute_names("#part", lane::PART);
        scan.expression_attribute_values(":head", AttributeValue::S(lane::HEAD.to_owned()))
    };
    let mut from = Some(None);
    while let Some(start) = from {
        let (heads, next) = scan(repository, caller, &table, heads(), start).await.map_err(of_lanes)?;
        let seen = heads.into_iter().map(|item| -> BoxFuture<'_, _> { Box::pin(lane(repository, caller, item)) });
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

/// Sees to what one lane has committed; and whether that is tidied.
async fn lane(
    repository: &Repository,
    caller: Caller<'_>,
    item: Item,
) -> (ItemRef, Result<Option<(Finished, bool)>, Error>) {
    let name = item.get(lane::LANE).and_then(|name| name.as_s().ok()).map_or("", String::as_str);
    let key = head_key(name);
    let seen = async {
        let table = repository.lane_table()?;
        let head = Head::read(&item)?;
        if head.unfinished.is_none() || !is_silent(repository, &head) {
            return Ok(None);
        }
        let finished = finish(repository, caller, &head).await?;
        if finished.unread.is_some() || !finished.open.is_empty() {
            keep(repository, caller, &table, &head).await?;
            return Ok(Some((finished, false)));
        }
        let tidied = send(repository, caller, tidy(&table, &head)?).await?;
        Ok(Some((finished, matches!(tidied, Answer::Done(_)))))
    };
    let seen = seen.await;
    (ItemRef { table: repository.lane_table().unwrap_or_default(), key }, seen)
}

/// Whether its owner has not said for a while that it lives. (To see to its items in spite of that would be safe, too.) One
/// whose clock is ahead has not either, as far as can be told.
fn is_silent(repository: &Repository, head: &Head) -> bool {
    let silence = repository.now().get().abs_diff(head.beat.get());
    u128::from(silence) > repository.patience().as_millis()
}

/// Keeps all pages of what a lane has committed for another while, which are still needed. They are found by their names: the
/// items that they are of can be where nothing can be read now.
async fn keep(repository: &Repository, caller: Caller<'_>, table: &str, head: &Head) -> Result<(), Error> {
    let now = repository.now();
    let soon = now.get().div_euclid(1000).saturating_add(PAGE_AGE_DAYS * 86_400);
    let mut from = Some(None);
    while let Some(start) = from {
        let (pages, next) = query(repository, caller, table, head, start).await?;
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

/// Pages of what a lane has committed, from here on.
async fn query(
    repository: &Repository,
    caller: Caller<'_>,
    table: &str,
    head: &Head,
    start: Option<Item>,
) -> Result<(Vec<Item>, Option<Item>), Error> {
    let query = repository
        .client()
        .query()
        .table_name(table)
        .key_condition_expression("#lane = :lane AND begins_with(#part, :ticket)")
        .expression_attribute_names("#lane", lane::LANE)
        .expression_attribute_names("#part", lane::PART)
        .expression_attribute_values(":lane", AttributeValue::S(head.lane.clone()))
        .expression_attribute_values(":ticket", AttributeValue::S(pages_prefix(&committed(head))))
        .consistent_read(true)
        .set_exclusive_start_key(start)
        .return_consumed_capacity(ReturnConsumedCapacity::Total);
    let output = read(repository, About::new(caller.operation, caller.entity, table), query, None).await?;
    Ok((output.items.unwrap_or_default(), output.last_evaluated_key))
}

/// Settles each intent in a table.
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

/// What has become of the items of each transaction. The next pages are read while transactions of this one are waited for.
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

/// The items that are held, page by page.
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

/// What has become of an item.
type Outcome = (ItemRef, Result<Settled, Error>);

/// The items of one transaction.
type Group = Vec<(ItemRef, Item)>;

/// The items of each transaction; and each that is of none.
fn by_transaction(table: &str, schema: &Schema, items: Vec<Item>) -> Vec<Group> {
    let (mut groups, mut others) = (BTreeMap::<String, Group>::new(), Vec::new());
    for item in items {
        let key = schema.keys().filter_map(|key| Some((key.name.to_owned(), item.get(key.name)?.clone()))).collect();
        let at = ItemRef { table: table.to_owned(), key };
        match Intent::of(&item, &at.key) {
            Ok(Some(intent)) => groups.entry(intent.ticket.to_string()).or_default().push((at, item)),
            Ok(None) | Err(_) => others.push(vec![(at, item)]),
        }
    }
    groups.into_values().chain(others).collect()
}

/// Settles the items of one transaction: only with the first it can have to wait, and the others come to the same.
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
        let first = settle_of(repository, caller, &at, &item, schema_of(&item)).await;
        let is_committed = match first {
            Ok(Settled::Applied(_) | Settled::Overwritten(_)) => Some(true),
            Ok(Settled::Removed(..)) => Some(false),
            Ok(Settled::Gone) | Err(_) => None,
        };
        let mut done = vec![(at, first)];
        let others = group.map(|(at, item)| async move {
            let settled = match is_committed {
                Some(is_committed) => settle_as(repository, caller, &at, &item, is_committed, schema_of(&item)).await,
                None => settle_of(repository, caller, &at, &item, schema_of(&item)).await,
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

/// A page of a consistent scan, and where the next one begins.
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
