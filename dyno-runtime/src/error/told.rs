//! What an error tells a program.

use super::{Error, ErrorKind};

impl Error {
    /// What kind of error it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Whether the write, or a part of it, may have been applied all the same: an attempt of it was not answered, or by
    /// an error of DynamoDB's own. The error itself can be of a later attempt, which was answered.
    ///
    /// `false` says that nothing was applied by what this `send` has sent. Of a read, a closure that returned an error
    /// or bad input, it is `false`.
    #[must_use]
    pub fn may_be_applied(&self) -> bool {
        use ErrorKind::{InProgress, LockLost, OutcomeUnknown, TokenMismatch};
        self.0.fate.may_be_applied || matches!(self.0.kind, OutcomeUnknown | InProgress | TokenMismatch | LockLost)
    }

    /// Whether DynamoDB itself has said why it did not serve the request. Without such an answer, the request may have been
    /// served, or was never sent.
    pub(crate) fn is_answer(&self) -> bool {
        !self.0.fate.lost && !self.is_unreachable()
    }

    /// The same, without the command that it is of: for what the library sends for itself, whose message says what of.
    #[cfg(feature = "derive")] // by locks
    pub(crate) fn without_command(mut self) -> Self {
        self.0.context = None;
        self
    }

    /// The name of the entity type whose command failed.
    #[must_use]
    pub fn entity(&self) -> Option<&str> {
        self.0.context.as_ref().map(|context| context.entity)
    }

    /// The command that failed: `put`, `query`, …
    #[must_use]
    pub fn operation(&self) -> Option<&str> {
        self.0.context.as_ref().map(|context| context.operation)
    }

    /// The key of the item that the command was about, as text for people.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.0.context.as_ref()?.key.as_deref()
    }

    /// [`ErrorKind::InvalidInput`]
    #[must_use]
    pub fn is_invalid_input(&self) -> bool {
        self.kind() == ErrorKind::InvalidInput
    }

    /// [`ErrorKind::Decode`]
    #[must_use]
    pub fn is_decode(&self) -> bool {
        self.kind() == ErrorKind::Decode
    }

    /// [`ErrorKind::Refused`]
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.kind() == ErrorKind::Refused
    }

    /// [`ErrorKind::TableMissing`]
    #[must_use]
    pub fn is_table_missing(&self) -> bool {
        self.kind() == ErrorKind::TableMissing
    }

    /// [`ErrorKind::OutcomeUnknown`]
    #[must_use]
    pub fn is_outcome_unknown(&self) -> bool {
        self.kind() == ErrorKind::OutcomeUnknown
    }

    /// [`ErrorKind::Contended`]
    #[must_use]
    pub fn is_contended(&self) -> bool {
        self.kind() == ErrorKind::Contended
    }

    /// [`ErrorKind::InProgress`]
    #[must_use]
    pub fn is_in_progress(&self) -> bool {
        self.kind() == ErrorKind::InProgress
    }

    /// [`ErrorKind::LaneMissing`]
    #[must_use]
    pub fn is_lane_missing(&self) -> bool {
        self.kind() == ErrorKind::LaneMissing
    }

    /// [`ErrorKind::LockLost`]
    #[must_use]
    pub fn is_lock_lost(&self) -> bool {
        self.kind() == ErrorKind::LockLost
    }

    /// [`ErrorKind::TokenMismatch`]
    #[must_use]
    pub fn is_token_mismatch(&self) -> bool {
        self.kind() == ErrorKind::TokenMismatch
    }

    /// [`ErrorKind::Throttled`]
    #[must_use]
    pub fn is_throttled(&self) -> bool {
        self.kind() == ErrorKind::Throttled
    }

    /// [`ErrorKind::Unreachable`]
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        self.kind() == ErrorKind::Unreachable
    }
}
