//! The names of reasons, for events, and reasons in the form of `derive(Debug)`.

use super::Reason;
use crate::error::foreign_text::value;
use std::fmt;

macro_rules! reasons {
    ($($variant:ident { $($field:ident),* })*) => {
        impl Reason {
            /// Returns the name of the reason, without the names and values in it, which can be those of an item.
            pub(crate) fn name(&self) -> &'static str {
                match self { $(Self::$variant { .. } => stringify!($variant),)* }
            }
        }

        impl fmt::Debug for Reason {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {$(
                    Self::$variant { $($field),* } => fmt_debug(f, stringify!($variant), &[$((stringify!($field), $field)),*]),
                )*}
            }
        }
    };
}

reasons! {
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

/// Formats a reason as `derive(Debug)` does, but cuts each value as [`value`] does: a path and a mark contain text that other
/// programs have stored, of any length.
fn fmt_debug(f: &mut fmt::Formatter<'_>, name: &str, fields: &[(&str, &dyn fmt::Debug)]) -> fmt::Result {
    let mut shown = f.debug_struct(name);
    for (field, found) in fields {
        shown.field(field, &format_args!("{}", value(&format!("{found:?}"))));
    }
    shown.finish()
}
