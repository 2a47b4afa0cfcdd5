//! A page of a scan of rows, without any evaluation.

use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::repository::Repository;
use crate::exchange::request::request_subject::About;
use crate::exchange::send::call::read;
use aws_sdk_dynamodb::operation::scan::builders::ScanFluentBuilder;
use aws_sdk_dynamodb::types::ReturnConsumedCapacity;

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
