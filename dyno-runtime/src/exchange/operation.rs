//! DynamoDB's operations, as far as they are used: how each is sent, what it cost, and what its errors say.
//!
//! They are the SDK's fluent builders. These take an interceptor, which an input does not; and the SDK sends each by a
//! function of its own, of which no generic one can be made, since its bound is in a private module. Hence the macro.

use super::cancelled::Cancelled;
use super::classify_error::Failure;
use super::usage::Usage;
use crate::attribute::Item;
use crate::error::Error;
use aws_sdk_dynamodb::config::Builder;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation as sdk;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use futures_util::future::Either;
use std::convert::Infallible;
use std::error::Error as StdError;

/// What the SDK makes of an answer, or of none.
pub(crate) type Sent<T, E> = Result<T, SdkError<E, HttpResponse>>;

/// An operation with its input, ready to be sent.
pub(crate) trait Operation: Send + 'static {
    type Output: Send;
    /// What is wanted of it.
    type Value: Send;
    /// What it can be denied for: a write of an item, for the item that is there; a transaction, for what cancels it and
    /// does not pass by waiting; a reading, for nothing.
    type Denial: Send;
    type Error: ProvideErrorMetadata + StdError + Send + Sync + 'static;

    /// As DynamoDB calls it.
    const NAME: &'static str;

    /// Sends it. The SDK's futures have many kilobytes: boxed where they are made, they are not copied through every future
    /// around them, and those stay small.
    fn send(self, config: Option<Builder>) -> impl Future<Output = Sent<Self::Output, Self::Error>> + Send;

    /// What DynamoDB says that it cost.
    fn usage(output: &Self::Output) -> Usage;

    fn value(output: Self::Output) -> Self::Value;

    /// What an answer says, in a word, for the span.
    fn outcome(_output: &Self::Output) -> &'static str {
        "answered"
    }

    /// What an error comes to. Of a transaction that is cancelled, DynamoDB does not say what it costs: `cancelled`.
    fn classify(error: SdkError<Self::Error, HttpResponse>, cancelled: Usage) -> Failure<Self::Denial>;
}

/// Nothing: operations on tables report no units.
fn free<T>(_: &T) -> Usage {
    Usage::default()
}

/// The outcome of a batch.
fn processed(is_left: bool) -> &'static str {
    if is_left { "partly processed" } else { "processed" }
}

macro_rules! operation {
    (
        $name:literal, $module:ident, $fluent:ident, $output:ident, $error:ident, $usage:expr,
        value: $value:ty, $into_value:expr, denial: $denial:ty, $classify:expr $(, outcome: $outcome:expr)?
    ) => {
        impl Operation for sdk::$module::builders::$fluent {
            type Output = sdk::$module::$output;
            type Value = $value;
            type Denial = $denial;
            type Error = sdk::$module::$error;

            const NAME: &'static str = $name;

            fn send(self, config: Option<Builder>) -> impl Future<Output = Sent<Self::Output, Self::Error>> + Send {
                match config {
                    Some(config) => Either::Left(Box::pin(self.customize().config_override(config).send())),
                    None => Either::Right(Box::pin(self.send())),
                }
            }

            fn usage(output: &Self::Output) -> Usage {
                let usage: fn(&Self::Output) -> Usage = $usage;
                usage(output)
            }

            fn value(output: Self::Output) -> Self::Value {
                let value: fn(Self::Output) -> Self::Value = $into_value;
                value(output)
            }

            fn classify(error: SdkError<Self::Error, HttpResponse>, cancelled: Usage) -> Failure<Self::Denial> {
                let classify: fn(SdkError<Self::Error, HttpResponse>, Usage) -> Failure<Self::Denial> = $classify;
                classify(error, cancelled)
            }

            $(fn outcome(output: &Self::Output) -> &'static str {
                let outcome: fn(&Self::Output) -> &'static str = $outcome;
                outcome(output)
            })?
        }
    };
}

/// A write of one item.
macro_rules! write {
    ($name:literal, $module:ident, $fluent:ident, $output:ident, $error:ident) => {
        operation!(
            $name, $module, $fluent, $output, $error,
            |output| Usage::write(output.consumed_capacity()),
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

/// A transaction.
macro_rules! transaction {
    (
        $name:literal, $module:ident, $fluent:ident, $output:ident, $error:ident, $usage:expr,
        value: $value:ty, $into_value:expr
    ) => {
        operation!(
            $name, $module, $fluent, $output, $error, $usage,
            value: $value, $into_value,
            denial: Cancelled, |error, usage| match error.as_service_error() {
                Some(sdk::$module::$error::TransactionCanceledException(cancelled)) => {
                    Failure::cancelled(cancelled.cancellation_reasons().to_vec(), Error::sdk(error), usage)
                }
                _ => Failure::error(error),
            }
        );
    };
}

/// A reading, a batch, or an operation on a table: there is nothing to deny it for.
macro_rules! plain {
    ($name:literal, $module:ident, $fluent:ident, $output:ident, $error:ident, $usage:expr $(, outcome: $outcome:expr)?) => {
        operation!(
            $name, $module, $fluent, $output, $error, $usage,
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
    |output| Usage::transaction(output.consumed_capacity.as_deref()),
    value: (), |_| ()
);
transaction!(
    "TransactGetItems",
    transact_get_items,
    TransactGetItemsFluentBuilder,
    TransactGetItemsOutput,
    TransactGetItemsError,
    |output| Usage::reads(output.consumed_capacity.as_deref()),
    value: sdk::transact_get_items::TransactGetItemsOutput, |output| output
);

plain!(
    "GetItem", get_item, GetItemFluentBuilder, GetItemOutput, GetItemError,
    |output| Usage::read(output.consumed_capacity()),
    outcome: |output| if output.item.is_some() { "found" } else { "absent" }
);
plain!("Query", query, QueryFluentBuilder, QueryOutput, QueryError, |output| {
    Usage::read(output.consumed_capacity())
});
plain!("Scan", scan, ScanFluentBuilder, ScanOutput, ScanError, |output| Usage::read(output.consumed_capacity()));
plain!(
    "BatchGetItem", batch_get_item, BatchGetItemFluentBuilder, BatchGetItemOutput, BatchGetItemError,
    |output| Usage::reads(output.consumed_capacity.as_deref()),
    outcome: |output| processed(output.unprocessed_keys().is_some_and(|left| !left.is_empty()))
);
plain!(
    "BatchWriteItem", batch_write_item, BatchWriteItemFluentBuilder, BatchWriteItemOutput, BatchWriteItemError,
    |output| Usage::writes(output.consumed_capacity.as_deref()),
    outcome: |output| processed(output.unprocessed_items().is_some_and(|left| !left.is_empty()))
);

plain!("CreateTable", create_table, CreateTableFluentBuilder, CreateTableOutput, CreateTableError, free);
plain!("UpdateTable", update_table, UpdateTableFluentBuilder, UpdateTableOutput, UpdateTableError, free);
plain!("DescribeTable", describe_table, DescribeTableFluentBuilder, DescribeTableOutput, DescribeTableError, free);
plain!(
    "DescribeTimeToLive",
    describe_time_to_live,
    DescribeTimeToLiveFluentBuilder,
    DescribeTimeToLiveOutput,
    DescribeTimeToLiveError,
    free
);
plain!(
    "UpdateTimeToLive",
    update_time_to_live,
    UpdateTimeToLiveFluentBuilder,
    UpdateTimeToLiveOutput,
    UpdateTimeToLiveError,
    free
);
