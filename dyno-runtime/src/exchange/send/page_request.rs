//! Queries, scans and batches of gets whose items are decoded from the bytes of the response, and not from the SDK's maps.
//!
//! The SDK sends, signs and retries as ever. Only its deserializer is replaced, by an interceptor: the orchestrator takes the
//! deserializer from the interceptors' state first. Ours indexes the items of a successful response, and gives the SDK's own
//! deserializer the response without them. Everything else, and every response in a form that it does not know, goes to the SDK
//! as it came. Where the interceptor has no effect, the items are in the SDK's output, and are taken from there.

use super::operation::{Failed, Operation, Sent, operation, sent, without_retries};
use super::page_deserializer::PageDeserializer;
use super::response_facts::{Facts, one, processed};
use crate::attribute::{Item, ItemsAt, JsonItems, RawItem};
use crate::exchange::watch::consumed_capacity::Usage;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::{self as sdk, RequestId as _};
use aws_sdk_dynamodb::types::KeysAndAttributes;
use aws_smithy_runtime_api::client::runtime_plugin::RuntimePlugin;
use aws_smithy_types::config_bag::FrozenLayer;
use futures_util::future::FutureExt as _;
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, OnceLock};

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

/// Returns the deserializer of an operation that leaves its items undecoded.
macro_rules! deserializer {
    ($module:ident, $operation:ident, $at:expr) => {{
        static OF_SDK: OnceLock<Option<FrozenLayer>> = OnceLock::new();
        let of_sdk = OF_SDK.get_or_init(|| sdk::$module::$operation::new().config()).clone();
        of_sdk.map(|of_sdk| PageDeserializer { at: $at, of_sdk })
    }};
}

/// Implements `Operation` for a query or scan.
macro_rules! page {
    ($name:literal, $module:ident, $fluent:ident, $operation:ident, $output:ident, $error:ident) => {
        operation!(
            $name, $module, $fluent, $output, $error,
            facts: |output| Facts {
                count: Some(output.count),
                scanned: Some(output.scanned_count),
                ..Facts::new(one(output.consumed_capacity()), Usage::read, output.request_id())
            },
            value: PageAnswer, |output, items| PageAnswer {
                items: items.map_or_else(
                    || undecoded(output.items.unwrap_or_default()),
                    |items| RawItem::all(items).collect(),
                ),
                last_key: output.last_evaluated_key,
                count: output.count,
            },
            denial: Infallible, |error, _| Failed::error(error),
            deserializer: deserializer!($module, $operation, ItemsAt::Items)
        );
    };
}

page!("Query", query, QueryFluentBuilder, Query, QueryOutput, QueryError);
page!("Scan", scan, ScanFluentBuilder, Scan, ScanOutput, ScanError);
operation!(
    "BatchGetItem", batch_get_item, BatchGetItemFluentBuilder, BatchGetItemOutput, BatchGetItemError,
    facts: |output| Facts {
        outcome: processed(output.unprocessed_keys().is_some_and(|left| !left.is_empty())),
        ..Facts::new(output.consumed_capacity(), Usage::read, output.request_id())
    },
    value: BatchAnswer, |output, items| {
        let tables = || output.responses.unwrap_or_default().into_iter();
        BatchAnswer {
            items: items.map_or_else(|| tables().map(|(table, items)| (table, undecoded(items))).collect(), RawItem::by_table),
            unprocessed: output.unprocessed_keys.unwrap_or_default(),
        }
    },
    denial: Infallible, |error, _| Failed::error(error),
    deserializer: deserializer!(batch_get_item, BatchGetItem, ItemsAt::ByTable)
);

fn undecoded(items: Vec<Item>) -> Vec<RawItem> {
    items.into_iter().map(RawItem::from).collect()
}
