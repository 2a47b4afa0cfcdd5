//! `rust_decimal::Decimal`: N, exact, up to 29 of the 38 digits that DynamoDB keeps.

use crate::attribute::{AttributeKind, Decimal as Exact, Parents, RawValue, StoredType, Value, kind};
use crate::error::{DecodeError, EncodeError};
use aws_sdk_dynamodb::types::AttributeValue;
use rust_decimal::Decimal;

impl Value for Decimal {
    type Kind = kind::Decimal;

    fn __stored_type(_: &mut Parents) -> StoredType {
        StoredType::Form(AttributeKind::N, "decimal")
    }

    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        Ok(AttributeValue::N(self.to_string()))
    }

    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        let text = value.number().ok_or_else(|| value.wrong_type("a number (N)"))?;
        let number = Self::from_str_exact(&text).or_else(|_| Self::from_scientific(&text)).ok();
        // `from_scientific` rounds a number that the type cannot hold.
        let fitting = number.filter(|number| Exact::parse(&number.to_string()) == Exact::parse(&text));
        fitting.ok_or_else(|| DecodeError::new("a number of at most 28 digits (N)", "another number"))
    }
}
