//! `time::OffsetDateTime` (stored in UTC, without its offset) and `time::Date`: S, RFC 3339.

use super::{text, year_out_of_range};
use crate::attribute::time::{EpochMillis, EpochSeconds};
use crate::attribute::{
    AttributeKind, Form as _, Parents, RatchetToken, RawValue, Rfc3339, Shape, StoredType, TimeToken, Value, WriteTime,
    form, kind,
};
use crate::error::{DecodeError, EncodeError};
use aws_sdk_dynamodb::types::AttributeValue;
use time::format_description::well_known;
use time::format_description::well_known::Iso8601;
use time::{Date, OffsetDateTime, UtcOffset};

impl Value for OffsetDateTime {
    type Kind = kind::Text;

    fn __stored_type(_: &mut Parents) -> StoredType {
        StoredType::Form(AttributeKind::S, form::Nanos::STORED)
    }

    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        let utc = self.checked_to_offset(UtcOffset::UTC).ok_or_else(year_out_of_range)?;
        if !(0..=9999).contains(&utc.year()) {
            return Err(year_out_of_range().of_value(format!("{self:?}")));
        }
        Ok(AttributeValue::S(format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}Z",
            utc.year(),
            u8::from(utc.month()),
            utc.day(),
            utc.hour(),
            utc.minute(),
            utc.second(),
            utc.nanosecond()
        )))
    }

    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        text::decode_time(value, |text| Self::parse(text, &well_known::Rfc3339))
    }
}

impl Rfc3339 for OffsetDateTime {}

impl RatchetToken for OffsetDateTime {
    fn time(&self) -> Option<EpochMillis> {
        Some(EpochMillis::from(*self))
    }

    const __SHAPE: Option<Shape> = Some(form::Nanos::SHAPE);
}

impl TimeToken for OffsetDateTime {}

impl WriteTime for OffsetDateTime {
    fn at(time: EpochMillis) -> Result<Self, EncodeError> {
        Self::from_unix_timestamp_nanos(i128::from(time.get()) * 1_000_000).map_err(|_| year_out_of_range())
    }
}

impl From<OffsetDateTime> for EpochMillis {
    fn from(time: OffsetDateTime) -> Self {
        let millis = time.unix_timestamp_nanos().div_euclid(1_000_000);
        // Cannot overflow: the type ends in the year 9999, some 2.5 × 10^14 milliseconds.
        Self::new(i64::try_from(millis).unwrap_or(i64::MAX))
    }
}

impl From<OffsetDateTime> for EpochSeconds {
    fn from(time: OffsetDateTime) -> Self {
        Self::new(time.unix_timestamp())
    }
}

impl Value for Date {
    type Kind = kind::Text;

    fn __stored_type(_: &mut Parents) -> StoredType {
        StoredType::Form(AttributeKind::S, "date")
    }

    fn encode(&self) -> Result<AttributeValue, EncodeError> {
        if !(0..=9999).contains(&self.year()) {
            return Err(year_out_of_range().of_value(format!("{self:?}")));
        }
        Ok(AttributeValue::S(format!("{:04}-{:02}-{:02}", self.year(), u8::from(self.month()), self.day())))
    }

    fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
        text::decode(value, "a date as YYYY-MM-DD (S)", |text| Self::parse(text, &Iso8601::DATE))
    }
}
