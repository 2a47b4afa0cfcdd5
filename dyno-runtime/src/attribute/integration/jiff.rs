//! `jiff::Timestamp` and `jiff::civil::Date`: S, RFC 3339.

use super::{text, year_out_of_range};
use crate::attribute::time::{EpochMillis, EpochSeconds};
use crate::attribute::{
    AttributeKind, Form as _, Parents, RatchetToken, RawValue, Rfc3339, Shape, StoredType, TimeToken, Value, WriteTime,
    form, kind,
};
use crate::error::{DecodeError, EncodeError};
use aws_sdk_dynamodb::types::AttributeValue;
use jiff::Timestamp;
use jiff::civil::Date;

impl Value for Timestamp {
    type Kind = kind::Text;

    fn __stored_type(_: &mut Parents) -> StoredType {
        StoredType::Form(AttributeKind::S, form::Nanos::STORED)
    }

    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        let text = format!("{self:.9}");
        if text.starts_with('-') {
            return Err(year_out_of_range().of_value(format!("{self:?}")));
        }
        Ok(AttributeValue::S(text))
    }

    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        text::decode_time(value, str::parse)
    }
}

impl Rfc3339 for Timestamp {}

impl RatchetToken for Timestamp {
    fn time(&self) -> Option<EpochMillis> {
        Some(EpochMillis::from(*self))
    }

    const __SHAPE: Option<Shape> = Some(form::Nanos::SHAPE);
}

impl TimeToken for Timestamp {}

impl WriteTime for Timestamp {
    fn at(time: EpochMillis) -> Result<Self, EncodeError> {
        Self::from_millisecond(time.get()).map_err(|_| year_out_of_range())
    }
}

impl From<Timestamp> for EpochMillis {
    fn from(time: Timestamp) -> Self {
        Self::new(time.as_millisecond())
    }
}

impl From<Timestamp> for EpochSeconds {
    fn from(time: Timestamp) -> Self {
        EpochMillis::from(time).to_seconds_floor()
    }
}

impl Value for Date {
    type Kind = kind::Text;

    fn __stored_type(_: &mut Parents) -> StoredType {
        StoredType::Form(AttributeKind::S, "date")
    }

    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        if self.year() < 0 {
            return Err(year_out_of_range().of_value(format!("{self:?}")));
        }
        Ok(AttributeValue::S(self.to_string()))
    }

    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        text::decode(value, "a date as YYYY-MM-DD (S)", str::parse)
    }
}
