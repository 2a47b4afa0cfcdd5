//! Fields marked `#[attribute(serde)]`: any serde type, through `serde_dynamo`.

use super::error::{DecodeError, EncodeError, descriptor};
use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Encodes a field marked `#[attribute(serde)]`.
pub fn encode<T: Serialize>(value: &T) -> Result<AttributeValue, EncodeError> {
    serde_dynamo::to_attribute_value(value).map_err(|error| EncodeError::new(error.to_string()))
}

/// Decodes a field marked `#[attribute(serde)]`.
pub fn decode<T: DeserializeOwned>(value: AttributeValue) -> Result<T, DecodeError> {
    let found = descriptor(&value);
    serde_dynamo::from_attribute_value(value)
        .map_err(|error| DecodeError::new(format!("a serde value ({error})"), found))
}
