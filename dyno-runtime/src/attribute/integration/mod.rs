//! Types of other crates as fields, each behind a feature of the crate's name.
//!
//! Points in time are stored as S in one fixed form, UTC with nine fraction digits, because a variable number
//! of digits would not sort: `…:00.5Z` comes after `…:00.25Z`, and `…:00Z` after both.

#[cfg(feature = "chrono")]
mod chrono;
#[cfg(feature = "jiff")]
mod jiff;
#[cfg(feature = "rust_decimal")]
mod rust_decimal;
#[cfg(feature = "time")]
mod time;
#[cfg(feature = "ulid")]
mod ulid;
#[cfg(feature = "url")]
mod url;
#[cfg(feature = "uuid")]
mod uuid;

#[cfg(any(
    feature = "chrono",
    feature = "jiff",
    feature = "time",
    feature = "ulid",
    feature = "url",
    feature = "uuid"
))]
mod text {
    use crate::attribute::DecodeError;
    use aws_sdk_dynamodb::types::AttributeValue;

    /// Reads a type that has one text form.
    pub(super) fn decode<T, E>(
        value: AttributeValue,
        expected: &'static str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, DecodeError> {
        match value {
            AttributeValue::S(text) => parse(&text).map_err(|_| DecodeError::new(expected, "another string (S)")),
            other => Err(DecodeError::wrong_type(expected, &other)),
        }
    }
}

#[cfg(any(feature = "chrono", feature = "jiff", feature = "time"))]
fn year_out_of_range() -> crate::attribute::EncodeError {
    crate::attribute::EncodeError::new("the year is outside 0 to 9999, so the stored text would not sort by time")
}
