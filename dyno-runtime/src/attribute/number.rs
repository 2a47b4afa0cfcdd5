//! Numbers. DynamoDB's N is a decimal of 38 significant digits from 1E-130 to 9.99E+125. One number has many spellings (`7`,
//! `7.0`, `7E+0`), and both other writers and the service itself produce them. (Limits: developer guide, "Constraints in Amazon
//! DynamoDB", data types.)

use super::{AttributeKind, Parents, RawValue, StoredType, Value, kind};
use crate::error::{DecodeError, EncodeError};
use aws_sdk_dynamodb::types::AttributeValue;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Write as _;
use std::str::FromStr;

/// A number parsed from the text of an N, in any spelling: `± 0.d₁d₂d₃… × 10^exponent`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(super) negative: bool,
    /// Significant digits without leading or trailing zeros, as text; empty for zero.
    pub(super) digits: Vec<u8>,
    pub(super) exponent: i64,
}

impl Decimal {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (negative, text) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, i64::from_str(exponent).ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let mut digits = Vec::with_capacity(mantissa.len());
        digits.extend_from_slice(whole.as_bytes());
        digits.extend_from_slice(fraction.as_bytes());
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let point = i64::try_from(whole.len()).ok()?;
        Self::trimmed(negative, digits, exponent.checked_add(point)?)
    }

    /// Returns `± 0.d₁d₂d₃… × 10^exponent`. The digits may begin and end with zeros.
    pub(super) fn trimmed(negative: bool, mut digits: Vec<u8>, exponent: i64) -> Option<Self> {
        let leading = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..leading);
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            return Some(Self { negative: false, digits, exponent: 0 });
        }
        Some(Self { negative, digits, exponent: exponent.checked_sub_unsigned(u64::try_from(leading).ok()?)? })
    }

    /// Returns the number of significant digits.
    pub(crate) fn precision(&self) -> usize {
        self.digits.len()
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    /// Returns how many of the significant digits stand before the point.
    pub(crate) fn whole_digits(&self) -> usize {
        usize::try_from(self.exponent).unwrap_or(0).min(self.digits.len())
    }

    /// Returns `true` if the digits, in pairs that begin at the point, need one pair more than in pairs that begin at the first
    /// digit. No digit may stand on the other side of the point.
    pub(crate) fn is_between_pairs(&self) -> bool {
        let is_on_one_side = [0, self.digits.len()].contains(&self.whole_digits());
        is_on_one_side && self.exponent % 2 != 0 && self.digits.len().is_multiple_of(2) && !self.digits.is_empty()
    }

    /// Returns true if the magnitude is within N's range: zero, or 1E-130 to 9.99E+125.
    pub(crate) fn in_range(&self) -> bool {
        (-129..=126).contains(&self.exponent)
    }

    /// Returns the plain digits of an integer, or `None` if there is a fraction or if no integer type has so many digits.
    fn whole(&self) -> Option<String> {
        if self.digits.is_empty() {
            return Some("0".to_owned());
        }
        let length = usize::try_from(self.exponent).ok()?;
        if !(self.digits.len()..=40).contains(&length) {
            return None;
        }
        let sign = self.negative.then_some('-');
        let digits = self.digits.iter().map(|digit| char::from(*digit));
        let zeros = std::iter::repeat_n('0', length - self.digits.len());
        Some(sign.into_iter().chain(digits).chain(zeros).collect())
    }
}

/// Writes the same text for every spelling of a number: the digits of an integer, or `.15E1` for 1.5.
impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(whole) = self.whole() {
            return f.write_str(&whole);
        }
        f.write_str(if self.negative { "-." } else { "." })?;
        self.digits.iter().try_for_each(|digit| f.write_char(char::from(*digit)))?;
        write!(f, "E{}", self.exponent)
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let magnitude = |a: &Self, b: &Self| match (a.digits.is_empty(), b.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            // Neither has leading zeros, so the exponent decides first; neither has trailing zeros, so
            // the shorter of two equal beginnings is the smaller.
            (false, false) => (a.exponent, &a.digits).cmp(&(b.exponent, &b.digits)),
        };
        match (self.negative, other.negative) {
            (false, false) => magnitude(self, other),
            (true, true) => magnitude(other, self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Parses any spelling of an integer that fits `T`.
#[inline]
pub(crate) fn parse_integer<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok().or_else(|| parse_spelled(text))
}

#[cold]
fn parse_spelled<T: FromStr>(text: &str) -> Option<T> {
    Decimal::parse(text)?.whole()?.parse().ok()
}

#[cold]
fn other_number(expected: impl Into<Cow<'static, str>>) -> DecodeError {
    DecodeError::new(expected, "another number")
}

#[inline]
pub(super) fn decode_integer<T: FromStr>(
    value: &RawValue<'_>,
    expected: impl Fn() -> String,
) -> Result<T, DecodeError> {
    match value.number() {
        Some(text) => parse_integer(&text).ok_or_else(|| other_number(expected())),
        None => Err(value.wrong_type(expected())),
    }
}

/// One more than the largest integer that N keeps exactly: 38 digits.
const LIMIT: u128 = 10u128.pow(38);

/// Returns true if N keeps an integer exactly. Zeros at the end are no significant digits, and 128 bits have at most 39 digits.
const fn is_kept(integer: u128) -> bool {
    integer < LIMIT || integer.is_multiple_of(10)
}

/// Returns the range of a type's numbers that N keeps exactly.
const fn range(min: i128, max: u128) -> (i128, i128) {
    #[expect(clippy::cast_possible_wrap, reason = "38 digits fit")]
    const LAST: i128 = (LIMIT - 1) as i128;
    #[expect(clippy::cast_possible_wrap, reason = "compared before")]
    let max = if max >= LIMIT { LAST } else { max as i128 };
    (if min < -LAST { -LAST } else { min }, max)
}

macro_rules! integer {
    ($($type:ty: $kind:ident $(where $fits:expr)? $(, $list:ident)?;)*) => {$(
        impl Value for $type {
            type Kind = kind::$kind;

            #[inline]
            fn encode(&self) -> Result<AttributeValue, EncodeError> {
                $(if !$fits(*self) {
                    return Err(EncodeError::new(format!(
                        "{self} has more than 38 digits, which DynamoDB cannot store: store it as a string"
                    )));
                })?
                Ok(AttributeValue::N(self.to_string()))
            }

            #[inline]
            fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
                decode_integer(&value, || {
                    format!("a whole number from {} to {} (N)", <$type>::MIN, <$type>::MAX)
                })
            }

            fn __push_text(&self, text: &mut String) -> Result<(), EncodeError> {
                $(if !$fits(*self) {
                    return self.encode().map(drop);
                })?
                let _ = write!(text, "{self}");
                Ok(())
            }

            fn __text_len(&self) -> usize {
                20
            }

            const __ONE_SPELLING: bool = true;

            #[allow(
                clippy::cast_lossless,
                clippy::cast_possible_wrap,
                clippy::cast_sign_loss,
                trivial_numeric_casts,
                reason = "`From` is not for constants, and no greatest number is negative"
            )]
            const __RANGE: Option<(i128, i128)> = Some(range(<$type>::MIN as i128, <$type>::MAX as u128));

            $(integer!(@ $list);)?
        }
    )*};
    (@ bytes) => {
        fn __encode_list(list: &[Self]) -> Result<AttributeValue, EncodeError> {
            Ok(super::bytes::encode(list))
        }

        fn __decode_list(value: RawValue<'_>) -> Result<Vec<Self>, DecodeError> {
            super::bytes::decode(value)
        }
    };
}

integer! {
    u8: Byte, bytes;
    u16: Number;
    u32: Number;
    u64: Number;
    usize: Number;
    i8: Number;
    i16: Number;
    i32: Number;
    i64: Number;
    isize: Number;
    u128: Number where is_kept;
    i128: Number where |number: i128| is_kept(number.unsigned_abs());
}

macro_rules! float {
    ($($type:ty: $parse:ident;)*) => {$(
        /// Parses a number, unless it is too large for the type.
        #[inline]
        fn $parse(text: &str) -> Option<$type> {
            text.parse().ok().filter(|number: &$type| number.is_finite())
        }

        impl Value for $type {
            type Kind = kind::Float;

            fn __stored_type(_: &mut Parents) -> StoredType {
                StoredType::Form(AttributeKind::N, stringify!($type))
            }

            #[inline]
            fn encode(&self) -> Result<AttributeValue, EncodeError> {
                let magnitude = f64::from(*self).abs();
                // Both forms are the shortest that read back as the same float.
                if *self == 0.0 {
                    Ok(AttributeValue::N("0".to_owned()))
                } else if (1e-6..1e16).contains(&magnitude) {
                    Ok(AttributeValue::N(self.to_string()))
                } else if (1e-130..1e126).contains(&magnitude) {
                    Ok(AttributeValue::N(format!("{self:e}")))
                } else {
                    Err(EncodeError::new(format!(
                        "{self:e} is not a number that DynamoDB can store: it must be finite, and 0 or from 1E-130 to 9.99E+125"
                    )))
                }
            }

            #[inline]
            fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
                let text = value.number().ok_or_else(|| value.wrong_type("a number (N)"))?;
                $parse(&text).ok_or_else(|| other_number(concat!("a number (N) that fits ", stringify!($type))))
            }

            fn __decode_list(value: RawValue<'_>) -> Result<Vec<Self>, DecodeError> {
                super::collection::decode_numbers(value, $parse)
            }
        }
    )*};
}

float! {
    f32: parse_f32;
    f64: parse_f64;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> AttributeValue {
        AttributeValue::N(text.to_owned())
    }

    #[test]
    fn integers_are_read_from_every_spelling() {
        for text in ["7", "7.0", "+7", "0.7E1", "70e-1", "7E+0", "007", "7.", "700E-2"] {
            assert_eq!(u8::decode(number(text).into()), Ok(7), "{text}");
        }
        assert_eq!(i128::decode(number("-1E+2").into()), Ok(-100));
        assert_eq!(u64::decode(number("-0.0").into()), Ok(0));
        assert_eq!(u128::decode(number("1E37").into()), Ok(10u128.pow(37)));
        for text in ["7.5", "256", "-1", "1E+3", "1E-1", "", "-", ".", "E1", "7a", "1E99999999999999999999", "NaN"] {
            assert!(u8::decode(number(text).into()).is_err(), "{text}");
        }
        assert!(u8::decode(AttributeValue::S("7".to_owned()).into()).is_err());
    }

    #[test]
    fn integers_keep_38_digits() {
        let largest = LIMIT - 1;
        assert_eq!(u128::decode(largest.encode().expect("38 digits").into()), Ok(largest));
        for kept in [LIMIT, u128::MAX / 10 * 10] {
            let encoded = kept.encode().expect("38 significant digits");
            assert_eq!(u128::decode(encoded.into()), Ok(kept));
        }
        assert!((LIMIT + 1).encode().is_err());
        assert!(u128::MAX.encode().is_err());
        assert!(i128::MIN.encode().is_err());
        assert!(i128::MIN.__push_text(&mut String::new()).is_err());
    }

    #[test]
    fn floats_are_exact_or_refused() {
        for float in [0.1, 1.0, -2.5, 1e-7, 1e21, 9.99e125, 1e-130, f64::EPSILON, 123_456_789.123] {
            let Ok(AttributeValue::N(text)) = float.encode() else {
                panic!("{float}");
            };
            assert!(Decimal::parse(&text).is_some(), "{text}");
            assert_eq!(f64::decode(number(&text).into()), Ok(float));
        }
        assert_eq!((-0.0f64).encode(), Ok(number("0")));
        assert_eq!(0.1f32.encode(), Ok(number("0.1")));
        for float in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e126, 1e300, 1e-131, 5e-324] {
            assert!(float.encode().is_err(), "{float}");
        }
    }

    #[test]
    fn decimals_are_ordered_as_numbers() {
        let ascending = [
            "-1E+2",
            "-99.5",
            "-2",
            "-1.5",
            "-1",
            "-0.1",
            "-1E-130",
            "0",
            "1E-130",
            "0.09",
            "0.1",
            "1",
            "1.0001",
            "1.5",
            "9",
            "10",
            "99.5",
            "1E+2",
            "1.1E2",
            "12345678901234567890123456789012345678",
        ];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                let order = Decimal::parse(a).cmp(&Decimal::parse(b));
                assert_eq!(order, i.cmp(&j), "{a} and {b}");
            }
        }
        assert_eq!(Decimal::parse("3.140"), Decimal::parse("314E-2"));
        assert_eq!(Decimal::parse("-0"), Decimal::parse("0"));
    }
}
