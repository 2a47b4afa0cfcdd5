//! Fields marked `#[attribute(serde)]`: any serde type, through `serde_dynamo`.

use crate::error::{DecodeError, EncodeError, descriptor};
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
        .map_err(|error| DecodeError::new(format!("a serde value ({})", without_value(&error.to_string())), found))
}

/// Returns the message of an error from serde itself, without the value that it quotes.
fn without_value(message: &str) -> String {
    let problems = ["invalid type", "invalid value", "unknown variant", "unknown field"];
    let problem = problems.into_iter().find(|problem| message.starts_with(problem));
    match problem.zip(message.rsplit_once(", expected ")) {
        Some((problem, (_, expected))) => format!("{problem}, expected {expected}"),
        None => problem.unwrap_or(message).to_owned(),
    }
}
