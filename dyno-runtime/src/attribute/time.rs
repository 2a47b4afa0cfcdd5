//! Points in time that DynamoDB compares as numbers: milliseconds to order writes, seconds for expiry.

use super::number::decode_integer;
use super::{Parents, RawValue, StoredType, Value, kind};
use crate::error::{DecodeError, EncodeError};
use aws_sdk_dynamodb::types::AttributeValue;
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

macro_rules! epoch {
    ($($(#[$doc:meta])* $name:ident, $unit:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(i64);

        impl $name {
            #[doc = concat!("The moment this many ", $unit, " after 1970-01-01 00:00 UTC.")]
            #[must_use]
            pub const fn new(epoch: i64) -> Self {
                Self(epoch)
            }

            #[doc = concat!("The ", $unit, " since 1970-01-01 00:00 UTC.")]
            #[must_use]
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        #[cfg(feature = "serde")]
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.serialize(serializer)
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                i64::deserialize(deserializer).map(Self)
            }
        }

        impl Value for $name {
            type Kind = kind::Number;

            #[inline]
            fn encode(&self) -> Result<AttributeValue, EncodeError> {
                self.0.encode()
            }

            #[inline]
            fn decode(value: RawValue<'_>) -> Result<Self, DecodeError> {
                decode_integer(&value, || concat!("whole ", $unit, " (N)").to_owned()).map(Self)
            }

            fn __push_text(&self, text: &mut String) -> Result<(), EncodeError> {
                self.0.__push_text(text)
            }

            fn __text_len(&self) -> usize {
                self.0.__text_len()
            }

            fn __stored_type(_: &mut Parents) -> StoredType {
                StoredType::Unit($unit)
            }

            const __ONE_SPELLING: bool = true;

            const __RANGE: Option<(i128, i128)> = <i64 as Value>::__RANGE;
        }
    )*};
}

epoch! {
    /// A point in time in milliseconds since 1970-01-01 00:00 UTC, stored as N. The usual token of a
    /// [ratchet](crate::value::RatchetToken). The current time comes from [`Repository::now`](crate::Repository::now), or from
    /// the standard library's `SystemTime` by conversion.
    EpochMillis, "milliseconds";
    /// A point in time in whole seconds since 1970-01-01 00:00 UTC, stored as N. DynamoDB's TTL understands no other form, so
    /// this is the type of a `#[ttl]` field. A write refuses a TTL or token beyond the year 5000, because it can only be a
    /// number of milliseconds.
    EpochSeconds, "seconds";
}

impl EpochMillis {
    /// Returns the earliest whole second that is not before this moment.
    #[must_use]
    pub const fn to_seconds_ceil(self) -> EpochSeconds {
        let second = self.0.div_euclid(1000);
        // Cannot overflow: i64::MAX / 1000 is far from i64::MAX.
        EpochSeconds(if self.0.rem_euclid(1000) == 0 { second } else { second + 1 })
    }

    /// Returns the latest whole second that is not after this moment.
    #[must_use]
    pub const fn to_seconds_floor(self) -> EpochSeconds {
        EpochSeconds(self.0.div_euclid(1000))
    }
}

impl EpochSeconds {
    /// Returns the moment this many seconds later, or the latest moment of the type instead of overflowing.
    #[must_use]
    pub(crate) const fn plus(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds))
    }
}

/// Saturates at the ends of the type, some 292 million years from now.
impl From<SystemTime> for EpochMillis {
    fn from(time: SystemTime) -> Self {
        Self(match time.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_millis()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |millis| -millis),
        })
    }
}

impl From<SystemTime> for EpochSeconds {
    fn from(time: SystemTime) -> Self {
        EpochMillis::from(time).to_seconds_floor()
    }
}
