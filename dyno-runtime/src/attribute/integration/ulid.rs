//! `ulid::Ulid`: S, the canonical 26 characters, which sort as the bytes do.

use super::text;
use crate::attribute::time::EpochMillis;
use crate::attribute::{
    AttributeKind, Characters, Parents, RatchetToken, RawValue, StoredType, TimeToken, Value, kind,
};
use crate::error::{DecodeError, EncodeError};
use aws_sdk_dynamodb::types::AttributeValue;
use ulid::Ulid;

impl Value for Ulid {
    type Kind = kind::Text;

    fn __stored_type(_: &mut Parents) -> StoredType {
        StoredType::Form(AttributeKind::S, "ULID")
    }

    const __CHARACTERS: Characters = Characters::Alphanumeric;

    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        Ok(AttributeValue::S(self.to_string()))
    }

    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        text::decode(value, "a ULID (S)", |text| {
            // 26 characters hold 130 bits, two more than a ULID. `from_string` would cut them off a text that begins above `7`.
            let fits = !text.starts_with(|first: char| first > '7' && !"OoIiLl".contains(first));
            Self::from_string(text).ok().filter(|_| fits).ok_or(())
        })
    }
}

impl RatchetToken for Ulid {
    fn time(&self) -> Option<EpochMillis> {
        i64::try_from(self.timestamp_ms()).ok().map(EpochMillis::new)
    }
}

impl TimeToken for Ulid {}
