//! Queries, scans and batches of gets whose items are decoded from the bytes of the response, and not from the SDK's maps.
//!
//! The SDK sends, signs and retries as ever. Only its deserializer is replaced, by an interceptor: the orchestrator takes the
//! deserializer from the interceptors' state first. Ours indexes the items of a successful response, and gives the SDK's own
//! deserializer the response without them. Everything else, and every response in a form that it does not know, goes to the SDK
//! as it came. Where the interceptor has no effect, the items are in the SDK's output, and are taken from there.

use super::classify_error::Failure;
use super::interceptor::{Hooked, RequestHooks, keep_items, with_items};
use super::operation::{Operation, SdkResult, one, processed, sent};
use super::usage::Usage;
use crate::attribute::{Item, ItemsAt, JsonItems, RawItem};
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{Config, ConfigBag};
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::{self as sdk, RequestId as _};
use aws_sdk_dynamodb::types::{ConsumedCapacity, KeysAndAttributes};
use aws_smithy_runtime_api::client::interceptors::context::{Error as AnyError, Output};
use aws_smithy_runtime_api::client::orchestrator::{HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::runtime_plugin::RuntimePlugin;
use aws_smithy_runtime_api::client::ser_de::{DeserializeResponse, SharedResponseDeserializer};
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use aws_smithy_types::config_bag::FrozenLayer;
use bytes_utils::Str;
use futures_util::future::{Either, FutureExt as _};
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, OnceLock};

/// Where the items of a page are decoded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecodeFrom {
    /// The bytes of the response.
    Response,
    /// The maps of the SDK's output.
    SdkOutput,
}

/// A page of a query or scan.
pub(crate) struct PageAnswer {
    pub(crate) items: Vec<RawItem>,
    pub(crate) last_key: Option<Item>,
    /// The number of items that passed the filter.
    pub(crate) count: i32,
}

impl PageAnswer {
    /// Returns the items in the SDK's form, and the last key.
    pub(crate) fn into_maps(self) -> (Vec<Item>, Option<Item>) {
        (self.items.into_iter().map(RawItem::into_item).collect(), self.last_key)
    }
}

/// The answer to a batch of gets.
pub(crate) struct BatchAnswer {
    /// The items of each table.
    pub(crate) items: Vec<(String, Vec<RawItem>)>,
    pub(crate) unprocessed: HashMap<String, KeysAndAttributes>,
}

/// Implements `Operation` for a request that returns its items undecoded.
macro_rules! undecoded {
    (
        $name:literal, $module:ident, $fluent:ident, $operation:ident, $output:ident, $error:ident, $at:expr, $capacity:expr,
        value: $value:ty, $into_value:expr $(, count: $count:expr, scanned: $scanned:expr)? $(, outcome: $outcome:expr)?
    ) => {
        impl Operation for sdk::$module::builders::$fluent {
            type Output = (sdk::$module::$output, Option<Arc<JsonItems>>);
            type Value = $value;
            type Denial = Infallible;
            type Error = sdk::$module::$error;

            const NAME: &'static str = $name;

            fn send(
                self,
                mut hooks: RequestHooks,
            ) -> impl Future<Output = SdkResult<Self::Output, Self::Error>> + Send + Unpin {
                static OF_SDK: OnceLock<Option<FrozenLayer>> = OnceLock::new();
                if hooks.decode_from == DecodeFrom::Response {
                    let of_sdk = OF_SDK.get_or_init(|| sdk::$module::$operation::new().config()).clone();
                    hooks.deserializer = of_sdk.map(|of_sdk| PageDeserializer { at: $at, of_sdk });
                }
                sent!(self, hooks).map(with_items)
            }

            fn capacity((output, _): &Self::Output) -> &[ConsumedCapacity] {
                let capacity: fn(&sdk::$module::$output) -> &[ConsumedCapacity] = $capacity;
                capacity(output)
            }

            fn price(capacity: &[ConsumedCapacity]) -> Usage {
                Usage::read(capacity)
            }

            fn request_id((output, _): &Self::Output) -> Option<&str> {
                output.request_id()
            }

            fn value((output, items): Self::Output) -> Self::Value {
                let value: fn(sdk::$module::$output, Option<Arc<JsonItems>>) -> Self::Value = $into_value;
                value(output, items)
            }

            fn classify(error: SdkError<Self::Error, HttpResponse>, _: f64) -> Failure<Infallible> {
                Failure::error(error)
            }

            $(fn count((output, _): &Self::Output) -> Option<i32> {
                let count: fn(&sdk::$module::$output) -> i32 = $count;
                Some(count(output))
            }

            fn scanned((output, _): &Self::Output) -> Option<i32> {
                let scanned: fn(&sdk::$module::$output) -> i32 = $scanned;
                Some(scanned(output))
            })?

            $(fn outcome((output, _): &Self::Output) -> &'static str {
                let outcome: fn(&sdk::$module::$output) -> &'static str = $outcome;
                outcome(output)
            })?
        }
    };
}

/// Implements `Operation` for a query or scan.
macro_rules! page {
    ($name:literal, $module:ident, $fluent:ident, $operation:ident, $output:ident, $error:ident) => {
        undecoded!(
            $name, $module, $fluent, $operation, $output, $error, ItemsAt::Items,
            |output| one(output.consumed_capacity()),
            value: PageAnswer, |output, items| {
                let items = match items {
                    Some(items) => RawItem::all(items).collect(),
                    None => undecoded(output.items.unwrap_or_default()),
                };
                PageAnswer { items, last_key: output.last_evaluated_key, count: output.count }
            },
            count: |output| output.count, scanned: |output| output.scanned_count
        );
    };
}

page!("Query", query, QueryFluentBuilder, Query, QueryOutput, QueryError);
page!("Scan", scan, ScanFluentBuilder, Scan, ScanOutput, ScanError);
undecoded!(
    "BatchGetItem", batch_get_item, BatchGetItemFluentBuilder, BatchGetItem, BatchGetItemOutput, BatchGetItemError,
    ItemsAt::ByTable, |output| output.consumed_capacity(),
    value: BatchAnswer, |output, items| {
        let tables = || output.responses.unwrap_or_default().into_iter();
        BatchAnswer {
            items: items.map_or_else(|| tables().map(|(table, items)| (table, undecoded(items))).collect(), RawItem::by_table),
            unprocessed: output.unprocessed_keys.unwrap_or_default(),
        }
    },
    outcome: |output| processed(output.unprocessed_keys().is_some_and(|left| !left.is_empty()))
);

fn undecoded(items: Vec<Item>) -> Vec<RawItem> {
    items.into_iter().map(RawItem::from).collect()
}

/// The deserializer that takes the place of an operation's own.
#[derive(Clone, Debug)]
pub(crate) struct PageDeserializer {
    at: ItemsAt,
    /// The SDK's configuration of the operation, with the operation's own deserializer.
    of_sdk: FrozenLayer,
}

impl PageDeserializer {
    /// Makes the SDK use this deserializer for the request. (The orchestrator looks into the interceptors' state first.)
    pub(super) fn replace_in(&self, bag: &mut ConfigBag) {
        bag.interceptor_state().store_put(SharedResponseDeserializer::new(self.clone()));
    }
}

impl DeserializeResponse for PageDeserializer {
    fn deserialize_nonstreaming_with_config(
        &self,
        response: &HttpResponse,
        bag: &ConfigBag,
    ) -> Result<Output, OrchestratorError<AnyError>> {
        // The items of an earlier attempt do not count.
        let keeps_items = keep_items(None);
        let Some(sdk) = self.of_sdk.load::<SharedResponseDeserializer>() else {
            return Err(OrchestratorError::other("the SDK has no deserializer for the operation"));
        };
        let is_page = keeps_items && response.status().as_u16() == 200;
        let text = if is_page { body_text(response) } else { None };
        let Some((items, rest)) = text.and_then(|text| JsonItems::index(text, self.at)) else {
            return sdk.deserialize_nonstreaming_with_config(response, bag);
        };
        let mut without_items = HttpResponse::new(response.status(), SdkBody::from(rest));
        *without_items.headers_mut() = response.headers().clone();
        let Ok(output) = sdk.deserialize_nonstreaming_with_config(&without_items, bag) else {
            // The error names a place in the whole response.
            return sdk.deserialize_nonstreaming_with_config(response, bag);
        };
        keep_items(Some(Arc::new(items)));
        Ok(output)
    }
}

/// Returns the body, which the SDK has read completely, without a copy of its bytes.
fn body_text(response: &HttpResponse) -> Option<Str> {
    let body = ByteStream::new(response.body().try_clone()?).collect().now_or_never()?;
    Str::try_from(body.ok()?.into_bytes()).ok()
}
