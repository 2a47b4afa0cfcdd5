//! The DynamoDB operations that this crate uses: how each is sent, what it costs, and how its errors are classified.
//!
//! An operation is one of the SDK's fluent builders. The SDK sends each by a method of its own. No generic function can call these
//! methods, because their bound is in a private module of the SDK. So a macro implements the trait for each builder.

use super::cancelled::Cancelled;
use super::classify_error::Failure;
use super::interceptor::{Hooked, RequestHooks, without_items};
use super::usage::Usage;
use crate::attribute::Item;
use crate::error::Error;
use aws_sdk_dynamodb::config::Config;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::{self as sdk, RequestId as _};
use aws_sdk_dynamodb::types::{ConsumedCapacity, SearchResultItem};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use futures_util::future::{Either, FutureExt as _};
use std::convert::Infallible;
use std::error::Error as StdError;
use std::slice;

/// The SDK's result of a request.
pub(crate) type SdkResult<T, E> = Result<T, SdkError<E, HttpResponse>>;

/// An operation with its input, which can be sent.
pub(crate) trait Operation: Send + 'static {
    type Output: Send;
    /// The part of the output that callers use.
    type Value: Send;
    /// The reason for which DynamoDB can deny the operation: for a write of one item, the stored item that does not meet the
    /// condition; for a transaction, the cancellation reasons, unless they pass by waiting. A read has none.
    type Denial: Send;
    type Error: ProvideErrorMetadata + StdError + Send + Sync + 'static;

    /// The operation, as DynamoDB calls it.
    const NAME: &'static str;

    /// Sends the operation. The SDK's future takes many kilobytes. It is boxed here, so that the futures around it stay small and
    /// do not copy it.
    fn send(self, hooks: RequestHooks) -> impl Future<Output = SdkResult<Self::Output, Self::Error>> + Send + Unpin;

    /// Returns the capacity that DynamoDB reports, table by table.
    fn capacity(output: &Self::Output) -> &[ConsumedCapacity];

    /// Returns the cost of this capacity.
    fn price(capacity: &[ConsumedCapacity]) -> Usage;

    /// Returns the cost of the request.
    fn cost(output: &Self::Output) -> Usage {
        Self::price(Self::capacity(output))
    }

    /// Returns the id of the request.
    fn request_id(output: &Self::Output) -> Option<&str>;

    /// Returns the part of the output that callers use.
    fn value(output: Self::Output) -> Self::Value;

    /// Returns the number of items, if the request is a query or scan.
    fn count(_output: &Self::Output) -> Option<i32> {
        None
    }

    /// Returns the number of items that DynamoDB has read, if the request is a query or scan.
    fn scanned(_output: &Self::Output) -> Option<i32> {
        None
    }

    /// Returns the outcome that is recorded in the request's span.
    fn outcome(_output: &Self::Output) -> &'static str {
        "answered"
    }

    /// Classifies an error. DynamoDB does not report the write units of a cancelled transaction.
    fn classify(error: SdkError<Self::Error, HttpResponse>, cancelled_units: f64) -> Failure<Self::Denial>;
}

/// Returns no capacity, because DynamoDB reports none for operations on tables.
fn free<T>(_: &T) -> &[ConsumedCapacity] {
    &[]
}

/// Returns the capacity of a request to one table.
pub(super) fn one(capacity: Option<&ConsumedCapacity>) -> &[ConsumedCapacity] {
    capacity.map(slice::from_ref).unwrap_or_default()
}

/// Returns the outcome of a batch.
pub(super) fn processed(is_left: bool) -> &'static str {
    if is_left { "partly processed" } else { "processed" }
}

/// Sends a fluent builder of the SDK with these hooks.
macro_rules! sent {
    ($builder:expr, $hooks:expr) => {{
        let sent = if $hooks.is_retried {
            Either::Left(Box::pin($builder.send()))
        } else {
            let config = Config::builder().retry_config(RetryConfig::disabled());
            Either::Right(Box::pin($builder.customize().config_override(config).send()))
        };
        Hooked::new($hooks, sent)
    }};
}
pub(super) use sent;

/// Implements `Operation` for a fluent builder of the SDK.
macro_rules! operation {
    (
        $name:literal, $module:ident, $fluent:ident, $output:ident, $error:ident,
        $capacity:expr, $price:expr,
        value: $value:ty, $into_value:expr, denial: $denial:ty, $classify:expr
        $(, outcome: $outcome:expr)? $(, cost: $cost:expr, count: $count:expr)?
    ) => {
        impl Operation for sdk::$module::builders::$fluent {
            type Output = sdk::$module::$output;
            type Value = $value;
            type Denial = $denial;
            type Error = sdk::$module::$error;

            const NAME: &'static str = $name;

            fn send(
                self,
                hooks: RequestHooks,
            ) -> impl Future<Output = SdkResult<Self::Output, Self::Error>> + Send + Unpin {
                sent!(self, hooks).map(without_items)
            }

            fn capacity(output: &Self::Output) -> &[ConsumedCapacity] {
                let capacity: fn(&Self::Output) -> &[ConsumedCapacity] = $capacity;
                capacity(output)
            }

            fn price(capacity: &[ConsumedCapacity]) -> Usage {
                $price(capacity)
            }

            fn request_id(output: &Self::Output) -> Option<&str> {
                output.request_id()
            }

            fn value(output: Self::Output) -> Self::Value {
                let value: fn(Self::Output) -> Self::Value = $into_value;
                value(output)
            }

            fn classify(error: SdkError<Self::Error, HttpResponse>, cancelled_units: f64) -> Failure<Self::Denial> {
                let classify: fn(SdkError<Self::Error, HttpResponse>, f64) -> Failure<Self::Denial> = $classify;
                classify(error, cancelled_units)
            }

            $(fn outcome(output: &Self::Output) -> &'static str {
                let outcome: fn(&Self::Output) -> &'static str = $outcome;
                outcome(output)
            })?

            $(fn cost(output: &Self::Output) -> Usage {
                let cost: fn(&Self::Output) -> Usage = $cost;
                cost(output)
            }

            fn count(output: &Self::Output) -> Option<i32> {
                let count: fn(&Self::Output) -> Option<i32> = $count;
                count(output)
            })?
        }
    };
}

/// Implements `Operation` for a write of one item.
macro_rules! write {
    ($name:literal, $module:ident, $fluent:ident, $output:ident, $error:ident) => {
        operation!(
            $name, $module, $fluent, $output, $error,
            |output| one(output.consumed_capacity()), Usage::write,
            value: Option<Item>, |output| output.attributes,
            denial: Option<Item>, |error, _| match error.as_service_error() {
                Some(sdk::$module::$error::ConditionalCheckFailedException(refused)) => {
                    Failure::refused(refused.item().cloned())
                }
                _ => Failure::error(error),
            }
        );
    };
}

/// Implements `Operation` for a native transaction.
macro_rules! transaction {
    (
        $name:literal, $module:ident, $fluent:ident, $output:ident, $error:ident, $price:expr,
        value: $value:ty, $into_value:expr
    ) => {
        operation!(
            $name, $module, $fluent, $output, $error,
            |output| output.consumed_capacity(), $price,
            value: $value, $into_value,
            denial: Cancelled, |error, units| match error.as_service_error() {
                Some(sdk::$module::$error::TransactionCanceledException(cancelled)) => {
                    Failure::cancelled(cancelled.cancellation_reasons().to_vec(), Error::sdk(error), units)
                }
                _ => Failure::error(error),
            }
        );
    };
}

/// Implements `Operation` for a read, a batch or an operation on a table, none of which has a denial.
macro_rules! plain {
    ($name:literal, $module:ident, $fluent:ident, $output:ident, $error:ident, $capacity:expr, $price:expr $(, outcome: $outcome:expr)?) => {
        operation!(
            $name, $module, $fluent, $output, $error, $capacity, $price,
            value: sdk::$module::$output, |output| output,
            denial: Infallible, |error, _| Failure::error(error)
            $(, outcome: $outcome)?
        );
    };
}

write!("PutItem", put_item, PutItemFluentBuilder, PutItemOutput, PutItemError);
write!("UpdateItem", update_item, UpdateItemFluentBuilder, UpdateItemOutput, UpdateItemError);
write!("DeleteItem", delete_item, DeleteItemFluentBuilder, DeleteItemOutput, DeleteItemError);

transaction!(
    "TransactWriteItems",
    transact_write_items,
    TransactWriteItemsFluentBuilder,
    TransactWriteItemsOutput,
    TransactWriteItemsError,
    Usage::transaction,
    value: (), |_| ()
);
transaction!(
    "TransactGetItems",
    transact_get_items,
    TransactGetItemsFluentBuilder,
    TransactGetItemsOutput,
    TransactGetItemsError,
    Usage::read,
    value: sdk::transact_get_items::TransactGetItemsOutput, |output| output
);

operation!(
    "SearchVectors", search_vectors, SearchVectorsFluentBuilder, SearchVectorsOutput, SearchVectorsError, free, Usage::read,
    value: Vec<SearchResultItem>, |output| output.search_results.unwrap_or_default(),
    denial: Infallible, |error, _| Failure::error(error),
    cost: |output| Usage::search(output.consumed_capacity()),
    count: |output| i32::try_from(output.search_results().len()).ok()
);

plain!(
    "GetItem", get_item, GetItemFluentBuilder, GetItemOutput, GetItemError,
    |output| one(output.consumed_capacity()), Usage::read,
    outcome: |output| if output.item.is_some() { "found" } else { "absent" }
);
plain!(
    "BatchWriteItem", batch_write_item, BatchWriteItemFluentBuilder, BatchWriteItemOutput, BatchWriteItemError,
    |output| output.consumed_capacity(), Usage::write,
    outcome: |output| processed(output.unprocessed_items().is_some_and(|left| !left.is_empty()))
);

plain!("CreateTable", create_table, CreateTableFluentBuilder, CreateTableOutput, CreateTableError, free, Usage::read);
plain!("UpdateTable", update_table, UpdateTableFluentBuilder, UpdateTableOutput, UpdateTableError, free, Usage::read);
plain!(
    "DescribeTable",
    describe_table,
    DescribeTableFluentBuilder,
    DescribeTableOutput,
    DescribeTableError,
    free,
    Usage::read
);
plain!(
    "DescribeTimeToLive",
    describe_time_to_live,
    DescribeTimeToLiveFluentBuilder,
    DescribeTimeToLiveOutput,
    DescribeTimeToLiveError,
    free,
    Usage::read
);
plain!(
    "UpdateTimeToLive",
    update_time_to_live,
    UpdateTimeToLiveFluentBuilder,
    UpdateTimeToLiveOutput,
    UpdateTimeToLiveError,
    free,
    Usage::read
);
