//! Accessors of an error for programs.

use super::{Error, ErrorKind};

impl Error {
    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns true if the write, or a part of it, may have been applied despite the error: one of its attempts got no answer,
    /// or an error of DynamoDB's own. (The error itself may be that of a later attempt, which was answered.)
    ///
    /// `false` means that this `send` applied nothing. It is `false` for a read, for bad input, and for a closure that returned
    /// an error.
    #[must_use]
    pub fn may_be_applied(&self) -> bool {
        use ErrorKind::{InProgress, LockLost, OutcomeUnknown, TokenMismatch};
        self.0.fate.may_be_applied || matches!(self.0.kind, OutcomeUnknown | InProgress | TokenMismatch | LockLost)
    }

    /// Returns true if DynamoDB itself gave the reason for not serving the request. Without such an answer, the request may
    /// have been served, or was never sent.
    pub(crate) fn is_answer(&self) -> bool {
        !self.0.fate.lost && !self.is_unreachable()
    }

    /// Returns the same error without its command, for requests that the library sends for itself. Their message names the
    /// subject.
    #[cfg(feature = "derive")] // by locks
    pub(crate) fn without_command(mut self) -> Self {
        self.0.context = None;
        self
    }

    /// Returns the name of the entity type whose command failed.
    #[must_use]
    pub fn entity(&self) -> Option<&str> {
        self.0.context.as_ref().map(|context| context.entity)
    }

    /// Returns the command that failed: `put`, `query`, …
    #[must_use]
    pub fn operation(&self) -> Option<&str> {
        self.0.context.as_ref().map(|context| context.operation)
    }

    /// Returns the key of the command's item, as text for people.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.0.context.as_ref()?.key.as_deref()
    }

    /// Returns true for [`ErrorKind::InvalidInput`].
    #[must_use]
    pub fn is_invalid_input(&self) -> bool {
        self.kind() == ErrorKind::InvalidInput
    }

    /// Returns true for [`ErrorKind::Decode`].
    #[must_use]
    pub fn is_decode(&self) -> bool {
        self.kind() == ErrorKind::Decode
    }

    /// Returns true for [`ErrorKind::Refused`].
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.kind() == ErrorKind::Refused
    }

    /// Returns true for [`ErrorKind::TableMissing`].
    #[must_use]
    pub fn is_table_missing(&self) -> bool {
        self.kind() == ErrorKind::TableMissing
    }

    /// Returns true for [`ErrorKind::OutcomeUnknown`].
    #[must_use]
    pub fn is_outcome_unknown(&self) -> bool {
        self.kind() == ErrorKind::OutcomeUnknown
    }

    /// Returns true for [`ErrorKind::Contended`].
    #[must_use]
    pub fn is_contended(&self) -> bool {
        self.kind() == ErrorKind::Contended
    }

    /// Returns true for [`ErrorKind::InProgress`].
    #[must_use]
    pub fn is_in_progress(&self) -> bool {
        self.kind() == ErrorKind::InProgress
    }

    /// Returns true for [`ErrorKind::LaneMissing`].
    #[must_use]
    pub fn is_lane_missing(&self) -> bool {
        self.kind() == ErrorKind::LaneMissing
    }

    /// Returns true for [`ErrorKind::LockLost`].
    #[must_use]
    pub fn is_lock_lost(&self) -> bool {
        self.kind() == ErrorKind::LockLost
    }

    /// Returns true for [`ErrorKind::TokenMismatch`].
    #[must_use]
    pub fn is_token_mismatch(&self) -> bool {
        self.kind() == ErrorKind::TokenMismatch
    }

    /// Returns true for [`ErrorKind::Throttled`].
    #[must_use]
    pub fn is_throttled(&self) -> bool {
        self.kind() == ErrorKind::Throttled
    }

    /// Returns true for [`ErrorKind::Unreachable`].
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        self.kind() == ErrorKind::Unreachable
    }
}
