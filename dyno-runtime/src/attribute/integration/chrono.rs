//! `chrono::DateTime<Utc>` and `chrono::NaiveDate`: S, RFC 3339.

use super::{text, year_out_of_range};
use crate::attribute::time::{EpochMillis, EpochSeconds};
use crate::attribute::{
    AttributeKind, Form as _, Parents, RatchetToken, RawValue, Rfc3339, Shape, StoredType, TimeToken, Value, WriteTime,
    form, kind,
};
use crate::error::{DecodeError, EncodeError};
use aws_sdk_dynamodb::types::AttributeValue;
use chrono::{DateTime, Datelike as _, NaiveDate, Utc};

impl Value for DateTime<Utc> {
    type Kind = kind::Text;

    fn __stored_type(_: &mut Parents) -> StoredType {
        StoredType::Form(AttributeKind::S, form::Nanos::STORED)
    }

    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        if !(0..=9999).contains(&self.year()) {
            return Err(year_out_of_range().of_value(format!("{self:?}")));
        }
        Ok(AttributeValue::S(self.format("%Y-%m-%dT%H:%M:%S%.9fZ").to_string()))
    }

    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        text::decode_time(value, DateTime::parse_from_rfc3339).map(|time| time.to_utc())
    }
}

impl Rfc3339 for DateTime<Utc> {}

impl RatchetToken for DateTime<Utc> {
    fn time(&self) -> Option<EpochMillis> {
        Some(EpochMillis::from(*self))
    }

    const __SHAPE: Option<Shape> = Some(form::Nanos::SHAPE);
}

impl TimeToken for DateTime<Utc> {}

impl WriteTime for DateTime<Utc> {
    fn at(time: EpochMillis) -> Result<Self, EncodeError> {
        Self::from_timestamp_millis(time.get()).ok_or_else(year_out_of_range)
    }
}

impl From<DateTime<Utc>> for EpochMillis {
    fn from(time: DateTime<Utc>) -> Self {
        Self::new(time.timestamp_millis())
    }
}

impl From<DateTime<Utc>> for EpochSeconds {
    fn from(time: DateTime<Utc>) -> Self {
        Self::new(time.timestamp())
    }
}

impl Value for NaiveDate {
    type Kind = kind::Text;

    fn __stored_type(_: &mut Parents) -> StoredType {
        StoredType::Form(AttributeKind::S, "date")
    }

    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        if !(0..=9999).contains(&self.year()) {
            return Err(year_out_of_range().of_value(format!("{self:?}")));
        }
        Ok(AttributeValue::S(self.to_string()))
    }

    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        text::decode(value, "a date as YYYY-MM-DD (S)", str::parse)
    }
}
