//! The request of one write of one row: `PutItem`, `UpdateItem` or `DeleteItem`.

use super::classify_error::Failure;
use super::operation::{Failed, Operation, Sent, sent, without_retries};
use super::response_facts::{Facts, one};
use crate::attribute::{Item, JsonItems};
use crate::exchange::request::Request;
use crate::exchange::watch::consumed_capacity::Usage;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::delete_item::DeleteItemOutput;
use aws_sdk_dynamodb::operation::delete_item::builders::DeleteItemFluentBuilder;
use aws_sdk_dynamodb::operation::put_item::PutItemOutput;
use aws_sdk_dynamodb::operation::put_item::builders::PutItemFluentBuilder;
use aws_sdk_dynamodb::operation::update_item::UpdateItemOutput;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::operation::{self as sdk, RequestId as _};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use futures_util::future::FutureExt as _;
use std::sync::Arc;

/// The request of a single write.
#[derive(Clone)]
pub(crate) enum RowRequest {
    Put(PutItemFluentBuilder),
    Update(UpdateItemFluentBuilder),
    Delete(DeleteItemFluentBuilder),
}

impl RowRequest {
    /// Returns the request, to be shown.
    pub(crate) fn request(&self) -> Request {
        match self {
            Self::Put(put) => Request::Put(put.as_input().clone()),
            Self::Update(update) => Request::Update(update.as_input().clone()),
            Self::Delete(delete) => Request::Delete(delete.as_input().clone()),
        }
    }
}

/// The output of a write of one item.
pub(crate) enum RowOutput {
    Put(PutItemOutput),
    Update(UpdateItemOutput),
    Delete(DeleteItemOutput),
}

// One operation, so that what depends on the type of an operation is compiled once for the three.
impl Operation for RowRequest {
    type Output = RowOutput;
    type Value = Option<Item>;
    type Denial = Option<Item>;

    fn name(&self) -> &'static str {
        match self {
            Self::Put(_) => "PutItem",
            Self::Update(_) => "UpdateItem",
            Self::Delete(_) => "DeleteItem",
        }
    }

    fn send(self, is_retried: bool, _: f64) -> Sent<RowOutput, Option<Item>> {
        macro_rules! row {
            ($builder:ident, $kind:ident, $error:path) => {{
                let classify = |error: SdkError<_, HttpResponse>| match error.as_service_error() {
                    Some($error(refused)) => Failed {
                        failure: Failure::refused(refused.item()),
                        denial: Some(refused.item().cloned()),
                        request_id: error.request_id().map(str::to_owned),
                    },
                    _ => Failed::error(error),
                };
                sent!($builder, is_retried, RowOutput::$kind, classify)
            }};
        }
        match self {
            Self::Put(put) => row!(put, Put, sdk::put_item::PutItemError::ConditionalCheckFailedException),
            Self::Update(update) => {
                row!(update, Update, sdk::update_item::UpdateItemError::ConditionalCheckFailedException)
            }
            Self::Delete(delete) => {
                row!(delete, Delete, sdk::delete_item::DeleteItemError::ConditionalCheckFailedException)
            }
        }
    }

    fn facts(output: &RowOutput) -> Facts<'_> {
        let (capacity, request_id) = match output {
            RowOutput::Put(output) => (output.consumed_capacity(), output.request_id()),
            RowOutput::Update(output) => (output.consumed_capacity(), output.request_id()),
            RowOutput::Delete(output) => (output.consumed_capacity(), output.request_id()),
        };
        Facts::new(one(capacity), Usage::write, request_id)
    }

    fn value(output: RowOutput, _: Option<Arc<JsonItems>>) -> Option<Item> {
        match output {
            RowOutput::Put(output) => output.attributes,
            RowOutput::Update(output) => output.attributes,
            RowOutput::Delete(output) => output.attributes,
        }
    }
}
