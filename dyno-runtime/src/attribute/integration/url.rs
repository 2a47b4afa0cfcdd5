//! `url::Url`: S.

use super::text;
use crate::attribute::{AttributeKind, Parents, RawValue, StoredType, Value, kind};
use crate::error::{DecodeError, EncodeError};
use aws_sdk_dynamodb::types::AttributeValue;
use url::Url;

impl Value for Url {
    type Kind = kind::Text;

    fn __stored_type(_: &mut Parents) -> StoredType {
        StoredType::Form(AttributeKind::S, "URL")
    }

    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        Ok(AttributeValue::S(self.as_str().to_owned()))
    }

    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        text::decode(value, "a URL (S)", Self::parse)
    }
}
