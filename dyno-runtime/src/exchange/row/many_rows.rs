//! Reads of many rows without any evaluation: at keys, or of a whole table. Sweeps, transactions and bulk commands use them.

use super::row_scan::scan_page;
use crate::attribute::{Item, RawItem};
use crate::error::Error;
use crate::exchange::batch::batch_rounds::{BatchOptions, CONCURRENCY};
use crate::exchange::batch::key_batch::{Consistency, KeyBatch};
use crate::exchange::repository::Repository;
use crate::exchange::resolve::Caller;
use aws_sdk_dynamodb::operation::scan::builders::ScanFluentBuilder;
use futures_util::stream;
use futures_util::stream::BoxStream;

/// Reads the rows at these keys of a table. Returns them in the order of the keys, or the first error.
pub(crate) async fn read_rows(
    repository: &Repository,
    caller: Caller<'_>,
    table: &str,
    keys: &[Item],
    consistency: Consistency,
) -> Result<Vec<Option<Item>>, Error> {
    let mut batch = KeyBatch::new(repository, caller.operation, None);
    let table = batch.table(table.to_owned(), None);
    let add = |key: &Item| batch.key(caller.entity, table, key.clone(), consistency);
    let indexes: Vec<usize> = keys.iter().map(add).collect();
    let mut rows = batch.read(BatchOptions { concurrency: CONCURRENCY, stops: true }).await;
    match rows.error() {
        Some((error, ..)) => Err(error),
        None => {
            let mut take = |index| Ok(rows.take(index)?.map(RawItem::into_item));
            indexes.into_iter().map(&mut take).collect()
        }
    }
}

/// Scans a table consistently, page by page.
pub(crate) fn scan_rows<'a>(
    repository: &'a Repository,
    caller: Caller<'a>,
    table: &'a str,
    scan: ScanFluentBuilder,
) -> BoxStream<'a, Result<Vec<Item>, Error>> {
    let scan = scan.table_name(table).consistent_read(true);
    Box::pin(stream::try_unfold(Some(None), move |from| {
        let scan = scan.clone();
        async move {
            let Some(start) = from else { return Ok(None) };
            let (items, next) = scan_page(repository, caller.about(table), scan, start).await?;
            Ok(Some((items, next.map(Some))))
        }
    }))
}
