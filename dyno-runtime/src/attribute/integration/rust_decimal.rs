//! `rust_decimal::Decimal`: N, exact; up to 29 digits of the 38 that DynamoDB keeps.

use crate::attribute::{DecodeError, EncodeError, Value, kind};
use aws_sdk_dynamodb::types::AttributeValue;
use rust_decimal::Decimal;

impl Value for Decimal {
    type Kind = kind::Decimal;

    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        Ok(AttributeValue::N(self.to_string()))
    }

    fn decode(value: AttributeValue) -> Result<Self, DecodeError> {
        match value {
            AttributeValue::N(text) => Self::from_str_exact(&text)
                .or_else(|_| Self::from_scientific(&text))
                .map_err(|_| DecodeError::new("a number of at most 28 digits (N)", format!("the number {text}"))),
            other => Err(DecodeError::wrong_type("a number (N)", &other)),
        }
    }
}
