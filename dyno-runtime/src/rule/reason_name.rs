//! The names of reasons, for events: a reason itself can have names and values of an item.

use super::Reason;

impl Reason {
    /// Returns the name of the reason, without the names and values in it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Stale { .. } => "Stale",
            Self::Ahead { .. } => "Ahead",
            Self::Fenced { .. } => "Fenced",
            Self::Immutable { .. } => "Immutable",
            Self::Corrupt { .. } => "Corrupt",
            Self::Misspelled { .. } => "Misspelled",
            Self::Conflict { .. } => "Conflict",
            Self::Uncounted { .. } => "Uncounted",
            Self::Overflow { .. } => "Overflow",
            Self::Recorded { .. } => "Recorded",
            Self::NoRevision { .. } => "NoRevision",
            Self::Duplicate => "Duplicate",
            Self::Behind { .. } => "Behind",
            Self::Taken { .. } => "Taken",
            Self::TakenByOtherEntity { .. } => "TakenByOtherEntity",
            Self::Absent { .. } => "Absent",
            Self::OutOfRange { .. } => "OutOfRange",
            Self::Contained { .. } => "Contained",
            Self::NotContained { .. } => "NotContained",
            Self::OtherElement { .. } => "OtherElement",
            Self::OtherText { .. } => "OtherText",
            Self::Null { .. } => "Null",
            Self::Renamed { .. } => "Renamed",
            Self::TwoValues { .. } => "TwoValues",
            Self::Outdated { .. } => "Outdated",
            Self::Newer { .. } => "Newer",
            Self::OtherEntity { .. } => "OtherEntity",
            Self::Missing => "Missing",
            Self::Exists => "Exists",
            Self::Deleted => "Deleted",
            Self::Expired => "Expired",
            Self::NotDeleted => "NotDeleted",
            Self::Changed => "Changed",
            Self::Condition => "Condition",
            Self::Unexplained => "Unexplained",
        }
    }
}
