//! Reasons in the form of `derive(Debug)`.

use super::Reason;
use crate::error::foreign_text::value;
use std::fmt;

/// Formats a reason as `derive(Debug)` does, but cuts each value as [`value`] does: a path and a mark contain text that other
/// programs have stored, of any length.
macro_rules! debug {
    ($reason:expr, $f:expr; $($variant:ident { $($field:ident),* })*) => {
        match $reason {$(
            Self::$variant { $($field),* } => {
                let mut shown = $f.debug_struct(stringify!($variant));
                $(shown.field(stringify!($field), &format_args!("{}", value(&format!("{:?}", $field))));)*
                shown.finish()
            }
        )*}
    };
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug! { self, f;
            Stale { attribute, tie }
            Ahead { attribute, seconds }
            Fenced { attribute, fence, found }
            Immutable { attribute }
            Corrupt { attribute, expected, found }
            Misspelled { attribute, expected, found }
            Conflict { expected, found }
            Uncounted { attribute }
            Overflow { attribute }
            Recorded { version }
            NoRevision { version }
            Duplicate {}
            Behind { seconds }
            Taken { constraint, holder }
            TakenByOtherEntity { constraint, holder }
            Absent { path }
            OutOfRange { path }
            Contained { path }
            NotContained { path }
            OtherElement { path }
            OtherText { attribute }
            Null { path }
            Renamed { attribute, found }
            TwoValues { attribute, found }
            Outdated { found, current }
            Newer { found, current }
            OtherEntity { found }
            Missing {}
            Exists {}
            Deleted {}
            Expired {}
            NotDeleted {}
            Changed {}
            Condition {}
            Unexplained {}
        }
    }
}
