//! Queries, scans and batches of gets whose items are decoded from the bytes of the response, and not from the SDK's maps.
//!
//! The SDK sends, signs and retries as ever. Only its deserializer is replaced, by an interceptor: the orchestrator takes the
//! deserializer from the interceptors' state first. Ours indexes the items of a successful response, and gives the SDK's own
//! deserializer the response without them. Everything else, and every response in a form that it does not know, goes to the SDK
//! as it came. Where the interceptor has no effect, the items are in the SDK's output, and are taken from there.

use super::classify_error::Failure;
use super::operation::{Operation, SdkResult, processed};
use super::usage::Usage;
use crate::attribute::{Item, ItemsAt, JsonItems, RawItem};
use aws_sdk_dynamodb::config::interceptors::BeforeSerializationInterceptorContextRef;
use aws_sdk_dynamodb::config::{Builder, ConfigBag, Intercept, SharedInterceptor};
use aws_sdk_dynamodb::error::{BoxError, SdkError};
use aws_sdk_dynamodb::operation as sdk;
use aws_sdk_dynamodb::types::KeysAndAttributes;
use aws_smithy_runtime_api::client::interceptors::context::{Error as AnyError, Output};
use aws_smithy_runtime_api::client::orchestrator::{HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::runtime_plugin::RuntimePlugin;
use aws_smithy_runtime_api::client::ser_de::{DeserializeResponse, SharedResponseDeserializer};
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::config_bag::FrozenLayer;
use futures_util::future::Either;
use std::collections::HashMap;
use std::convert::Infallible;
use std::mem;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Where the items of a page are decoded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecodeFrom {
    /// The bytes of the response.
    Response,
    /// The maps of the SDK's output.
    SdkOutput,
}

/// A query, scan or batch of gets that returns its items undecoded.
#[derive(Clone)]
pub(crate) struct PageRequest<B> {
    pub(crate) builder: B,
    pub(crate) decode_from: DecodeFrom,
}

/// A page of a query or scan.
pub(crate) struct PageAnswer {
    pub(crate) items: Vec<RawItem>,
    pub(crate) last_key: Option<Item>,
    /// The number of items that passed the filter.
    pub(crate) count: i32,
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
        $name:literal, $module:ident, $fluent:ident, $operation:ident, $output:ident, $error:ident, $at:expr, $usage:expr,
        value: $value:ty, $into_value:expr $(, outcome: $outcome:expr)?
    ) => {
        impl Operation for PageRequest<sdk::$module::builders::$fluent> {
            type Output = (sdk::$module::$output, Option<JsonItems>);
            type Value = $value;
            type Denial = Infallible;
            type Error = sdk::$module::$error;

            const NAME: &'static str = $name;

            fn send(
                self,
                config: Option<Builder>,
            ) -> impl Future<Output = SdkResult<Self::Output, Self::Error>> + Send {
                let slot = Slot::default();
                let config = match self.decode_from {
                    DecodeFrom::SdkOutput => config,
                    DecodeFrom::Response => {
                        let mut config = config.unwrap_or_default();
                        let sdk = || {
                            static LAYER: OnceLock<Option<FrozenLayer>> = OnceLock::new();
                            LAYER.get_or_init(|| sdk::$module::$operation::new().config()).clone()
                        };
                        if let Some(sdk) = sdk() {
                            let hook = Hook { at: $at, slot: slot.clone(), sdk };
                            config.push_interceptor(SharedInterceptor::permanent(hook));
                        }
                        Some(config)
                    }
                };
                let sent = match config {
                    Some(config) => Either::Left(Box::pin(self.builder.customize().config_override(config).send())),
                    None => Either::Right(Box::pin(self.builder.send())),
                };
                async move {
                    let output = sent.await?;
                    Ok((output, slot.take()))
                }
            }

            fn usage((output, _): &Self::Output) -> Usage {
                let usage: fn(&sdk::$module::$output) -> Usage = $usage;
                usage(output)
            }

            fn value((output, items): Self::Output) -> Self::Value {
                let value: fn(sdk::$module::$output, Option<JsonItems>) -> Self::Value = $into_value;
                value(output, items)
            }

            fn classify(error: SdkError<Self::Error, HttpResponse>, _: Usage) -> Failure<Infallible> {
                Failure::error(error)
            }

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
            |output| Usage::read(output.consumed_capacity()),
            value: PageAnswer, |output, items| {
                let items = match items {
                    Some(items) => RawItem::all(items).collect(),
                    None => undecoded(output.items.unwrap_or_default()),
                };
                PageAnswer { items, last_key: output.last_evaluated_key, count: output.count }
            }
        );
    };
}

page!("Query", query, QueryFluentBuilder, Query, QueryOutput, QueryError);
page!("Scan", scan, ScanFluentBuilder, Scan, ScanOutput, ScanError);
undecoded!(
    "BatchGetItem", batch_get_item, BatchGetItemFluentBuilder, BatchGetItem, BatchGetItemOutput, BatchGetItemError,
    ItemsAt::ByTable, |output| Usage::read(output.consumed_capacity.iter().flatten()),
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

/// The items of the last response to a request.
#[derive(Clone, Debug, Default)]
struct Slot(Arc<Mutex<Option<JsonItems>>>);

impl Slot {
    fn set(&self, items: Option<JsonItems>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = items;
    }

    fn take(&self) -> Option<JsonItems> {
        mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The interceptor that replaces the deserializer of a request.
#[derive(Debug)]
struct Hook {
    at: ItemsAt,
    slot: Slot,
    /// The operation's own configuration, with the SDK's deserializer.
    sdk: FrozenLayer,
}

impl Intercept for Hook {
    fn name(&self) -> &'static str {
        "dyno::Items"
    }

    fn read_before_execution(
        &self,
        _: &BeforeSerializationInterceptorContextRef<'_>,
        bag: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let deserializer = Deserializer { at: self.at, slot: self.slot.clone(), sdk: self.sdk.clone() };
        bag.interceptor_state().store_put(SharedResponseDeserializer::new(deserializer));
        Ok(())
    }
}

#[derive(Debug)]
struct Deserializer {
    at: ItemsAt,
    slot: Slot,
    sdk: FrozenLayer,
}

impl DeserializeResponse for Deserializer {
    fn deserialize_nonstreaming_with_config(
        &self,
        response: &HttpResponse,
        bag: &ConfigBag,
    ) -> Result<Output, OrchestratorError<AnyError>> {
        // The items of an earlier attempt do not count.
        self.slot.set(None);
        let Some(sdk) = self.sdk.load::<SharedResponseDeserializer>() else {
            return Err(OrchestratorError::other("the SDK has no deserializer for the operation"));
        };
        let indexed = if response.status().as_u16() == 200 { response.body().bytes() } else { None };
        let Some((items, rest)) = indexed.and_then(|bytes| JsonItems::index(bytes, self.at)) else {
            return sdk.deserialize_nonstreaming_with_config(response, bag);
        };
        let mut without_items = HttpResponse::new(response.status(), SdkBody::from(rest));
        *without_items.headers_mut() = response.headers().clone();
        let Ok(output) = sdk.deserialize_nonstreaming_with_config(&without_items, bag) else {
            // The error names a place in the whole response.
            return sdk.deserialize_nonstreaming_with_config(response, bag);
        };
        self.slot.set(Some(items));
        Ok(output)
    }
}
