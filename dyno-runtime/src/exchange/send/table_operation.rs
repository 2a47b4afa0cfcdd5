//! The operations on tables. DynamoDB reports no capacity for them, and denies none.

use super::call::{Answer, Ask, call};
use super::equal_requests::Again;
use super::operation::{Failed, Operation, Sent, operation, plain, sent, without_retries};
use super::response_facts::Facts;
use crate::attribute::JsonItems;
use crate::error::Error;
use crate::exchange::repository::Repository;
use crate::exchange::request::request_subject::About;
use crate::exchange::watch::consumed_capacity::Usage;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::{self as sdk, RequestId as _};
use futures_util::future::FutureExt as _;
use std::convert::Infallible;
use std::sync::Arc;

macro_rules! free {
    ($name:literal, $module:ident, $fluent:ident, $output:ident, $error:ident) => {
        plain!($name, $module, $fluent, $output, $error, |output| Facts::new(&[], Usage::read, output.request_id()));
    };
}

free!("CreateTable", create_table, CreateTableFluentBuilder, CreateTableOutput, CreateTableError);
free!("UpdateTable", update_table, UpdateTableFluentBuilder, UpdateTableOutput, UpdateTableError);
free!("DescribeTable", describe_table, DescribeTableFluentBuilder, DescribeTableOutput, DescribeTableError);
free!(
    "DescribeTimeToLive",
    describe_time_to_live,
    DescribeTimeToLiveFluentBuilder,
    DescribeTimeToLiveOutput,
    DescribeTimeToLiveError
);
free!(
    "UpdateTimeToLive",
    update_time_to_live,
    UpdateTimeToLiveFluentBuilder,
    UpdateTimeToLiveOutput,
    UpdateTimeToLiveError
);

/// Sends a request about a table.
pub(crate) async fn call_undenied<O: Operation<Denial = Infallible>>(
    repository: &Repository,
    about: About<'_>,
    operation: O,
) -> Result<O::Value, Error> {
    let Answer::Done(output) = call(repository, Ask::new(about), operation, Again::Never).await?;
    Ok(output)
}
