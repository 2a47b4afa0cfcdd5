//! Arithmetic of points in time with durations, as the standard library's times have it, and conversions to other types of
//! time.

use crate::attribute::time::{EpochMillis, EpochSeconds};
use crate::error::Error;
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const fn millis(duration: Duration) -> Option<u64> {
    let millis = duration.as_millis();
    #[expect(clippy::cast_possible_truncation, reason = "it is no greater")]
    if millis <= u64::MAX as u128 { Some(millis as u64) } else { None }
}

#[expect(clippy::unnecessary_wraps, reason = "as of milliseconds")]
const fn seconds(duration: Duration) -> Option<u64> {
    Some(duration.as_secs())
}

macro_rules! arithmetic {
    ($($name:ident $unit:literal $units:ident $from_units:ident;)*) => {$(
        impl $name {
            #[doc = concat!("This moment and a duration, of which whole ", $unit, " count; `None` beyond the type.")]
            #[must_use]
            pub const fn checked_add(self, duration: Duration) -> Option<Self> {
                let Some(units) = $units(duration) else { return None };
                match self.get().checked_add_unsigned(units) {
                    Some(moment) => Some(Self::new(moment)),
                    None => None,
                }
            }

            #[doc = concat!("The moment so long before this one, of which whole ", $unit, " count; `None` beyond the type.")]
            #[must_use]
            pub const fn checked_sub(self, duration: Duration) -> Option<Self> {
                let Some(units) = $units(duration) else { return None };
                match self.get().checked_sub_unsigned(units) {
                    Some(moment) => Some(Self::new(moment)),
                    None => None,
                }
            }

            /// As [`checked_add`](Self::checked_add), but returns the latest moment of the type instead of overflowing.
            #[must_use]
            pub const fn saturating_add(self, duration: Duration) -> Self {
                match self.checked_add(duration) {
                    Some(moment) => moment,
                    None => Self::new(i64::MAX),
                }
            }

            /// As [`checked_sub`](Self::checked_sub), but returns the earliest moment of the type instead of overflowing.
            #[must_use]
            pub const fn saturating_sub(self, duration: Duration) -> Self {
                match self.checked_sub(duration) {
                    Some(moment) => moment,
                    None => Self::new(i64::MIN),
                }
            }

            /// Returns the time from `earlier` to this moment, or `None` if `earlier` is later.
            #[must_use]
            pub const fn checked_duration_since(self, earlier: Self) -> Option<Duration> {
                if self.get() < earlier.get() {
                    return None;
                }
                Some(Duration::$from_units(self.get().abs_diff(earlier.get())))
            }
        }

        #[doc = concat!("As [`checked_add`](", stringify!($name), "::checked_add).")]
        ///
        /// # Panics
        /// Panics if the type cannot hold the result.
        impl Add<Duration> for $name {
            type Output = Self;

            fn add(self, duration: Duration) -> Self {
                self.checked_add(duration).expect("overflow when adding a duration to a time")
            }
        }

        #[doc = concat!("As [`checked_sub`](", stringify!($name), "::checked_sub).")]
        ///
        /// # Panics
        /// Panics if the type cannot hold the result.
        impl Sub<Duration> for $name {
            type Output = Self;

            fn sub(self, duration: Duration) -> Self {
                self.checked_sub(duration).expect("overflow when subtracting a duration from a time")
            }
        }

        impl AddAssign<Duration> for $name {
            fn add_assign(&mut self, duration: Duration) {
                *self = *self + duration;
            }
        }

        impl SubAssign<Duration> for $name {
            fn sub_assign(&mut self, duration: Duration) {
                *self = *self - duration;
            }
        }

        /// Fails if `SystemTime` cannot hold the moment, which never happens on Unix.
        impl TryFrom<$name> for SystemTime {
            type Error = Error;

            fn try_from(moment: $name) -> Result<Self, Error> {
                let distance = Duration::$from_units(moment.get().unsigned_abs());
                let time = if moment.get() < 0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) };
                time.ok_or_else(|| beyond(moment, $unit, "SystemTime"))
            }
        }

        #[cfg(feature = "chrono")]
        /// Fails from the year 262143 on, which `chrono` cannot hold.
        impl TryFrom<$name> for chrono::DateTime<chrono::Utc> {
            type Error = Error;

            fn try_from(moment: $name) -> Result<Self, Error> {
                from_chrono::$units(moment.get()).ok_or_else(|| beyond(moment, $unit, "DateTime<Utc>"))
            }
        }

        #[cfg(feature = "jiff")]
        /// Fails from the year 10000 on, which `jiff` cannot hold.
        impl TryFrom<$name> for jiff::Timestamp {
            type Error = Error;

            fn try_from(moment: $name) -> Result<Self, Error> {
                from_jiff::$units(moment.get()).ok_or_else(|| beyond(moment, $unit, "Timestamp"))
            }
        }

        #[cfg(feature = "time")]
        /// Fails from the year 10000 on, which `time` cannot hold.
        impl TryFrom<$name> for time::OffsetDateTime {
            type Error = Error;

            fn try_from(moment: $name) -> Result<Self, Error> {
                from_time::$units(moment.get()).ok_or_else(|| beyond(moment, $unit, "OffsetDateTime"))
            }
        }
    )*};
}

arithmetic! {
    EpochMillis "milliseconds" millis from_millis;
    EpochSeconds "seconds" seconds from_secs;
}

#[cold]
fn beyond(moment: impl std::fmt::Display, unit: &str, of: &str) -> Error {
    Error::invalid(format!("{moment} {unit} since 1970 is a time that `{of}` cannot hold"))
}

#[cfg(feature = "chrono")]
mod from_chrono {
    use chrono::{DateTime, Utc};

    pub(super) fn millis(millis: i64) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp_millis(millis)
    }

    pub(super) fn seconds(seconds: i64) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp(seconds, 0)
    }
}

#[cfg(feature = "jiff")]
mod from_jiff {
    use jiff::Timestamp;

    pub(super) fn millis(millis: i64) -> Option<Timestamp> {
        Timestamp::from_millisecond(millis).ok()
    }

    pub(super) fn seconds(seconds: i64) -> Option<Timestamp> {
        Timestamp::from_second(seconds).ok()
    }
}

#[cfg(feature = "time")]
mod from_time {
    use time::OffsetDateTime;

    pub(super) fn millis(millis: i64) -> Option<OffsetDateTime> {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(millis) * 1_000_000).ok()
    }

    pub(super) fn seconds(seconds: i64) -> Option<OffsetDateTime> {
        OffsetDateTime::from_unix_timestamp(seconds).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn durations_are_added_in_whole_units_and_never_wrap() {
        let at = EpochMillis::new(-500);
        assert_eq!(at + SECOND, EpochMillis::new(500));
        assert_eq!(at - Duration::from_micros(1999), EpochMillis::new(-501));
        assert_eq!(at.checked_add(Duration::MAX), None);
        assert_eq!(EpochMillis::new(i64::MIN).checked_sub(Duration::from_millis(1)), None);
        assert_eq!(
            EpochMillis::new(i64::MIN).checked_add(Duration::from_millis(u64::MAX)),
            Some(EpochMillis::new(i64::MAX))
        );
        assert_eq!(at.saturating_add(Duration::MAX), EpochMillis::new(i64::MAX));
        assert_eq!(EpochSeconds::new(7).saturating_sub(Duration::MAX), EpochSeconds::new(i64::MIN));
        assert_eq!(EpochSeconds::new(7) + Duration::from_millis(1999), EpochSeconds::new(8));
        let mut at = EpochSeconds::new(7);
        at += SECOND;
        at -= SECOND * 3;
        assert_eq!(at, EpochSeconds::new(5));
    }

    #[test]
    fn the_duration_between_any_two_times_is_exact() {
        let (early, late) = (EpochMillis::new(i64::MIN), EpochMillis::new(i64::MAX));
        assert_eq!(late.checked_duration_since(early), Some(Duration::from_millis(u64::MAX)));
        assert_eq!(early.checked_duration_since(late), None);
        assert_eq!(early.checked_duration_since(early), Some(Duration::ZERO));
    }

    #[test]
    fn times_round_trip_through_the_types_of_other_crates() {
        for millis in [0, 1, -1, 4_102_444_800_123, -62_135_596_800_000] {
            let at = EpochMillis::new(millis);
            assert_eq!(SystemTime::try_from(at).map(EpochMillis::from).expect("a time"), at);
            #[cfg(feature = "chrono")]
            assert_eq!(chrono::DateTime::try_from(at).map(EpochMillis::from).expect("a time"), at);
            #[cfg(feature = "jiff")]
            assert_eq!(jiff::Timestamp::try_from(at).map(EpochMillis::from).expect("a time"), at);
            #[cfg(feature = "time")]
            assert_eq!(time::OffsetDateTime::try_from(at).map(EpochMillis::from).expect("a time"), at);
            let at = at.to_seconds_floor();
            assert_eq!(SystemTime::try_from(at).map(EpochSeconds::from).expect("a time"), at);
            #[cfg(feature = "chrono")]
            assert_eq!(chrono::DateTime::try_from(at).map(EpochSeconds::from).expect("a time"), at);
            #[cfg(feature = "jiff")]
            assert_eq!(jiff::Timestamp::try_from(at).map(EpochSeconds::from).expect("a time"), at);
            #[cfg(feature = "time")]
            assert_eq!(time::OffsetDateTime::try_from(at).map(EpochSeconds::from).expect("a time"), at);
        }
        #[cfg(feature = "jiff")]
        assert!(jiff::Timestamp::try_from(EpochMillis::new(i64::MAX)).is_err_and(|error| error.is_invalid_input()));
    }
}
