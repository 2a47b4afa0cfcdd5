//! The DynamoDB operations that this crate uses: how each is sent, what it costs, and how its errors are classified.
//!
//! An operation is one of the SDK's fluent builders. The SDK sends each by a method of its own. No generic function can call these
//! methods, because their bound is in a private module of the SDK. So a macro implements the trait for each builder.

use super::cancellation_reasons::Cancelled;
use super::classify_error::Failure;
use super::page_deserializer::PageDeserializer;
use super::response_facts::{Facts, one, processed};
use crate::attribute::JsonItems;
use crate::error::Error;
use crate::exchange::watch::consumed_capacity::Usage;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{self, Config};
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::{self as sdk, RequestId as _};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use futures_util::future::{BoxFuture, FutureExt as _};
use std::convert::Infallible;
use std::error::Error as StdError;
use std::sync::Arc;

/// An operation with its input, which can be sent.
pub(crate) trait Operation: Clone + Send + Sync + 'static {
    type Output: Send;
    /// The part of the output that callers use.
    type Value: Send;
    /// The reason for which DynamoDB can deny the operation: for a write of one item, the stored item that does not meet the
    /// condition; for a transaction, the cancellation reasons, unless they pass by waiting. A read has none.
    type Denial: Send;

    /// Returns the operation, as DynamoDB calls it.
    fn name(&self) -> &'static str;

    /// Sends the operation. `cancelled_units` are the write units of a cancelled transaction, which DynamoDB does not report.
    fn send(self, is_retried: bool, cancelled_units: f64) -> Sent<Self::Output, Self::Denial>;

    /// Returns the deserializer of the response, if it is not the SDK's.
    fn deserializer() -> Option<PageDeserializer> {
        None
    }

    /// Returns what is accounted for of the output.
    fn facts(output: &Self::Output) -> Facts<'_>;

    /// Returns the part of the output that callers use. The items are those that our deserializer has kept.
    fn value(output: Self::Output, items: Option<Arc<JsonItems>>) -> Self::Value;
}

/// The future of a request. The SDK's future takes many kilobytes. It is boxed here, so that the futures around it stay small and
/// do not copy it.
pub(crate) type Sent<T, D> = BoxFuture<'static, Result<T, Box<Failed<D>>>>;

/// A request that had no success: its failure, and the denial if it was denied.
pub(crate) struct Failed<D> {
    pub(in crate::exchange) failure: Failure,
    pub(in crate::exchange) denial: Option<D>,
    pub(in crate::exchange) request_id: Option<String>,
}

impl<D> Failed<D> {
    /// Classifies an error that is not a denial.
    pub(in crate::exchange) fn error<E>(error: SdkError<E, HttpResponse>) -> Self
    where
        E: ProvideErrorMetadata + StdError + Send + Sync + 'static,
    {
        let request_id = error.request_id().map(str::to_owned);
        Self { failure: Failure::error(error), denial: None, request_id }
    }
}

/// Returns the configuration of a request that the SDK does not retry.
pub(in crate::exchange) fn without_retries() -> config::Builder {
    Config::builder().retry_config(RetryConfig::disabled())
}

/// Sends a fluent builder of the SDK, maps its output, and classifies its error.
macro_rules! sent {
    ($builder:expr, $is_retried:expr, $output:expr, $classify:expr) => {{
        let map = move |sent: Result<_, _>| sent.map($output).map_err(|error| Box::new($classify(error)));
        if $is_retried {
            Box::pin($builder.send().map(map))
        } else {
            Box::pin($builder.customize().config_override(without_retries()).send().map(map))
        }
    }};
}
pub(in crate::exchange) use sent;

/// Implements `Operation` for a fluent builder of the SDK.
macro_rules! operation {
    (
        $name:literal, $module:ident, $fluent:ident, $output:ident, $error:ident,
        facts: $facts:expr,
        value: $value:ty, $into_value:expr,
        denial: $denial:ty, $classify:expr
        $(, deserializer: $deserializer:expr)?
    ) => {
        impl Operation for sdk::$module::builders::$fluent {
            type Output = sdk::$module::$output;
            type Value = $value;
            type Denial = $denial;

            fn name(&self) -> &'static str {
                $name
            }

            fn send(self, is_retried: bool, cancelled_units: f64) -> Sent<Self::Output, Self::Denial> {
                let classify: fn(SdkError<sdk::$module::$error>, f64) -> Failed<Self::Denial> = $classify;
                sent!(self, is_retried, |output| output, |error| classify(error, cancelled_units))
            }

            $(fn deserializer() -> Option<PageDeserializer> {
                $deserializer
            })?

            fn facts(output: &Self::Output) -> Facts<'_> {
                let facts: fn(&Self::Output) -> Facts<'_> = $facts;
                facts(output)
            }

            fn value(output: Self::Output, items: Option<Arc<JsonItems>>) -> Self::Value {
                let value: fn(Self::Output, Option<Arc<JsonItems>>) -> Self::Value = $into_value;
                value(output, items)
            }
        }
    };
}
pub(in crate::exchange) use operation;

/// Implements `Operation` for a native transaction.
macro_rules! transaction {
    (
        $name:literal, $module:ident, $fluent:ident, $output:ident, $error:ident, $price:expr,
        value: $value:ty, $into_value:expr
    ) => {
        operation!(
            $name, $module, $fluent, $output, $error,
            facts: |output| Facts::new(output.consumed_capacity(), $price, output.request_id()),
            value: $value, $into_value,
            denial: Cancelled, |error, units| match error.as_service_error() {
                Some(sdk::$module::$error::TransactionCanceledException(cancelled)) => {
                    let request_id = error.request_id().map(str::to_owned);
                    let reasons = cancelled.cancellation_reasons().to_vec();
                    let (failure, denial) = Failure::cancelled(reasons, Error::sdk(error), units);
                    Failed { failure, denial, request_id }
                }
                _ => Failed::error(error),
            }
        );
    };
}

/// Implements `Operation` for a read, a batch or an operation on a table, none of which has a denial.
macro_rules! plain {
    ($name:literal, $module:ident, $fluent:ident, $output:ident, $error:ident, $facts:expr) => {
        operation!(
            $name, $module, $fluent, $output, $error,
            facts: $facts,
            value: sdk::$module::$output, |output, _| output,
            denial: Infallible, |error, _| Failed::error(error)
        );
    };
}

transaction!(
    "TransactWriteItems",
    transact_write_items,
    TransactWriteItemsFluentBuilder,
    TransactWriteItemsOutput,
    TransactWriteItemsError,
    Usage::transaction,
    value: (), |_, _| ()
);
transaction!(
    "TransactGetItems",
    transact_get_items,
    TransactGetItemsFluentBuilder,
    TransactGetItemsOutput,
    TransactGetItemsError,
    Usage::read,
    value: sdk::transact_get_items::TransactGetItemsOutput, |output, _| output
);

#[cfg(any(feature = "tables", feature = "vectors"))]
operation!(
    "SearchVectors", search_vectors, SearchVectorsFluentBuilder, SearchVectorsOutput, SearchVectorsError,
    facts: |output| Facts {
        cost: Usage::search(output.consumed_capacity()),
        count: i32::try_from(output.search_results().len()).ok(),
        ..Facts::new(&[], Usage::read, output.request_id())
    },
    value: Vec<aws_sdk_dynamodb::types::SearchResultItem>, |output, _| output.search_results.unwrap_or_default(),
    denial: Infallible, |error, _| Failed::error(error)
);

plain!("GetItem", get_item, GetItemFluentBuilder, GetItemOutput, GetItemError, |output| Facts {
    outcome: if output.item.is_some() { "found" } else { "absent" },
    ..Facts::new(one(output.consumed_capacity()), Usage::read, output.request_id())
});
plain!(
    "BatchWriteItem",
    batch_write_item,
    BatchWriteItemFluentBuilder,
    BatchWriteItemOutput,
    BatchWriteItemError,
    |output| Facts {
        outcome: processed(output.unprocessed_items().is_some_and(|left| !left.is_empty())),
        ..Facts::new(output.consumed_capacity(), Usage::write, output.request_id())
    }
);

/// Implements `Operation` for operations on tables, for which DynamoDB reports no capacity.
#[cfg(feature = "tables")]
macro_rules! free {
    ($($name:literal $module:ident $fluent:ident $output:ident $error:ident;)*) => {$(
        plain!($name, $module, $fluent, $output, $error, |output| Facts::new(&[], Usage::read, output.request_id()));
    )*};
}

#[cfg(feature = "tables")]
free! {
    "CreateTable" create_table CreateTableFluentBuilder CreateTableOutput CreateTableError;
    "UpdateTable" update_table UpdateTableFluentBuilder UpdateTableOutput UpdateTableError;
    "DescribeTable" describe_table DescribeTableFluentBuilder DescribeTableOutput DescribeTableError;
    "DescribeTimeToLive" describe_time_to_live DescribeTimeToLiveFluentBuilder DescribeTimeToLiveOutput DescribeTimeToLiveError;
    "UpdateTimeToLive" update_time_to_live UpdateTimeToLiveFluentBuilder UpdateTimeToLiveOutput UpdateTimeToLiveError;
}
