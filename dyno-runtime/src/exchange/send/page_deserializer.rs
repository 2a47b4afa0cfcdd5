//! The deserializer that takes the items out of a response before the SDK decodes the rest.

use super::interceptor::keep_items;
use crate::attribute::{ItemsAt, JsonItems};
use aws_sdk_dynamodb::config::ConfigBag;
use aws_smithy_runtime_api::client::interceptors::context::{Error as AnyError, Output};
use aws_smithy_runtime_api::client::orchestrator::{HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::ser_de::{DeserializeResponse, SharedResponseDeserializer};
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use aws_smithy_types::config_bag::FrozenLayer;
use bytes_utils::Str;
use futures_util::future::FutureExt as _;
use std::sync::Arc;

/// Where the items of a page are decoded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecodeFrom {
    /// The bytes of the response.
    Response,
    /// The maps of the SDK's output.
    SdkOutput,
}

/// The deserializer that takes the place of an operation's own.
#[derive(Clone, Debug)]
pub(crate) struct PageDeserializer {
    pub(in crate::exchange) at: ItemsAt,
    /// The SDK's configuration of the operation, with the operation's own deserializer.
    pub(in crate::exchange) of_sdk: FrozenLayer,
}

impl PageDeserializer {
    /// Makes the SDK use this deserializer for the request. (The orchestrator looks into the interceptors' state first.)
    pub(in crate::exchange) fn replace_in(&self, bag: &mut ConfigBag) {
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
