//! A run of the closure that has ended.

use super::read_write_set::Row;
use super::stored_versions::StoredVersions;
use super::validate_ranges::Range;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::{Moment, Priority, Repository};

/// A run that has ended: its reads and writes.
pub(crate) struct Run {
    pub(crate) repository: Repository,
    pub(crate) now: EpochMillis,
    pub(crate) began: Moment,
    pub(crate) priority: Priority,
    pub(crate) rows: Vec<Row>,
    pub(crate) ranges: Vec<Range>,
    pub(crate) stored: StoredVersions,
    /// The first error of an action that cannot be sent for any stored item.
    pub(crate) action_error: Option<Error>,
    /// Whether the closure saw the refusal of a write.
    pub(crate) has_seen_refusal: bool,
    /// Whether a row could not be read.
    pub(crate) has_failed: bool,
}
