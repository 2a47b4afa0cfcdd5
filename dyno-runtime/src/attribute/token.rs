//! Traits of field types that rules rely on: tokens, tiebreaks, versions and TTLs.

use super::kind::OrderedKind;
use super::time::{EpochMillis, EpochSeconds};
use super::{Shape, Value, compare};
use crate::error::EncodeError;
use aws_sdk_dynamodb::types::AttributeValue;
use std::cmp::Ordering;

/// A value that orders writes: stored as a number, or as text or bytes that sort as the values do.
///
/// Implemented for [`EpochMillis`], [`EpochSeconds`](crate::EpochSeconds) and integers, and behind features for ULIDs, UUIDs of
/// version 7 and the instants of `time`, `chrono` and `jiff`. If you implement it for your own type, DynamoDB must order the
/// stored values exactly as your type orders its values.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot order writes",
    label = "expected an integer, `EpochMillis`, a ULID …",
    note = "a write passes only if its token is not older than the stored one, so tokens need a total order that DynamoDB shares; floats and plain strings have none to rely on"
)]
pub trait RatchetToken: Value<Kind: OrderedKind> {
    /// Returns the moment that the token stands for, if it stands for one. A tombstone's retention begins then.
    fn time(&self) -> Option<EpochMillis> {
        None
    }

    /// Refuses values of the type that do not order writes.
    #[expect(clippy::missing_errors_doc, reason = "the first line says it")]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }

    /// The shape of the texts, for types whose values other writers store as other texts.
    #[doc(hidden)]
    const __SHAPE: Option<Shape> = None;
}

/// Tokens that stand for a moment, so that `max_ahead_secs` can detect one that is far in the future.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not tell the time",
    label = "`max_ahead_secs` needs a token that is a time, such as `EpochMillis`"
)]
pub trait TimeToken: RatchetToken {}

/// A value that breaks a tie between two writes with the same token: any token, a string or bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot break a tie",
    label = "expected a ratchet token, a string or bytes"
)]
pub trait Tiebreak: Value<Kind: OrderedKind> {}

impl<T: RatchetToken> Tiebreak for T {}
impl Tiebreak for String {}
impl Tiebreak for Vec<u8> {}
impl Tiebreak for bytes::Bytes {}

macro_rules! integer_tokens {
    ($($type:ty)*) => {$(impl RatchetToken for $type {})*};
}

integer_tokens!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl RatchetToken for EpochMillis {
    fn time(&self) -> Option<EpochMillis> {
        Some(*self)
    }
}

impl TimeToken for EpochMillis {}

impl RatchetToken for EpochSeconds {
    fn time(&self) -> Option<EpochMillis> {
        Some(EpochMillis::new(self.get().saturating_mul(1000)))
    }

    fn check(&self) -> Result<(), EncodeError> {
        in_seconds(&self.encode()?)
    }
}

impl TimeToken for EpochSeconds {}

/// A type that a field with `#[created]` or `#[updated]` can have, alone or in an `Option`: [`EpochMillis`],
/// [`EpochSeconds`](crate::EpochSeconds), and behind features the instants of `time`, `chrono` and `jiff`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold the time of a write",
    label = "expected `EpochMillis`, `EpochSeconds`, or an instant of `chrono`, `jiff` or `time`",
    note = "enable dyno's feature of the crate's name; an `Option` of such a type fits, too"
)]
pub trait WriteTime: Value {
    /// Returns this moment, rounded down to what the type can hold.
    #[expect(clippy::missing_errors_doc, reason = "the type cannot hold the year")]
    fn at(time: EpochMillis) -> Result<Self, EncodeError>;
}

impl WriteTime for EpochMillis {
    fn at(time: EpochMillis) -> Result<Self, EncodeError> {
        Ok(time)
    }
}

impl WriteTime for EpochSeconds {
    fn at(time: EpochMillis) -> Result<Self, EncodeError> {
        Ok(time.to_seconds_floor())
    }
}

/// The type of a fence: `u64`, like the fencing token of a lock.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a fence",
    label = "expected `u64`",
    note = "the fence of a lock is a `u64`, which is greater with each lease; an item without one has the fence 0"
)]
pub trait FenceNumber: Value + Default {}

impl FenceNumber for u64 {}

/// A type that counts versions: an unsigned integer of up to 64 bits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot count versions",
    label = "expected `u64`, or a smaller unsigned integer",
    note = "a version is 0 before the item is stored, and each write raises it by one"
)]
pub trait VersionNumber: Value + Copy + Default {
    /// The highest version.
    #[doc(hidden)]
    const MAX_VERSION: u64;
    /// The type `T` itself: see `attribute::checked`.
    #[doc(hidden)]
    type Of<T>;
    #[doc(hidden)]
    fn to_number(self) -> u64;
    #[doc(hidden)]
    fn from_number(number: u64) -> Self;
}

macro_rules! version_numbers {
    ($($type:ty)*) => {$(
        impl VersionNumber for $type {
            type Of<T> = T;

            #[allow(clippy::cast_lossless, reason = "`From` is not for constants")]
            const MAX_VERSION: u64 = <$type>::MAX as u64;

            fn to_number(self) -> u64 {
                // Cannot fail: none of these types has more than 64 bits.
                u64::try_from(self).unwrap_or(u64::MAX)
            }

            fn from_number(number: u64) -> Self {
                // Cannot fail: a stored version is at most `MAX_VERSION`.
                Self::try_from(number).unwrap_or(Self::MAX)
            }
        }
    )*};
}

version_numbers!(u8 u16 u32 u64 usize);

/// The first second of the year 5000. Read as seconds, every number of milliseconds since 1973 is later.
const TOO_LATE: i64 = 95_617_584_000;

/// Refuses a number of seconds that can only be a number of milliseconds.
pub(crate) fn in_seconds(seconds: &AttributeValue) -> Result<(), EncodeError> {
    let too_late = AttributeValue::N(TOO_LATE.to_string());
    match (seconds, compare(seconds, &too_late)) {
        (AttributeValue::N(seconds), Some(Ordering::Greater | Ordering::Equal)) => Err(EncodeError::new(format!(
            "{seconds} seconds are after the year 5000, so the number is probably in milliseconds: convert it with `EpochMillis::to_seconds_ceil`"
        ))),
        _ => Ok(()),
    }
}

/// A type that a `#[ttl]` field can have: [`EpochSeconds`](crate::EpochSeconds), or an `Option` of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a TTL",
    label = "expected `EpochSeconds` or `Option<EpochSeconds>`",
    note = "DynamoDB removes items by a number of whole seconds since 1970; any other type or unit is ignored without an error, and nothing ever expires"
)]
pub trait Expiry {}

impl Expiry for EpochSeconds {}
impl Expiry for Option<EpochSeconds> {}
