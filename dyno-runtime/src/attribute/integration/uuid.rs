//! `uuid::Uuid`: S, hyphenated lower case, which sorts as the bytes do.

use super::text;
use crate::attribute::time::EpochMillis;
use crate::attribute::{
    AttributeKind, Characters, Parents, RatchetToken, RawValue, StoredType, TimeToken, Value, kind,
};
use crate::error::{DecodeError, EncodeError};
use aws_sdk_dynamodb::types::AttributeValue;
use uuid::Uuid;

impl Value for Uuid {
    type Kind = kind::Text;

    fn __stored_type(_: &mut Parents) -> StoredType {
        StoredType::Form(AttributeKind::S, "UUID")
    }

    const __CHARACTERS: Characters = Characters::Hexadecimal;

    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        Ok(AttributeValue::S(self.hyphenated().to_string()))
    }

    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        text::decode(value, "a UUID (S)", Self::try_parse)
    }
}

/// Version 7 only, because other versions do not grow with time.
impl RatchetToken for Uuid {
    fn time(&self) -> Option<EpochMillis> {
        let (seconds, nanos) = self.get_timestamp()?.to_unix();
        let seconds = i64::try_from(seconds).ok()?;
        Some(EpochMillis::new(seconds.checked_mul(1000)?.checked_add(i64::from(nanos / 1_000_000))?))
    }

    fn check(&self) -> Result<(), EncodeError> {
        match self.get_version_num() {
            7 => Ok(()),
            version => {
                Err(EncodeError::new(format!("a UUID of version {version} does not order writes: use version 7")))
            }
        }
    }
}

impl TimeToken for Uuid {}
