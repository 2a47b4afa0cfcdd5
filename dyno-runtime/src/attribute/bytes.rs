//! Bytes: B. `Vec<u8>` and `[u8; N]` use this codec through the list methods of `u8`.

use super::{RawValue, Value, kind};
use crate::error::{DecodeError, EncodeError};
use ::bytes::Bytes;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;

pub(super) fn encode(bytes: &[u8]) -> AttributeValue {
    AttributeValue::B(Blob::new(bytes))
}

pub(super) fn decode(value: RawValue<'_>) -> Result<Vec<u8>, DecodeError> {
    value.into_bytes("bytes (B)")
}

impl Value for Bytes {
    type Kind = kind::Binary;

    #[inline]
    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        Ok(encode(self))
    }

    #[inline]
    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        decode(value).map(Self::from)
    }
}
