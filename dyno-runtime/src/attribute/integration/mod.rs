//! Types of other crates as fields, each behind a feature of the crate's name.
//!
//! A point in time is stored as S in one fixed form, UTC with nine fraction digits. With a variable number of digits the texts
//! would not sort: `…:00.5Z` comes after `…:00.55Z`, and `…:00Z` after both.

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
    use crate::attribute::RawValue;
    use crate::error::DecodeError;

    /// Decodes a type that has one text form.
    pub(super) fn decode<T, E>(
        value: RawValue<'_>,
        expected: &'static str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, DecodeError> {
        value.parse_text(expected, |text| parse(text).map_err(|_| DecodeError::new(expected, "another string (S)")))
    }

    /// Decodes a time of at most nine fraction digits. The types would silently drop further digits.
    #[cfg(any(feature = "chrono", feature = "jiff", feature = "time"))]
    pub(super) fn decode_time<T, E>(
        value: RawValue<'_>,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, DecodeError> {
        decode(value, "an RFC 3339 time of at most nine fraction digits (S)", |text| {
            let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
            let digits = fraction.bytes().take_while(u8::is_ascii_digit);
            let is_exact = digits.skip(9).all(|digit| digit == b'0');
            parse(text).ok().filter(|_| is_exact).ok_or(())
        })
    }
}

#[cfg(any(feature = "chrono", feature = "jiff", feature = "time"))]
fn year_out_of_range() -> crate::attribute::EncodeError {
    crate::attribute::EncodeError::new("the year is outside 0 to 9999, so the stored text would not sort by time")
}
