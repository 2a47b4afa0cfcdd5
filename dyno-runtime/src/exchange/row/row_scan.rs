//! Scans of whole tables, consistently and without any evaluation: for sweeps.

use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::repository::Repository;
use crate::exchange::request::request_subject::About;
use crate::exchange::resolve::Caller;
use crate::exchange::send::call::read;
use aws_sdk_dynamodb::operation::scan::builders::ScanFluentBuilder;
use aws_sdk_dynamodb::types::ReturnConsumedCapacity;
use futures_util::stream;
use futures_util::stream::BoxStream;

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

/// Sends the request for one page of a scan, behind the key `start`. Returns the rows, and the key behind which the next page starts, if
/// there is one.
pub(crate) async fn scan_page(
    repository: &Repository,
    about: About<'_>,
    scan: ScanFluentBuilder,
    start: Option<Item>,
) -> Result<(Vec<Item>, Option<Item>), Error> {
    let scan = scan.return_consumed_capacity(ReturnConsumedCapacity::Total).set_exclusive_start_key(start);
    let (items, last_key) = read(repository, about, scan, None).await?.into_maps();
    Ok((items, last_key.filter(|key| !key.is_empty())))
}
