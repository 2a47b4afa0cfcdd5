//! Errors of a write that may have been applied.

use super::{Error, ErrorKind};

impl Error {
    /// Marks the error of a write or transaction that is in doubt: one of its request attempts may have been applied, perhaps an
    /// earlier one than the attempt that failed. `hint` says how to find out. Some kinds of error mean this already.
    pub(crate) fn in_doubt(mut self, what: &str, hint: &str) -> Self {
        if matches!(self.0.kind, ErrorKind::OutcomeUnknown | ErrorKind::InProgress | ErrorKind::TokenMismatch) {
            return self;
        }
        let earlier = if self.0.fate.lost { "" } else { " an earlier attempt got no answer, and" };
        // These kinds mean that DynamoDB answered and applied nothing, which is only true of the last attempt.
        let means_not_applied = matches!(
            self.0.kind,
            ErrorKind::Throttled | ErrorKind::Contended | ErrorKind::Service | ErrorKind::TableMissing
        );
        if means_not_applied && !self.0.fate.lost {
            self.0.kind = ErrorKind::Unreachable;
        }
        self.0.fate.may_be_applied = true;
        self.0.message = format!("{};{earlier} the {what} may have been applied: {hint}", self.0.message);
        self
    }

    /// Marks the error of an update in doubt that must not be sent again, because it would count twice.
    pub(crate) fn of_a_lost_answer(mut self) -> Self {
        self.0.kind = ErrorKind::OutcomeUnknown;
        self.0.message += "; the update may have been applied, and was not sent again because it could count twice: load the item and decide; an idempotency key makes such an update safe to repeat";
        self
    }

    /// Marks the error of a `modify` or `rollback` in doubt: sent again, it would make another change.
    pub(crate) fn of_a_lost_change(mut self) -> Self {
        self.0.kind = ErrorKind::OutcomeUnknown;
        self.0.message += "; the change may have been applied: load the item and decide, because sending the command again makes another change";
        self
    }
}
